import Postgres

extension Library {
    /// Every statement of the domain; a test prepares each one.
    package static let statements: [any Statement.Type] =
        entryStatements + mergeStatements + shelfStatements + listStatements + itemStatements + sharingStatements
        + countingStatements + sortingStatements + openingStatements + pastStatements

    private static let entryStatements: [any Statement.Type] = [
        Statements.LockReader.self, Statements.HoldWork.self, Statements.Scene.self, Statements.Insert.self,
        Statements.Update.self,
        Statements.Delete.self, Statements.InsertReading.self, Statements.UpdateReading.self,
        Statements.DropReading.self, Statements.Mine.self, Statements.Readings.self, Statements.StatusesOf.self,
        Statements.GlanceAt.self, Statements.OneReading.self, Rated.self, RatedAnew.self,
    ]

    enum Statements {}
}

extension Library.Statements {
    /// The level at which what happened to an entry is told: `shelf_entry` and its reader's `privacy`, perhaps without a row,
    /// must be in scope.
    static let told: Fragment =
        "least(coalesce(shelf_entry.visibility, privacy.shelves, 2), coalesce(privacy.activity, 1))"

    /// The columns that `Library.Entry` is read from; `shelf_entry`, `reader` (the account), `work` and `last` (`lastReading`) must be in
    /// scope, for the viewer $1. `isOwn`: whether it is the reader who looks; `least`: the lowest level that whoever looks sees of the reader's things.
    /// `book`: how `Reviews.Book` is read, by `joinedBook` where the statement has `bookAuthors`.
    static func columns<S: ForViewer>(isOwn: SQL<S>, least: SQL<S>, book: Fragment = Reviews.Statements.book) -> SQL<S>
    {
        """
        shelf_entry.id, shelf_entry.status, shelf_entry.edition_id, shelf_entry.times_read, shelf_entry.added_at,
               shelf_entry.moved_at, shelf_entry.version, shelf_entry.visibility, shelf_entry.note,
               case when \(isOwn) or coalesce((select privacy.position from privacy
                                              where privacy.reader_id = shelf_entry.reader_id), 1) >= \(least)
                    then shelf_entry.position end,
               case when shelf_entry.rating_level >= \(least) then shelf_entry.rating end, \(isOwn),
               last.started, last.started_unit, last.finished, last.finished_unit,
               reader.id, reader.username, \(Privacy.shown("reader.name", .name, viewer: .viewer, owner: "reader.id")), \(book)
        """
    }

    /// The open reading is the last one, whatever ids say: those of another server, or of a book that was merged into this one, may be greater.
    static let lastFirst: Fragment = "(reading.outcome = 'open') desc, reading.id desc"

    static let lastReading: Fragment = """
        left join lateral (select started, started_unit, finished, finished_unit
                               from reading
                              where reading.entry_id = shelf_entry.id
                              order by \(lastFirst)
                              limit 1) last on true
        """

    /// Columns after those of an entry begin here.
    static let columnCount = 23

    static func asEntry(_ row: borrowing Row) throws -> Library.Entry {
        let isOwn: Bool = try row[11]
        let times: Int32 = try row[3]
        let version: Int32 = try row[6]
        let position: Int16? = try row[9]
        return Library.Entry(
            id: try row[0], reader: try Reviews.Statements.asReader(row, from: 16),
            book: try Reviews.Statements.asBook(row, from: 19), status: try row[1], edition: try row[2],
            started: try row.partialDate(12), finished: try row.partialDate(14), timesRead: Int(times),
            rating: try row[10], addedAt: try row[4], movedAt: try row[5], version: Int(version),
            position: position.map(Int.init),
            own: isOwn ? Library.Entry.Own(visibility: try row[7], note: try row[8]) : nil)
    }
}

extension Library.Statements {
    /// Locks the account against every other writer of its library or reviews. No row where it is gone.
    struct LockReader: Statement {
        static let name = "library.lock_reader"
        static let sql: SQL<Self> = "select state from account where id = \(\.reader) for no key update"
        let reader: ID<Accounts.Account>

        typealias Output = Accounts.State
    }

    /// Holds a work, and what it was merged into, against being merged, or another into it; waits for a merge that has
    /// begun. In a statement of its own: the next one sees what the merge took over.
    struct HoldWork: Statement {
        static let name = "library.hold_work"
        static let sql: SQL<Self> = """
            select from work
             where id in (\(\.work), (select merged_into from work where id = \(\.work)))
             order by id
               for share
            """
        let work: ID<Catalog.Work>
    }

    /// All that a move decides on: the reader, the settings, the work (or what it was merged into), and what the book is to the reader. The
    /// work is locked against being merged until the move is committed.
    struct Scene: Statement, ForViewer {
        static let name = "library.scene"
        static let sql: SQL<Self> = """
            with target as (
                select coalesce(merged_into, id) as id from work where id = \(\.work) for share
            )
            select reader.id, reader.username, \(Privacy.told("reader.name", owner: "reader.id")), reader.created_at,
                   \(Reviews.Statements.counts(isLoopback: "\(\.counting.isLoopback)", bornBefore: "\(\.counting.bornBefore)")),
                   coalesce(privacy.shelves, 2)::smallint, coalesce(privacy.lists, 2)::smallint,
                   coalesce(privacy.activity, 1)::smallint,
                   (select coalesce(sum(n), 0)::bigint from shelf_tally where reader_id = \(\.viewer) and shelf = 'all'),
                   mine.id, mine.status, mine.edition_id, mine.visibility, mine.note, mine.times_read, mine.counted, mine.version,
                   mine.added_at, mine.moved_at,
                   last.id, last.outcome, last.started, last.started_unit, last.finished, last.finished_unit,
                   review.rating, review.visibility,
                   (select edition.id
                      from edition
                     where edition.id = (select coalesce(named.merged_into, named.id) from edition named where named.id = \(\.edition))
                       and edition.work_id = work.id
                       and edition.withdrawn_at is null),
                   \(Reviews.Statements.book), (select id from target), \(Catalog.isOut("work.id", today: "\(\.counting.today)")),
                   \(Gate.level(viewer: .viewer, work: "(select id from target)"))
              from account reader
              left join privacy on privacy.reader_id = reader.id
              left join work on work.id = (select id from target) and work.title is not null and work.withdrawn_at is null
              left join shelf_entry mine on mine.reader_id = reader.id and mine.work_id = (select id from target)
              left join review on review.reader_id = reader.id and review.work_id = (select id from target)
              left join lateral (select id, outcome, started, started_unit, finished, finished_unit
                                   from reading
                                  where reading.entry_id = mine.id
                                  order by \(lastFirst)
                                  limit 1) last on true
             where reader.id = \(\.viewer)
            """
        let viewer: ID<Accounts.Account>
        let work: ID<Catalog.Work>
        let edition: ID<Catalog.Edition>?
        let counting: Reviews.Counting

        static func decode(_ row: borrowing Row) throws -> Library.Scene {
            let work: ID<Catalog.Work>? = try row[28]
            let rating: Reviews.Rating? = try row[25]
            let level: Visibility? = try row[26]
            return Library.Scene(
                reader: try Reviews.Statements.asReader(row, from: 0), bornAt: try row[3],
                counts: try row[4], isOut: try row[33] ?? false,
                privacy: Privacy([.shelves: try row[5], .lists: try row[6], .activity: try row[7]]),
                total: try row[8], mine: try mine(row), last: try reading(row, from: 19),
                rating: rating.flatMap { stars in level.map { (stars: stars, level: $0) } }, edition: try row[27],
                book: work == nil ? nil : try Reviews.Statements.asBook(row, from: 28), target: try row[32],
                gate: Int(try row[34] as Int32))
        }

        private static func mine(_ row: borrowing Row) throws -> Library.Scene.Mine? {
            let id: ID<Library.Entry>? = try row[9]
            guard let id else { return nil }
            let times: Int32 = try row[14]
            let version: Int32 = try row[16]
            return Library.Scene.Mine(
                id: id, status: try row[10], edition: try row[11], visibility: try row[12], note: try row[13],
                timesRead: Int(times), counted: try row[15], version: Int(version), addedAt: try row[17],
                movedAt: try row[18])
        }
    }

    /// Six columns: id, outcome and two dates; `nil` where there is no reading.
    static func reading(_ row: borrowing Row, from column: Int) throws -> Library.Reading? {
        let id: ID<Library.Reading>? = try row[column]
        guard let id else { return nil }
        return Library.Reading(
            id: id, outcome: try row[column + 1], started: try row.partialDate(column + 2),
            finished: try row.partialDate(column + 4))
    }

    struct Insert: Statement {
        static let name = "library.insert"
        static let sql: SQL<Self> = """
            insert into shelf_entry (id, reader_id, work_id, edition_id, status, visibility, note, times_read, rating, rating_level,
                                     title_key, author_key, counted, added_at, moved_at)
            values (\(\.draft.id), \(\.draft.reader), \(\.draft.work), \(\.draft.edition), \(\.draft.status), \(\.draft.visibility), \(\.draft.note), \(\.draft.timesRead, as: Int32.self), \(\.rating?.stars), \(\.rating?.level), \(\.book.titleKey, "book.titleKey"), \(\.book.authorKey, "book.authorKey"), \(\.draft.counted), \(\.draft.addedAt), \(\.draft.movedAt))
            """
        let draft: Library.Draft
        let book: Reviews.Book
        let rating: (stars: Reviews.Rating, level: Visibility)?
    }

    struct Update: Statement {
        static let name = "library.update"
        static let sql: SQL<Self> = """
            update shelf_entry
               set edition_id = \(\.draft.edition),
                   status = \(\.draft.status),
                   visibility = \(\.draft.visibility),
                   note = \(\.draft.note),
                   times_read = \(\.draft.timesRead, as: Int32.self),
                   title_key = \(\.book.titleKey, "book.titleKey"),
                   author_key = \(\.book.authorKey, "book.authorKey"),
                   counted = \(\.draft.counted),
                   version = \(\.draft.version, as: Int32.self),
                   moved_at = \(\.draft.movedAt)
             where id = \(\.draft.id)
            """
        let draft: Library.Draft
        let book: Reviews.Book
    }

    /// Its readings go with it.
    struct Delete: Statement {
        static let name = "library.delete"
        static let sql: SQL<Self> = "delete from shelf_entry where id = \(\.entry)"
        let entry: ID<Library.Entry>
    }

    struct InsertReading: PositionalStatement {
        static let name = "library.insert_reading"
        static let sql = """
            insert into reading (id, entry_id, outcome, started, started_unit, finished, finished_unit, created_at)
            values ($1, $2, $3, $4, $5, $6, $7, $8)
            """
        let entry: ID<Library.Entry>
        let reading: Library.Reading
        let at: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(reading.id)
            parameters.append(entry)
            parameters.append(reading.outcome)
            parameters.append(reading.started)
            parameters.append(reading.finished)
            parameters.append(at)
        }
    }

    struct UpdateReading: PositionalStatement {
        static let name = "library.update_reading"
        static let sql = """
            update reading
               set outcome = $2,
                   started = $3,
                   started_unit = $4,
                   finished = $5,
                   finished_unit = $6
             where id = $1
            """
        let reading: Library.Reading

        func bind(to parameters: inout Parameters) {
            parameters.append(reading.id)
            parameters.append(reading.outcome)
            parameters.append(reading.started)
            parameters.append(reading.finished)
        }
    }

    struct DropReading: Statement {
        static let name = "library.drop_reading"
        static let sql: SQL<Self> = "delete from reading where id = \(\.reading)"
        let reading: ID<Library.Reading>
    }

    /// A book in the reader's own library.
    struct Mine: Statement, ForViewer {
        static let name = "library.mine"
        static let sql: SQL<Self> = """
            select \(columns(isOwn: "true", least: "0"))
              from shelf_entry
              join account reader on reader.id = shelf_entry.reader_id
              join work on work.id = shelf_entry.work_id
              \(lastReading)
             where shelf_entry.reader_id = \(\.viewer)
               and shelf_entry.work_id = (select coalesce(merged_into, id) from work where id = \(\.work))
            """
        let viewer: ID<Accounts.Account>
        let work: ID<Catalog.Work>

        static func decode(_ row: borrowing Row) throws -> Library.Entry { try asEntry(row) }
    }

    /// The readings of a book, last first, at most 100. Index `reading_of_entry`.
    struct Readings: Statement {
        static let name = "library.readings"
        static let sql: SQL<Self> = """
            select id, outcome, started, started_unit, finished, finished_unit
              from reading
             where entry_id = \(\.entry)
             order by id desc
             limit 100
            """
        let entry: ID<Library.Entry>

        static func decode(_ row: borrowing Row) throws -> Library.Reading {
            Library.Reading(
                id: try row[0], outcome: try row[1], started: try row.partialDate(2), finished: try row.partialDate(4))
        }
    }

    /// What these works are to a reader; those that are not in the reader's library are left out. Index `shelf_entry_of_reader`.
    struct StatusesOf: Statement {
        static let name = "library.statuses_of"
        static let sql: SQL<Self> =
            "select work_id, status from shelf_entry where reader_id = \(\.reader) and work_id = any(\(\.works))"
        let reader: ID<Accounts.Account>
        let works: [ID<Catalog.Work>]

        static func decode(_ columns: inout Columns) throws -> (work: ID<Catalog.Work>, status: Library.Status) {
            (try columns("work_id"), try columns("status"))
        }
    }
}

extension Reviews.Book {
    /// What a shelf sorts by: folded, at most 80 bytes.
    var titleKey: String { Self.key(title) }
    var authorKey: String { Self.key(authors.first?.name ?? "") }

    private static func key(_ text: String) -> String { Search.Normaliser.fold(text).clipped(to: 80).text ?? "" }
}
