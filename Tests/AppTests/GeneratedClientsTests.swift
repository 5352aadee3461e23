import Foundation
import TestSupport
import Testing

/// Programs that are made from `openapi.json`, as makers of apps make them.
@Suite(.serialized) struct GeneratedClientsTests {
    @Test(.timeLimit(.minutes(ProofCount.minutes)))
    func `generated clients make their calls, every upload among them, and models hold the answers`() async throws {
        try await run([])
    }

    @Test(.timeLimit(.minutes(ProofCount.minutes)))
    func `schemathesis finds nothing`() async throws {
        try await run(["fuzz", ProofCount.of(20) >= 20 ? "20" : "2"])
    }

    /// Written from the documents alone; its checks are its own.
    @Test(.timeLimit(.minutes(ProofCount.minutes)), .requirement("WEB-2"))
    func `each of the five apps shows its screens, each by the one call that the API names for it`() async throws {
        try await withDemonstration { program in
            let running = try start("screens.py", [program.url], for: program)
            #expect(await running.exit() == 0, "\(running.output.suffix(4000))\(running.errors.suffix(2000))")
        }
    }

    private func run(_ arguments: [String]) async throws {
        try await withDemonstration { program in
            let environment = Self.root.appending(path: ".build/generated-clients").path
            let running = try start("generated", [program.url, environment] + arguments, for: program)
            let status = await running.exit()
            if status == 75 { return try skip("neither PyPI nor what it gave before is to be had") }
            // What was found stands before the warnings.
            let found = running.output.range(of: "= FAILURES =").map { running.output[$0.lowerBound...].prefix(4000) }
            #expect(status == 0, "\(found ?? running.output.suffix(4000))\(running.errors.suffix(2000))")
        }
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// A server with the demonstration and the owner `clients`.
    private func withDemonstration(_ body: (Program) async throws -> Void) async throws {
        try await withProgram { program in
            #expect(try await program.run("demo").status == 0)
            let owner = try await program.run(
                "admin", "create-owner", "clients", "--email", "clients@example.org", "--password-stdin",
                input: "a long walk home\n")
            #expect(owner.status == 0, "\(owner.errors)")
            let server = try await program.serve()
            try await body(program)
            await server.stop()
        }
    }

    /// A program of `Tests/Clients`.
    private func start(_ name: String, _ arguments: [String], for program: Program) throws -> RunningProgram {
        let path = Self.root.appending(path: "Tests/Clients/" + name).path
        let isPython = name.hasSuffix(".py")
        return try RunningProgram(
            program: isPython ? "/usr/bin/env" : path, arguments: (isPython ? ["python3", path] : []) + arguments,
            input: "", environment: ProcessInfo.processInfo.environment, log: program.folder + "/" + name)
    }
}
