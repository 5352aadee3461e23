import Foundation
import TestSupport
import Testing

@testable import Client

/// `commonplace admin reports`, `content`, `users`, `audit` and `stats` on the database and at a server: the same rows, the same codes.
@Suite struct AdminDoorTests {
    private let password = "a long enough password"

    /// A running server with something reported on it, and a moderator's token in a file.
    private struct Scene {
        let program: Program
        let server: RunningProgram
        let eve: SignedIn
        let tokenFile: String

        var remote: [String] { ["--server", program.url, "--token-file", tokenFile] }

        init(_ program: Program, password: String) async throws {
            self.program = program
            server = try await program.serve()
            func register(_ name: String) async throws -> SignedIn {
                try await program.client().register(
                    username: name, email: "\(name)@example.org", password: password)
            }
            eve = try await register("eve")
            let (ann, ada) = (try await register("ann"), try await register("ada"))
            _ = try await ann.client.report("reader:eve", as: "spam", "Look:\u{1B}[31m\nwatches!")
            try await program.run("admin", "role", "ada", "admin", "--reason", "helps")
            let made = try await ada.client.call(
                .post, "/me/access-tokens", [:],
                [
                    "name": .string("cli"), "days": .number(30),
                    "scopes": .array(["read:moderation", "write:moderation"].map(JSONValue.string)),
                ])
            tokenFile = program.folder + "/token"
            try (made["token"]?.string ?? "").write(toFile: tokenFile, atomically: false, encoding: .utf8)
            chmod(tokenFile, 0o600)
        }
    }

    @Test(.requirement("DIS-5")) func `both doors give the same rows and the same codes`() async throws {
        try await withProgram { program in
            let scene = try await Scene(program, password: password)
            let id = try await program.run("admin", "reports", "list").output.split(separator: "\t").first.map(
                String.init)
            let report = try #require(id)
            let questions = [
                ["reports", "list"], ["reports", "list", "--json"], ["reports", "list", "--format", "table"],
                ["reports", "show", report], ["reports", "show", report, "--format", "jsonl"],
                ["reports", "list", "--state", "decided"], ["reports", "show", "7"],
                ["reports", "list", "--limit", "0"],
                ["content", "list"], ["content", "list", "--author", "eve", "--json"],
                ["content", "list", "--text", "watches"], ["content", "list", "--author", "nobody"],
                ["content", "list", "--since", "2090-01-01T00:00:00Z"], ["content", "list", "--since", "soon"],
                ["users", "list"], ["users", "list", "--name", "e", "--format", "jsonl"],
                ["users", "list", "--state", "frozen"], ["users", "show", "EVE"], ["users", "show", "nobody"],
                ["users", "show", "eve", "--json"], ["audit"], ["audit", "--actor", "nobody"],
                ["audit", "--target", "reader:ada", "--json"], ["stats", "--json"],
            ]
            for question in questions {
                let here = try await program.run(["admin"] + question)
                let there = try await program.run(["admin"] + question + scene.remote)
                #expect(here.output == there.output, "\(question)")
                #expect(here.status == there.status, "\(question): \(here.errors) \(there.errors)")
                #expect(here.errors == there.errors, "\(question)")
                #expect(!here.output.contains("\u{1B}"), "\(question)")
            }
            let audit = try await program.run("admin", "audit", "--format", "jsonl")
            #expect(audit.output.contains(#""action":"account.role""#), "\(audit)")
            #expect(try await program.run("admin", "users", "show", "eve").output.contains("email\teve@example.org\n"))

            // What is done through one door is seen through the other, with who did it.
            let claim = ["admin", "reports", "claim", report]
            let claimed = try await program.run(claim + scene.remote)
            #expect(claimed.status == 0 && claimed.errors.contains("is open, claimed by ada"), "\(claimed.errors)")
            // Somebody at the server's own terminal stands above every role.
            #expect(try await program.run(claim).status == 0)
            let dismiss = ["admin", "reports", "dismiss", report, "--reason", "no"]
            #expect(try await program.run(dismiss + scene.remote).status == 5)
            #expect(try await program.run("admin", "reports", "release", report).status == 0)
            let dismissed = try await program.run(dismiss + scene.remote)
            #expect(dismissed.status == 0, "\(dismissed.errors)")
            #expect(
                try await program.run("admin", "reports", "show", report).output.contains("\tada\treport.dismiss\tno"))

            // An act over HTTP names the token, and goes no further than its owner's role.
            let freeze = ["admin", "users", "freeze", "ann", "--reason", "calm"]
            #expect(try await program.run(freeze + scene.remote).status == 0)
            let (here, there) = (try await program.run(freeze), try await program.run(freeze + scene.remote))
            #expect(here.status == 5 && there.status == 5 && here.errors == there.errors, "\(here) \(there)")
            let acts = try await program.run("admin", "audit", "--target", "reader:ann", "--format", "jsonl").output
            #expect(acts.contains(#""actor":"ada""#) && acts.contains(#""token":""#), "\(acts)")
            let oneself = ["admin", "users", "suspend", "ada", "--reason", "no"]
            #expect(try await program.run(oneself + scene.remote).status == 4)
            await scene.server.stop()
        }
    }

    @Test func `a token that others may read is refused, and so is what a token may not`() async throws {
        try await withProgram { program in
            let scene = try await Scene(program, password: password)
            func stats(_ arguments: [String]) async throws -> Program.Finished {
                try await program.run(["admin", "stats"] + arguments)
            }
            #expect(try await stats(["--server", program.url]).status == 64)
            #expect(try await stats(["--server", program.url, "--token-file", "/nowhere"]).status == 7)
            chmod(scene.tokenFile, 0o644)
            let open = try await stats(scene.remote)
            #expect(open.status == 7 && open.errors.contains("chmod 600"), "\(open.errors)")
            chmod(scene.tokenFile, 0o600)
            #expect(try await stats(scene.remote).status == 0)
            let away = try await stats(["--server", "http://127.0.0.1:1", "--token-file", scene.tokenFile])
            #expect(away.status == 75, "\(away.errors)")
            #expect(try await stats(["--server", "ftp://example.org", "--token-file", scene.tokenFile]).status == 7)
            try "cpa_nothing".write(toFile: scene.tokenFile, atomically: false, encoding: .utf8)
            #expect(try await stats(scene.remote).status == 4)
            await scene.server.stop()
        }
    }

    @Test(.requirement("DIS-5"))
    func `at a terminal the cases come one after the other, one key decides, and the terminal is as it was`()
        async throws
    {
        try await withProgram { program in
            let scene = try await Scene(program, password: password)
            _ = try await scene.eve.client.report("reader:ann", as: "abuse")
            let next = ["admin", "reports", "next"]
            #expect(try await program.run(next).status == 7)

            let terminal = try PseudoTerminal()
            let running = try program.start(next, terminal: terminal.screen)
            try await terminal.wait(for: "q quit")
            #expect(terminal.text.contains("reader:ann") && !terminal.text.contains("reader:eve"))
            #expect(!terminal.isCooked)
            // What decides nothing changes nothing.
            terminal.type("xh\u{1B}[Cn")
            try await terminal.wait(for: "q quit", times: 2)
            #expect(terminal.text.contains("watches!") && !terminal.text.contains("\u{1B}[31m"))
            terminal.type("d")
            #expect(await running.exit() == 0)
            #expect(terminal.isCooked && terminal.text.contains("is dismissed"))
            let left = try await program.run("admin", "reports", "list")
            #expect(left.output.contains("reader:ann") && !left.output.contains("reader:eve"), "\(left.output)")
            #expect(!left.output.contains("cli:"), "it was left to others: \(left.output)")

            let leaving = try PseudoTerminal()
            let interrupted = try program.start(next, terminal: leaving.screen)
            try await leaving.wait(for: "q quit")
            leaving.type("\u{3}")
            #expect(await interrupted.exit() == 0)
            let free = try await program.run("admin", "reports", "list")
            #expect(leaving.isCooked && !free.output.contains("cli:"), "Ctrl-C left it claimed: \(free.output)")

            for end in [SIGINT, SIGTERM] {
                let terminal = try PseudoTerminal()
                let running = try program.start(next, terminal: terminal.screen)
                try await terminal.wait(for: "q quit")
                running.signal(end)
                #expect(await running.exit() == -end)
                #expect(terminal.isCooked)
            }
            let table = try PseudoTerminal()
            #expect(await (try program.start(["admin", "reports", "list"], terminal: table.screen)).exit() == 0)
            try await table.wait(for: "reader:ann")
            #expect(table.text.hasPrefix("ID "))
            await scene.server.stop()
        }
    }

    @Test func `each shell gets a script that knows the commands`() async throws {
        try await withProgram { program in
            for shell in ["bash", "zsh", "fish"] {
                let script = try await program.run("completion", shell)
                #expect(script.status == 0 && script.output.contains("suspend"), "\(shell)")
            }
            #expect(try await program.run("completion", "sh").status == 64)
        }
    }
}
