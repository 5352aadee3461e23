import EventLog
import Foundation
import Jobs
import Postgres
import TestSupport
import Testing

@testable import Community

/// Whatever readers do to each other, in whatever order and through whichever server: what everybody is shown and told is what the rules say.
@Suite(.database(.fresh)) struct CommunityModelTests {
    private static let readers = 5
    private static let works = 2
    /// What `commonplace check` looks at, as far as a community here goes.
    private static let checked: [any Recounting.Type] = [
        Friends.self, Library.self, Places.self, Feed.self, Gate.self, Boards.self, Messages.self, Notifications.self,
    ]

    @Test(.long, .timeLimit(.minutes(ProofCount.minutes)))
    func
        `all lists, counts, notifications and pushed events of random communities on two servers are as the rules say`()
        async throws
    {
        try await Self.withStage { world, stage in
            let total = ProofCount.of(2_000)
            let readers = ModelReaders(world)
            var works: [ID<Catalog.Work>] = []
            for number in 0..<total {
                if works.count < Self.works {
                    works = try await world.given.books((0..<Self.works * 50).map { Self.book(number, $0) })
                }
                var run = ModelRun(
                    number, readers: try await readers.some(Self.readers, of: number),
                    works: Array(works.prefix(Self.works)))
                works.removeFirst(Self.works)
                try await Self.skip(on: &stage)
                try await run.run(on: &stage)
                guard run.wrongs.isEmpty else {
                    Issue.record(
                        """
                        graph \(number) of seed \(TestRandom.seed), after
                        \(run.acts.joined(separator: "\n"))
                        \(run.wrongs.count) differences:
                        \(run.wrongs.prefix(5).joined(separator: "\n\n"))
                        """)
                    return
                }
            }
            Self.expectVariety(of: stage, total)
            #expect(try await world.database.differences(of: Self.checked) == [])
        }
    }

    @Test func `a rule that is not kept is noticed`() async throws {
        try await Self.withStage { world, stage in
            let readers = ModelReaders(world)
            var noticed = 0
            for number in 0..<6 {
                let works = try await world.given.books((0..<Self.works).map { Self.book(number, $0) })
                var run = ModelRun(number, readers: try await readers.some(Self.readers, of: number), works: works)
                try await Self.skip(on: &stage)
                try await run.run(on: &stage)
                try #require(run.wrongs.isEmpty, "\(run.wrongs.prefix(3))")
                // Behind the program's back the gate of everybody stands elsewhere, and one count is another.
                let ids = run.names.works.map(\.text).joined(separator: ", ")
                try await world.asSuperuser(
                    """
                    update post set scope = case when scope = 0 then 10000 else 0 end
                     where thread_id in (select id from thread where work_id in (\(ids)));
                    insert into reader_tally as tally (reader_id, unread_notifications)
                    values (\(run.names.readers[0].account), 1)
                    on conflict (reader_id) do update set unread_notifications = tally.unread_notifications + 1
                    """)
                try await run.compare(on: &stage)
                if run.wrongs.contains(where: { $0.hasPrefix("posts t") }),
                    run.wrongs.contains(where: { $0.hasPrefix("notifications for r0") })
                {
                    noticed += 1
                }
            }
            // In a community in which nobody says anything to the others no gate is missed.
            #expect(noticed > 3)
        }
    }

    /// A run in which nothing happened proves nothing.
    private static func expectVariety(of stage: ModelRun.Stage, _ total: Int) {
        let done = stage.done.values.reduce(0, +)
        let refused = stage.refused.values.reduce(0, +)
        print(
            "community model, seed \(TestRandom.seed): \(total) graphs, \(done) acts, \(refused) refused, "
                + "\(stage.pages) pages and \(stage.deliveries) deliveries compared")
        #expect(done > total * 10 && stage.pages > total * 60 && stage.deliveries > total * 50)
        for act in [
            "block", "delete", "edit", "gate", "progress", "react", "reply", "reveal", "send", "show", "unfriend",
        ] {
            #expect(stage.done[act, default: 0] > total / 20, "\(act) was hardly ever done")
        }
    }

    private static func book(_ graph: Int, _ number: Int) -> Catalog.NewBook {
        Catalog.NewBook(
            key: "model \(graph) \(number)", title: "Model \(graph) \(number)", authors: ["Ada Example"], year: 1999)
    }

    /// What was told of setting up is no part of a graph.
    private static func skip(on stage: inout ModelRun.Stage) async throws {
        try await stage.relays[0].moveAll()
        stage.seq = try await EventLog.Reader(stage.servers[0].services.database).head().seq
    }

    /// Two servers of one community: each with its node number and its connections, with one clock.
    private static func withStage(
        _ body: (World, inout ModelRun.Stage) async throws -> Void
    ) async throws {
        try await withWorld(
            leaving: [.jobs, .outbox], tools: nil,
            settings: {
                $0.limitsRates = false
                $0.newAccountHours = 0
            }
        ) { world in
            let database = Database(world.lane.settings(), logger: world.logger)
            let services = Services(
                database: database, clock: world.clock, random: world.random, ids: IDMaker(node: 2, clock: world.clock),
                settings: world.services.settings, logger: world.logger)
            let other = Community(
                services, mailer: world.mail,
                media: Media.Facilities(folder: world.mediaFolder, tools: nil, services: services, reserve: 0),
                endings: [])
            let servers = [world.community, other]
            var stage = ModelRun.Stage(
                servers: servers, clock: world.clock,
                relays: servers.map {
                    EventLog.Relay(database: $0.services.database, bell: Bell(), logger: world.logger) {}
                },
                workers: servers.map { server in
                    let worker = Jobs.Worker(database: server.services.database, logger: world.logger)
                    Gate.register(on: worker, community: server)
                    Notifications.register(on: worker, community: server)
                    return worker
                })
            do {
                try await body(world, &stage)
                await database.shutdown()
            } catch {
                await database.shutdown()
                throw error
            }
        }
    }
}

/// Makes readers, with one hash for all of them.
private struct ModelReaders {
    private let world: World

    init(_ world: World) { self.world = world }

    func some(_ count: Int, of graph: Int) async throws -> [Accounts.Identity] {
        let store = world.community.accounts
        var readers: [Accounts.Identity] = []
        for number in 0..<count {
            let name = "m\(graph)x\(number)"
            let enrolment = Accounts.Enrolment(username: name, email: "\(name)@example.org")
            let hash = try await store.hash(password: Given.password, for: enrolment)
            let id = try await store.enrol(enrolment, password: hash)
            readers.append(
                Accounts.Identity(
                    account: id, session: ID(rawValue: 1), username: name, role: .member, state: .active,
                    isVerified: true, createdAt: world.clock.now(), lastUsedAt: world.clock.now(), scopes: nil))
        }
        return readers
    }
}
