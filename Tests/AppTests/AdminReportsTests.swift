import Foundation
import Testing

@testable import Client

/// `commonplace admin reports`, from outside.
@Suite struct AdminReportsTests {
    private let password = "a long enough password"

    @Test func `what readers report is listed, shown, decided and taken back at the terminal`() async throws {
        try await withProgram { program in
            let server = try await program.serve()
            let eve = try await program.client().register(username: "eve", email: "eve@example.org", password: password)
            let ann = try await program.client().register(username: "ann", email: "ann@example.org", password: password)
            _ = eve
            #expect(try await program.run("admin", "reports", "list").output == "")
            let report = try await ann.client.report("reader:eve", as: "spam", "Look:\u{1B}[31m\nwatches!")
            #expect(Int64(report) != nil)

            func reports(_ arguments: String...) async throws -> Program.Finished {
                try await program.run(["admin", "reports"] + arguments)
            }
            let list = try await reports("list")
            let cells = list.output.split(separator: "\n").map { $0.components(separatedBy: "\t") }
            #expect(
                cells.count == 1 && Array(cells[0][1...5]) == ["open", "spam", "reader:eve", "@eve", "1"], "\(list)")
            let id = cells[0][0]
            let table = try await reports("list", "--format", "table")
            #expect(table.output.hasPrefix("ID ") && table.output.contains("reader:eve"), "\(table.output)")
            let lines = try await reports("list", "--format", "jsonl")
            #expect(
                lines.output.contains(#""target":"reader:eve""#) && lines.output.hasSuffix("}\n"), "\(lines.output)")

            let shown = try await reports("show", id)
            #expect(
                shown.output.contains("\t@ann\tspam\tLook:") && shown.output.contains("watches!"), "\(shown.output)")
            // What a reader wrote does not drive the terminal.
            #expect(!shown.output.contains("\u{1B}"))
            #expect(try await reports("claim", id).errors.contains("is open, claimed by cli:"))
            #expect(try await reports("note", id, "third time").status == 0)
            #expect(try await reports("resolve", id).status == 64)
            #expect(try await reports("resolve", id, "--reason", " ").status == 7)
            #expect(try await reports("resolve", id, "--reason", "spam", "--seen", "1").status == 5)
            #expect(try await reports("resolve", id, "--reason", "spam").status == 0)
            let twice = try await reports("dismiss", id, "--reason", "spam")
            #expect(twice.status == 5 && twice.errors.contains("decided"), "\(twice.errors)")
            #expect(try await reports("list").output == "")
            #expect(try await reports("list", "--state", "decided").output.contains("acted\tspam"))
            #expect(try await reports("reopen", id, "--reason", "a mistake").status == 0)
            #expect(
                try await reports("dismiss", id, "--reason", "a joke", "--public", "No rule was broken.").status == 0)
            #expect(try await reports("show", "7").status == 3)
            #expect(try await reports("show", "seven").status == 64)
            #expect(try await reports("list", "--limit", "0").status == 64)
            await server.stop()
        }
    }
}
