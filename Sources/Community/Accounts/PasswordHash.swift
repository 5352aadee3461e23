/// A password as it is stored: argon2id in the PHC string format, `$argon2id$v=19$m=65536,t=2,p=1$salt$hash`.
package struct PasswordHash: Sendable, Hashable {
    /// What one hash costs whoever computes it.
    package struct Cost: Sendable, Hashable {
        /// Passes over the memory.
        package let passes: UInt32
        package let kibibytes: UInt32
        package let lanes: UInt32

        /// About 0.1 s and 64 MiB.
        package static let standard = Cost(passes: 2, kibibytes: 65_536, lanes: 1)
        /// The least that argon2 accepts: for tests, where thousands of passwords are hashed.
        package static let testing = Cost(passes: 1, kibibytes: 8, lanes: 1)

        package init(passes: UInt32, kibibytes: UInt32, lanes: UInt32) {
            self.passes = passes
            self.kibibytes = kibibytes
            self.lanes = lanes
        }
    }
}
