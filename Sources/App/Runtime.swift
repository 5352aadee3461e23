import Community
import EPUB
import FoundationEssentials
import Logging
import Migrations
import Postgres
import SMTP
import Web

/// Settings, database and community, opened for one command and closed behind it.
///
/// ```swift
/// func run() async throws {
///     try await Runtime.open(options) { runtime in
///         try await runtime.community.accounts.…
///     }
/// }
/// ```
struct Runtime: Sendable {
    let settings: Settings
    let logger: Logger
    /// As `commonplace_app` where this program runs the cluster; else as `DATABASE_URL` says.
    let database: Database
    let community: Community
    let lease: NodeLease
    /// A libpq address of a role that may analyse what it owns.
    let ownerConninfo: String
    /// The cluster that this program runs; `nil` for an outside database.
    let cluster: LocalCluster?

    /// What a command asks of the schema.
    enum Schema: Sendable {
        /// It must be this program's: an outdated one is refused. The own cluster is migrated.
        case current
        /// It is migrated first.
        case migrated
        /// It must be this program's. Nothing is written: no migration of the own cluster, no node number, so that the command is quick.
        case read
    }

    /// Opens what `options` and environment say, runs `body`, closes everything. Throws `SettingError`, `CommandError`,
    /// `MigrationError`, `PostgresError` and what `body` throws.
    static func open<Result: Sendable>(
        _ options: GlobalOptions, as application: String = "commonplace", schema: Schema = .current,
        statementTimeout: Duration = .seconds(60),
        _ body: @Sendable (Runtime) async throws -> Result
    ) async throws -> Result {
        let settings = try await options.settings()
        let logs = LogSink(settings)
        let logger = logs.logger(application)
        defer { logs.flush() }
        for warning in settings.warnings { logger.warning("\(warning)") }
        return try await DatabaseSource.with(settings, logger: logger, makes: schema != .read) { source in
            try await open(
                settings, source: source, as: application, schema: schema, statementTimeout: statementTimeout,
                logger: logger, body)
        }
    }

    private static func open<Result: Sendable>(
        _ settings: Settings, source: DatabaseSource, as application: String, schema: Schema,
        statementTimeout: Duration, logger: Logger,
        _ body: @Sendable (Runtime) async throws -> Result
    ) async throws -> Result {
        let migrator = Migrator(conninfo: source.owner, migrations: Migrations.all, logger: logger)
        if schema == .migrated || schema == .current && source.cluster != nil {
            try await migrator.up()
        } else {
            try await migrator.check()
        }
        var pool = DatabaseSettings(conninfo: source.application)
        pool.applicationName = application
        pool.exclusiveConnections = settings.databaseConnections
        pool.statementTimeout = statementTimeout
        pool.requiresDurability = !settings.allowsUnsafeDatabase
        let database = Database(pool, logger: logger)
        do {
            if settings.allowsUnsafeDatabase { try await checkLocal(database) }
            let runtime = try Runtime(settings, source, database, logger)
            guard schema != .read else {
                let result = try await body(runtime)
                await database.shutdown()
                return result
            }
            try await database.run(Services.DrawEpoch())
            try await runtime.lease.acquire()
            let result = try await runtime.holdingLease { try await body(runtime) }
            await database.shutdown()
            return result
        } catch {
            await database.shutdown()
            throw error
        }
    }

    /// An unsafe database is one for tests, on this machine, reached through a Unix socket.
    private static func checkLocal(_ database: Database) async throws {
        guard try await !database.one(ServerFacts()).isLocal else { return }
        throw CommandError(
            .configuration, "COMMONPLACE_UNSAFE_DATABASE=1 is allowed with a database on a Unix socket only")
    }

    private init(_ settings: Settings, _ source: DatabaseSource, _ database: Database, _ logger: Logger) throws {
        let clock = SystemClock()
        let random = SystemRandom()
        let ids = IDMaker(clock: clock)
        let secret = try SecretFile.secret(settings, random: random)
        let services = Services(
            database: database, clock: clock, random: random, ids: ids, settings: settings.community(secret: secret),
            logger: logger)
        self.settings = settings
        self.logger = logger
        self.database = database
        self.community = Community(
            services, mailer: try settings.mailer(clock: clock),
            media: Media.Facilities(
                folder: settings.mediaFolder, tools: Media.Tools.find(program: Self.program), services: services),
            reading: Photos.Recognizer.Tools.find(),
            parsing: Self.program.flatMap { .find(program: $0, splitter: EPUB.layoutVersion) },
            endings: [Idempotency.ending])
        self.lease = NodeLease(database: database, ids: ids, random: random, logger: logger)
        self.ownerConninfo = source.owner
        self.cluster = source.cluster
    }

    /// Where this program lies.
    static let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")

    /// Runs `body` while the node number is renewed, then gives it back.
    private func holdingLease<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await lease.run() }
            do {
                let result = try await body()
                await lease.release()
                group.cancelAll()
                return result
            } catch {
                await lease.release()
                group.cancelAll()
                throw error
            }
        }
    }
}

extension Settings {
    /// What the community needs to know of them.
    func community(secret: SecretKey) -> CommunitySettings {
        var settings = CommunitySettings(
            publicURL: effectivePublicURL, registration: registration, access: access, isLoopback: isLoopback,
            deliversMail: smtpURL != nil || mailSpool != nil, newAccountHours: newAccountHours,
            limitsRates: limitsRates, secret: secret)
        settings.hasPages = hasPages && (publicURL != nil || isLoopback)
        settings.sources = sources
        settings.photoLanguages = photoLanguages
        return settings
    }

    /// The mail server, the spool folder, or a mailer that refuses. Throws `SettingError`.
    func mailer(clock: any WallClock) throws -> any Mailer {
        let sender: MailSender
        do throws(MailError) {
            sender = try MailSender(name: name, address: mailFrom)
        } catch {
            throw SettingError(faults: [("COMMONPLACE_MAIL_FROM", "must be an e-mail address")])
        }
        if let mailSpool {
            do {
                return try SpoolMailer(folder: mailSpool, sender: sender, clock: clock)
            } catch {
                throw SettingError(faults: [
                    ("COMMONPLACE_MAIL_SPOOL", "names a folder that cannot be made: \(mailSpool)")
                ])
            }
        }
        if let smtpURL {
            do {
                return try SMTPMailer(SMTPClient(SMTPServer(url: smtpURL)), sender: sender, clock: clock)
            } catch let error as MailError {
                throw SettingError(faults: [("COMMONPLACE_SMTP_URL", "is not usable: \(error)")])
            }
        }
        return NoMailer()
    }
}

/// Stands where no mail leaves this server: nothing asks it to send, because the community knows.
private struct NoMailer: Mailer {
    func send(_ mail: Mail) async throws { throw MailError.refused("this server has no mail server") }
}
