import Logging
import Postgres

/// Where the database is: an outside one, or the program's own cluster, which it runs for as long as the command takes.
struct DatabaseSource: Sendable {
    /// libpq address of a role that may migrate.
    let owner: String
    /// libpq address of the role that serves.
    let application: String
    /// The cluster that this program runs; `nil` for an outside database. It migrates its own by itself.
    let cluster: LocalCluster?

    static func with<Result: Sendable>(
        _ settings: Settings, logger: Logger, _ body: @Sendable (DatabaseSource) async throws -> Result
    ) async throws -> Result {
        if let url = settings.databaseURL {
            return try await body(
                DatabaseSource(owner: settings.ownerDatabaseURL ?? url, application: url, cluster: nil))
        }
        let cluster = try await LocalCluster.open(under: settings.dataFolder, logger: logger)
        do {
            let result = try await body(
                DatabaseSource(
                    owner: cluster.conninfo(.owner), application: cluster.conninfo(.application), cluster: cluster))
            await cluster.leave()
            return result
        } catch {
            await cluster.leave()
            throw error
        }
    }
}
