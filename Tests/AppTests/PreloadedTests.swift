import Foundation
import TestSupport
import Testing

@testable import App

/// A program whose clock another library tells.
@Suite(
    .serialized,
    .enabled(if: FakeClock.library != nil || ProofCount.isFull, Comment(rawValue: FakeClock.isMissing)))
struct PreloadedTests {
    /// A library that is loaded first may move the environment, beside which Swift looks for the arguments.
    @Test func `a program under a preloaded library does what it is told`() async throws {
        try #require(FakeClock.library != nil, "\(FakeClock.isMissing), and a full proof needs it")
        try await withProgram { program in
            let clock = try FakeClock(86_400, file: program.folder + "/clock")
            let told = try await program.run("migrate", "--nonsense", environment: clock.environment)
            #expect(told.status == 64 && told.output.isEmpty, "\(told.status): \(told.output)")
            #expect(told.errors.contains("--nonsense"))

            let serve = try await program.serve(environment: clock.environment)
            #expect(!serve.output.contains("OVERVIEW"))
            #expect(await serve.stop() == 0)
        }
    }
}

struct ArgumentsTests {
    @Test func `the words behind the program's name are what it was told`() throws {
        #expect(try Arguments.words(swift: ["commonplace", "serve"]) { [] } == ["serve"])
        #expect(try Arguments.words(swift: ["commonplace"]) { [] } == [])
        #expect(try Arguments.words(swift: []) { ["commonplace", "serve", ""] } == ["serve", ""])
        #expect(try Arguments.words(swift: ["commonplace"]) { ["commonplace", "serve"] } == ["serve"])
        #expect(throws: CommandError.self) { _ = try Arguments.words(swift: []) { [] } }
    }
}
