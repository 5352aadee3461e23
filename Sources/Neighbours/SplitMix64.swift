/// SplitMix64: chance that comes again with its seed, and the hash of the evaluation's split.
///
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
struct SplitMix64: RandomNumberGenerator {
    private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        defer { state &+= Self.step }
        return Self.hash(state)
    }

    /// The generator's first number after the seed `value`. Of 0 it is 16294208416658607535.
    static func hash(_ value: UInt64) -> UInt64 {
        var mixed = value &+ step
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
