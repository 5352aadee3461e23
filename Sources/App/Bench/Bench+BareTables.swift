import Community
import Postgres

extension Bench {
    /// Tables without their foreign and unique keys and without the indexes that no constraint needs, so that a fill is
    /// quick.
    struct BareTables: Sendable {
        private let definitions: [String]
        private let owner: String

        /// Takes them away; `owner` is the address of who may.
        private init(_ tables: [String], _ owner: String) throws {
            let connection = try DirectConnection(owner, applicationName: "commonplace bench")
            let rows = try connection.run(Bench.definitions, "{\(tables.joined(separator: ","))}")
            self.owner = owner
            definitions = rows.compactMap { $0[1] }
            for row in rows.reversed() { if let drop = row[0] { try connection.run(drop) } }
        }

        /// Makes them again, with up to two workers for each index.
        private func dress() throws {
            let connection = try DirectConnection(owner, applicationName: "commonplace bench")
            try connection.run("set maintenance_work_mem = '1GB'")
            try connection.run("set max_parallel_maintenance_workers = 2")
            for definition in definitions { try connection.run(definition) }
        }

        /// Runs `fill` while the tables are bare.
        static func during(
            _ tables: [String], owner: String, _ fill: @Sendable () async throws -> Void
        ) async throws {
            let bare = try await DirectConnection.onThread { try BareTables(tables, owner) }
            try await fill()
            try await DirectConnection.onThread { try bare.dress() }
            try await vacuum(owner: owner)
        }
    }

    /// What a server that has run for a while has had done: rows that were replaced are gone, and the planner knows all tables that hold
    /// something. As after `Restore.Analyze`, it expects ten pages of the others.
    static func vacuum(owner: String) async throws {
        try await DirectConnection.onThread {
            let connection = try DirectConnection(owner, applicationName: "commonplace bench")
            let filled = try connection.run(Restore.Analyze.filled)
            for table in filled.compactMap({ $0[0] }) { try connection.run("vacuum analyze \(table)") }
            try connection.run("analyze activity")
        }
    }

    /// Puts the books of a fill into the search index and the lists that are browsed, as an import would.
    static func indexBooks(_ community: Community) async throws {
        try await community.search.rebuild { _ in }
        _ = try await community.catalog.markAllForBrowse()
        try await community.catalog.refreshBrowse()
    }
}
