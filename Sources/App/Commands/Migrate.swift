import ArgumentParser
import Foundation
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

    @Argument(help: "status: list every migration and its state. up: apply what is pending.")
    var action: Action = .status

    @Flag(help: "Name what `up` would apply, and change nothing.")
    var plan = false

    func run() async throws {
        let settings = try await options.settings()
        let logs = LogSink(settings)
        defer { logs.flush() }
        let logger = logs.logger("commonplace migrate")
        try await DatabaseSource.with(settings, logger: logger) { source in
            let migrator = Migrator(conninfo: source.owner, migrations: Migrations.all, logger: logger)
            switch (action, plan) {
            case (_, true):
                let pending = try await migrator.plan()
                for migration in pending {
                    print("\(migration.name)\t\(migration.statementCount) statements\tsha256 \(migration.checksum)")
                }
                if pending.isEmpty {
                    print("nothing to do: the schema is at \(Migrations.all.last?.name ?? "its beginning")")
                }
            case (.up, false):
                let applied = try await migrator.up()
                for name in applied { print("applied \(name)") }
                if applied.isEmpty {
                    print("nothing to do: the schema is at \(Migrations.all.last?.name ?? "its beginning")")
                }
            case (.status, false):
                for entry in try await migrator.status() {
                    print("\(entry.state.rawValue)\t\(entry.name)\t\(entry.appliedAt ?? "")")
                }
                // Says it where this database is not one that `up` would touch.
                _ = try await migrator.plan()
            }
        }
    }
}
