import Postgres

extension Catalog {
    /// Everything that the page of a book needs, in one row.
    struct BookRow: Statement {
        static let sql: SQL<Self> = """
            select work.page, work.version, work.merged_into, work.withdrawn_at is not null as is_withdrawn,
                   popularity.readers, popularity.recommends, rating.n, rating.sum, rating.histogram,
                   coalesce(shelf.want, 0) as want, coalesce(shelf.reading, 0) as reading,
                   coalesce(shelf.read, 0) as read, coalesce(work_checkout.n, 0) as checkouts
              from work
              join work_popularity popularity on popularity.work_id = work.id
              left join work_rating rating on rating.work_id = work.id
              left join work_shelf shelf on shelf.work_id = work.id
              left join work_checkout on work_checkout.work_id = work.id
             where work.id = \(\.work)
            """
        let work: ID<Work>

        struct Output: Sendable {
            let page: Bytes?
            let version: Int
            let mergedInto: ID<Work>?
            let isWithdrawn: Bool
            let readers: Int
            let recommends: Int
            let rating: RatingSummary
            let shelves: ShelfCounts
            let checkouts: Int
        }

        static func decode(_ columns: inout Columns) throws -> Output {
            Output(
                page: try columns("page"), version: try columns("version"), mergedInto: try columns("merged_into"),
                isWithdrawn: try columns("is_withdrawn"), readers: try columns("readers"),
                recommends: try columns("recommends"),
                rating: RatingSummary(
                    count: try columns("n") ?? 0, quarters: try columns("sum") ?? 0,
                    histogram: try columns("histogram") ?? []),
                shelves: ShelfCounts(
                    want: try columns("want"), reading: try columns("reading"), read: try columns("read")),
                checkouts: try columns("checkouts"))
        }
    }

    /// A work's own columns.
    struct WorkRow: Sendable, RowReadable {
        let version: Int
        let kind: String
        let title: String?
        let subtitle: String?
        let description: String?
        let year: Int?
        let language: String?
        let form: String?

        static let columns: Fragment = "version, kind, title, subtitle, description, year, language, form"

        init(_ columns: inout Columns) throws {
            version = try columns("version")
            kind = try columns("kind")
            title = try columns("title")
            subtitle = try columns("subtitle")
            description = try columns("description")
            year = try columns("year")
            language = try columns("language")
            form = try columns("form")
        }
    }

    /// The row, locked against everything that changes it or hangs something on it; none where such a change is under
    /// way.
    struct LockWork: Statement {
        static let sql: SQL<Self> = """
            select \(WorkRow.columns)
              from work
             where id = \(\.work)
               for update skip locked
            """
        let work: ID<Work>
        typealias Output = WorkRow
    }

    /// The row as it was last committed.
    struct ReadWork: Statement {
        static let sql: SQL<Self> = "select \(WorkRow.columns) from work where id = \(\.work)"
        let work: ID<Work>
        typealias Output = WorkRow
    }

    struct AuthorsOfWork: Statement {
        static let sql: SQL<Self> = """
            select author.id, author.name, work_author.role
              from work_author
              join author on author.id = work_author.author_id
             where work_author.work_id = \(\.work)
               and author.name is not null
               and author.withdrawn_at is null
             order by work_author.position
            """
        let work: ID<Work>
        typealias Output = Contributor
    }

    /// Who made the editions that are on a work's page, each behind the edition.
    struct ContributorsOfWork: Statement {
        static let sql: SQL<Self> = """
            select edition.id as edition_id, author.id, author.name, edition_contributor.role
              from (select id from edition
                     where work_id = \(\.work)
                       and withdrawn_at is null
                     order by id
                     limit \(Limits.catalog.editionsOnPage)) edition
              join edition_contributor on edition_contributor.edition_id = edition.id
              join author on author.id = edition_contributor.author_id
             where author.name is not null
               and author.withdrawn_at is null
             order by edition.id, edition_contributor.position
            """
        let work: ID<Work>
        static func decode(_ columns: inout Columns) throws -> (edition: ID<Edition>, contributor: Contributor) {
            (try columns("edition_id"), try Contributor(&columns))
        }
    }

    struct GenresOfWork: Statement {
        static let sql: SQL<Self> = """
            select genre.slug, genre.name
              from work_genre
              join genre on genre.id = work_genre.genre_id
             where work_genre.work_id = \(\.work)
             order by genre.name
            """
        let work: ID<Work>
        static func decode(_ columns: inout Columns) throws -> (slug: String, name: String) {
            (try columns("slug"), try columns("name"))
        }
    }

    struct SubjectsOfWork: Statement {
        static let sql: SQL<Self> = """
            select subject.kind, subject.name
              from work_subject
              join subject on subject.id = work_subject.subject_id
             where work_subject.work_id = \(\.work)
             order by subject.kind desc, subject.name
             limit 30
            """
        let work: ID<Work>
        static func decode(_ columns: inout Columns) throws -> (kind: String, name: String) {
            (try columns("kind"), try columns("name"))
        }
    }

    struct SeriesOfWork: Statement {
        static let sql: SQL<Self> = """
            select series.id, series.name, work_series.position
              from work_series
              join series on series.id = work_series.series_id
             where work_series.work_id = \(\.work)
             order by work_series.place
            """
        let work: ID<Work>
        static func decode(_ columns: inout Columns) throws -> (id: ID<Series>, name: String, position: String?) {
            (try columns("id"), try columns("name"), try columns("position"))
        }
    }

    /// A work's editions with their ISBNs, in the order in which they came.
    struct EditionsOfWork: Statement {
        static let sql: SQL<Self> = """
            select \(EditionFacts.columns)
              from edition
             where work_id = \(\.work)
               and withdrawn_at is null
             order by id
             limit \(Limits.catalog.editionsOnPage)
            """
        let work: ID<Work>
        typealias Output = EditionFacts
    }

    struct StorePage: Statement {
        static let sql: SQL<Self> = "update work set page = \(\.page) where id = \(\.work)"
        let work: ID<Work>, page: Bytes
    }
}
