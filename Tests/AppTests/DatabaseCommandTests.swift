import Foundation
import Testing

/// `migrate`, `backup` and `restore` of the built program, on its own Postgres.
@Suite struct DatabaseCommandTests {
    @Test func `migrate shows what is pending, applies it, and finds nothing to do afterwards`() async throws {
        try await withProgram { program in
            let before = try await program.run("migrate", "status")
            #expect(before.status == 0)
            #expect(before.output.hasPrefix("pending\t0001_house\t"))
            #expect(!before.output.contains("applied"))

            let plan = try await program.run("migrate", "up", "--plan")
            #expect(plan.output.split(separator: "\n").count == before.output.split(separator: "\n").count)
            #expect(plan.output.hasPrefix("0001_house\t"))
            #expect(try await program.run("migrate").output == before.output)

            let up = try await program.run("migrate", "up")
            #expect(up.status == 0)
            #expect(up.output.hasPrefix("applied 0001_house\n"))
            #expect(try await program.run("migrate", "up").output.hasPrefix("nothing to do"))
            #expect(!(try await program.run("migrate", "status").output.contains("pending")))
        }
    }

    @Test func `a backup taken while serving is restored elsewhere under a new epoch`() async throws {
        try await withProgram { program in
            let server = try await program.serve()
            let file = program.folder + "/commonplace.backup"
            let backup = try await program.run("backup", file)
            #expect(backup.status == 0, "\(backup.errors)")
            let again = try await program.run("backup", file)
            #expect(again.status == 1)
            #expect(again.errors.contains("never overwrites"))
            let refused = try await program.run("restore", file)
            #expect(refused.status == 1)
            #expect(refused.errors.contains("into an empty database only"))
            #expect(server.status == nil, "the server that others used was stopped")

            let elsewhere = ["COMMONPLACE_DATA_DIR": program.folder + "/elsewhere"]
            let restored = try await program.run("restore", file, environment: elsewhere)
            #expect(restored.status == 0, "\(restored.errors)")
            #expect(try await program.run("migrate", "up", environment: elsewhere).output.hasPrefix("nothing to do"))
            #expect(try await program.run("check", environment: elsewhere).status == 0)
        }
    }
}
