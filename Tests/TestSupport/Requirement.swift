import Testing

/// `@Test(.requirement("ACC-1"))`: which requirement a test proves. Shown with its failures.
package struct Requirement: SuiteTrait, TestTrait {
    /// As in the list of requirements: `ACC-1`.
    package let codes: [String]

    package var isRecursive: Bool { true }
    package var comments: [Comment] { codes.map { "requirement \($0)" } }
}

extension Trait where Self == Requirement {
    package static func requirement(_ codes: String...) -> Requirement { Requirement(codes: codes) }
}
