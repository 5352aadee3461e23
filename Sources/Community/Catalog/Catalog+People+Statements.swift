import Postgres

extension Catalog {
    /// The author that an id means now: itself, or what it was merged into.
    struct CurrentAuthor: Statement {
        static let sql: SQL<Self> = "select coalesce(merged_into, id) from author where id = \(\.author)"
        let author: ID<Author>
        typealias Output = ID<Author>
    }

    struct AuthorRow: Statement {
        static let sql: SQL<Self> = """
            select author.id, author.version, author.name, author.aliases, author.birth, author.death, author.about,
                   coalesce(scope.members, 0) as books, author.locked,
                   exists (select from follow where follow.author_id = author.id and follow.reader_id = \(\.reader)) as is_followed
              from author
              left join browse_scope scope on scope.kind = 'author' and scope.key = author.id::text
             where author.id = (select coalesce(merged_into, id) from author where id = \(\.author))
               and author.withdrawn_at is null
            """
        let author: ID<Author>, reader: ID<Accounts.Account>?
        static func decode(_ columns: inout Columns) throws -> AuthorPage {
            AuthorPage(
                id: try columns("id"), version: try columns("version"), name: try columns("name"),
                aliases: try columns("aliases"), birth: try columns("birth"), death: try columns("death"),
                description: try columns("about"), books: try columns("books"), locked: try columns("locked"),
                isFollowed: try columns("is_followed"))
        }
    }

    struct EditionRow: Statement {
        static let sql: SQL<Self> = """
            select \(EditionFacts.columns), work.id as work, edition.version, edition.locked
              from edition
              join work on work.id = \(Catalog.resolved("edition.work_id")) and work.withdrawn_at is null
             where edition.id = (select coalesce(merged_into, id) from edition where id = \(\.edition))
               and edition.withdrawn_at is null
            """
        let edition: ID<Edition>
        static func decode(_ columns: inout Columns) throws -> EditionPage {
            EditionPage(
                facts: try EditionFacts(&columns), work: try columns("work"), version: try columns("version"),
                locked: try columns("locked"))
        }
    }

    /// Who made an edition, or the one that it was merged into, in their order.
    struct ContributorsOfEdition: Statement {
        static let sql: SQL<Self> = """
            select author.id, author.name, edition_contributor.role
              from edition_contributor
              join author on author.id = edition_contributor.author_id
             where edition_contributor.edition_id = (select coalesce(merged_into, id) from edition where id = \(\.edition))
               and author.name is not null
               and author.withdrawn_at is null
             order by edition_contributor.position
            """
        let edition: ID<Edition>
        typealias Output = Contributor
    }

    struct SeriesRow: Statement {
        static let sql: SQL<Self> = """
            select series.id, series.name,
                   exists (select from follow where follow.series_id = series.id and follow.reader_id = \(\.reader)) as is_followed
              from series
             where series.id = \(\.series)
            """
        let series: ID<Series>, reader: ID<Accounts.Account>?
        static func decode(_ columns: inout Columns) throws -> SeriesPage {
            SeriesPage(id: try columns("id"), name: try columns("name"), isFollowed: try columns("is_followed"))
        }
    }

    /// Index `work_series_order`.
    struct BooksOfSeries: ListStatement {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let key: [SQL<Self>] = ["\(\.span.place.ordinal)", "\(\.span.place.work)"]
            let inner = Keyset(
                ["coalesce(work_series.ordinal, 1e9::real)", "work_series.work_id"], key, isAscending: true, direction)
            let outer = Keyset(["place.ordinal", "place.work_id"], key, isAscending: true, direction)
            return """
                select \(itemColumns), place.position, place.ordinal
                  from (select work_series.position, coalesce(work_series.ordinal, 1e9::real) as ordinal,
                               popularity.work_id, popularity.readers, popularity.recommends, popularity.imported
                          from work_series
                          join work_popularity popularity on popularity.work_id = work_series.work_id and popularity.listed
                         where work_series.series_id = \(\.series)
                           and \(inner.condition)
                         order by \(inner.order)
                         limit \(\.span.limit)) place
                \(itemJoins)
                 order by \(outer.order)
                """
        }
        let series: ID<Series>, span: Span<SeriesPlace>

        static func decode(_ columns: inout Columns) throws -> SeriesItem {
            let book = try BookItem(&columns)
            return SeriesItem(
                position: try columns("position"), book: book,
                place: SeriesPlace(ordinal: try columns("ordinal"), work: book.id))
        }
    }
}

extension Catalog.EditionFacts: RowReadable {
    /// SQL: what is read of a row of `edition`.
    static let columns: Fragment = """
        edition.id, edition.title, edition.subtitle, edition.publisher, edition.published, edition.year, edition.pages, edition.minutes,
               edition.language, edition.format, array(select isbn from edition_isbn where edition_id = edition.id order by isbn) as isbns,
               edition.access_modes, edition.accessibility_features, edition.accessibility_hazards, edition.accessibility_summary
        """

    package init(_ columns: inout Columns) throws {
        self.init(
            id: try columns("id"), title: try columns("title"), subtitle: try columns("subtitle"),
            publisher: try columns("publisher"), published: try columns("published"), year: try columns("year"),
            pages: try columns("pages"), minutes: try columns("minutes"), language: try columns("language"),
            format: try columns("format"), isbns: try columns("isbns"), modes: try columns("access_modes"),
            features: try columns("accessibility_features"), hazards: try columns("accessibility_hazards"),
            summary: try columns("accessibility_summary"))
    }
}
