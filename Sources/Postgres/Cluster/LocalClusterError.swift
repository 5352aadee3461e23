/// Why the program cannot run its own Postgres. Each says what to do.
package struct LocalClusterError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, Sendable {
        /// No server programs, or only ones that are too old.
        case noPrograms
        /// The folder cannot be made, entered or handed over.
        case folder
        /// The cluster there belongs to another major version.
        case otherVersion
        /// Another process has been starting or stopping it for too long.
        case busy
        /// A server program failed; its words are in the description.
        case failed
    }

    package let kind: Kind
    /// What is wrong and what to do, in sentences for the operator.
    package let description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
