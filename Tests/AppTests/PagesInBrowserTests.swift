import Foundation
import TestSupport
import Testing

@testable import Client

/// The pages in Chromium, as readers meet them: the programs of `Tests/Browser`. Where neither a browser nor PyPI is to be had they are
/// skipped; a full proof fails.
@Suite(.serialized, .enabled(if: Browser.program != nil || ProofCount.isFull, Comment(rawValue: Browser.isMissing)))
struct PagesInBrowserTests {
    init() throws {
        try #require(Browser.program != nil, "\(Browser.isMissing), and a full proof needs it")
    }

    @Test(.requirement("WEB-1"), .timeLimit(.minutes(ProofCount.minutes)))
    func `two readers walk through the pages with scripts and without, and miss nothing where the network is lost`()
        async throws
    {
        try await browse("walk")
    }

    @Test(.requirement("WEB-1"), .timeLimit(.minutes(ProofCount.minutes)))
    func `every page fits four screens in light and dark, and nothing on it keeps a reader out`() async throws {
        try await browse("look") { _ in ["--pictures", Self.root.appending(path: ".build/pages").path] }
    }

    @Test(.requirement("WEB-1"), .timeLimit(.minutes(ProofCount.minutes)))
    func `the first page in a new browser is light`() async throws {
        try await browse("weigh")
    }

    @Test(.requirement("WEB-1"), .timeLimit(.minutes(ProofCount.minutes)))
    func `nothing that readers, addresses or cookies say runs on any page`() async throws {
        try await browse("payload") { program in
            let file = program.folder + "/payloads.json"
            try JSONEncoder().encode(ScriptPayloads.all).write(to: URL(filePath: file))
            return ["--payloads", file]
        }
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let word = "a long walk home"

    /// Runs a program of `Tests/Browser` against a server with the demonstration.
    private func browse(_ name: String, _ more: (Program) throws -> [String] = { _ in [] }) async throws {
        try await withProgram { program in
            let demo = try await program.run("demo", "--json")
            #expect(demo.status == 0, "\(demo.errors)")
            let told = try JSONDecoder().decode(JSONValue.self, from: Data(demo.output.utf8))
            let readers = try #require(told["sign_ins"]?.array).map { reader in
                "\(reader["username"]?.string ?? ""):\(reader["password"]?.string ?? "")"
            }
            let owner = try await program.run(
                "admin", "create-owner", "keeper", "--email", "keeper@example.org", "--password-stdin",
                input: Self.word + "\n")
            #expect(owner.status == 0, "\(owner.errors)")
            let server = try await program.serve()
            let seed = TestRandom(for: name).number(in: 0..<1_000_000)
            var arguments = [Self.root.appending(path: ".build/browser").path, name, program.url]
            arguments += ["--owner", "keeper:" + Self.word, "--seed", String(seed), "--readers"] + readers
            if ProofCount.isFull { arguments.append("--full") }
            arguments += try more(program)
            let browsing = try RunningProgram(
                program: Self.root.appending(path: "Tests/Browser/browse").path, arguments: arguments, input: "",
                environment: ProcessInfo.processInfo.environment, log: program.folder + "/browse")
            let status = await browsing.exit()
            #expect(await server.stop() == 0)
            print(browsing.output.suffix(2000))
            if status == 75, !ProofCount.isFull {
                return try skip("neither PyPI nor what it gave before is to be had")
            }
            #expect(status == 0, "\(browsing.output.suffix(8000))\(browsing.errors.suffix(2000))")
        }
    }
}
