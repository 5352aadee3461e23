import FoundationEssentials
import Glibc
import Logging

/// Brings a database to the schema that this program was built with.
///
/// Plain SQL files in the order of their numbers, each in one transaction together with its row in `schema_migration`, all of it under a
/// session advisory lock on one direct connection: of several starters one applies and the others wait and find nothing to do.
/// Killed at any point, the next run ends at the same schema. It never goes back; a mistake is mended by a further migration.
///
/// The connection must be direct (no pooler in transaction mode), as a superuser, as `commonplace_owner`, or as the only user of its
/// own database; see `Migrations/README.md`.
package struct Migrator: Sendable {
    /// How long one waits for another process that is migrating.
    package static let defaultPatience: Duration = .seconds(60)
    /// How long DDL may wait for a lock, and so hold up readers that queue behind it, before it lets go and tries again.
    static let lockTimeout = "2s"
    /// How often a migration that found its tables busy is tried.
    static let lockAttempts = 10
    /// `commonpl` in ASCII. Advisory locks belong to one database.
    static let lockKey = "7165916604736401516"

    let conninfo: String
    let migrations: [Migration]
    let patience: Duration
    let logger: Logger
    /// Called before each statement of a migration and before its commit; tests throw here to break off at every boundary.
    var onBoundary: @Sendable (Migration, Int) throws -> Void = { _, _ in }

    package init(
        conninfo: String, migrations: [Migration], patience: Duration = Migrator.defaultPatience, logger: Logger
    ) {
        self.conninfo = conninfo
        self.migrations = migrations
        self.patience = patience
        self.logger = logger
    }

    /// Applies what is pending and gives the names of what it applied, in order; none where the schema was up to date.
    ///
    /// Throws `MigrationError` where the database is not one that this program may touch, or a file failed; `PostgresError` where the
    /// server cannot be reached.
    @discardableResult
    package func up() async throws -> [String] {
        try await DirectConnection.onThread { try upBlocking() }
    }

    /// As `up`, waiting on the calling thread, which must not be one of Swift's pool.
    package func upBlocking() throws -> [String] {
        let session = try DirectConnection(conninfo, applicationName: "commonplace migrate")
        try lock(session)
        try prepare(session)
        let pending = try plan(session)
        let began = ContinuousClock.now
        for migration in pending { try apply(migration, to: session) }
        try grantToApplication(session)
        if let last = pending.last {
            let took = began.duration(to: .now)
            logger.info(
                "schema migrated",
                metadata: ["migrations": "\(pending.count)", "last": "\(last.name)", "duration": "\(took)"])
        }
        return pending.map(\.name)
    }

    /// What `up` would apply now, in order, without a lock and without a change. Throws as `up` does.
    package func plan() async throws -> [Migration] {
        try await DirectConnection.onThread {
            try plan(DirectConnection(conninfo, applicationName: "commonplace migrate"))
        }
    }

    /// One entry for each migration that this program or the database knows, in order. Throws only where the server cannot be reached.
    package func status() async throws -> [MigrationStatus] {
        try await DirectConnection.onThread {
            let recorded = try recorded(DirectConnection(conninfo, applicationName: "commonplace migrate")) ?? []
            let known = migrations.filter { migration in !recorded.contains { $0.number == migration.number } }
            let entries =
                recorded.map { ($0.number, MigrationStatus(name: $0.name, state: $0.state, appliedAt: $0.appliedAt)) }
                + known.map { ($0.number, MigrationStatus(name: $0.name, state: .pending, appliedAt: nil)) }
            return entries.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// Throws `MigrationError` unless the schema is exactly this program's. For the start of a server that does not migrate.
    package func check() async throws {
        try await DirectConnection.onThread {
            let session = try DirectConnection(conninfo, applicationName: "commonplace migrate")
            let pending = try plan(session)
            guard let first = pending.first else { return }
            let interrupted = try recorded(session)?.first { $0.state == .interrupted }
            if let interrupted {
                throw MigrationError(
                    .interrupted,
                    "Migration \(interrupted.name) began and did not end. Run `commonplace migrate up`, which runs it again."
                )
            }
            throw MigrationError(
                .outdated,
                "The database lacks \(pending.count) migration(s), the first is \(first.name). Run `commonplace migrate up`."
            )
        }
    }
}

// MARK: - What the database says

extension Migrator {
    struct Record {
        let number: Int
        let name: String
        let checksum: String
        let state: MigrationStatus.State
        let appliedAt: String?
    }

    /// What is recorded, in order; `nil` where the table that records it does not exist.
    private func recorded(_ session: DirectConnection) throws -> [Record]? {
        guard try session.value("select to_regclass('public.schema_migration')") != nil else { return nil }
        let rows = try session.run(
            """
            select number, name, checksum, state,
                   to_char(applied_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
              from public.schema_migration
             order by number
            """)
        return rows.map { row in
            Record(
                number: row[0].flatMap { Int($0) } ?? 0, name: row[1] ?? "", checksum: row[2] ?? "",
                state: row[3] == "applied" ? .applied : .interrupted, appliedAt: row[4])
        }
    }

    /// What is to be applied, or run again. Throws where the database's past is not a beginning of ours.
    private func plan(_ session: DirectConnection) throws -> [Migration] {
        guard let recorded = try recorded(session) else {
            try requireEmpty(session)
            return migrations
        }
        for record in recorded {
            guard let known = migrations.first(where: { $0.number == record.number }) else {
                throw MigrationError(
                    .newerDatabase,
                    """
                    The database has migration \(record.name), which this commonplace does not know (it ends at \
                    \(migrations.last?.name ?? "none")). Start the newer commonplace that applied it, or restore a backup \
                    from before it.
                    """)
            }
            // An interrupted file may be mended and run again; an applied one is history.
            guard record.state == .interrupted || known.checksum == record.checksum else {
                throw Self.changed(known, applied: record)
            }
        }
        let applied = Set(recorded.filter { $0.state == .applied }.map(\.number))
        let pending = migrations.filter { !applied.contains($0.number) }
        if let missing = pending.first, let last = applied.max(), missing.number < last {
            throw MigrationError(
                .missingMigration,
                """
                Migration \(missing.name) is not applied although a later one (\(last)) is. This program was built from a \
                different line of history: give \(missing.name) a number above \(last), or use the program that belongs to the database.
                """)
        }
        return pending
    }

    private static func changed(_ known: Migration, applied record: Record) -> MigrationError {
        let texts = """
            Migration \(record.name) was applied with another text (SHA-256 \(record.checksum.prefix(12))… in the database, \
            \(known.checksum.prefix(12))… in this program)
            """
        // Every release begins with the same first migration.
        guard known.number > 1 else {
            return MigrationError(
                .beforeFirstRelease,
                """
                \(texts): the database was made by a version before the first release, so make a new one: name an empty \
                database in DATABASE_URL, or another COMMONPLACE_DATA_DIR.
                """)
        }
        return MigrationError(
            .changedMigration,
            "\(texts). Start the commonplace that applied it; a change of the schema needs a new migration.")
    }

    private func requireEmpty(_ session: DirectConnection) throws {
        let strangers = try session.run(
            """
            select c.relname
              from pg_class c
             where c.relnamespace = 'public'::regnamespace
               and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
               and not exists (select 1 from pg_depend d
                                where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
             order by c.relname
             limit 3
            """)
        guard !strangers.isEmpty else { return }
        let names = strangers.compactMap { $0[0] }.joined(separator: ", ")
        let database = try session.value("select current_database()") ?? ""
        throw MigrationError(
            .unknownDatabase,
            """
            The database “\(database)” holds tables (\(names)) but no record of migrations, so it is not Commonplace's. Give \
            Commonplace an empty database of its own, for example: createdb --owner commonplace_owner commonplace
            """)
    }
}

// MARK: - Applying

extension Migrator {
    /// Tries and sleeps instead of waiting in the server: a statement that waits holds a snapshot, and `create index concurrently` in
    /// the process that migrates would wait for that snapshot, for ever.
    func lock(_ session: DirectConnection) throws {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: patience)
        var told = false
        while try session.value("select pg_try_advisory_lock(\(Self.lockKey))") != "t" {
            guard clock.now < end else {
                throw MigrationError(
                    .busy,
                    """
                    Another process has been migrating this database for more than \(patience.components.seconds) s. Wait for it; or \
                    find it with: select * from pg_stat_activity where application_name = 'commonplace migrate'
                    """)
            }
            if !told { logger.info("another process is migrating; waiting") }
            told = true
            usleep(100_000)
        }
    }

    /// Roles, ownership and the table of records. Changes nothing in a database that is not ours.
    private func prepare(_ session: DirectConnection) throws {
        try session.run("set statement_timeout = 0")
        try session.run("set idle_in_transaction_session_timeout = 0")
        _ = try plan(session)
        try adoptRoles(session)
        guard try recorded(session) == nil else { return }
        try session.run("begin")
        for part in Script(Self.recordTable).parts { try session.run(part.sql) }
        try session.run("commit")
    }

    private func apply(_ migration: Migration, to session: DirectConnection) throws {
        let began = ContinuousClock.now
        if migration.runsInTransaction {
            try applyInTransaction(migration, to: session)
        } else {
            try applyWithoutTransaction(migration, to: session)
        }
        let took = began.duration(to: .now)
        logger.debug("migration applied", metadata: ["migration": "\(migration.name)", "duration": "\(took)"])
    }

    private func applyInTransaction(_ migration: Migration, to session: DirectConnection) throws {
        for attempt in 1... {
            do {
                try session.run("begin")
                try session.run("set local lock_timeout = '\(Self.lockTimeout)'")
                try runParts(of: migration, on: session) {
                    guard session.isInTransaction else { throw Self.endsTransaction(migration, line: $0) }
                }
                try record(migration, as: .applied, on: session)
                try session.run("commit")
                return
            } catch let error as MigrationError where error.kind == .busy {
                try session.run("rollback")
                guard attempt < Self.lockAttempts else { throw error }
                logger.notice(
                    "tables are busy; trying the migration again", metadata: ["migration": "\(migration.name)"])
                // Readers that queued behind us run now.
                usleep(500_000)
            }
        }
    }

    private func applyWithoutTransaction(_ migration: Migration, to session: DirectConnection) throws {
        try record(migration, as: .interrupted, on: session)
        // Such statements take no lock that stops reads or writes, but may wait long for old transactions to end.
        try session.run("set lock_timeout = 0")
        try runParts(of: migration, on: session) {
            guard !session.isInTransaction else { throw Self.endsTransaction(migration, line: $0) }
        }
        try record(migration, as: .applied, on: session)
    }

    private func runParts(of migration: Migration, on session: DirectConnection, check: (_ line: Int) throws -> Void)
        throws
    {
        let parts = Script(migration.sql).parts
        for (index, part) in parts.enumerated() {
            try onBoundary(migration, index)
            do {
                try session.run(part.sql)
            } catch let error as PostgresError where error.sqlState == .lockNotAvailable {
                throw MigrationError(
                    .busy,
                    """
                    \(migration.name).sql line \(part.line): the tables stayed busy for \(Self.lockAttempts) attempts of \
                    \(Self.lockTimeout). Nothing of the file was kept; run `commonplace migrate up` again when long transactions have ended.
                    """)
            } catch let error as PostgresError where error.code == .server {
                let outcome =
                    migration.runsInTransaction
                    ? "Nothing of the file was kept"
                    : "The file is recorded as interrupted and will be run again from its beginning"
                throw MigrationError(
                    .failed,
                    """
                    \(migration.name).sql line \(part.line): \(error.message ?? "refused") (SQLSTATE \
                    \(error.sqlState?.rawValue ?? "unknown")). \(outcome): mend the cause, then run `commonplace migrate up`.
                    """)
            }
            try check(part.line)
        }
        try onBoundary(migration, parts.count)
    }

    private func record(_ migration: Migration, as state: MigrationStatus.State, on session: DirectConnection) throws {
        try session.run(
            """
            insert into public.schema_migration (number, name, checksum, state, applied_at)
            values ($1::integer, $2, $3, $4, case when $4 = 'applied' then clock_timestamp() end)
            on conflict (number) do update
                set name = excluded.name, checksum = excluded.checksum, state = excluded.state, applied_at = excluded.applied_at
            """, String(migration.number), migration.name, migration.checksum, state.rawValue)
    }

    private static func endsTransaction(_ migration: Migration, line: Int) -> MigrationError {
        MigrationError(
            .failed,
            "\(migration.name).sql line \(line): a migration must not begin or end transactions; take the statement out."
        )
    }

    private static let recordTable = """
        create table public.schema_migration (
            number     integer primary key constraint schema_migration_number check (number between 1 and 9999),
            name       text not null,
            checksum   text not null,
            state      text not null constraint schema_migration_state check (state in ('applied', 'interrupted')),
            applied_at timestamptz
        );
        comment on table public.schema_migration is 'Which migrations this database has; written by the migrator alone.';
        comment on column public.schema_migration.number is 'The first four digits of the file name.';
        comment on column public.schema_migration.name is 'The file name without .sql.';
        comment on column public.schema_migration.checksum is 'SHA-256 of the file as it was applied, in hexadecimal.';
        comment on column public.schema_migration.state is
            'applied, or interrupted: a file without transaction has begun and not ended.';
        comment on column public.schema_migration.applied_at is 'When it ended; null while interrupted.';
        """
}
