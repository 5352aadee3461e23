import Postgres

extension Catalog {
    /// Those who do something about one of these names take turns; all in one order. Held until the transaction ends.
    struct TakeTurns: Statement {
        static let sql: SQL<Self> = """
            select pg_advisory_xact_lock(hashtextextended('catalog.' || line.key, 0))
              from (select key from unnest(\(\.sorted, "sorted")::text[]) as named (key) order by key) line
            """
        let keys: [String]
        private var sorted: [String] { Set(keys).sorted() }
    }

    /// Listed books whose title is one of these as searches compare titles: folded, without a leading article. At
    /// most 500. Served by index `work_search_title`.
    struct AlikeTitles: Statement {
        static let sql: SQL<Self> = """
            select work.id, work.kind, names.ids as author_ids, names.names as author_names
              from (select work_id from work_search where title = any(\(\.titles)) limit 500) found
              join work_popularity popularity on popularity.work_id = found.work_id and popularity.listed
              join work on work.id = found.work_id
              left join lateral (select array_agg(author.id order by work_author.position) as ids,
                                        array_agg(author.name order by work_author.position) as names
                                   from work_author
                                   join author on author.id = work_author.author_id
                                  where work_author.work_id = work.id
                                    and author.name is not null) names on true
             order by popularity.readers + 3 * popularity.recommends desc, popularity.imported desc, work.id
            """
        let titles: [String]

        static func decode(
            _ columns: inout Columns
        ) throws -> (work: ID<Work>, kind: String, authors: [AuthorName]) {
            let work: ID<Work> = try columns("id")
            let kind: String = try columns("kind")
            let ids: [ID<Author>] = try columns("author_ids") ?? []
            let names: [String] = try columns("author_names") ?? []
            return (work, kind, zip(ids, names).map { AuthorName(id: $0, name: $1) })
        }
    }
}
