import Postgres
import TestSupport
import Testing

@testable import Community

/// A page of books costs a page, in every order and both directions, however deep.
@Suite(.database(.filled(Rows.sql))) struct BrowsePlansTests {
    private typealias Browse = Catalog.Browse

    @Test func `every order of every big scope reads one page of its own index, at any depth`() async throws {
        try await withWorld { world in
            try await check(.popularity, by: "popularity", "browse_entry_popularity", world)
            try await check(.rating, by: "rating", "browse_entry_rating", world)
            try await check(.newest, by: "work_id", "browse_entry_newest", world)
            try await check(.length, by: "pages", "browse_entry_pages", world)
            try await check(.title, by: "title", "browse_entry_title", world)
            try await check(.author, by: "author", "browse_entry_author", world)
        }
    }

    private func check(_ order: Browse.Order, by column: String, _ index: String, _ world: World) async throws {
        let walks = [Direction.onward, .back].map { Browse.Walk.prepared(Both(Both(order, $0), .big)) }
        let sieves = [Direction.onward, .back].map { Browse.Sieve.prepared(Both(Both(order, $0), .big)) }
        for scope in [0, Rows.genre] {
            for depth in [10, 7_000, 14_900] {
                let way = order.isAscending ? "" : "desc"
                let place = try await world.asSuperuser(
                    """
                    select \(column), work_id from browse_entry where big_scope = \(scope)
                     order by \(column) \(way), work_id \(way) offset \(depth) limit 1
                    """
                )[0].map { "'\($0 ?? "")'" }
                let key =
                    switch order {
                    case .newest: ""
                    case .title, .author: "text: \(place[0]), "
                    default: "number: \(place[0]), "
                    }
                let beginning = "id: \(scope), \(key)work: \(place[1])"
                for statement in walks {
                    let plan = try await world.executed(statement, "\(beginning), limit: 21")
                    #expect(
                        plan.rows(through: index).map { $0 <= 21 } == true, "\(statement.name) at \(depth):\n\(plan)")
                    #expect(plan.scans(of: ["browse_entry"]).isEmpty, "\(statement.name):\n\(plan)")
                    #expect(!plan.description.contains("Sort"), "\(statement.name) at \(depth):\n\(plan)")
                }
                for statement in sieves {
                    let walk = Limits.browse.walk
                    // A condition that every book meets: the walk ends with the page.
                    let open = try await world.executed(
                        statement,
                        """
                        \(beginning), limit: 10, walk: \(walk), years.lowerBound: 0, years.upperBound: 9999, \
                        pages.lowerBound: 0, pages.upperBound: 100000, scopes: '{}', isBook: false
                        """)
                    #expect(
                        open.rows(through: index).map { $0 <= 10 } == true, "\(statement.name) at \(depth):\n\(open)")
                    #expect(!open.description.contains("Sort"), "\(statement.name) at \(depth):\n\(open)")
                    // One that one book in a hundred meets: so many entries are looked at, and once more for the last.
                    let plan = try await world.executed(
                        statement,
                        """
                        \(beginning), limit: 21, walk: \(walk), years.lowerBound: 1903, years.upperBound: 1903, \
                        pages.lowerBound: 0, pages.upperBound: 1000, scopes: '{\(Rows.small)}', isBook: false
                        """)
                    #expect(
                        plan.rows(through: index).map { $0 <= 2 * walk } == true,
                        "\(statement.name) at \(depth):\n\(plan)")
                    #expect(plan.scans(of: ["browse_entry"]).isEmpty, "\(statement.name):\n\(plan)")
                }
            }
        }
    }

    @Test func `a small scope is read whole, and no other entry`() async throws {
        try await withWorld { world in
            let plan = try await world.executed(
                Browse.Walk.prepared(Both(Both(.title, .onward), .small)),
                "id: \(Rows.small), text: '', work: 0, limit: 21")
            let rows = ["browse_entry_pkey", "browse_entry_title"].compactMap { plan.rows(through: $0) }.reduce(0, +)
            #expect(rows == 900, "\(plan)")
            #expect(plan.scans(of: ["browse_entry"]).isEmpty, "\(plan)")
        }
    }

    @Test func `the map for search engines is read along primary keys`() async throws {
        try await withWorld { world in
            let indexes: [(Catalog.Mapped, String)] = [
                (.book, "work_popularity_pkey"), (.author, "author_pkey"), (.series, "series_pkey"),
            ]
            let tables = ["work_popularity", "author", "series"]
            for (kind, index) in indexes {
                let part = try await world.executed(Catalog.SitemapPart.prepared(kind), "start: 15, size: 1000")
                #expect(part.rows(through: index) == 1000, "\(part)")
                let parts = try await world.executed(Catalog.SitemapParts.prepared(kind), "size: 1000, most: 2")
                #expect(parts.uses(index) && parts.scans(of: tables).isEmpty, "\(parts)")
            }
        }
    }

    @Test func `no page of the catalogue reads a whole table`() async throws {
        try await withWorld { world in
            let tables = [
                "work", "work_popularity", "author", "work_author", "edition", "edition_isbn", "series", "work_series",
                "browse_entry", "browse_scope",
            ]
            let pages: [any Statement.Type] = [
                Browse.Walk.self, Browse.Sieve.self, Browse.FindScopes.self, Catalog.CurrentAuthor.self,
                Catalog.AuthorRow.self, Catalog.EditionRow.self, Catalog.SeriesRow.self, Catalog.BooksOfSeries.self,
                Catalog.BookRow.self, Catalog.LockWork.self, Catalog.ReadWork.self, Catalog.AuthorsOfWork.self,
                Catalog.GenresOfWork.self, Catalog.SubjectsOfWork.self, Catalog.SeriesOfWork.self,
                Catalog.EditionsOfWork.self, Catalog.StorePage.self, Catalog.HoldBook.self, Catalog.HoldBoth.self,
                Catalog.WorksOfISBNs.self, Catalog.VolumesOfWorks.self, Catalog.BooksOfWorks.self,
                Catalog.WorksOfISBN.self, Catalog.GenreCounts.self,
            ]
            for statement in pages.flatMap({ $0.prepared }) {
                let plan = try await world.genericPlan(of: statement)
                #expect(plan.scans(of: tables).isEmpty, "\(statement.name):\n\(plan)")
                // A sieve looks at 500 entries, and asks of each for its scopes and for its kind.
                #expect(plan.cost < 10_000, "\(statement.name):\n\(plan)")
            }
            // The start page: to a planner that does not know the limit it is a tenth of all books.
            for statement in Catalog.Books.prepared {
                let plan = try await world.executed(
                    statement, "score: 75, imported: 400, id: 15000, limit: 21", isGeneric: false)
                #expect(
                    plan.rows(through: "work_popularity_score").map { $0 <= 21 } == true,
                    "\(statement.name):\n\(plan)")
                #expect(plan.scans(of: tables).isEmpty, "\(statement.name):\n\(plan)")
            }
        }
    }
}

/// 30,000 books, half of them of one genre, 900 of another, ten of each author; keys repeat.
private enum Rows {
    static let genre = 5
    static let small = 6

    static let sql = """
        insert into work (id, title) select n, 'Title ' || n from generate_series(1, 30000) n;
        insert into work_popularity (work_id, listed, readers, imported)
        select n, true, n % 50, n % 977 from generate_series(1, 30000) n;
        insert into author (id, name) select n, 'Author ' || n from generate_series(1, 30000) n;
        insert into work_author (work_id, position, author_id) select n, 1, n from generate_series(1, 30000) n;
        insert into edition (id, work_id) select n, n from generate_series(1, 30000) n;
        insert into edition_isbn (isbn, edition_id) select 9780000000000 + n, n from generate_series(1, 30000) n;
        insert into series (id, name, folded, author_folded)
        select n, 'Series ' || n, 'series ' || n, '' from generate_series(1, 3000) n;
        insert into work_series (work_id, place, series_id, position, ordinal)
        select n, 1, n / 10 + 1, n % 10, n % 10 from generate_series(1, 29990) n;
        insert into browse_scope (id, kind, key, members, is_big) values
            (\(Rows.genre), 'genre', 'fantasy', 15000, true), (\(Rows.small), 'genre', 'poetry', 900, false);
        insert into browse_entry (scope_id, work_id, popularity, rating, pages, year, title, author, big_scope)
        select scope, n, n % 977, n % 89 - 40, 50 + n % 300, 1900 + n % 100, 'title ' || n % 977,
               'author ' || n % 89, nullif(scope, \(Rows.small))
          from generate_series(1, 30000) n
         cross join (values (0, 1, 30000), (\(Rows.genre), 1, 15000), (\(Rows.small), 1, 900)) part (scope, least, most)
         where n between least and most;
        insert into browse_entry (scope_id, work_id, popularity, rating, pages, year, title, author)
        select 1000 + n / 10, n, 0, 0, 0, 2000, 'title ' || n, 'author ' || n from generate_series(1, 30000) n;
        insert into browse_scope (id, kind, key, members)
        select n, 'author', n::text, 1 from generate_series(1000, 20000) n;
        analyze
        """
}
