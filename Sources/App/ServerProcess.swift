import Community
import EventLog
import FoundationEssentials
import Glibc
import Jobs
import Logging
import Migrations
import NIOCore
import NIOPosix
import Pages
import Postgres
import ServiceLifecycle
import UnixSignals
import Web

/// The services of one server process, in the order in which they start; they end in the other order.
///
/// The node of the log moves events, the worker does jobs, HTTP answers, and the hub, first to end, says farewell to the sockets, which HTTP
/// then need not wait for. The worker is left out where other processes do the jobs.
struct ServerProcess: Sendable {
    private let runtime: Runtime
    private let status: ServerStatus
    private let site: Site
    private let server: SiteServer
    private let hub: EventStream.Hub
    private let worker: Jobs.Worker?
    private let node: EventLog.Node
    private let upgrade: EventStream.Upgrade

    init(_ runtime: Runtime, metrics: Prometheus, works: Bool, echoes: Bool) throws {
        self.runtime = runtime
        let settings = runtime.settings
        let database = runtime.database
        let logger = runtime.logger
        let audience = Feed.Audience(database)
        let fault = settings.streamFault.map { kind in
            let seed = UInt64.random(in: .min ... .max)
            logger.warning("the stream is spoilt on purpose", metadata: ["fault": "\(kind)", "seed": "\(seed)"])
            return EventStream.Fault(kind, seed: seed)
        }
        hub = EventStream.Hub(
            log: EventLog.Reader(database), audience: audience, homes: audience, topics: audience,
            gate: runtime.community.accounts, secret: runtime.community.services.settings.secret,
            // The rest is for the calls that are being answered.
            drainTime: min(.seconds(20), settings.shutdownGrace / 2), fault: fault, logger: logger)
        node = EventLog.Node(database: database, receiver: hub, keeping: settings.keeping, logger: logger)
        status = ServerStatus(
            checks: Self.checks(database, ids: runtime.community.services.ids, node: node), notes: settings.notes)
        var limits = ServerLimits()
        limits.connections = settings.maxConnections
        limits.connectionsPerAddress = settings.maxConnectionsPerAddress
        limits.streams = settings.maxSockets
        limits.inFlight = max(limits.inFlight, 8 * ProcessInfo.processInfo.activeProcessorCount)
        site = Site(
            community: runtime.community, settings: settings.site, limits: limits, status: status, metrics: metrics)
        let table = try RouteTable.all(site)
        server = SiteServer(
            site: site, table: table, pages: settings.hasPages ? try Pages.table(site, over: table) : nil,
            logger: logger)
        site.connect(hub)
        upgrade = EventStream.Upgrade(hub: hub, admission: EventStream.Admission(site), echoes: echoes)
        worker = works ? try Self.worker(runtime) : nil
    }

    /// A worker that knows every job of this program, with the limits that the owner has set. Throws `SettingError`.
    static func worker(_ runtime: Runtime) throws -> Jobs.Worker {
        let ids = runtime.community.services.ids
        let worker = Jobs.Worker(database: runtime.database, logger: runtime.logger, isReady: { ids.holdsNode })
        register(on: worker, community: runtime.community)
        let known = worker.queues.map(\.name)
        for (queue, limit) in runtime.settings.jobLimits {
            guard known.contains(queue) else {
                let names = known.joined(separator: ", ")
                throw SettingError(faults: [("COMMONPLACE_JOB_LIMITS", "names no queue: \(queue); there are \(names)")])
            }
            worker.limit(queue, to: limit)
        }
        return worker
    }

    /// Every job that this program knows.
    static func register(on worker: Jobs.Worker, community: Community) {
        community.register(on: worker)
        Idempotency.register(on: worker, community: community)
    }

    /// Serves until SIGTERM or SIGINT and everything has ended, at most `COMMONPLACE_SHUTDOWN_SECONDS` later.
    func run() async throws {
        Descriptors.raise()
        let settings = runtime.settings
        let (logger, status) = (runtime.logger, status)
        let (listening, isListening) = AsyncStream<Never>.makeStream()
        let http = server.service(
            host: settings.listen.host, port: settings.listen.port, group: MultiThreadedEventLoopGroup.singleton,
            upgraders: upgrade.upgraders
        ) { address in
            let port = address?.port ?? settings.listen.port
            let url = settings.publicURL ?? "http://" + ListenAddress(host: settings.listen.host, port: port).text
            logger.notice("serving", metadata: ["url": "\(url)", "version": "\(Version.text)"])
            isListening.finish()
        }
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = []
        if let cluster = runtime.cluster { services.append(.init(service: cluster)) }
        services.append(.init(service: node))
        if let worker { services.append(.init(service: worker)) }
        services += [
            .init(service: http),
            .init(service: hub),
            .init(service: ShutdownNotice(status: status, delay: settings.drainDelay, logger: logger)),
            .init(
                service: SystemdNotice(logger: logger) {
                    for await _ in listening {}
                    return status.readiness(after: await status.findings()).answersReads
                }),
        ]
        var configuration = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = settings.shutdownGrace
        try await ServiceGroup(configuration: configuration).run()
        logger.notice("stopped")
    }

    /// What `/readyz` asks.
    static func checks(_ database: Database, ids: IDMaker, node: EventLog.Node) -> [ServerStatus.Check] {
        [
            ServerStatus.Check("database") {
                try await database.run(Answers())
                return "answers"
            },
            ServerStatus.Check("schema") {
                let number = try await database.one(SchemaNumber())
                // A newer schema only adds: a running server goes on while others are replaced.
                guard let ours = Migrations.all.last?.number, number >= ours else {
                    throw Failure.conflict(code: .schema, "another schema")
                }
                return String(number)
            },
            ServerStatus.Check("writes", for: .writes) {
                guard try await database.one(TakesWrites()) else {
                    throw Failure.conflict(code: .readOnly, "the database is read-only")
                }
                return "taken"
            },
            ServerStatus.Check("node", for: .writes) {
                guard ids.holdsNode else { throw Failure.busy("no node number", retryAfter: .seconds(1)) }
                return "held"
            },
            ServerStatus.Check("log") {
                let log = try await node.standing()
                return "\(log.outbox) in the outbox, the oldest for \(log.waited.wholeMicroseconds / 1000) ms; "
                    + "\(log.lag) behind; \(log.leads ? "leads" : "follows")"
            },
            // Requests are answered all the same, so it is said and nothing more.
            ServerStatus.Check("jobs") { try await Jobs.complaint(in: database) ?? "every queue is served" },
        ]
    }
}

/// The last to start and so the first to hear of the end: tells balancers, and lets a second signal end the process at once. The other
/// services hear of the end when it has returned.
private struct ShutdownNotice: Service {
    let status: ServerStatus
    /// How long balancers have to see it.
    let delay: Duration
    let logger: Logger

    func run() async throws {
        try await gracefulShutdown()
        status.drain()
        logger.notice("stopping; a second signal ends at once")
        signal(SIGTERM, SIG_DFL)
        signal(SIGINT, SIG_DFL)
        // Where all is to end now, the wait ends too.
        try? await Task.sleep(for: delay)
    }
}

extension Settings {
    /// How the server presents itself.
    var site: SiteSettings {
        SiteSettings(
            name: name, rules: rules, contact: contact, publicURL: publicURL, trustedProxies: trustedProxies,
            origins: corsOrigins,
            limitsRates: limitsRates,
            version: Version.text)
    }

    /// What an owner should see in `/readyz?verbose`.
    var notes: [String] {
        var notes: [String] = []
        if allowsUnsafeDatabase { notes.append("COMMONPLACE_UNSAFE_DATABASE=1: acknowledged writes may be lost") }
        if !limitsRates { notes.append("COMMONPLACE_RATE_LIMITS=off") }
        if let streamFault {
            notes.append(
                "COMMONPLACE_STREAM_FAULT=\(streamFault): one event in 1,000 is lost, given twice or late on purpose")
        }
        return notes
    }
}
