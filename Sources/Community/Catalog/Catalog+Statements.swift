import Postgres

extension Catalog {
    /// The columns of a `BookItem`, for a row `place` of `work_popularity`.
    static let itemColumns: Fragment = """
        work.id, work.title, work.subtitle, names.ids as author_ids, names.names as author_names,
               coalesce(work.year, (select min(edition.year) from edition
                                     where edition.work_id = work.id and edition.withdrawn_at is null)) as year,
               work.kind, rating.n, rating.sum, place.readers, place.recommends, place.imported
        """

    static let itemJoins: Fragment = """
          join work on work.id = place.work_id
          left join work_rating rating on rating.work_id = work.id
          left join lateral (select array_agg(author.id order by work_author.position) as ids,
                                    array_agg(author.name order by work_author.position) as names
                               from work_author
                               join author on author.id = work_author.author_id
                              where work_author.work_id = work.id
                                and work_author.position <= 10
                                and author.name is not null
                                and author.withdrawn_at is null) names on true
        """

    /// The listed books that are read most, `Limits.profiles.openingBooks` of them. Served by index
    /// `work_popularity_score`. The limit is no parameter: for one that it does not know the planner would plan every
    /// call anew.
    struct TopBooks: Statement {
        static let sql: SQL<Self> = """
            select \(itemColumns)
              from (select work_id, readers, recommends, imported
                      from work_popularity
                     where listed
                     order by readers + 3 * recommends desc, imported desc, work_id desc
                     limit \(Limits.profiles.openingBooks)) place
            \(itemJoins)
             order by place.readers + 3 * place.recommends desc, place.imported desc, place.work_id desc
            """
        typealias Output = BookItem
    }

    /// Listed books, most read first. Served by index `work_popularity_score`.
    struct Books: ListStatement {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let key: [SQL<Self>] = ["\(\.span.place.score)", "\(\.span.place.imported)", "\(\.span.place.id)"]
            let inner = Keyset(["readers + 3 * recommends", "imported", "work_id"], key, isAscending: false, direction)
            let outer = Keyset(
                ["place.readers + 3 * place.recommends", "place.imported", "place.work_id"], key, isAscending: false,
                direction)
            return """
                select \(itemColumns)
                  from (select work_id, readers, recommends, imported
                          from work_popularity
                         where listed
                           and \(inner.condition)
                         order by \(inner.order)
                         limit \(\.span.limit)) place
                \(itemJoins)
                 order by \(outer.order)
                """
        }
        let span: Span<Popularity>
        typealias Output = BookItem
    }

    /// Genres that have works, most works first. A few dozen rows.
    struct GenreCounts: Statement {
        static let sql: SQL<Self> =
            "select id, slug, name, work_count from genre where work_count > 0 order by work_count desc, name"
        static func decode(_ columns: inout Columns) throws -> GenreCount {
            GenreCount(
                id: try columns("id"), slug: try columns("slug"), name: try columns("name"),
                works: try columns("work_count"))
        }
    }

    /// Those of these books that are listed, in this order.
    struct BooksNamed: Statement {
        static let sql: SQL<Self> = """
            select \(itemColumns)
              from (select popularity.work_id, popularity.readers, popularity.recommends, popularity.imported,
                           named.place as rank
                      from unnest(\(\.works)::bigint[]) with ordinality as named (work_id, place)
                      join work_popularity popularity on popularity.work_id = named.work_id and popularity.listed) place
            \(itemJoins)
             order by place.rank
            """
        let works: [ID<Work>]
        typealias Output = BookItem
    }

    /// Listed works with an edition of this ISBN, the most popular first.
    struct WorksOfISBN: Statement {
        static let sql: SQL<Self> = """
            select place.work_id
              from (select distinct edition.work_id
                      from edition_isbn
                      join edition on edition.id = edition_isbn.edition_id and edition.withdrawn_at is null
                     where edition_isbn.isbn = \(\.isbn)) printed
              join work_popularity place on place.work_id = printed.work_id and place.listed
             order by place.readers + 3 * place.recommends desc, place.imported desc, place.work_id desc
             limit \(\.limit)
            """
        let isbn: ISBN, limit: Int
        typealias Output = ID<Work>
    }

    /// The same as books, in one trip.
    struct BooksOfISBN: Statement {
        static let sql: SQL<Self> = """
            select \(itemColumns)
              from work_popularity place
            \(itemJoins)
             where place.work_id = any(array(select edition.work_id
                                               from edition_isbn
                                               join edition on edition.id = edition_isbn.edition_id
                                              where edition_isbn.isbn = \(\.isbn)
                                                and edition.withdrawn_at is null))
               and place.listed
             order by place.readers + 3 * place.recommends desc, place.imported desc, place.work_id desc
             limit \(\.limit)
            """
        let isbn: ISBN, limit: Int
        typealias Output = BookItem
    }

    /// Listed books among these works, most popular first.
    struct BooksOfWorks: Statement {
        static let sql: SQL<Self> = """
            select \(itemColumns)
              from work_popularity place
            \(itemJoins)
             where place.work_id = any(\(\.works))
               and place.listed
             order by place.readers + 3 * place.recommends desc, place.imported desc, place.work_id desc
            """
        let works: [ID<Work>]
        typealias Output = BookItem
    }

    /// One more reader of a work, or one fewer. The write that makes or removes a reader's review runs it in its own
    /// transaction.
    package struct BumpReaders: Statement {
        package static let sql: SQL<Self> = """
            with counted as (update work_popularity set readers = readers + \(\.by) where work_id = \(\.work) returning work_id)
            insert into browse_mark (work_id) select work_id from counted
            """
        let work: ID<Work>
        /// 1 or −1.
        let by: Int32
    }

    /// One more reader who recommends a work, or one fewer. The write of the recommendation runs it in its own
    /// transaction.
    package struct BumpRecommends: Statement {
        package static let sql: SQL<Self> = """
            with counted as (update work_popularity set recommends = recommends + \(\.by) where work_id = \(\.work) returning work_id)
            insert into browse_mark (work_id) select work_id from counted
            """
        let work: ID<Work>
        /// 1 or −1.
        let by: Int32
    }
}

extension Catalog.BookItem: RowReadable {
    /// Reads the columns of `Catalog.itemColumns`.
    package init(_ columns: inout Columns) throws {
        id = try columns("id")
        title = try columns("title")
        subtitle = try columns("subtitle")
        let ids: [ID<Catalog.Author>] = try columns("author_ids") ?? []
        let names: [String] = try columns("author_names") ?? []
        authors = zip(ids, names).map { Catalog.AuthorName(id: $0, name: $1) }
        year = try columns("year")
        kind = try columns("kind")
        rating = Catalog.RatingSummary(count: try columns("n") ?? 0, quarters: try columns("sum") ?? 0, histogram: [])
        readers = try columns("readers")
        recommends = try columns("recommends")
        popularity = Catalog.Popularity(score: readers + 3 * recommends, imported: try columns("imported"), id: id)
    }
}
