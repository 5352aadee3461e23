import Foundation
import TestSupport
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
            #expect(up.output.hasPrefix("applied\t0001_house\t\n"))
            #expect(up.errors.contains("schema migrated") && !up.errors.contains("migration applied"), "\(up.errors)")
            let again = try await program.run("migrate", "up")
            #expect(again.output.isEmpty && again.errors.contains("There is nothing to do"))
            #expect(!(try await program.run("migrate", "status").output.contains("pending")))
            let status = try await program.run("migrate", "status", "--json").output
            #expect(status.contains(#""name" : "0001_house""#) && status.contains(#""applied_at" : "#), "\(status)")
        }
    }

    @Test(.database(.fresh))
    func `a database from before the first release is refused by migrate and serve, in one sentence`() async throws {
        try await withWorld { world in
            // SHA-256 of 0001_house as it was before the first release.
            let before = "8a418417c955fd5a84b7fda4117ce4f4ca7f4ac876faac6bbee4785ae177293a"
            try await world.asSuperuser("update schema_migration set checksum = '\(before)' where number = 1")
            let away = ["COMMONPLACE_UNSAFE_DATABASE": "1", "DATABASE_URL": world.lane.conninfo]
            try await withProgram(away) { program in
                for command in [["migrate"], ["migrate", "up"], ["serve"], ["serve", "--migrate"]] {
                    let refused = try await program.run(command)
                    #expect(refused.status == 1, "\(command): \(refused.errors)")
                    let lines = refused.errors.split(separator: "\n").filter { $0.contains("before the first release") }
                    #expect(lines.count == 1, "\(command): \(refused.errors)")
                    #expect(lines.first?.hasPrefix("commonplace: Migration 0001_house was applied") == true)
                }
            }
        }
    }

    @Test func `where there is no database, backup and check make none`() async throws {
        try await withProgram { program in
            for command in [["backup", program.folder + "/file"], ["check"]] {
                let refused = try await program.run(command)
                #expect(refused.status == 3 && refused.errors.contains("no database in"), "\(refused)")
            }
            #expect(!FileManager.default.fileExists(atPath: program.folder + "/file"))
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a folder away"))
    func `root is told as whom to work on a folder that belongs to another`() async throws {
        try await withProgram { program in
            let folder = program.folder + "/of-another"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.ownerAccountName: "daemon"])
            for command in [["demo"], ["serve"], ["doctor"], ["check"]] {
                let refused = try await program.run(command, environment: ["COMMONPLACE_DATA_DIR": folder])
                #expect(refused.status == 78, "\(refused)")
                #expect(refused.errors.contains("belongs to daemon; run this as daemon: runuser -u daemon"))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
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
            #expect(try await program.run("migrate", "up", environment: elsewhere).errors.contains("nothing to do"))
            let missing = try await program.run("restore", program.folder + "/nothing", environment: elsewhere)
            #expect(missing.status == 66 && missing.errors.contains("/nothing does not exist or cannot be read."))
            #expect(try await program.run("check", environment: elsewhere).status == 0)
        }
    }
}
