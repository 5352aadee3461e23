import Foundation
import TestSupport
import Testing

/// Programs that are made from `openapi.json`, as makers of apps make them.
@Suite(.serialized) struct GeneratedClientsTests {
    @Test(.timeLimit(.minutes(15)))
    func `generated clients make their calls, every upload among them, and models hold the answers`() async throws {
        try await run([])
    }

    @Test(.timeLimit(.minutes(30)))
    func `schemathesis finds nothing`() async throws {
        try await run(["fuzz", ProofCount.of(20) >= 20 ? "20" : "2"])
    }

    private func run(_ arguments: [String]) async throws {
        try await withProgram { program in
            #expect(try await program.run("demo").status == 0)
            let owner = try await program.run(
                "admin", "create-owner", "clients", "--email", "clients@example.org", "--password-stdin",
                input: "a long walk home\n")
            #expect(owner.status == 0, "\(owner.errors)")
            let server = try await program.serve()
            let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            let running = try RunningProgram(
                program: root.appending(path: "Tests/Clients/generated").path,
                arguments: [program.url, root.appending(path: ".build/generated-clients").path] + arguments, input: "",
                environment: ProcessInfo.processInfo.environment, log: program.folder + "/generated")
            let status = await running.exit()
            await server.stop()
            if status == 75 { return try skip("neither PyPI nor what it gave before is to be had") }
            #expect(status == 0, "\(running.output.suffix(4000))\(running.errors.suffix(2000))")
        }
    }

    /// Has the result say that the test proved nothing here.
    private func skip(_ reason: Comment) throws {
        #if compiler(>=6.3)
            try Test.cancel(reason)
        #else
            withKnownIssue(reason) { Issue.record(reason) }
        #endif
    }
}
