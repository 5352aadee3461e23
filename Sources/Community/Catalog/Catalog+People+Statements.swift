import Postgres

extension Catalog {
    static let peopleStatements: [any Statement.Type] = [
        CurrentAuthor.self, AuthorRow.self, EditionRow.self, SeriesRow.self, BooksOfSeries.self,
        BooksOfSeriesBefore.self,
    ]

    /// The author that an id means now: itself, or what it was merged into.
    struct CurrentAuthor: Statement {
        static let name = "catalog.current_author"
        static let sql: SQL<Self> = "select coalesce(merged_into, id) from author where id = \(\.author)"
        let author: ID<Author>
        typealias Output = ID<Author>
    }

    struct AuthorRow: Statement {
        static let name = "catalog.author_row"
        static let sql: SQL<Self> = """
            select author.id, author.version, author.name, author.aliases, author.birth, author.death, author.about,
                   coalesce(scope.members, 0) as books, author.locked
              from author
              left join browse_scope scope on scope.kind = 'author' and scope.key = author.id::text
             where author.id = (select coalesce(merged_into, id) from author where id = \(\.author))
               and author.withdrawn_at is null
            """
        let author: ID<Author>
        static func decode(_ columns: inout Columns) throws -> AuthorPage {
            AuthorPage(
                id: try columns("id"), version: try columns("version"), name: try columns("name"),
                aliases: try columns("aliases"), birth: try columns("birth"),
                death: try columns("death"), about: try columns("about"), books: try columns("books"),
                locked: try columns("locked"))
        }
    }

    struct EditionRow: Statement {
        static let name = "catalog.edition_row"
        static let sql: SQL<Self> = """
            select edition.year, edition.pages, edition.id, coalesce(work.merged_into, work.id) as work,
                   edition.version, edition.title, edition.subtitle, edition.publisher, edition.published,
                   edition.language, edition.format,
                   array(select isbn from edition_isbn where edition_id = edition.id order by isbn) as isbns,
                   edition.locked
              from edition
              join work on work.id = edition.work_id
             where edition.id = (select coalesce(merged_into, id) from edition where id = \(\.edition))
               and edition.withdrawn_at is null
            """
        let edition: ID<Edition>
        static func decode(_ columns: inout Columns) throws -> EditionPage {
            let year: Int16? = try columns("year")
            let pages: Int32? = try columns("pages")
            return EditionPage(
                id: try columns("id"), work: try columns("work"), version: try columns("version"),
                title: try columns("title"), subtitle: try columns("subtitle"),
                publisher: try columns("publisher"), published: try columns("published"), year: year.map(Int.init),
                pages: pages.map(Int.init),
                language: try columns("language"), format: try columns("format"), isbns: try columns("isbns"),
                locked: try columns("locked"))
        }
    }

    struct SeriesRow: Statement {
        static let name = "catalog.series_row"
        static let sql: SQL<Self> = "select id, name from series where id = \(\.series)"
        let series: ID<Series>
        static func decode(_ columns: inout Columns) throws -> SeriesPage {
            SeriesPage(id: try columns("id"), name: try columns("name"))
        }
    }

    /// `comparison` and `order` go with the direction of travel; index `work_series_order`.
    private static func booksOfSeries<S>(
        _ series: SQL<S>, _ comparison: Fragment, _ place: SQL<S>, _ order: Fragment, limit: SQL<S>
    ) -> SQL<S> {
        """
        select \(itemColumns), place.position, place.ordinal
          from (select work_series.position, coalesce(work_series.ordinal, 1e9::real) as ordinal, popularity.work_id,
                       popularity.readers, popularity.recommends, popularity.imported
                  from work_series
                  join work_popularity popularity on popularity.work_id = work_series.work_id and popularity.listed
                 where work_series.series_id = \(series)
                   and (coalesce(work_series.ordinal, 1e9::real), work_series.work_id) \(comparison) (\(place))
                 order by coalesce(work_series.ordinal, 1e9::real) \(order), work_series.work_id \(order)
                 limit \(limit)) place
        \(itemJoins)
         order by place.ordinal \(order), place.work_id \(order)
        """
    }

    private static func seriesItem(_ row: borrowing Row) throws -> SeriesItem {
        let book = try item(row)
        return SeriesItem(position: try row[11], book: book, place: SeriesPlace(ordinal: try row[12], work: book.id))
    }

    struct BooksOfSeries: Statement {
        static let name = "catalog.books_of_series"
        static let sql: SQL<Self> = booksOfSeries(
            "\(\.series)", ">", "\(\.after.ordinal), \(\.after.work)", "asc", limit: "\(\.limit)")
        let series: ID<Series>
        let after: SeriesPlace
        let limit: Int
        static func decode(_ row: borrowing Row) throws -> SeriesItem { try seriesItem(row) }
    }

    struct BooksOfSeriesBefore: Statement {
        static let name = "catalog.books_of_series_before"
        static let sql: SQL<Self> = booksOfSeries(
            "\(\.series)", "<", "\(\.before.ordinal), \(\.before.work)", "desc", limit: "\(\.limit)")
        let series: ID<Series>
        let before: SeriesPlace
        let limit: Int
        static func decode(_ row: borrowing Row) throws -> SeriesItem { try seriesItem(row) }
    }
}
