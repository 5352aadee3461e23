import Postgres

extension Catalog {
    static let workIndexStatements: [any Statement.Type] = [AddToIndex.self, IndexWorks.self, RefreshAuthors.self]

    /// The rows of `work_search` for columns `$1` (works) and `$2` (folded titles), with the authors' names that the database holds now.
    private static let searchRows = """
        select line.id, line.title, coalesce(names.folded, ''),
                   setweight(to_tsvector('simple', line.title), 'A')
                   || setweight(to_tsvector('simple', coalesce(names.folded, '')), 'B')
              from unnest($1::bigint[], $2::text[]) as line (id, title)
              left join lateral (select string_agg(author.folded, ' ' order by work_author.position) as folded
                                   from work_author
                                   join author on author.id = work_author.author_id
                                  where work_author.work_id = line.id) names on true
        """

    /// Writes what searches look at, for new works.
    struct AddToIndex: Statement {
        static let name = "catalog.add_to_index"
        static let sql = """
            insert into work_search (work_id, title, author, words)
            \(searchRows)
            """
        let works: [ID<Work>]
        let titles: [String]
        func bind(to parameters: inout Parameters) {
            parameters.append(works)
            parameters.append(titles)
        }
    }

    /// Writes what searches look at, for works that may be there already.
    struct IndexWorks: Statement {
        static let name = "catalog.index_works"
        static let sql = """
            insert into work_search (work_id, title, author, words)
            \(searchRows)
                on conflict (work_id) do update
               set title = excluded.title, author = excluded.author, words = excluded.words
            """
        let works: [ID<Work>]
        let titles: [String]
        func bind(to parameters: inout Parameters) {
            parameters.append(works)
            parameters.append(titles)
        }
    }

    /// Brings the search rows of these authors' works up to the authors' names.
    struct RefreshAuthors: Statement {
        static let name = "catalog.refresh_authors"
        static let sql = """
            update work_search
               set author = coalesce(names.folded, ''),
                   words = setweight(to_tsvector('simple', work_search.title), 'A')
                           || setweight(to_tsvector('simple', coalesce(names.folded, '')), 'B')
              from (select touched.work_id,
                           (select string_agg(author.folded, ' ' order by work_author.position)
                              from work_author
                              join author on author.id = work_author.author_id
                             where work_author.work_id = touched.work_id) as folded
                      from (select distinct work_id from work_author where author_id = any($1)) touched) names
             where work_search.work_id = names.work_id
            """
        let authors: [ID<Author>]
        func bind(to parameters: inout Parameters) { parameters.append(authors) }
    }
}
