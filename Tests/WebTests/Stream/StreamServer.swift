import Community
import EventLog
import Logging
import NIOCore
import NIOPosix
import Postgres
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import Web

/// A server with a stream on a port of its own.
struct StreamServer: Sendable {
    let app: TestApp
    let port: Int
    let hub: EventStream.Hub
    /// Ends the process in order, as SIGTERM does.
    let stop: @Sendable () async -> Void

    var world: World { app.world }

    func open(_ reader: Signed, headers: [String] = []) async throws -> WebSocketClient {
        let client = try await WebSocketClient.open(port: port, token: reader.token, headers: headers)
        try await client.hear("hello")
        return client
    }

    /// A book that there is to follow.
    func book() async throws -> Int64 { try await world.given.book().rawValue }

    /// Puts an event into the log, as an act's transaction does.
    func publish(
        _ number: Int = 0, on topics: [Topic], owner: Signed? = nil, level: Visibility? = nil, padding: Int = 0
    ) async throws {
        let data = #"{"n": \#(number), "pad": "\#(String(repeating: "x", count: padding))"}"#
        let event = NewEvent(
            id: try world.services.ids.make(Never.self).rawValue, kind: "test.happened", topics: topics,
            owner: owner?.id.rawValue,
            subjectKind: level.map { _ in "level" }, subject: level.map { Int64($0.rawValue) }, at: world.clock.now(),
            data: JSON(bytes: Array(data.utf8)))
        try await world.database.transaction { try await EventLog.append(event, in: $0) }
    }
}

/// Runs `body` against a whole server: HTTP channel, hub, relay and tail. Ends by checking that nothing is left of any socket. Without
/// `followsLog` there is neither relay nor tail, and the test itself says where the log is.
func withStream(
    followsLog: Bool = true, echoes: Bool = false,
    limits change: (inout EventStream.Limits) -> Void = { _ in }, site: (inout SiteSettings) -> Void = { _ in },
    topics: (any TopicGate)? = nil, gate: (any EventStream.SessionGate)? = nil, fault: EventStream.Fault? = nil,
    settings: (inout CommunitySettings) -> Void = { _ in }, http: (inout ServerLimits) -> Void = { _ in },
    hasPages: Bool = false,
    _ body: @escaping @Sendable (StreamServer) async throws -> Void
) async throws {
    ServerCalls.note()
    var limits = EventStream.Limits()
    change(&limits)
    try await withApp(
        leaving: [.jobs, .outbox], settings: settings, site: site, limits: http, hasPages: hasPages
    ) { app in
        let world = app.world
        let audience = Feed.Audience(world.database)
        let hub = EventStream.Hub(
            log: EventLog.Reader(world.database), audience: CheckedAudience(audience), homes: audience,
            topics: topics ?? audience, gate: gate ?? world.community.accounts,
            secret: world.services.settings.secret, limits: limits, fault: fault, logger: world.logger)
        app.site.connect(hub)
        let node = EventLog.Node(database: world.database, receiver: hub, logger: world.logger)
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let upgrade = EventStream.Upgrade(hub: hub, admission: EventStream.Admission(app.site), echoes: echoes)
        let http = app.server.service(
            host: "127.0.0.1", port: 0, group: MultiThreadedEventLoopGroup.singleton, upgraders: upgrade.upgraders
        ) { address in port.yield(address?.port ?? 0) }
        let log: [any Service] = followsLog ? [node] : []
        let services = ServiceGroup(services: log + [http, hub], logger: world.logger)
        let outcome = await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await services.run() }
            var iterator = ports.makeAsyncIterator()
            let outcome: Result<Void, any Error>
            do {
                let port = try #require(await iterator.next())
                if followsLog { try await eventually { await hub.hasBegun } }
                try await body(
                    StreamServer(app: app, port: port, hub: hub, stop: { await services.triggerGracefulShutdown() }))
                outcome = .success(())
            } catch {
                outcome = .failure(error)
            }
            await services.triggerGracefulShutdown()
            await group.waitForAll()
            return outcome
        }
        try outcome.get()
    }
}
