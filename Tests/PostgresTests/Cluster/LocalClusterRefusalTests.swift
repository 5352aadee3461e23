import Foundation
import TestSupport
import Testing

@testable import Postgres

@Suite(.serialized) struct LocalClusterRefusalTests {
    @Test func `where no Postgres is found, the package to install is named`() async throws {
        try await withDataFolder { folder in
            let error = await #expect(throws: LocalClusterError.self) {
                try await LocalCluster.open(under: folder, searchFolders: ["/nonexistent"], logger: quiet)
            }
            #expect(error?.kind == .noPrograms)
            #expect(error?.description.contains("apt-get install postgresql") == true)
        }
    }

    @Test func `programs older than 15 are refused with what was found`() async throws {
        try await withDataFolder { folder in
            let programs = folder + "-programs"
            try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
            for name in ["postgres", "initdb", "pg_ctl"] {
                try "#!/bin/sh\necho '\(name) (PostgreSQL) 14.9'\n".write(
                    toFile: "\(programs)/\(name)", atomically: false, encoding: .utf8)
                chmod("\(programs)/\(name)", 0o755)
            }
            let error = await #expect(throws: LocalClusterError.self) {
                try await LocalCluster.open(under: folder, searchFolders: [programs], logger: quiet)
            }
            #expect(error?.kind == .noPrograms)
            #expect(error?.description.contains("Only Postgres 14 was found") == true)
        }
    }

    @Test func `a cluster of another major version is refused with the commands that move it`() async throws {
        try await withDataFolder { folder in
            let cluster = try await LocalCluster.open(under: folder, logger: quiet)
            await cluster.leave()
            try "14\n".write(toFile: folder + "/postgres/data/PG_VERSION", atomically: false, encoding: .utf8)
            let error = await #expect(throws: LocalClusterError.self) {
                try await LocalCluster.open(under: folder, logger: quiet)
            }
            #expect(error?.kind == .otherVersion)
            for words in [
                "belongs to Postgres 14", "postgresql-14", "pg_upgrade", "--old-bindir", "initdb",
                "commonplace restore",
            ] {
                #expect(error?.description.contains(words) == true, "\(words)")
            }
        }
    }

    /// From the installed version to itself, which `pg_upgrade` takes as well.
    @Test func `the commands that move a cluster move it`() async throws {
        try await withDataFolder { folder in
            func value(_ sql: String) async throws -> String? {
                let cluster = try await LocalCluster.open(under: folder, logger: quiet)
                let conninfo = cluster.conninfo(.owner)
                let value = try await DirectConnection.onThread {
                    try DirectConnection(conninfo, applicationName: "test").value(sql)
                }
                await cluster.leave()
                return value
            }
            _ = try await value("create table kept as select 7 as number")
            let version = folder + "/postgres/data/PG_VERSION"
            let installed = try String(contentsOfFile: version, encoding: .utf8)
            try "14\n".write(toFile: version, atomically: false, encoding: .utf8)
            let error = await #expect(throws: LocalClusterError.self) {
                try await LocalCluster.open(under: folder, logger: quiet)
            }
            try installed.write(toFile: version, atomically: false, encoding: .utf8)
            let commands = try #require(error).description.split(separator: "\n").filter { $0.hasPrefix("  ") }
                .joined(separator: "\n").replacing("/postgresql/14/", with: "/postgresql/\(installed.dropLast())/")
            #expect(commands.contains("pg_upgrade"))
            let user = FileStatus(folder + "/postgres").flatMap { ServerUser(uid: $0.uid) }
            try Program("/bin/bash", ["-ec", commands], user: geteuid() == 0 ? user : nil).succeed()
            #expect(try await value("select number from kept") == "7")
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can be in this place"))
    func `a parent folder that the server's user cannot cross is refused by name and mode`() async throws {
        try await withDataFolder(below: "closed/") { folder in
            let closed = URL(filePath: folder).deletingLastPathComponent().path
            try FileManager.default.createDirectory(atPath: closed, withIntermediateDirectories: true)
            chmod(closed, 0o750)
            let error = await #expect(throws: LocalClusterError.self) {
                try await LocalCluster.open(under: folder, logger: quiet)
            }
            #expect(error?.kind == .folder)
            #expect(error?.description.contains("\(closed) (mode 0750)") == true)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can be in this place"))
    func `started by root, an empty closed data folder is handed to the unprivileged user`() async throws {
        try await withDataFolder { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            chmod(folder, 0o700)
            let cluster = try await LocalCluster.open(under: folder, logger: quiet)
            let user = try #require(ServerUser(name: "postgres") ?? ServerUser(name: "nobody"))
            #expect(FileStatus(folder)?.uid == user.uid)
            #expect(FileStatus("/proc/\(cluster.pid)")?.uid == user.uid)
            await cluster.leave()
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can be in this place"))
    func `a closed folder that holds other things is not given away`() async throws {
        try await withDataFolder { folder in
            try FileManager.default.createDirectory(atPath: folder + "/letters", withIntermediateDirectories: true)
            chmod(folder, 0o700)
            let error = await #expect(throws: LocalClusterError.self) {
                try await LocalCluster.open(under: folder, logger: quiet)
            }
            #expect(error?.description.contains("\(folder) (mode 0700)") == true)
            #expect(FileStatus(folder)?.uid == 0)
        }
    }

    @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
    func `a data folder that cannot be made is refused by the name and mode of what stands in the way`() async throws {
        let error = await #expect(throws: LocalClusterError.self) {
            try await LocalCluster.open(under: "/etc/commonplace-test/data", logger: quiet)
        }
        #expect(error?.description.contains("/etc (mode 0755)") == true)
    }

    @Test func `a folder name that no shell can take is refused`() async throws {
        let error = await #expect(throws: LocalClusterError.self) {
            try await LocalCluster.open(under: "/tmp/a $(b)", logger: quiet)
        }
        #expect(error?.kind == .folder)
    }

    @Test func `postmaster.pid is read line by line`() throws {
        let postmaster = Postmaster(file: "12\n/data\n1\n5432\n/tmp/x\n\n123\nstarting\n")
        #expect(postmaster?.isReady == false)
        #expect(Postmaster(file: "12\n/data\n1\n5433\n/tmp/x\n\n123\nready   \n")?.isReady == true)
        #expect(Postmaster(file: "") == nil)
        #expect(Postmaster(file: "-1\n") == nil)
    }
}
