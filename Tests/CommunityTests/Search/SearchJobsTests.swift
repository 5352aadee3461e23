import Postgres
import TestSupport
import Testing

@testable import Community
@testable import Jobs

/// The search's own jobs, as a server runs them: by their schedules.
@Suite(.database) struct SearchJobsTests {
    private func worker(_ world: World) -> Jobs.Worker {
        let worker = Jobs.Worker(database: world.database, logger: world.logger)
        Search.register(on: worker, community: world.community)
        return worker
    }

    private func value(_ sql: String, in world: World) async throws -> String? {
        try await world.asSuperuser(sql).first?.first ?? nil
    }

    @Test func `a worker indexes what is marked, counts the words and weighs the books`() async throws {
        try await withWorld { world in
            let works = try await world.given.books(
                (1...3).map { Catalog.NewBook(key: "\($0)", title: "River \($0)", authors: ["Ann"]) })
            // Changed behind the search's back, as a dump that is read does it, and marked.
            try await world.asSuperuser(
                """
                update work set title = 'Zanzibar' where id = \(works[0]);
                update edition set title = null where work_id = \(works[0]);
                update work_popularity set readers = 40 where work_id = \(works[1])
                """)
            try await Search.mark([works[0]], in: world.database)
            func found(_ query: String) async throws -> [ID<Catalog.Work>] {
                try await world.community.search.search(Search.Query(query)).page.items.map(\.book.id)
            }
            #expect(try await found("zanzibar").isEmpty)

            let worker = worker(world)
            try await worker.enqueueSlots()
            let drained = try await worker.drain()
            #expect(drained.done == 2 && drained.failures.isEmpty, "\(drained.failures)")

            #expect(try await found("zanzibar") == [works[0]])
            #expect(try await found("river") == [works[1], works[2]])
            #expect(try await value("select count(*) from search_stale", in: world) == "0")
            #expect(try await value("select ndoc from search_word where word = 'river'", in: world) == "2")
            #expect(try await value("select top_popularity >= 40 from search_state", in: world) == "t")
            #expect(try await value("select words_counted_at is not null from search_state", in: world) == "t")
            let slots = try await world.asSuperuser("select task from job_slot order by task")
            #expect(slots == [["search.refresh"], ["search.upkeep"]])
        }
    }

    @Test func `rows that an earlier release made are made anew by the job`() async throws {
        try await withWorld { world in
            let work = try await world.given.book("Zanzibar Nights")
            try await world.asSuperuser(
                """
                update work_search set words = '''old'':1A', digest = 0 where work_id = \(work);
                update search_state set format = 0
                """)
            try await Search.Refresh().enqueue(in: world.database)
            let drained = try await worker(world).drain()
            #expect(drained.done == 1 && drained.failures.isEmpty, "\(drained.failures)")
            #expect(try await value("select format from search_state", in: world) == "\(Search.format)")
            #expect(try await world.community.search.search(Search.Query("nights")).page.items.map(\.book.id) == [work])
            #expect(try await world.database.differences(of: Search.self, "rows").isEmpty)
        }
    }

    @Test(.database(.fresh)) func `a making anew that was cut off goes on with what is left`() async throws {
        try await withWorld { world in
            let works = try await world.given.books(
                (1...2).map { Catalog.NewBook(key: "\($0)", title: "River \($0)", authors: ["Ann"]) })
            try await world.asSuperuser(
                """
                update work_search set digest = 0;
                update search_state set format = 0;
                alter table work_search add constraint cut_off check (digest = 0) not valid
                """)
            await #expect(throws: PostgresError.self) { try await world.community.search.catchUp() }
            #expect(try await value("select count(*) from search_stale", in: world) == "2")

            // The first was done before; were it marked again, it would be made anew again.
            try await world.asSuperuser(
                """
                alter table work_search drop constraint cut_off;
                delete from search_stale where work_id = \(works[0])
                """)
            try await world.community.search.catchUp()
            let left = try await world.asSuperuser("select work_id from work_search where digest = 0")
            #expect(left == [[works[0].text]])
            #expect(try await value("select format from search_state", in: world) == "\(Search.format)")
        }
    }

    @Test func `two who count the words at once both end, and the words are right`() async throws {
        try await withWorld { world in
            _ = try await world.given.books(
                (1...40).map { Catalog.NewBook(key: "\($0)", title: "River word\($0)", authors: ["Ann"]) })
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<3 { group.addTask { try await world.community.search.countWords() } }
                try await group.waitForAll()
            }
            #expect(try await value("select ndoc from search_word where word = 'river'", in: world) == "40")
            #expect(try await value("select ndoc from search_word where word = '^/riv'", in: world) == "40")
            #expect(try await value("select count(*) from search_word_count", in: world) == "0")
        }
    }
}
