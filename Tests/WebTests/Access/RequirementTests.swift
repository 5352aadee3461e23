import TestSupport
import Testing

/// What holds tests to the requirements that they name.
@Suite(.database)
struct RequirementTests {
    @Test func `a test that names a requirement and never calls the server fails`() async throws {
        let test = try #require(Test.current)
        await withKnownIssue {
            try await Requirement(codes: ["ACC-1"]).provideScope(for: test, testCase: nil) {}
        }
    }

    @Test func `one that calls the server does not fail, whichever of its traits says so`() async throws {
        let test = try #require(Test.current)
        let requirement = Requirement(codes: ["ACC-1"])
        try await requirement.provideScope(for: test, testCase: nil) {
            try await requirement.provideScope(for: test, testCase: nil) {
                try await withApp { app in _ = try await app.get("/livez") }
            }
        }
    }
}
