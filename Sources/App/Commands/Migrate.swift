import ArgumentParser
import FoundationEssentials
import Migrations
import Postgres

/// `commonplace migrate`: the schema's state, and its next step.
struct Migrate: AsyncParsableCommand {
    enum Action: String, ExpressibleByArgument, CaseIterable {
        case status, up
    }

    static let configuration = CommandConfiguration(
        abstract: "Show or bring up to date the schema of the database.",
        discussion: """
            Uses COMMONPLACE_OWNER_DATABASE_URL, else DATABASE_URL, else the program's own database. Of several that run `up` at once
            one works and the others wait. Killed at any point, `up` is simply run again.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "status: list every migration and its state. up: apply what is pending.")
    var action: Action = .status

    @Flag(help: "Name what `up` would apply, and change nothing.")
    var plan = false

    /// One migration as `status` and `up` tell of it.
    private struct Row: Encodable {
        let state, name: String
        let appliedAt: String?
    }

    /// One that `up` would apply.
    private struct PlannedRow: Encodable {
        let name: String
        let statementCount: Int
        let sha256: String
    }

    func run() async throws {
        let settings = try await options.settings()
        let logs = LogSink(settings)
        defer { logs.flush() }
        let logger = logs.logger("commonplace migrate")
        try await DatabaseSource.with(settings, logger: logger) { source in
            let migrator = Migrator(conninfo: source.owner, migrations: Migrations.all, logger: logger)
            switch (action, plan) {
            case (_, true): try printPlan(try await migrator.plan())
            case (.up, false):
                try print(try await migrator.up().map { Row(state: "applied", name: $0, appliedAt: nil) })
            case (.status, false):
                try print(
                    try await migrator.status().map {
                        Row(state: $0.state.rawValue, name: $0.name, appliedAt: $0.appliedAt)
                    })
                // Says it where this database is not one that `up` would touch.
                _ = try await migrator.plan()
            }
        }
    }

    private func print(_ rows: [Row]) throws {
        try output.print(rows, columns: ["STATE", "MIGRATION", "APPLIED"], empty: Self.nothing) { index in
            [rows[index].state, rows[index].name, rows[index].appliedAt ?? ""]
        }
    }

    private func printPlan(_ pending: [Migration]) throws {
        let rows = pending.map { PlannedRow(name: $0.name, statementCount: $0.statementCount, sha256: $0.checksum) }
        try output.print(rows, columns: ["MIGRATION", "STATEMENTS", "SHA-256"], empty: Self.nothing) { index in
            [rows[index].name, String(rows[index].statementCount), rows[index].sha256]
        }
    }

    private static var nothing: String {
        "There is nothing to do: the schema is at \(Migrations.all.last?.name ?? "its beginning")."
    }
}
