import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Community

/// Words and numbers at the edges: very long ones, very many books of one number, and changes that meet the job.
@Suite(.database) struct SearchWordsTests {
    @Test func `a title in a script without spaces is found whole and by its beginning`() async throws {
        try await withWorld { world in
            // One word of more than 100 bytes to everybody who does not know Thai.
            let title = "ประวัติศาสตร์ของการเดินทางไปรอบโลกในแปดสิบวันของฟิเลียสฟ็อก"
            #expect(title.utf8.count > Limits.search.word)
            let work = try await world.given.book(title, by: "One")
            let other = try await world.given.book("ประวัติศาสตร์", by: "Two")
            #expect(try await world.found(title).map(\.id) == [work])
            #expect(try await world.found(String(title.prefix(28))).map(\.id) == [work])
            #expect(Set(try await world.found("ประวัติศาสตร์").map(\.id)) == [work, other])
            var book = Catalog.NewBook(key: "long", title: "Plain", authors: ["Three"])
            book.publisher = String(repeating: "x", count: 150)
            let printed = try await world.given.books([book])[0]
            let query = Search.Query([.publisher: String(repeating: "x", count: 150) + " "])
            #expect(try await world.found(query).page.items.map(\.book.id) == [printed])
        }
    }

    @Test func `every book of one ISBN is reached, page by page and back`() async throws {
        try await withWorld { world in
            let isbn = try ISBN("9780439023481")
            var works: [ID<Catalog.Work>] = []
            for number in 0..<5 { works.append(try await world.given.book("Copy \(number)", isbn: isbn)) }
            let search = world.community.search
            for query in [Search.Query([:], isbn: isbn), Search.Query("0-439-02348-3")] {
                var page = try await search.search(query, page: PageRequest(limit: 2)).page
                #expect(page.items.count == 2 && page.previous == nil)
                var forwards = page.items.map(\.book.id)
                while let next = page.next {
                    page = try await search.search(query, page: PageRequest(.after(next), limit: 2)).page
                    forwards += page.items.map(\.book.id)
                }
                #expect(Set(forwards) == Set(works) && forwards.count == works.count)
                var backwards = page.items.map(\.book.id)
                while let previous = page.previous {
                    page = try await search.search(query, page: PageRequest(.before(previous), limit: 2)).page
                    backwards = page.items.map(\.book.id) + backwards
                }
                #expect(backwards == forwards)
            }
        }
    }

    @Test func `a correction is not overwritten by the job that reads the book at the same time`() async throws {
        try await withWorld { world in
            let work = try await world.given.book("Before")
            // As after an import: marked, and not indexed yet.
            try await world.asSuperuser("delete from work_search where work_id = \(work)")
            try await Search.mark([work], in: world.database)
            let hasRead = Mutex(false)
            let hasCorrected = Mutex(false)
            async let correction: Void = {
                try await eventually { hasRead.withLock { $0 } }
                _ = try await world.community.catalog.correct(
                    .book(work), [.title: .text("After")], by: Catalog.Helper(World.terminal))
                hasCorrected.withLock { $0 = true }
            }()
            // The job, step by step.
            try await world.database.transaction { transaction in
                _ = try await transaction.all(
                    Search.Statements.TakeMarked(after: ID(rawValue: .min), limit: Limits.search.batch))
                try await transaction.run(Search.Statements.LockRows(works: [work]))
                let documents = try await transaction.all(Search.Statements.Sources(works: [work])).map(
                    Search.Document.init)
                hasRead.withLock { $0 = true }
                // The correction ends, or waits for this transaction.
                try await eventually {
                    if hasCorrected.withLock({ $0 }) { return true }
                    let waiting = try await world.asSuperuser(
                        """
                        select count(*) from pg_stat_activity
                         where datname = current_database() and wait_event_type = 'Lock'
                        """)
                    return waiting != [["0"]]
                }
                try await transaction.run(Search.Statements.PutRows(documents: documents))
            }
            try await correction
            #expect(try await world.community.search.search(Search.Query("after")).page.items.map(\.book.id) == [work])
            #expect(try await world.database.differences(of: Search.self, "rows").isEmpty)
        }
    }
}
