import Postgres

extension Statistics.Statements {
    /// Readings of a year that are over, in the order in which they ended, as far as the viewer sees their books. Index
    /// `reading_ended`.
    struct Lines: Statement, ForViewer {
        static let sql: SQL<Self> = """
            with \(Library.Statements.seen(of: "\(\.reader)", isShared: "false")), pages as materialized (
                select \(Privacy.level(.position, of: "\(\.reader)")) >= (select clear from seen) as are_told
            )
            select shelf_entry.work_id, reading.outcome = 'finished' as is_finished, reading.started, reading.started_unit,
                   reading.finished, reading.finished_unit,
                   coalesce(case when pages.are_told then shelf_entry.pages end, edition.pages, known.pages) as pages,
                   coalesce(edition.language, work.language, known.language) as language,
                   case when shelf_entry.rating_level >= (select clear from seen) then shelf_entry.rating end as rating,
                   shelf_entry.times_read > 1
                   and exists (select
                                 from reading earlier
                                where earlier.entry_id = reading.entry_id
                                  and earlier.outcome = 'finished'
                                  and (coalesce(earlier.finished, '-infinity'), earlier.id) < (reading.finished, reading.id)) as is_again
              from reading
             cross join pages
              join shelf_entry on shelf_entry.id = reading.entry_id
              join work on work.id = shelf_entry.work_id
              left join edition on edition.id = shelf_entry.edition_id
              left join lateral (
                    select any_edition.pages, any_edition.language
                      from edition any_edition
                     where any_edition.work_id = work.id
                       and any_edition.withdrawn_at is null
                       and any_edition.merged_into is null
                       and edition.pages is null
                     order by any_edition.pages is null, any_edition.id
                     limit 1) known on true
             where reading.reader_id = \(\.reader)
               and reading.outcome <> 'open'
               and reading.finished between \(\.first, "first") and \(\.last, "last")
               and \(Library.Statements.isSeen("shelf_entry"))
             order by reading.finished, reading.id
            """
        let viewer: Viewer, reader: ID<Accounts.Account>, year: Int
        private var first: CalendarDate { Statistics.bounds(of: year).first }
        private var last: CalendarDate { Statistics.bounds(of: year).last }

        static func decode(_ columns: inout Columns) throws -> Statistics.Line {
            let work: ID<Catalog.Work> = try columns("work_id")
            let isFinished: Bool = try columns("is_finished")
            let started = try columns.partialDate("started", "started_unit")
            let (ended, unit): (CalendarDate, PartialDate.Unit) = (
                try columns("finished"), try columns("finished_unit")
            )
            let (pages, language): (Int?, String?) = (try columns("pages"), try columns("language"))
            let (rating, isAgain): (Rating?, Bool) = (try columns("rating"), try columns("is_again"))
            return Statistics.Line(
                work: work, isFinished: isFinished, started: started, ended: PartialDate(ended, unit), pages: pages,
                language: language, rating: rating, isAgain: isAgain)
        }
    }

    /// Finished readings without a date of which the server heard in a year of the reader's own time zone, as far as the
    /// viewer sees their books.
    struct Undated: Statement, ForViewer {
        static let sql: SQL<Self> = """
            with \(Library.Statements.seen(of: "\(\.reader)", isShared: "false"))
            select count(*)
              from reading
              join account on account.id = reading.reader_id
             where reading.reader_id = \(\.reader)
               and reading.outcome = 'finished'
               and reading.finished is null
               and extract(year from reading.ended_at at time zone coalesce(account.time_zone, 'UTC')) = \(\.year, as: Int32.self)::integer
               and \(Library.Statements.isSeen(id: "reading.entry_id", of: "\(\.reader)"))
            """
        let viewer: Viewer, reader: ID<Accounts.Account>, year: Int
        typealias Output = Int
    }

    /// The years in which the reader finished something that the viewer sees, the latest first.
    struct Years: Statement, ForViewer {
        static let sql: SQL<Self> = """
            with \(Library.Statements.seen(of: "\(\.reader)", isShared: "false"))
            select extract(year from reading.finished)::integer as year, count(*) as readings
              from reading
             where reading.reader_id = \(\.reader)
               and reading.outcome = 'finished'
               and reading.finished is not null
               and \(Library.Statements.isSeen(id: "reading.entry_id", of: "\(\.reader)"))
             group by 1
             order by 1 desc
            """
        let viewer: Viewer, reader: ID<Accounts.Account>

        static func decode(_ columns: inout Columns) throws -> Statistics.Glance {
            Statistics.Glance(year: try columns("year"), readingCount: try columns("readings"))
        }
    }

    /// The authors of books, those of most of them first, and how many there are.
    struct Authors: Statement {
        static let sql: SQL<Self> = """
            select author.id, author.name, count(*) as books, count(*) over () as total
              from unnest(\(\.works)::bigint[]) read (work_id)
              join work_author on work_author.work_id = read.work_id
              join author on author.id = work_author.author_id
             group by author.id, author.name
             order by books desc, author.name collate "C", author.id
             limit \(Limits.statistics.named)
            """
        let works: [ID<Catalog.Work>]

        static func decode(_ columns: inout Columns) throws -> (author: Statistics.AuthorRead, total: Int) {
            (
                Statistics.AuthorRead(
                    id: try columns("id"), name: try columns("name"), bookCount: try columns("books")),
                try columns("total")
            )
        }
    }

    /// The genres of books, likewise.
    struct Genres: Statement {
        static let sql: SQL<Self> = """
            select genre.slug, genre.name, count(*) as books, count(*) over () as total
              from unnest(\(\.works)::bigint[]) read (work_id)
              join work_genre on work_genre.work_id = read.work_id
              join genre on genre.id = work_genre.genre_id
             group by genre.slug, genre.name
             order by books desc, genre.slug
             limit \(Limits.statistics.named)
            """
        let works: [ID<Catalog.Work>]

        static func decode(_ columns: inout Columns) throws -> (genre: Statistics.GenreRead, total: Int) {
            (
                Statistics.GenreRead(
                    slug: try columns("slug"), name: try columns("name"), bookCount: try columns("books")),
                try columns("total")
            )
        }
    }

    /// What day it is where the reader is, and where that is.
    struct Today: Statement {
        static let sql: SQL<Self> = """
            select (\(\.now)::timestamptz at time zone coalesce(account.time_zone, 'UTC'))::date as today,
                   coalesce(account.time_zone, 'UTC') as zone
              from account
             where account.id = \(\.reader)
            """
        let reader: ID<Accounts.Account>, now: Timestamp

        static func decode(_ columns: inout Columns) throws -> (day: CalendarDate, zone: String) {
            (try columns("today"), try columns("zone"))
        }
    }
}
