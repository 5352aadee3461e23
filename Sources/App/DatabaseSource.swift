import Logging
import Postgres

/// Where the database is: an outside one, or the program's own cluster, which it runs for as long as the command takes.
struct DatabaseSource: Sendable {
    /// libpq address of a role that may migrate.
    let owner: String
    /// libpq address of the role that serves.
    let application: String
    /// This program looks after the cluster: it migrates by itself.
    let isOwn: Bool

    static func with<Result: Sendable>(
        _ settings: Settings, logger: Logger, _ body: @Sendable (DatabaseSource) async throws -> Result
    ) async throws -> Result {
        if let url = settings.databaseURL {
            return try await body(
                DatabaseSource(owner: settings.ownerDatabaseURL ?? url, application: url, isOwn: false))
        }
        throw CommandError(.configuration, "set DATABASE_URL")
    }
}
