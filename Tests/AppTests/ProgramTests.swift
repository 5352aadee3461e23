import Testing

/// What the program says about itself, from outside.
@Suite struct ProgramTests {
    @Test func `the program names its version`() async throws {
        try await withProgram { program in
            let finished = try await program.run("version")

            #expect(finished.status == 0)
            #expect(!finished.output.isEmpty)
        }
    }

    @Test func `a setting that is wrong ends it with 78 and the setting's name`() async throws {
        try await withProgram(["COMMONPLACE_LISTEN": "nowhere"]) { program in
            let finished = try await program.run("config")

            #expect(finished.status == 78)
            #expect(finished.errors.contains("COMMONPLACE_LISTEN"))
        }
    }
}
