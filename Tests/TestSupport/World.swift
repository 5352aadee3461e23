import Community
import EPUB
import Foundation
import Logging
import Postgres
import Testing
import Web

/// A small community in a database of its own: what a test acts on.
package final class World: Sendable {
    package let lane: Lane
    /// As the program connects: role `commonplace_app`, a small pool.
    package let database: Database
    /// Stands still until the test moves it.
    package let clock: TestClock
    /// The same for each run with the same seed.
    package let random: TestRandom
    /// What the community sent.
    package let mail: Mailbox
    /// The product, on this world's database, clock, randomness and mailbox. The cheapest password hash.
    package let community: Community
    /// Where pictures' files lie; gone after the test.
    package let mediaFolder: String
    /// Keeps what the program logs.
    package let log = LogBook()
    package let logger: Logger
    /// In which order its transactions lock.
    package let locks: LockWatch

    init(
        lane: Lane, name: String, tools: Media.Tools?, reading: Photos.Recognizer.Tools?, parsing: Ebooks.Parser.Tools?,
        proxy: TCPProxy? = nil,
        settings change: (inout CommunitySettings) -> Void
    ) {
        self.lane = lane
        let clock = TestClock()
        let random = TestRandom(for: name)
        let mail = Mailbox()
        let log = log
        let logger = Logger(label: "test", factory: { _ in log.handler })
        var connections = lane.settings(conninfo: proxy.map { lane.conninfo(through: $0) })
        let locks = LockWatch()
        connections.watch = { locks.look(at: $0) }
        self.locks = locks
        let database = Database(connections, logger: logger)
        var settings = CommunitySettings(
            publicURL: "http://127.0.0.1:8080", registration: .open, isLoopback: true, deliversMail: true,
            passwordCost: .testing, secret: SecretKey(from: random))
        settings.topBooksAge = .zero
        settings.gathering = .zero
        settings.spacesPosts = false
        change(&settings)
        let services = Services(
            database: database, clock: clock, random: random, ids: IDMaker(node: 1, clock: clock), settings: settings,
            logger: logger)
        self.clock = clock
        self.random = random
        self.mail = mail
        self.logger = logger
        self.database = database
        mediaFolder = NSTemporaryDirectory() + "commonplace-media-" + UUID().uuidString
        community = Community(
            services, mailer: mail,
            media: Media.Facilities(folder: mediaFolder, tools: tools, services: services, reserve: 0),
            reading: reading, parsing: parsing, endings: [Idempotency.ending])
    }

    package var services: Services { community.services }

    /// Factories: `try await world.given.reader()`. Each domain adds its own in `Given+Domain.swift`.
    package var given: Given { Given(world: self) }

    /// Runs SQL as the superuser, for what the program itself cannot do: look behind its back, break things. Rows as
    /// text.
    @discardableResult
    package func asSuperuser(_ sql: String) async throws -> [[String?]] {
        try await LaneSessions.shared.use(lane) { session in try session.run(sql) }
    }
}

/// Makes what a test starts from, naming only what matters to it.
package struct Given: Sendable {
    package let world: World
}

/// Runs `body` in a new world on the test's database (trait `.database`), and ends clean: connections closed, and no
/// job, outbox row or lease left, unless `leaving` says so. `tools` convert pictures: those that are installed, unless
/// a test wants none. `reading` reads the words of photographs: nothing, unless a test wants it. `parsing` reads e-books:
/// the built program. `proxy` stands before the database. `settings` changes what is otherwise a loopback server with open registration. A second world in
/// the same test finds the rows that the first left: so a test restarts the program.
package func withWorld<Result>(
    _ name: String = "", leaving leftovers: Leftovers = .nothing,
    tools: Media.Tools? = .find(program: try? BuiltProgram.path()), reading: Photos.Recognizer.Tools? = nil,
    parsing: Ebooks.Parser.Tools? = (try? BuiltProgram.path()).flatMap {
        .find(program: $0, splitter: EPUB.layoutVersion)
    },
    proxy: TCPProxy? = nil, settings: (inout CommunitySettings) -> Void = { _ in },
    isolation: isolated (any Actor)? = #isolation,
    sourceLocation: SourceLocation = #_sourceLocation, _ body: (World) async throws -> Result
) async throws -> Result {
    let world = World(
        lane: try Lane.required(), name: name, tools: tools, reading: reading, parsing: parsing, proxy: proxy,
        settings: settings)
    defer { try? FileManager.default.removeItem(atPath: world.mediaFolder) }
    do {
        let result = try await body(world)
        await world.database.shutdown()
        for fault in world.locks.faults { Issue.record("\(fault)", sourceLocation: sourceLocation) }
        try await leftovers.check(in: world, sourceLocation: sourceLocation)
        return result
    } catch {
        await world.database.shutdown()
        throw error
    }
}
