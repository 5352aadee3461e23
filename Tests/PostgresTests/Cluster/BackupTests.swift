import Foundation
import Migrations
import TestSupport
import Testing

@testable import Postgres

@Suite(.database(.empty)) struct BackupTests {
    private static let leftOut = ["public.server"]

    private func migrate(_ conninfo: String) async throws {
        try await Migrator(conninfo: conninfo, migrations: Migrations.all, logger: quiet).up()
    }

    /// A migrated database with rows, on the test's lane.
    private func filled() async throws -> String {
        let lane = try Lane.required()
        try await migrate(lane.superuserConninfo)
        try await ask(
            lane.superuserConninfo,
            "insert into node_lease select n, 'holder ' || n, now() from generate_series(0, 999) n")
        return lane.ownerConninfo
    }

    @Test func `a backup taken while others write is restored whole, without the epoch`() async throws {
        let source = try await filled()
        try await withDataFolder { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let file = folder + "/commonplace.backup"
            // Pairs of rows, each in one transaction: a backup that is not of one instant would hold halves.
            @Sendable func writePair(_ n: Int) async throws {
                let holder = "pair \(n)"
                try await ask(
                    source,
                    "begin; update node_lease set holder = '\(holder)' where node = 0; update node_lease set holder = '\(holder)' where node = 1; commit"
                )
            }
            try await writePair(0)
            let writer = Task {
                for n in 1..<500 where !Task.isCancelled { try await writePair(n) }
            }
            let bytes = try await Backup(conninfo: source).write(to: file, leavingOut: Self.leftOut)
            writer.cancel()
            try await writer.value
            #expect(bytes > 1000)
            #expect(FileStatus(file)?.modeText == "0600")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["commonplace.backup"])

            try await withCluster { cluster, _ in
                let target = cluster.conninfo(.owner)
                try await Backup(conninfo: target, programs: cluster.programs).restore(from: file, logger: quiet)
                #expect(try await ask(target, "select count(*) from node_lease") == [["1000"]])
                #expect(
                    try await ask(target, "select count(distinct holder) from node_lease where node in (0, 1)").first?
                        .first == "1")
                #expect(try await ask(target, "select count(*) from server") == [["0"]])
                #expect(try await Migrator(conninfo: target, migrations: Migrations.all, logger: quiet).up() == [])
                let application = cluster.conninfo(.application)
                #expect(try await ask(application, "select count(*) from node_lease") == [["1000"]])
                let error = await #expect(throws: PostgresError.self) {
                    try await ask(application, "drop table node_lease")
                }
                #expect(error?.sqlState == .insufficientPrivilege)

                let again = await #expect(throws: Backup.Failure.self) {
                    try await Backup(conninfo: target, programs: cluster.programs).restore(from: file, logger: quiet)
                }
                #expect(again?.description.contains("into an empty database only") == true)
            }
        }
    }

    @Test func `a file that exists is never touched`() async throws {
        let source = try await filled()
        try await withDataFolder { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let file = folder + "/precious"
            try "precious".write(toFile: file, atomically: true, encoding: .utf8)
            let error = await #expect(throws: Backup.Failure.self) {
                try await Backup(conninfo: source).write(to: file, leavingOut: Self.leftOut)
            }
            #expect(error?.description.contains("never overwrites") == true)
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")
        }
    }

    @Test func `a dump that fails leaves no file`() async throws {
        let lane = try Lane.required()
        try await withDataFolder { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let gone = lane.superuserConninfo.replacing("dbname=", with: "dbname=no_such_")
            await #expect(throws: Backup.Failure.self) {
                try await Backup(conninfo: gone).write(to: folder + "/backup", leavingOut: [])
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
        }
    }

    @Test func `a file that is no backup, or only half of one, restores nothing`() async throws {
        let source = try await filled()
        try await withDataFolder { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let file = folder + "/whole"
            _ = try await Backup(conninfo: source).write(to: file, leavingOut: Self.leftOut)
            let whole = try Data(contentsOf: URL(filePath: file))
            try await withCluster { cluster, _ in
                let target = cluster.conninfo(.owner)
                for (name, bytes) in [("noise", Data("no backup".utf8)), ("half", whole.prefix(whole.count * 9 / 10))] {
                    try bytes.write(to: URL(filePath: folder + "/" + name))
                    await #expect(throws: Backup.Failure.self) {
                        try await Backup(conninfo: target).restore(from: folder + "/" + name, logger: quiet)
                    }
                    #expect(try await ask(target, "select to_regclass('node_lease') is null") == [["t"]], "\(name)")
                }
            }
        }
    }
}

@Suite struct ConninfoTests {
    @Test func `a password does not reach argument lists`() throws {
        let conninfo = try #require(Conninfo("postgresql://ann:s3cret%27@db.example.org:5433/books?sslmode=require"))
        #expect(conninfo.password == "s3cret'")
        #expect(
            conninfo.withoutPassword == "dbname='books' host='db.example.org' port='5433' sslmode='require' user='ann'")
        #expect(Conninfo.quoted(#"a'b\c"#) == #"'a\'b\\c'"#)
        #expect(Conninfo("host=\(Conninfo.quoted(#"a'b\c"#))")?.values["host"] == #"a'b\c"#)
    }

    @Test(arguments: [
        ("host=/run/x", true), ("host=/run/x,/run/y", true), ("postgresql:///books?host=/run/x", true),
        ("host=/run/x,db", false),
        ("host=localhost", false), ("host=/run/x hostaddr=10.0.0.1", false), ("dbname=books", false),
        ("no conninfo", nil),
    ])
    func `a Unix socket is told from the network`(_ text: String, _ expected: Bool?) {
        #expect(Conninfo(text)?.isUnixSocket == expected)
    }
}
