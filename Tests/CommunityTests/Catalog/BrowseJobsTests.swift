import Postgres
import TestSupport
import Testing

@testable import Community
@testable import Jobs

/// The jobs of browsing, as a server runs them: by their schedules.
@Suite(.database) struct BrowseJobsTests {
    private func worker(_ world: World) -> Jobs.Worker {
        let worker = Jobs.Worker(database: world.database, logger: world.logger)
        Catalog.register(on: worker, community: world.community)
        return worker
    }

    private func listed(_ order: Catalog.Browse.Order, in world: World) async throws -> [ID<Catalog.Work>] {
        try await world.community.catalog.browse(order, .init(), PageRequest(limit: 100)).items.map(\.id)
    }

    @Test func `a worker keeps the keys of every order, and fixes the mean once a day`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let works = try await world.given.books(
                ["Kiwi", "Apple", "Lemon"].map { Catalog.NewBook(key: $0, title: $0, authors: ["Ann"]) })
            for quarters in [20, 4] {
                let rating = try #require(Rating(quarters: quarters))
                _ = try await world.community.reviews.put(
                    .init(rating: rating, body: nil), on: works[quarters == 20 ? 2 : 0],
                    by: try await world.given.reader())
            }
            #expect(try await listed(.title, in: world).isEmpty)

            let worker = worker(world)
            try await worker.enqueueSlots()
            #expect(try await worker.drain().failures.isEmpty)
            // What the new mean marked is rewritten by the next round.
            try await Catalog.Browse.Refresh().enqueue(in: world.database)
            #expect(try await worker.drain().failures.isEmpty)

            #expect(try await listed(.title, in: world) == [works[1], works[0], works[2]])
            #expect(try await listed(.rating, in: world) == [works[2], works[1], works[0]])
            #expect(
                try await world.asSuperuser("select quarters, count(*) from browse_mean group by 1") == [["12", "1"]])
            #expect(try await world.asSuperuser("select count(*) from browse_mark") == [["0"]])
            let slots = try await world.asSuperuser("select task from job_slot order by task")
            #expect(slots == [["catalog.fix_mean"], ["catalog.refresh_browse"]])
            #expect(try await world.database.differences(of: Catalog.self).isEmpty)
        }
    }

    @Test func `books that were there before there was browsing are listed after a round`() async throws {
        try await withWorld { world in
            let works = try await world.given.books(
                (1...3).map { Catalog.NewBook(key: "\($0)", title: "Old \($0)", authors: ["Ann"]) })
            // As an upgrade finds it: books, and neither entries nor marks.
            try await world.asSuperuser("delete from browse_mark; delete from browse_entry; delete from browse_mean")
            let worker = worker(world)
            try await worker.enqueueSlots()
            try await worker.drain()
            try await Catalog.Browse.Refresh().enqueue(in: world.database)
            try await worker.drain()
            #expect(try await listed(.newest, in: world) == works.reversed())
            // Nothing is marked that has its entries.
            try await world.community.catalog.fixMean()
            #expect(try await world.asSuperuser("select count(*) from browse_mark") == [["0"]])
        }
    }
}
