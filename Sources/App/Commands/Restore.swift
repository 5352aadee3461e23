import ArgumentParser
import Community
import FoundationEssentials
import Migrations
import Postgres

/// `commonplace restore FILE`: a backup into an empty database.
struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Read a backup into an empty database.",
        discussion: """
            Everything or nothing is restored, and the schema is then brought up to date. The database gets a new epoch: clients of the
            stream that come with a position from before are told to begin anew. Everybody signs in again: sessions that were ended since
            the backup must not live again. Stop the server first; start it afterwards.

            Exit codes: 0 done; 1 failed, or the database is not empty; 66 the file cannot be read; 75 the database is away.
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "A file that `commonplace backup` has written.", completion: .file())
    var file: String

    func run() async throws {
        guard FileManager.default.isReadableFile(atPath: file) else {
            throw CommandError(.noInput, "the file \(file) does not exist or cannot be read")
        }
        let settings = try await options.settings()
        let logs = LogSink(settings)
        defer { logs.flush() }
        let logger = logs.logger("commonplace restore")
        let path = URL(filePath: file).standardizedFileURL.path
        try await DatabaseSource.with(settings, logger: logger) { source in
            let backup = try Backup(conninfo: source.owner, programs: source.cluster?.programs)
            var pool = DatabaseSettings(conninfo: source.owner)
            // Longer than any database of ours takes to be analysed.
            pool.statementTimeout = .seconds(3600)
            let database = Database(pool, logger: logger)
            do {
                try await Progress().watching("restored to a database of") {
                    (try? await database.one(DatabaseSize())).map(Progress.megabytes)
                } while: {
                    try await backup.restore(from: path, logger: logger)
                }
                try await Migrator(conninfo: source.owner, migrations: Migrations.all, logger: logger).up()
                try await database.run(Services.DrawEpoch())
                try await database.run(Accounts.Statements.EndAllSessions())
                // A backup holds no statistics, and autovacuum may take minutes to come: until then plans are guesses.
                try await database.script(Analyze.sql)
                await database.shutdown()
            } catch {
                await database.shutdown()
                throw error
            }
        }
        print("restored \(file)")
    }
}
