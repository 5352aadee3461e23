import Postgres
import TestSupport
import Testing

@testable import Community

/// What is read of a large community goes by index, and a page of a shelf costs a page, however deep.
@Suite(.database(.filled(Rows.sql)))
struct LibraryPlansTests {
    @Test func `every order of a shelf reads one page of its own index, at any depth`() async throws {
        try await withWorld { world in
            try await check(.added, "shelf_entry_added", keys: [], world)
            try await check(.title, "shelf_entry_title", keys: ["title_key"], world)
            try await check(.author, "shelf_entry_author", keys: ["author_key", "title_key"], world)
            try await check(.rating, "shelf_entry_rated", keys: ["coalesce(rating, 0)"], world)
            try await check(
                .openRating, "shelf_entry_open_rated", keys: ["case when rating_level = 3 then rating else 0 end"],
                world)
            try await check(.progress, "shelf_entry_progress", keys: ["coalesce(position, -1)"], world)
        }
    }

    private func check(_ order: Library.ShelfOrder, _ index: String, keys: [String], _ world: World) async throws {
        for direction in Direction.allCases {
            let statement = Library.Statements.ShelfBy.prepared(Both(Both(order, direction), .none))
            for depth in [10, 2_500, 4_900] {
                // The place of the book at this depth, in the order of the index.
                let columns = keys + ["id"]
                let sorted = columns.map { $0 + (order.isAscending ? "" : " desc") }.joined(separator: ", ")
                let place = try await world.asSuperuser(
                    """
                    select \(columns.joined(separator: ", ")) from shelf_entry where reader_id = 1 and status = 'want'
                     order by \(sorted) offset \(depth) limit 1
                    """
                )[0].map { "'\($0 ?? "")'" }
                let names = statement.parameters.map(\.name).filter { $0.hasPrefix("span.place.") }
                let key = zip(names, place).map { "\($0): \($1)" }.joined(separator: ", ")
                let plan = try await world.executed(
                    statement,
                    """
                    viewer: 1, reader: 1, statuses: '{want}', isShared: false, genre: null, pattern: null, isRated: null, \
                    limit: 21, readsAgain: false, \(key)
                    """)
                #expect(
                    plan.scans(of: ["shelf_entry", "reading", "work", "account"]).isEmpty,
                    "\(statement.name) at \(depth):\n\(plan)")
                let rows = plan.rows(through: index)
                #expect(rows.map { $0 <= 21 } == true, "\(statement.name) at \(depth):\n\(plan)")
                #expect(
                    !plan.description.contains("Rows Removed by Filter"), "\(statement.name) at \(depth):\n\(plan)")
            }
        }
    }

    @Test func `a filtered shelf is read as far as its page goes, or by the few books of a scope, in every order`()
        async throws
    {
        try await withWorld { world in
            let orders: [Library.ShelfOrder: String] = [
                .added: "shelf_entry_added", .title: "shelf_entry_title", .author: "shelf_entry_author",
                .rating: "shelf_entry_rated", .openRating: "shelf_entry_open_rated", .progress: "shelf_entry_progress",
            ]
            #expect(Set(orders.keys) == Set(Library.ShelfOrder.allCases))
            for (order, index) in orders {
                for direction in Direction.allCases {
                    func plan(_ sifting: Library.Sifting, _ more: String) async throws -> QueryPlan {
                        let statement = Library.Statements.ShelfBy.prepared(Both(Both(order, direction), sifting))
                        let isFirst = order.isAscending == (direction == .onward)
                        let ends = [
                            "title": isFirst ? "''" : "'\u{10FFFF}'", "author": isFirst ? "''" : "'\u{10FFFF}'",
                            "number": isFirst ? "\(Int16.min)" : "\(Int16.max)",
                            "id": isFirst ? "0" : "\(Int64.max)",
                        ]
                        let place = statement.parameters.map(\.name).filter { $0.hasPrefix("span.place.") }.map {
                            "\($0): \(ends[String($0.dropFirst(11))] ?? "0")"
                        }
                        return try await world.executed(
                            statement,
                            """
                            viewer: 1, reader: 1, statuses: '{want}', isShared: false, genre: null, pattern: null, isRated: null, \
                            limit: 21, readsAgain: false, \(place.joined(separator: ", ")), isBook: false, \
                            years.lowerBound: 1950, years.upperBound: 1950, pages.lowerBound: 0, pages.upperBound: 1000, \(more)
                            """)
                    }
                    let walk = try await plan(.walk, "asksYears: true, asksLength: false, scopes: '{1000}'")
                    // One book in a hundred is of that year: of 5,000, in any order, the first 21 of them stand before the end.
                    #expect(
                        walk.rows(through: index).map { $0 <= 3_600 } == true, "\(order) \(direction):\n\(walk)")
                    let few = try await plan(.few, "asksYears: false, asksLength: true, scopes: '{1001}', few: 1001")
                    #expect(
                        few.rows(through: "shelf_entry_of_reader").map { $0 <= 90 } == true,
                        "\(order) \(direction):\n\(few)")
                    for plan in [walk, few] {
                        #expect(
                            plan.scans(of: ["shelf_entry", "browse_entry", "work"]).isEmpty,
                            "\(order) \(direction):\n\(plan)")
                    }
                }
            }
        }
    }

    @Test func `no request reads a whole table`() async throws {
        try await withWorld { world in
            let tables = [
                "account", "work", "shelf_entry", "reading", "shelf_tally", "work_shelf", "book_list", "book_list_item",
                "browse_entry", "follow",
            ]
            for statement in StatementTypes.of(Library.self).flatMap({ $0.prepared })
            where !background.contains(statement.name) {
                let plan = try await world.genericPlan(of: statement)
                #expect(plan.scans(of: tables).isEmpty, "\(statement.name):\n\(plan)")
            }
        }
    }

    @Test func `a merge looks at each review once, also where the planner knows of few`() async throws {
        try await withWorld { world in
            // As they are once they have been moved, which nobody has counted yet.
            try await world.asSuperuser(
                """
                insert into shelf_entry (id, reader_id, work_id, status, times_read, title_key, author_key, counted, added_at, moved_at)
                select 9000000 + n, n, 4000, 'want', 0, 'title', 'author', true, now(), now() from generate_series(301, 3300) n;
                insert into review (id, reader_id, work_id, rating, visibility, counted, created_at)
                select n, n, 4000, n % 20 + 1, n % 4, true, now() from generate_series(301, 3300) n
                """)
            let rateAnew = try #require(
                Library.mergeStatements.flatMap { $0.prepared }.first { $0.name.hasSuffix("work_rate_anew") })
            let plan = try await world.executed(rateAnew, "merge.into: 4000")
            let read = plan.lines.filter { $0.contains(" on review ") }.compactMap { line in
                line.firstMatch(of: /actual rows=(\d+)(?:\.\d+)? loops=(\d+)/).flatMap { match in
                    Int(match.1).flatMap { rows in Int(match.2).map { rows * $0 } }
                }
            }
            #expect(read.reduce(0, +) == 3_000, "\(plan)")
            let differing = try await world.asSuperuser(
                """
                select count(*) from shelf_entry join review using (reader_id, work_id)
                 where (shelf_entry.rating, shelf_entry.rating_level) is distinct from (review.rating, review.visibility)
                """)
            #expect(differing == [["0"]])
        }
    }

    /// Once a day for all accounts, for a whole library, or for every list of two merged books at once: these may read as much as they change.
    private let background = [
        "library.readers_to_count", "library.count_entries_of", "library.remove_all", "library.take_off_doubles",
    ]
}

/// A reader with 5,000 wanted books, a few read again, and 200 others with 100 each.
private enum Rows {
    static let sql = """
        insert into account (id, username, username_folded, email, email_folded, password_hash)
        select n, 'reader_' || n, 'reader_' || n, 'r' || n || '@e.org', 'r' || n || '@e.org', '$argon2id$v=19$m=8,t=1,p=1$'
          from generate_series(1, 20000) n;
        insert into work (id, title) select n, 'Title ' || n % 977 from generate_series(1, 5100) n;
        insert into author (id, name) select n, 'Author ' || n from generate_series(1, 5100) n;
        insert into browse_scope (id, kind, key, members, is_big) values
            (1000, 'genre', 'fantasy', 5000, true), (1001, 'genre', 'poetry', 90, false);
        insert into browse_entry (scope_id, work_id, popularity, rating, pages, year, title, author, big_scope)
        select scope, n, 1, 0, 300, 1900 + n % 100, 'title', 'author', nullif(scope, 1001)
          from generate_series(1, 5100) n
          join (values (0, 5100), (1000, 5000), (1001, 90)) part (scope, most) on n <= part.most;
        insert into browse_scope (id, kind, key, members) select 2000 + n, 'author', n::text, 1 from generate_series(1, 5100) n;
        insert into browse_entry (scope_id, work_id, popularity, rating, pages, year, title, author)
        select 2000 + n, n, 1, 0, 300, 1900 + n % 100, 'title', 'author' from generate_series(1, 5100) n;
        insert into work_author (work_id, position, author_id) select n, 1, n from generate_series(1, 5100) n;
        insert into shelf_entry (id, reader_id, work_id, status, times_read, position, rating, rating_level, title_key,
                                 author_key, year, counted, added_at, moved_at)
        select 1000000 + n, 1, n, case when n > 5000 then 'reading' else 'want' end, (n > 5000)::int, n % 10001,
               n % 20 + 1, n % 4, 'title ' || n % 977, 'author ' || n % 89, 1900 + n % 100, true, now(), now()
          from generate_series(1, 5100) n;
        insert into shelf_entry (id, reader_id, work_id, status, times_read, title_key, author_key, counted, added_at, moved_at)
        select 2000000 + reader * 1000 + n, reader, n, (array['want', 'reading', 'paused', 'read', 'stopped'])[n % 5 + 1],
               (n % 5 = 3)::int, 'title ' || n % 977, 'author ' || n % 89, true, now(), now()
          from generate_series(2, 201) reader, generate_series(1, 100) n;
        insert into reading (id, entry_id, reader_id, outcome, created_at, ended_at)
        select 3000000 + id, id, reader_id, 'finished', now(), now() from shelf_entry where times_read > 0;
        insert into book_list (id, reader_id, title, created_at, changed_at)
        select n, n % 200 + 1, 'List', now(), now() from generate_series(1, 5000) n;
        insert into book_list_item (list_id, work_id, place, added_at)
        select list, 1 + (list * 7 + work) % 5000, work, now() from generate_series(1, 5000, 25) list, generate_series(1, 100) work;
        insert into follow (id, reader_id, kind, list_id, at)
        select n, n % 197 + 1, 'list', n % 5000 + 1, now() from generate_series(1, 20000) n;
        insert into work_shelf select n, 1, 1, 1 from generate_series(1, 5100) n;
        insert into shelf_tally select r, s, -1, 10 from generate_series(1, 2000) r, unnest(array['all', 'want', 'read']) s;
        analyze
        """
}
