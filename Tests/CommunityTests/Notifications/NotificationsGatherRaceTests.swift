import Jobs
import Postgres
import TestSupport
import Testing

@testable import Community

/// The `Tell` of a post that is late meets the `Gather` that tells what was said after it.
@Suite(.database)
struct NotificationsGatherRaceTests {
    private struct Cast: Sendable {
        let world: World
        /// Ann opened the thread, Eve wrote what is told late, Fay what was said after it. They do not follow it.
        let ann: ID<Accounts.Account>
        let eve: ID<Accounts.Account>
        let fay: ID<Accounts.Account>
        /// Two portions of them, in order.
        let followers: [ID<Accounts.Account>]

        init(_ world: World) async throws {
            self.world = world
            (ann, eve, fay) = (
                try await world.given.reader(), try await world.given.reader(), try await world.given.reader()
            )
            var followers: [ID<Accounts.Account>] = []
            for _ in 0..<Limits.notifications.batch + 5 { followers.append(try await world.given.reader()) }
            self.followers = followers.sorted()
        }

        struct Scene: Sendable {
            let thread: ID<Boards.Thread>
            let late: ID<Boards.Post>
        }

        func scene() async throws -> Scene {
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann)
            let late = try await world.given.post(in: thread.id, by: eve)
            _ = try await world.given.post(in: thread.id, by: fay)
            try await world.asSuperuser(
                """
                update thread_reader set watching = null where thread_id = \(thread.id);
                insert into thread_reader (reader_id, thread_id, watching, at)
                select id, \(thread.id), 'followed', now() from account
                 where id in (\(followers.map(\.text).joined(separator: ", ")))
                """)
            return Scene(thread: thread.id, late: late)
        }

        /// Fay's post waits to be told.
        func put(_ scene: Scene) async throws {
            #expect(try await Notifications.Gather(scene.thread, [3]).enqueue(in: world.database))
        }

        func tell(_ scene: Scene) async throws {
            try await world.database.transaction { transaction in
                try await world.community.notifications.tell(.written(scene.late, by: eve), in: transaction)
            }
        }

        /// Tells a portion, as the job's handler does.
        func gather(_ scene: Scene) async throws {
            try await world.database.transaction { transaction in
                try await world.community.notifications.gather(scene.thread, in: transaction) { transaction in
                    let ended = try await transaction.run(EndGather(thread: scene.thread))
                    #expect(ended == 1)
                }
            }
        }
    }

    /// What `Attempt.finish` does.
    private struct EndGather: Statement {
        static let name = "test.end_gather"
        static let sql: SQL<Self> =
            "delete from job where kind = 'notifications.gather' and unique_key = \(\.thread.text)"
        let thread: ID<Boards.Thread>
    }

    /// It is told with what gathered, or by the next one: neither is lost, and nothing is told with half a portion.
    @Test func `a post that is late joins what is being told or waits behind it`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let cast = try await Cast(world)
            let encounter = Encounter {
                try await cast.scene()
            } one: { scene in
                try await cast.tell(scene)
            } other: { scene in
                try await cast.gather(scene)
            } trace: { scene in
                """
                select (select count(*) || ' told, named ' || min(actors) || ' to ' || max(actors) from notification
                         where kind = 'thread.reply' and subject_id = \(scene.thread)),
                       (select (payload ->> 'numbers') || ' then ' || (payload ->> 'next') from job
                         where kind = 'notifications.gather' and unique_key = '\(scene.thread)')
                """
            } queued: { scene in
                try await cast.put(scene)
            }
            try await encounter.check(in: world, rounds: ProofCount.of(100))
        }
    }

    @Test(arguments: [true, false])
    func `whichever of the two is in front, each follower hears of both posts, once`(isTellInFront: Bool) async throws {
        try await withWorld(leaving: .outbox) { world in
            let (cast, notifications) = (try await Cast(world), world.community.notifications)
            let scene = try await cast.scene()
            try await cast.put(scene)
            if isTellInFront {
                try await world.meeting {
                    try await cast.tell(scene)
                } _: {
                    try await cast.gather(scene)
                }
            } else {
                try await world.meeting {
                    try await cast.gather(scene)
                } _: {
                    try await cast.tell(scene)
                }
            }
            // One of the first portion takes away what has been told.
            let first = cast.followers[0]
            let item = try #require(try await notifications.list(of: first).items.first)
            #expect(item.actorCount == (isTellInFront ? 2 : 1))
            try await notifications.remove(item.id, by: first)

            #expect(try await world.tell() == 0)

            #expect(try await notifications.list(of: first).items.map(\.actorCount) == (isTellInFront ? [] : [1]))
            let told = """
                select count(*), count(distinct reader_id), min(actors), max(actors) from notification
                 where kind = 'thread.reply' and reader_id <> \(first)
                """
            let others = "\(cast.followers.count - 1)"
            #expect(try await world.asSuperuser(told) == [[others, others, "2", "2"]])
            let differences = try await world.notificationDifferences()
            #expect(differences == [])
        }
    }
}
