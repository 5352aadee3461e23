import Postgres
import TestSupport
import Testing

@testable import Community

/// What searches read of a large catalogue: by both plans, and never the whole of it.
@Suite(.database(.filled(Rows.sql))) struct SearchPlansTests {
    private typealias Statements = Search.Statements

    private func terms(_ query: String, in world: World) async throws -> (terms: [Search.Term], works: Int) {
        try await world.community.search.counted(Search.Query(query).terms)
    }

    @Test func `a rare beginning reads the index of words, and never walks down the popular`() async throws {
        try await withWorld { world in
            let (rare, works) = try await terms("zyx", in: world)
            #expect(rare.map(\.count) == [3])
            #expect(Search.Plan.choose(rare, works: works, wanted: Limits.search.candidates) == .words)
            for words in ["'zyx':*", "'w39':*", "'decade'"] {
                let literal = "'\(words.replacing("'", with: "''"))'"
                let plan = try await world.executed(
                    Statements.MatchingWords.self, "selective: \(literal), whole: \(literal), limit: 200")
                #expect(plan.rows(through: "work_search_words") != nil, "\(plan)")
                #expect(!plan.uses("work_search_popular"), "\(plan)")
                #expect(plan.scans(of: ["work_search"]).isEmpty, "\(plan)")
            }
            let plan = try await world.executed(
                Statements.MatchingWords.self, "selective: '''zyx'':*', whole: '''zyx'':*', limit: 200")
            #expect(plan.rows(through: "work_search_words") == 3, "\(plan)")
            #expect(
                try await world.community.search.candidates(rare, works: works).map(\.rawValue) == [7, 20_007, 39_999])
        }
    }

    @Test func `what a misspelt word may have been is looked up by the words' key, a row for each`() async throws {
        try await withWorld { world in
            let near = (1...300).map { "x\($0)" } + ["zyxomma"]
            let plan = try await world.executed(
                Statements.WordsAmong.self, "words: '{\(near.joined(separator: ","))}'")
            #expect(plan.rows(through: "search_word_pkey").map { $0 <= near.count } == true, "\(plan)")
            #expect(!plan.uses("search_word_similar") && plan.scans(of: ["search_word"]).isEmpty, "\(plan)")
            let found = try await world.database.all(Statements.WordsAmong(words: near))
            #expect(found.map(\.word) == ["zyxomma"] && found.map(\.count) == [3])
        }
    }

    @Test func `a common word walks down the popular, so far and no further`() async throws {
        try await withWorld { world in
            let (common, works) = try await terms("common", in: world)
            #expect(Search.Plan.choose(common, works: works, wanted: Limits.search.candidates) == .popularity)
            for words in ["'common'", "'zyx':*"] {
                let plan = try await world.executed(
                    Statements.MatchingPopular.self,
                    "whole: '\(words.replacing("'", with: "''"))', limit: 200")
                let rows = try #require(plan.rows(through: "work_search_popular"), "\(plan)")
                // One that is found by 200 works stops there; one that is not, where the walk ends.
                #expect(rows <= (words == "'common'" ? 200 : Limits.search.walk), "\(plan)")
                #expect(plan.scans(of: ["work_search"]).isEmpty, "\(plan)")
            }
        }
    }

    @Test func `no search, suggestion or change of a book reads a whole table`() async throws {
        try await withWorld { world in
            let tables = [
                "work", "work_popularity", "author", "work_author", "edition", "edition_isbn", "work_source",
                "edition_source", "browse_entry", "work_search", "search_word", "recent_search",
            ]
            let asked = StatementTypes.of(Search.self).filter { statement in !upkeep.contains { $0 == statement } }
            #expect(asked.count > upkeep.count)
            for statement in asked.flatMap({ $0.prepared }) {
                let plan = try await world.genericPlan(of: statement)
                #expect(plan.scans(of: tables).isEmpty, "\(statement.name):\n\(plan)")
                // Words of an array that the planner does not know are ten to it: no statement may cost more than a few
                // hundred rows.
                #expect(plan.cost < 20_000, "\(statement.name):\n\(plan)")
            }
        }
    }

    /// What the jobs do once a day or after an import, to everything.
    private let upkeep: [any Statement.Type] = [
        Statements.MarkAll.self, Statements.TakeMarked.self, Statements.ClearCounts.self, Statements.CountWords.self,
        Statements.PutCounts.self, Statements.DropWords.self, Statements.WeighPopularity.self,
        Statements.WeighState.self,
    ]

    @Test func `words like a misspelt one are found by their letters`() async throws {
        try await withWorld { world in
            let plan = try await world.asSuperuser(
                """
                set pg_trgm.similarity_threshold = '0.2';
                explain select word, ndoc from search_word where word % 'zyxmoma' and ndoc > 0 limit 1000
                """
            ).compactMap { $0.first ?? nil }.joined(separator: "\n")
            #expect(plan.contains("Index Scan on search_word_similar"), "\(plan)")
            #expect(!plan.contains("Seq Scan"), "\(plan)")
        }
    }
}

/// 40,000 books. All hold `common`, every tenth `decade`, three `zyxomma`; each a word of its own.
private enum Rows {
    static let sql = """
        insert into account (id, username, username_folded, email, email_folded, password_hash)
        select n, 'reader_' || n, 'reader_' || n, 'r' || n || '@e.org', 'r' || n || '@e.org', '$argon2id$v=19$m=8,t=1,p=1$'
          from generate_series(1, 1000) n;
        insert into work (id, title) select n, 'Title ' || n from generate_series(1, 40000) n;
        insert into work_popularity (work_id, listed) select n, true from generate_series(1, 40000) n;
        insert into author (id, name) select n, 'Author ' || n from generate_series(1, 40000) n;
        insert into work_author (work_id, position, author_id) select n, 1, n from generate_series(1, 40000) n;
        insert into edition (id, work_id) select n, n from generate_series(1, 40000) n;
        insert into edition_isbn (isbn, edition_id) select 9780000000000 + n, n from generate_series(1, 40000) n;
        insert into work_source (key, work_id) select 'ol:OL' || n || 'W', n from generate_series(1, 40000) n;
        insert into edition_source (key, edition_id) select 'ol:OL' || n || 'M', n from generate_series(1, 40000) n;
        insert into browse_entry (scope_id, work_id, popularity, rating, pages, year, title, author, big_scope)
        select 0, n, n, n, n, 2000, 'title ' || n, 'author ' || n, 0 from generate_series(1, 40000) n;
        insert into browse_scope (id, kind, key, members)
        select n, 'author', n::text, 10 from generate_series(1000, 5000) n;
        insert into browse_entry (scope_id, work_id, popularity, rating, pages, year, title, author)
        select 1000 + n / 10, n, n, n, n, 2000, 'title ' || n, 'author ' || n from generate_series(1, 40000) n;
        insert into work_search (work_id, title, author, words, popularity, digest)
        select n, 'title ' || n, 'author ' || n,
               ('''title'':1A ''w' || n || ''':2A ''common'':3A'
                || case when n % 10 = 0 then ' ''decade'':4A' else '' end
                || case when n in (7, 20007, 39999) then ' ''zyxomma'':5A' else '' end)::tsvector,
               40000 - n, 0
          from generate_series(1, 40000) n;
        insert into search_word (word, ndoc)
        select 'w' || n, 1 from generate_series(1, 40000) n
         union all
        values ('title', 40000), ('common', 40000), ('decade', 4000), ('zyxomma', 3);
        insert into recent_search (id, reader_id, folded, query, at)
        select n, n % 1000 + 1, 'q' || n, 'q' || n, now() from generate_series(1, 20000) n;
        select search_tidy();
        analyze
        """
}
