import Postgres
import TestSupport
import Testing

@testable import Community
@testable import Jobs

/// The catalogue's work in the background, as its schedules start it.
@Suite(.database) struct CatalogJobsTests {
    @Test func `books can be browsed once the scheduled jobs have run`() async throws {
        try await withWorld(leaving: [.jobs, .outbox]) { world in
            let (one, two) = (try await world.given.book("One"), try await world.given.book("Two"))
            try await world.given.review(by: try await world.given.reader(), of: two, rating: 5)
            let worker = Jobs.Worker(database: world.database, logger: world.logger)
            Catalog.register(on: worker, community: world.community)
            let catalog = world.community.catalog
            #expect(try await catalog.browse(.rating, .init(), PageRequest()).items.isEmpty)

            try await worker.enqueueSlots()
            let drained = try await worker.drain()

            #expect(drained.done == 2 && drained.failures.isEmpty)
            let mean = try await world.asSuperuser("select quarters::text from browse_mean")
            #expect(mean == [["20"]])
            // What the fixing of the mean marked is rewritten by the next turn, if not by this one.
            try await Catalog.Browse.Refresh().enqueue(in: world.database)
            _ = try await worker.drain()
            #expect(try await world.asSuperuser("select count(*) from browse_mark") == [["0"]])
            #expect(Set(try await catalog.browse(.rating, .init(), PageRequest()).items.map(\.id)) == [one, two])
        }
    }
}
