import Postgres
import TestSupport
import Testing

@testable import Community

/// Words with filters in a large catalogue, where more works hold a word than the index of words may give.
@Suite(.database(.filled(Rows.sql))) struct SearchFilterTests {
    private typealias Statements = Search.Statements

    private func filter(_ ask: (inout Catalog.Browse.Filter) -> Void) -> Catalog.Browse.Filter {
        var filter = Catalog.Browse.Filter()
        ask(&filter)
        return filter
    }

    @Test func `the most popular works that meet a filter are found, wherever they stand`() async throws {
        try await withWorld { world in
            let cases: [(Catalog.Browse.Filter, [Int])] = [
                (filter { $0.kind = .film }, Array(59_901...60_000)),
                (filter { $0.years = 2001...2015 }, Array(59_901...60_000)),
                (filter { $0.genre = "poetry" }, Array(58_001...58_200)),
                (filter { $0.genre = "fantasy" }, Array(1...200).map { $0 * 12 }),
                (filter { $0.kind = .book }, Array(1...200)),
                (
                    filter {
                        $0.kind = .film
                        $0.genre = "fantasy"
                    }, (59_901...60_000).filter { $0 % 12 == 0 }
                ),
                (
                    filter {
                        $0.genre = "poetry"
                        $0.years = 1900...1999
                        $0.kind = .book
                    }, Array(58_001...58_200)
                ),
                (filter { $0.pages = 5...6 }, []), (filter { $0.genre = "horror" }, []),
            ]
            for (filter, found) in cases {
                for text in ["common ", "com"] {
                    let works = try await world.community.search.works(
                        Search.Query([.any: text], filter: filter), depth: 200)
                    #expect(works.map { Int($0.rawValue) }.sorted() == found, "\(text), \(filter)")
                }
            }
        }
    }

    @Test func `each plan finds the same works in the same order`() async throws {
        try await withWorld { world in
            for text in ["common ", "zyxomma", "decade "] {
                let (terms, works) = try await world.community.search.counted(Search.Query(text).terms)
                for ask in [{ $0.kind = .film }, { $0.genre = "poetry" }, { $0.genre = "fantasy" }]
                    as [(inout Catalog.Browse.Filter) -> Void]
                {
                    let conditions = try #require(try await world.community.catalog.conditions(of: filter(ask)))
                    var found: [[ID<Catalog.Work>]] = []
                    for plan in Search.Plan.allCases {
                        found.append(
                            try await world.community.search.candidates(
                                terms, meeting: conditions, works: works, plan: plan))
                    }
                    #expect(Set(found).count == 1 && found[0].isEmpty == (text == "zyxomma"), "\(text), \(conditions)")
                }
            }
        }
    }

    @Test func `the plan follows the counts of words and of the smallest scope`() async throws {
        try await withWorld { world in
            let (film, poetry) = (filter { $0.kind = .film }, filter { $0.genre = "poetry" })
            let old = filter { $0.years = 1900...1950 }
            let cases: [(text: String, filter: Catalog.Browse.Filter, plan: Search.Plan)] = [
                ("common ", film, .scope), ("common ", poetry, .popularity), ("common ", old, .popularity),
                ("common ", filter { $0.kind = .book }, .popularity), ("zyxomma ", film, .words),
                ("zyxomma ", old, .words), ("decade ", poetry, .scope), ("decade ", old, .popularity),
            ]
            for (text, filter, plan) in cases {
                let (terms, works) = try await world.community.search.counted(Search.Query(text).terms)
                let conditions = try #require(try await world.community.catalog.conditions(of: filter))
                let chosen = Search.Plan.choose(terms, within: conditions.smallest, works: works, wanted: 200)
                #expect(chosen == plan, "\(text), \(filter)")
            }
        }
    }

    @Test func `a filtered search reads the works of a word, of a scope or of the walk, and no table whole`()
        async throws
    {
        try await withWorld { world in
            func plan(_ plan: Search.Plan, _ more: String) async throws -> QueryPlan {
                try await world.executed(
                    Statements.MatchingFiltered.prepared(plan),
                    """
                    whole: '''common''', limit: 200, asksMeasures: true, years.lowerBound: 0, years.upperBound: 9999, \
                    pages.lowerBound: 0, pages.upperBound: 9999, isBook: true, \(more)
                    """)
            }
            let scope = try await plan(.scope, "scope: \(Rows.film), scopes: '{}'")
            #expect(scope.rows(through: "work_search_pkey") == 100, "\(scope)")
            let full = try await plan(.popularity, "scopes: '{\(Rows.fantasy)}'")
            #expect(full.rows(through: "work_search_popular").map { $0 <= 2_400 } == true, "\(full)")
            let vain = try await plan(.popularity, "scopes: '{\(Rows.film)}'")
            #expect(vain.rows(through: "work_search_popular") == Limits.search.walk, "\(vain)")
            #expect(!full.description.contains("Sort") && !vain.description.contains("Sort"), "\(vain)")
            let words = try await plan(.words, "selective: '''zyxomma''', scopes: '{\(Rows.fantasy)}'")
            #expect(words.rows(through: "work_search_words") == 3, "\(words)")
            #expect(words.rows(through: "work_pkey").map { $0 <= 3 } == true, "\(words)")
            for plan in [scope, full, vain, words] {
                #expect(plan.scans(of: ["work_search", "browse_entry", "work"]).isEmpty, "\(plan)")
                #expect(!plan.description.contains("hashed"), "\(plan)")
            }
        }
    }

    @Test func `a title that is the query is found beyond the most popular, where it meets the filter`() async throws {
        try await withWorld { world in
            try await world.asSuperuser("update work_search set title = 'common' where work_id in (57996, 57997)")
            let fantasy = Search.Query([.any: "common "], filter: filter { $0.genre = "fantasy" })
            let works = try await world.community.search.works(fantasy, depth: 200).map(\.rawValue)
            #expect(works.first == 57_996 && !works.contains(57_997), "\(works)")
        }
    }
}

/// 60,000 books, the more popular the lower their number. All hold `common`, every tenth `decade`, three `zyxomma`. The last
/// hundred are films, the last 2,000 poetry, every twelfth is fantasy.
private enum Rows {
    static let film = 7, poetry = 8, fantasy = 9

    static let sql = """
        insert into work (id, title, kind)
        select n, 'Title ' || n, case when n > 59900 then 'film' else 'book' end from generate_series(1, 60000) n;
        insert into work_popularity (work_id, listed) select n, true from generate_series(1, 60000) n;
        insert into browse_scope (id, kind, key, members, is_big) values
            (\(Rows.film), 'kind', 'film', 100, false), (\(Rows.poetry), 'genre', 'poetry', 2000, true),
            (\(Rows.fantasy), 'genre', 'fantasy', 5000, true);
        insert into browse_entry (scope_id, work_id, popularity, rating, pages, year, title, author, big_scope)
        select scope, n, 60000 - n, 0, 100, case when n > 59900 then 2005 else 1950 end, 'title', 'author',
               nullif(scope, \(Rows.film))
          from generate_series(1, 60000) n
          join (values (0, 0, 1), (\(Rows.film), 59900, 1), (\(Rows.poetry), 58000, 1), (\(Rows.fantasy), 0, 12))
               part (scope, above, step) on n > above and n % step = 0;
        insert into browse_entry (scope_id, work_id, popularity, rating, pages, year, title, author)
        select 1000 + n / 10, n, 60000 - n, 0, 100, 1950, 'title', 'author' from generate_series(1, 60000) n;
        insert into browse_scope (id, kind, key, members)
        select n, 'author', n::text, 10 from generate_series(1000, 7000) n;
        insert into work_search (work_id, title, author, words, popularity, digest)
        select n, 'title ' || n, 'author ' || n,
               ('''title'':1A ''common'':3A' || case when n % 10 = 0 then ' ''decade'':4A' else '' end
                || case when n in (7, 20007, 39999) then ' ''zyxomma'':5A' else '' end)::tsvector,
               60001 - n, 0
          from generate_series(1, 60000) n;
        insert into search_word (word, ndoc)
        values ('title', 60000), ('common', 60000), ('decade', 6000), ('zyxomma', 3), ('^/com', 60000);
        select search_tidy();
        analyze
        """
}
