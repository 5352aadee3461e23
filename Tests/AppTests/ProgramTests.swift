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

    @Test func `a command that is none is answered with what is near and all that there are`() async throws {
        try await withProgram { program in
            func refused(_ words: String...) async throws -> String {
                let finished = try await program.run(words)
                #expect(finished.status == 64 && finished.output.isEmpty, "\(words): \(finished)")
                return finished.errors
            }
            let near = try await refused("serv")
            #expect(near.contains("`commonplace` has no command serv. Did you mean `commonplace serve`?"), "\(near)")
            #expect(near.contains("It has: serve, work, demo"), "\(near)")
            #expect(!(try await refused("frobnicate").contains("Did you mean")))
            #expect(try await refused("help", "nosuch").contains("`commonplace` has no command nosuch."))
            #expect(try await refused("reports").contains("Did you mean `commonplace admin reports`?"))
            #expect(try await refused("admin", "posts").contains("It has: list, show, create-owner"))
            #expect(try await refused("admin", "users", "suspnd").contains("`commonplace admin users suspend`"))

            let port = try await refused("serve", "--port", "9")
            #expect(port.contains("`commonplace serve` has no option --port. Did you mean --listen?"), "\(port)")
            #expect(port.contains("--keep-demo"), "\(port)")
            #expect(try await refused("admin", "list", "--roel=owner").contains("Did you mean --role?"))
        }
    }

    @Test func `help keeps its examples whole and names the common options together`() async throws {
        try await withProgram { program in
            for words in [
                ["--help"], ["help", "serve"], ["admin", "--help"], ["admin", "users", "list", "--help"],
                ["demo", "-h"],
            ] {
                let help = try await program.run(words)
                #expect(help.status == 0 && help.errors.isEmpty)
                let lines = help.output.split(separator: "\n")
                for line in lines where !line.hasPrefix("  commonplace") { #expect(line.count <= 80, "\(line)") }
                #expect(!help.output.contains("[--data-dir <data-dir>]"), "\(help.output)")
            }
            let serve = try await program.run("serve", "--help").output
            #expect(serve.contains("USAGE: commonplace serve [<common options>] [--migrate]"), "\(serve)")
            #expect(serve.contains("  --data-dir <data-dir>"))
            let root = try await program.run("--help").output
            #expect(root.contains("  commonplace admin create-owner ann --email ann@example.org --password-stdin\n"))
            let usage = try await program.run("catalog", "show")
            #expect(usage.status == 64 && usage.errors.contains("[<common options>]"), "\(usage.errors)")
        }
    }
}
