import ArgumentParser
import FoundationEssentials
import Glibc
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

    /// Where the program's own folder has no database, makes one, or throws `CommandError` unless it `makes`.
    static func with<Result: Sendable>(
        _ settings: Settings, logger: Logger, makes: Bool = true,
        _ body: @Sendable (DatabaseSource) async throws -> Result
    ) async throws -> Result {
        try settings.requireOwner()
        if let url = settings.databaseURL {
            return try await body(
                DatabaseSource(owner: settings.ownerDatabaseURL ?? url, application: url, cluster: nil))
        }
        guard makes || FileManager.default.fileExists(atPath: settings.dataFolder + "/postgres/data") else {
            throw CommandError(
                .notFound,
                "there is no database in \(settings.dataFolder); name the server's settings with --config, or its folder with --data-dir"
            )
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

extension Settings {
    /// Throws `CommandError` to root where the data folder is another's, who could not read what root makes there. Users as whom root
    /// itself runs Postgres are none.
    func requireOwner() throws {
        var facts = stat()
        guard geteuid() == 0, stat(dataFolder, &facts) == 0, facts.st_uid != 0, let entry = getpwuid(facts.st_uid)
        else { return }
        let owner = String(cString: entry.pointee.pw_name)
        guard !ServerUser.names.contains(owner) else { return }
        throw CommandError(
            .configuration,
            "the folder \(dataFolder) belongs to \(owner); run this as \(owner): runuser -u \(owner) -- commonplace …")
    }
}
