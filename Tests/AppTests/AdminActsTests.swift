import Foundation
import TestSupport
import Testing

@testable import Client

/// What `commonplace admin` does to readers and to what they said: one at a time, many at once, and back again.
@Suite struct AdminActsTests {
    private let password = "a long enough password"

    /// Eve wrote a thread and answers to it.
    private struct Scene {
        let program: Program
        let server: RunningProgram
        let eve: SignedIn
        let thread: String
        let posts: [String]

        init(_ program: Program, password: String, answers: Int) async throws {
            self.program = program
            try "id,title,author\n1,The Book,Ann Writer\n".write(
                toFile: program.folder + "/books.csv", atomically: true, encoding: .utf8)
            try "id = key\ntitle = title\nauthor = authors\n".write(
                toFile: program.folder + "/map", atomically: true, encoding: .utf8)
            try await program.run(
                "import", "csv", program.folder + "/books.csv", "--map", program.folder + "/map")
            server = try await program.serve()
            eve = try await program.client().register(username: "eve", email: "eve@example.org", password: password)
            let book = try #require(try await eve.client.books().items.first?.id)
            let opened = try await eve.client.call(
                .post, "/books/\(book)/threads", [:],
                [
                    "title": .string("Watches"), "scope": .string("free"),
                    "body": .string("Cheap, at https://watches.example/now"),
                ])
            thread = try #require(opened["thread"]?["id"]?.string, "\(opened)")
            var posts = [try #require(opened["post"]?["id"]?.string)]
            for number in 0..<answers {
                let made = try await eve.client.call(
                    .post, "/threads/\(thread)/posts", [:], ["body": .string("Watches, number \(number)")])
                posts.append(try #require(made["post"]?["id"]?.string, "\(made)"))
            }
            self.posts = posts
        }
    }

    @Test(.requirement("DIS-5"))
    func `one act on one reader or post takes effect, says its outcome by its code, and is taken back`() async throws {
        try await withProgram { program in
            let scene = try await Scene(program, password: password, answers: 0)
            func admin(_ arguments: String...) async throws -> Program.Finished {
                try await program.run(["admin"] + arguments)
            }
            #expect(try await admin("users", "suspend", "eve").status == 64)
            #expect(try await admin("users", "suspend", "nobody", "--reason", "spam").status == 3)
            #expect(try await admin("users", "suspend", "eve", "--reason", " ").status == 7)
            let suspended = try await admin("users", "suspend", "@eve", "--reason", "spam", "--json")
            #expect(suspended.status == 0 && suspended.output.contains(#""done_count" : 1"#), "\(suspended)")
            #expect(suspended.errors.contains("does not bring them back"))
            await #expect(throws: (any Error).self) { try await scene.eve.client.me() }
            #expect(try await admin("users", "suspend", "eve", "--reason", "spam").status == 5)
            let act = try await admin("audit", "--target", "reader:eve").output.split(separator: "\t").first.map(
                String.init)
            #expect(try await admin("undo", try #require(act), "--reason", "the wrong one").status == 0)
            _ = try await program.client().logIn("eve", password: password)
            #expect(try await admin("undo", try #require(act), "--reason", "again").status == 5)

            #expect(
                try await admin("content", "lock", "thread:" + scene.thread, "--reason", "calm", "--until", "1h").status
                    == 0)

            let post = "post:" + scene.posts[0]
            #expect(try await admin("content", "hide", post, "--reason", "spam").status == 0)
            #expect(try await admin("content", "list").output.contains("\(post)\t@eve\t"))
            #expect(try await admin("content", "list").output.contains("\tyes\t"))
            #expect(try await admin("content", "hide", "song:1", "--reason", "spam").status == 7)
            #expect(try await admin("content", "hide", "--reason", "spam").status == 7)
            #expect(try await admin("content", "hide", post, "--author", "eve", "--reason", "spam").status == 7)
            // Nobody can be asked about what is not taken back.
            #expect(try await admin("users", "warn", "eve", "--reason", "be kind").status == 7)
            #expect(try await admin("users", "warn", "eve", "--reason", "be kind", "--yes").status == 0)
            await scene.server.stop()
        }
    }

    @Test(.requirement("DIS-5"))
    func `many things are found, shown, agreed to, hidden by one act and taken back by one`() async throws {
        try await withProgram { program in
            let scene = try await Scene(program, password: password, answers: 101)
            let hide = [
                "admin", "content", "hide", "--author", "eve", "--kind", "post", "--since", "1h", "--reason", "spam",
            ]
            let shown = try await program.run(hide + ["--dry-run"])
            #expect(shown.status == 0 && shown.output.split(separator: "\n").count == 102, "\(shown.errors)")
            #expect(shown.output.contains("post:\(scene.posts[0])\twould hide\t"))
            #expect(try await program.run(hide + ["--expect", "101", "--yes"]).status == 5)
            #expect(try await program.run(hide).status == 7)
            for (answer, status) in [("102x\n", Int32(2)), ("102\n", 0)] {
                let terminal = try PseudoTerminal()
                let running = try program.start(hide, terminal: terminal.screen)
                try await terminal.wait(for: "Type 102")
                terminal.type(answer)
                #expect(await running.exit() == status, "\(terminal.text)")
            }
            let list = try await program.run("admin", "content", "list", "--limit", "200")
            #expect(list.output.ranges(of: "\tyes\t").count == 102 && list.output.ranges(of: "\tno\t").isEmpty)
            let act = try await program.run("admin", "audit", "--verb", "hide", "--limit", "1").output
                .components(separatedBy: "\t")
            #expect(act.count > 5 && !act[5].isEmpty, "\(act)")
            let undone = try await program.run("admin", "undo", act[5], "--reason", "a mistake")
            #expect(undone.status == 0, "\(undone)")
            let back = try await program.run("admin", "content", "list", "--limit", "200")
            #expect(back.output.ranges(of: "\tno\t").count == 102)

            // What is listed can be read in.
            let some = try await program.run("admin", "content", "list", "--limit", "3").output
            let from = ["admin", "content", "hide", "-", "--reason", "spam"]
            #expect(try await program.run(from, input: some).status == 0)
            let again = try await program.run(from, input: some + "post:7\n")
            #expect(again.status == 6 && again.errors.contains("post:7\trefused\tnot_found"), "\(again)")
            let flood = String(repeating: "post:7\n", count: 100_001)
            let refused = try await program.run(from, input: flood)
            #expect(refused.status == 7 && refused.errors.split(separator: "\n").count == 1, "\(refused.errors)")
            await scene.server.stop()
        }
    }

    @Test(.requirement("DIS-5")) func `Ctrl-C leaves an act on many to the server, which goes on`() async throws {
        try await withProgram { program in
            let scene = try await Scene(program, password: password, answers: 2)
            #expect(try await program.run("jobs", "pause", "moderation").status == 0)
            let terminal = try PseudoTerminal()
            let running = try program.start(
                ["admin", "content", "hide", "--author", "eve", "--reason", "spam"], terminal: terminal.screen)
            try await terminal.wait(for: "0 of 3")
            running.signal(SIGINT)
            #expect(await running.exit() == 8, "\(terminal.text)")
            try await terminal.wait(for: "A running server goes on with it.")
            #expect(try await program.run("jobs", "resume", "moderation").status == 0)
            try await eventually(within: .seconds(30)) {
                try await program.run("admin", "content", "list").output.ranges(of: "\tyes\t").count == 3
            }
            await scene.server.stop()
        }
    }

    @Test(.requirement("DIS-5")) func `one key hides what was reported, suspends its author and resolves the case`()
        async throws
    {
        try await withProgram { program in
            let scene = try await Scene(program, password: password, answers: 1)
            let ann = try await program.client().register(username: "ann", email: "ann@example.org", password: password)
            for post in scene.posts { _ = try await ann.client.report("post:" + post, as: "spam") }
            let terminal = try PseudoTerminal()
            let running = try program.start(["admin", "reports", "next"], terminal: terminal.screen)
            try await terminal.wait(for: "q quit")
            terminal.type("h")
            try await terminal.wait(for: "q quit", times: 2)
            terminal.type("s")
            #expect(await running.exit() == 0, "\(terminal.text)")
            #expect(terminal.isCooked)
            let decided = try await program.run("admin", "reports", "list", "--state", "decided").output
            #expect(decided.split(separator: "\n").count == 2 && !decided.contains("dismissed"), "\(decided)")
            #expect(try await program.run("admin", "users", "show", "eve").output.contains("state\tsuspended\n"))
            await scene.server.stop()
        }
    }
}
