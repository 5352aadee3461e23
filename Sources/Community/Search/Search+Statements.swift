import Postgres

extension Search {
    /// A word with the number of works that hold it.
    struct Counted: Sendable, Hashable {
        let word: String
        let count: Int
    }
}

extension Search.Statements {
    /// For each word, in order, how many works hold it, or a word that begins with it: an upper bound for beginnings.
    /// And how many works the index holds, about.
    struct CountTerms: Statement {
        static let sql: SQL<Self> = """
            select case
                       when term.is_open then greatest(whole.ndoc, begun.ndoc, coalesce(short.ndoc, 0))
                       else whole.ndoc
                   end as count,
                   (select greatest(reltuples, 0)::bigint from pg_class where oid = 'work_search'::regclass) as works
              from unnest(\(\.words)::text[], \(\.isOpen)::boolean[]) with ordinality as term (word, is_open, place)
             cross join lateral (select coalesce(max(ndoc), 0)::bigint as ndoc
                                   from search_word where search_word.word = term.word) whole
              left join search_word short on term.is_open and short.word = '^/' || term.word
             cross join lateral (select coalesce(sum(ndoc), 0)::bigint as ndoc
                                   from (select ndoc
                                           from search_word
                                          where term.is_open
                                            and short.word is null
                                            and search_word.word >= term.word
                                            and search_word.word < term.word || chr(1114109)
                                          limit 1000) words) begun
             order by term.place
            """
        let words: [String], isOpen: [Bool]
        static func decode(_ columns: inout Columns) throws -> (count: Int, works: Int) {
            (try columns("count"), try columns("works"))
        }
    }

    /// Those of these words that works hold, each looked up by the primary key: for an equality the planner may choose
    /// `search_word_similar` instead, in which hundreds of words take seconds.
    struct WordsAmong: Statement {
        static let sql: SQL<Self> = """
            select near.word, found.ndoc::bigint
              from unnest(\(\.words)::text[]) near (word)
             cross join lateral (select word, ndoc
                                   from search_word
                                  where search_word.word >= near.word
                                  order by search_word.word
                                  limit 1) found
             where found.word = near.word
               and found.ndoc > 0
            """
        let words: [String]
        static func decode(_ columns: inout Columns) throws -> Search.Counted {
            Search.Counted(word: try columns("word"), count: try columns("ndoc"))
        }
    }

    /// Words of about the same letters and length. Served by index `search_word_similar`.
    struct SimilarWords: Statement {
        static let sql: SQL<Self> = "select word, ndoc::bigint from search_similar(\(\.word))"
        let word: String
        static func decode(_ columns: inout Columns) throws -> Search.Counted {
            Search.Counted(word: try columns("word"), count: try columns("ndoc"))
        }
    }

    /// The most popular works that match, found by the index of words.
    ///
    /// `selective` is the part of the query that the index is asked; `whole` is then held against each work, by the
    /// function behind the operator, which no index is used for. The inner limit keeps the planner from walking down
    /// the popularity index instead.
    struct MatchingWords: Statement {
        static let sql: SQL<Self> = """
            select work_id
              from (select work_id, popularity
                      from work_search
                     where words @@ (select \(\.selective)::text::tsquery)
                       and ts_match_vq(words, (select \(\.whole)::text::tsquery))
                     limit \(Limits.search.matches)) matching
             order by popularity desc, work_id desc
             limit \(\.limit)
            """
        let selective: String, whole: String, limit: Int
        typealias Output = ID<Catalog.Work>
    }

    /// The most popular works that match, found among the `walk` most popular of all. Served by index
    /// `work_search_popular`.
    struct MatchingPopular: Statement {
        static let sql: SQL<Self> = """
            select work_id
              from (select work_id, popularity, words
                      from work_search
                     order by popularity desc, work_id desc
                     limit \(Limits.search.walk)) popular
             where ts_match_vq(words, (select \(\.whole)::text::tsquery))
             order by popularity desc, work_id desc
             limit \(\.limit)
            """
        let whole: String, limit: Int
        typealias Output = ID<Catalog.Work>
    }

    /// The most popular works that match and meet conditions; of the walk, those among the `walk` most popular of all.
    ///
    /// Each plan finds its works behind a fence (`offset 0`), so that conditions are held against matches alone. Behind it, too,
    /// the operator of words is no index's, and the planner expects fewer matches of it than of its function.
    struct MatchingFiltered: VariedStatement {
        static func sql(_ plan: Search.Plan) -> SQL<Self> {
            let found: SQL<Self> =
                switch plan {
                case .words:
                    """
                    select work_id, popularity
                              from work_search
                             where words @@ (select \(\.selective)::text::tsquery)
                               and ts_match_vq(words, (select \(\.whole)::text::tsquery))
                    """
                case .popularity:
                    """
                    select work_id, popularity
                              from (select work_id, popularity, words
                                      from work_search
                                     order by popularity desc, work_id desc
                                     limit \(Limits.search.walk)) popular
                             where words @@ (select \(\.whole)::text::tsquery)
                             order by popularity desc, work_id desc
                    """
                case .scope:
                    """
                    select member.work_id, held.popularity
                              from browse_entry member
                             cross join lateral (select popularity, words
                                                   from work_search
                                                  where work_search.work_id = member.work_id
                                                 offset 0) held
                             where member.scope_id = \(\.conditions.smallest?.id, "scope")
                               and held.words @@ (select \(\.whole)::text::tsquery)
                    """
                }
            return """
                select work_id
                  from (\(found)
                        offset 0) matching
                 where \(Catalog.Browse.Conditions.hold(of: "matching.work_id").of(\Self.conditions))
                 order by popularity desc, work_id desc
                 limit \(\.limit)
                """
        }
        let plan: Search.Plan, selective: String, whole: String, conditions: Catalog.Browse.Conditions, limit: Int
        var variation: Search.Plan { plan }
        typealias Output = ID<Catalog.Work>
    }

    /// Candidates in their order; what stands behind a place, or before it, nearest first.
    ///
    /// All orders but relevance are those of browsing, and stand on its keys: a book that was added within seconds has
    /// none yet and comes last. The newest come by their ids. Where there are more matches than candidates, works whose
    /// title is or begins with the query are ranked too, however few people read them, if they meet the conditions. They are found
    /// by index `work_search_title`.
    struct Ranked: ListStatement {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let (up, down): (Fragment, Fragment) = direction == .onward ? ("", " desc") : (" desc", "")
            let (later, less): (Fragment, Fragment) = direction == .onward ? (">", "<") : ("<", ">")
            return """
                with query as materialized (
                    select \(\.whole)::text::tsquery as whole, \(\.inTitle)::text::tsquery as in_title),
                found as (
                    select work_id from unnest(\(\.candidates)::bigint[]) as candidate (work_id)
                     union
                    select work_id
                      from ((select work_id
                               from work_search
                              where title = \(\.title.text) and \(\.seeksTitle, "seeksTitle")
                              order by popularity desc, work_id desc
                              limit 50)
                             union
                            (select work_id
                               from work_search
                              where title >= \(\.title.text) and title < \(\.title.text) || chr(1114109) and \(\.seeksTitle, "seeksTitle") and \(\.title.words) > 1
                              order by title, work_id
                              limit 100)) titled
                     where \(Catalog.Browse.Conditions.hold(of: "titled.work_id").of(\Self.conditions))),
                tiered as (
                    select work_search.work_id, work_search.title, work_search.author, work_search.popularity, work_search.words,
                           case
                               when \(\.title.text) = '' then 1
                               when work_search.title = \(\.title.text) then 4
                               when \(\.title.words) > 1 and starts_with(work_search.title || ' ', case when \(\.title.isOpen) then \(\.title.text) else \(\.title.text) || ' ' end) then 3
                               -- The title with words of the author: nothing of the title is left over.
                               when work_search.title <> ''
                                    and string_to_array(work_search.title, ' ') <@ string_to_array(\(\.title.text), ' ') then 3
                               when ts_match_vq(work_search.words, query.in_title) then 2
                               else 1
                           end as tier
                      from found
                      join work_search on work_search.work_id = found.work_id
                     cross join query
                     where ts_match_vq(work_search.words, query.whole)),
                placed as materialized (
                    select tiered.work_id, tiered.title, tiered.author,
                           (case \(\.sort.rawValue, "sort")
                                when 'title' then coalesce(entry.title, chr(1114109))
                                when 'author' then coalesce(entry.author, chr(1114109))
                                else ''
                            end) collate "C" as label,
                           (case \(\.sort.rawValue, "sort")
                                when 'relevance' then
                                    tiered.tier * 1000000
                                    + least(999999, 600000 * ts_rank_cd(tiered.words, query.whole, 1 | 32)
                                                    + 400000 * ln(1 + tiered.popularity::float8)
                                                             / ln(1 + greatest(state.top_popularity, tiered.popularity)::float8))
                                else 0
                            end)::bigint
                           + case \(\.sort.rawValue, "sort")
                                 when 'popularity' then coalesce(entry.popularity, 0)
                                 when 'rating' then coalesce(entry.rating, 0)
                                 when 'length' then - coalesce(entry.pages, 2147483647)::bigint
                                 else 0
                             end as number
                      from tiered
                     cross join query
                     cross join search_state state
                      left join browse_entry entry
                        on entry.scope_id = 0 and entry.work_id = tiered.work_id and \(\.sort.rawValue, "sort") <> 'relevance')
                select work_id, label, number, title, author
                  from placed
                 where (label \(later) \(\.span.place.label) or label = \(\.span.place.label) and (number, work_id) \(less) (\(\.span.place.number), \(\.span.place.id)))
                 order by label\(up), number\(down), work_id\(down)
                 limit \(\.span.limit)
                """
        }
        let candidates: [ID<Catalog.Work>], isComplete: Bool, whole: String, inTitle: String, title: Search.WholeTitle
        let sort: Search.Sort, conditions: Catalog.Browse.Conditions, span: Span<Search.Place>
        private var seeksTitle: Bool { !isComplete && !title.text.isEmpty }

        static func decode(_ columns: inout Columns) throws -> Search.Ranking {
            let id: ID<Catalog.Work> = try columns("work_id")
            return Search.Ranking(
                place: Search.Place(label: try columns("label"), number: try columns("number"), id: id),
                title: try columns("title"), author: try columns("author"))
        }
    }

    /// The work, or the work of the edition, that came from a source under this key, or what it was merged into.
    struct WorksOfSource: Statement {
        static let sql: SQL<Self> = """
            select coalesce(work.merged_into, work.id)
              from (select work_id from work_source where key = \(\.key)
                     union
                    select edition.work_id
                      from edition_source
                      join edition on edition.id = edition_source.edition_id
                     where edition_source.key = \(\.key)) known
              join work on work.id = known.work_id
             limit 1
            """
        let key: String
        typealias Output = ID<Catalog.Work>
    }
}

extension Search {
    /// A hit with its place, and what it is found by.
    struct Ranking: Sendable {
        let place: Place
        let title: String
        let author: String
    }
}
