import Foundation
import Logging
import TestSupport
import Testing

@testable import Postgres

/// Real clusters, synced as in production, each in a folder of its own. One after the other: each is a server.
@Suite(.serialized) struct LocalClusterTests {
    @Test func `made, started, used, stopped, and found again with its rows`() async throws {
        try await withDataFolder { folder in
            let first = try await LocalCluster.open(under: folder, logger: quiet)
            try await ask(first, .owner, "create table kept (id int)")
            try await ask(first, .owner, "insert into kept values (42)")
            for setting in ["fsync", "full_page_writes", "synchronous_commit", "data_checksums"] {
                #expect(try await ask(first, .application, "show \(setting)") == [["on"]], "\(setting)")
            }
            #expect(try await ask(first, .superuser, "show listen_addresses") == [[""]])
            #expect(try await ask(first, .superuser, "show server_encoding") == [["UTF8"]])
            await first.leave()
            try await hasEnded(first.pid)

            let second = try await LocalCluster.open(under: folder, logger: quiet)
            #expect(try await ask(second, .owner, "select id from kept") == [["42"]])
            await second.leave()
            try await hasEnded(second.pid)
        }
    }

    @Test func `nobody but its owner and root can reach the socket or the data`() async throws {
        try await withCluster { cluster, folder in
            for path in ["postgres", "postgres/data", "postgres/socket"] {
                let mode =
                    try FileManager.default.attributesOfItem(atPath: "\(folder)/\(path)")[.posixPermissions] as? Int
                #expect(mode == 0o700, "\(path)")
            }
            let error = await #expect(throws: PostgresError.self) {
                try await ask(
                    "host=127.0.0.1 port=5432 connect_timeout=2 user=postgres dbname=commonplace",
                    "select pg_postmaster_start_time()")
            }
            #expect(error?.code == .connectionFailed)
        }
    }

    @Test func `the program's role has no DDL, the owner's has`() async throws {
        try await withCluster { cluster, _ in
            try await ask(cluster, .owner, "create table theirs (id int)")
            for sql in ["create table mine (id int)", "drop table theirs", "create role other"] {
                let error = await #expect(throws: PostgresError.self) { try await ask(cluster, .application, sql) }
                #expect(error?.sqlState == .insufficientPrivilege, "\(sql)")
            }
        }
    }

    @Test func `a second one joins and never stops it; the last one does`() async throws {
        try await withDataFolder { folder in
            let first = try await LocalCluster.open(under: folder, logger: quiet)
            let second = try await LocalCluster.open(under: folder, logger: quiet)
            #expect(second.pid == first.pid)
            await second.leave()
            #expect(isRunning(first.pid))
            let third = try await LocalCluster.open(under: folder, logger: quiet)
            await first.leave()
            #expect(isRunning(third.pid))
            #expect(try await ask(third, .application, "select 1") == [["1"]])
            await third.leave()
            try await hasEnded(third.pid)
        }
    }

    @Test func `eight that start at once share one server`() async throws {
        try await withDataFolder { folder in
            let clusters = try await withThrowingTaskGroup(of: LocalCluster.self) { group in
                for _ in 0..<8 { group.addTask { try await LocalCluster.open(under: folder, logger: quiet) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(clusters.map(\.pid)).count == 1)
            await withTaskGroup { group in
                for cluster in clusters { group.addTask { await cluster.leave() } }
            }
            for cluster in clusters { try await hasEnded(cluster.pid) }
        }
    }

    @Test func `what a killed program left running is adopted, and stopped at the end`() async throws {
        try await withDataFolder { folder in
            // Let go without leaving: what the kernel does for a killed process.
            let orphan = try await LocalCluster.open(under: folder, logger: quiet).pid
            #expect(isRunning(orphan))
            let adopter = try await LocalCluster.open(under: folder, logger: quiet)
            #expect(adopter.pid == orphan)
            await adopter.leave()
            try await hasEnded(orphan)
        }
    }

    @Test func `a server that was killed is started again with every commit`() async throws {
        try await withCluster { cluster, _ in
            try await ask(cluster, .owner, "create table kept (id int)")
            for round in 1...ProofCount.of(40) {
                try await ask(cluster, .owner, "insert into kept values (\(round))")
                let before = cluster.pid
                kill(before, SIGKILL)
                try await hasEnded(before)
                try await cluster.revive()
                #expect(cluster.pid != before)
                #expect(try await ask(cluster, .owner, "select count(*) from kept") == [["\(round)"]])
            }
        }
    }

    @Test func `while it runs as a service it revives the server by itself`() async throws {
        try await withCluster { cluster, _ in
            let service = Task { try await cluster.run() }
            let before = cluster.pid
            kill(before, SIGKILL)
            try await eventually { cluster.pid != before && isRunning(cluster.pid) }
            #expect(try await ask(cluster, .application, "select 1") == [["1"]])
            service.cancel()
            try await service.value
        }
    }

    @Test func `a stale postmaster.pid that names a stranger is removed`() async throws {
        try await withDataFolder { folder in
            let first = try await LocalCluster.open(under: folder, logger: quiet)
            kill(first.pid, SIGKILL)
            try await hasEnded(first.pid)
            let path = folder + "/postgres/data/postmaster.pid"
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false)
            // This process lives, and is no Postgres.
            let stale = ([Substring("\(getpid())")] + lines.dropFirst()).joined(separator: "\n")
            try stale.write(toFile: path, atomically: false, encoding: .utf8)
            let second = try await LocalCluster.open(under: folder, logger: quiet)
            #expect(try await ask(second, .application, "select 1") == [["1"]])
            await second.leave()
        }
    }

    @Test func `an initdb that was interrupted is begun again`() async throws {
        try await withDataFolder { folder in
            let first = try await LocalCluster.open(under: folder, logger: quiet)
            await first.leave()
            // As a kill in the middle leaves it: half a folder under the working name, and none under the final one.
            let root = folder + "/postgres"
            try FileManager.default.moveItem(atPath: root + "/data", toPath: root + "/data.new")
            try FileManager.default.removeItem(atPath: root + "/data.new/global")
            let second = try await LocalCluster.open(under: folder, logger: quiet)
            #expect(try await ask(second, .application, "select 1") == [["1"]])
            await second.leave()
        }
    }

    @Test func `a kill before roles and database were made is made good`() async throws {
        try await withDataFolder { folder in
            let first = try await LocalCluster.open(under: folder, logger: quiet)
            let maintenance = first.conninfo(.superuser).replacing("dbname=commonplace", with: "dbname=postgres")
            try await ask(maintenance, "drop database commonplace")
            try await ask(maintenance, "drop role commonplace_app")
            await first.leave()
            let second = try await LocalCluster.open(under: folder, logger: quiet)
            #expect(try await ask(second, .application, "select 1") == [["1"]])
            await second.leave()
        }
    }

    @Test func `a long path moves the socket to a short one of its own`() async throws {
        let long = String(repeating: "a-rather-long-name/", count: 6)
        try await withDataFolder(below: long) { folder in
            let cluster = try await LocalCluster.open(under: folder, logger: quiet)
            let socket = try #require(Conninfo(cluster.conninfo(.application))?.values["host"])
            #expect((socket + "/.s.PGSQL.5432").utf8.count <= 90)
            #expect(!socket.hasPrefix(folder))
            let joined = try await LocalCluster.open(under: folder, logger: quiet)
            #expect(try await ask(joined, .application, "select 1") == [["1"]])
            await joined.leave()
            await cluster.leave()
            #expect(!FileManager.default.fileExists(atPath: socket))
        }
    }

    @Test func `settings at the end of postgresql.conf win and stay`() async throws {
        try await withDataFolder { folder in
            let first = try await LocalCluster.open(under: folder, logger: quiet)
            await first.leave()
            let path = folder + "/postgres/data/postgresql.conf"
            let text = try String(contentsOfFile: path, encoding: .utf8)
            try (text + "work_mem = '7MB'\nfsync = off\n").write(toFile: path, atomically: false, encoding: .utf8)
            let second = try await LocalCluster.open(under: folder, logger: quiet)
            #expect(try await ask(second, .application, "show work_mem") == [["7MB"]])
            // The pool refuses a server that may lose what it has acknowledged, this one too.
            let database = Database(DatabaseSettings(conninfo: second.conninfo(.application)), logger: quiet)
            let error = await #expect(throws: PostgresError.self) { try await database.script("select 1") }
            #expect(error?.code == .unsafeSettings)
            await database.shutdown()
            await second.leave()
        }
    }
}
