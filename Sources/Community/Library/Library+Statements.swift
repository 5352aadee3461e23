import Postgres

extension Library {
    enum Statements {}
}

extension Library.Statements {
    /// The level at which what happened to an entry is told: `shelf_entry` and its reader's `privacy`, perhaps without
    /// a row, must be in scope.
    static let told: Fragment =
        "least(\(Privacy.level("shelf_entry.visibility", .shelves)), coalesce(privacy.activity, 1))"

    /// The columns that `Library.Entry` is read from; `shelf_entry`, `work` and `last` (`lastReading`) must be in scope.
    /// `isOwn`: whether it is the reader who looks; `least`: the lowest level that the viewer sees of the reader's
    /// things. `book`: how `Catalog.Book` is read, by `joinedBook` where the statement
    /// has `bookAuthors`.
    static func columns<S: ForViewer>(isOwn: SQL<S>, least: SQL<S>, book: Fragment = Catalog.Book.columns) -> SQL<S> {
        """
        shelf_entry.visibility, shelf_entry.note, \(isOwn) as is_own,
               shelf_entry.id, \(book), shelf_entry.status, shelf_entry.edition_id,
               last.started, last.started_unit, last.finished, last.finished_unit, shelf_entry.times_read,
               case when shelf_entry.rating_level >= \(least) then shelf_entry.rating end as rating,
               shelf_entry.added_at, shelf_entry.moved_at, shelf_entry.version,
               case when \(tellsPlace(isOwn: isOwn, least: least)) then shelf_entry.position end as position,
               case when \(tellsPlace(isOwn: isOwn, least: least)) then shelf_entry.page end as page,
               coalesce(case when \(tellsPlace(isOwn: isOwn, least: least)) then shelf_entry.pages end,
                        (select edition.pages from edition where edition.id = shelf_entry.edition_id)) as pages
        """
    }

    /// Whether the viewer sees where the reader is.
    private static func tellsPlace<S: ForViewer>(isOwn: SQL<S>, least: SQL<S>) -> SQL<S> {
        """
        (\(isOwn) or coalesce((select privacy.position from privacy where privacy.reader_id = shelf_entry.reader_id), 1) >= \(least))
        """
    }

    /// The open reading is the last one, whatever ids say: those of another server, or of a book that was merged into
    /// this one, may be greater.
    static let lastFirst: Fragment = "(reading.outcome = 'open') desc, reading.id desc"

    static let lastReading: Fragment = """
        left join lateral (select started, started_unit, finished, finished_unit
                               from reading
                              where reading.entry_id = shelf_entry.id
                              order by \(lastFirst)
                              limit 1) last on true
        """

    /// The columns that `Library.Reading` is read from.
    static let readingColumns: Fragment = "id, outcome, started, started_unit, finished, finished_unit"
}

extension Library.Entry: RowReadable {
    /// Reads what `Library.Statements.columns` gives.
    package init(_ columns: inout Columns) throws {
        let own = Own(visibility: try columns("visibility"), note: try columns("note"))
        let isOwn: Bool = try columns("is_own")
        self.init(
            id: try columns("id"), book: try Catalog.Book(&columns), status: try columns("status"),
            edition: try columns("edition_id"),
            started: try columns.partialDate("started", "started_unit"),
            finished: try columns.partialDate("finished", "finished_unit"), timesRead: try columns("times_read"),
            rating: try columns("rating"), addedAt: try columns("added_at"), movedAt: try columns("moved_at"),
            version: try columns("version"), position: try columns("position"), page: try columns("page"),
            pages: try columns("pages"), own: isOwn ? own : nil)
    }
}

extension Library.Reading: RowReadable {
    /// Reads what `Library.Statements.readingColumns` gives.
    package init(_ columns: inout Columns) throws {
        self.init(
            id: try columns("id"), outcome: try columns("outcome"),
            started: try columns.partialDate("started", "started_unit"),
            finished: try columns.partialDate("finished", "finished_unit"))
    }
}

extension Library.Statements {
    /// All that a move decides on: the reader, the settings, the work (or what it was merged into), and what the book
    /// is to the reader. The work is locked against being merged until the move is committed.
    struct Basis: Statement, ForViewer {
        static let sql: SQL<Self> = """
            with target as (
                \(Catalog.held("\(\.work)"))
            )
            select \(Accounts.Reader.told(of: "reader")), reader.created_at,
                   (\(\.now)::timestamptz at time zone coalesce(reader.time_zone, 'UTC'))::date as today,
                   \(Accounts.Statements.counts(isLoopback: "\(\.counting.isLoopback)", bornBefore: "\(\.counting.bornBefore)")) as counts,
                   \(Catalog.isOut("work.id", today: "\(\.counting.today)")) as is_out,
                   coalesce(privacy.shelves, 2)::smallint as shelves, coalesce(privacy.lists, 2)::smallint as lists,
                   coalesce(privacy.activity, 1)::smallint as activity,
                   (select coalesce(sum(n), 0)::bigint from shelf_tally where reader_id = \(\.viewer) and shelf = 'all') as total,
                   mine.id, mine.status, mine.edition_id, mine.visibility, mine.note, mine.times_read, mine.counted, mine.version,
                   mine.added_at, mine.moved_at,
                   last.id, last.outcome, last.started, last.started_unit, last.finished, last.finished_unit,
                   review.rating, review.visibility as level,
                   (select edition.id
                      from edition
                     where edition.id = (select coalesce(named.merged_into, named.id) from edition named where named.id = \(\.edition))
                       and edition.work_id = work.id
                       and edition.withdrawn_at is null) as edition,
                   \(Catalog.Book.columns), (select id from target) as target,
                   \(Gate.level(viewer: .viewer, work: "(select id from target)")) as gate
              from account reader
              left join privacy on privacy.reader_id = reader.id
              left join work on work.id = (select id from target) and work.title is not null and work.withdrawn_at is null
              left join shelf_entry mine on mine.reader_id = reader.id and mine.work_id = (select id from target)
              left join review on review.reader_id = reader.id and review.work_id = (select id from target)
              left join lateral (select \(readingColumns)
                                   from reading
                                  where reading.entry_id = mine.id
                                  order by \(lastFirst)
                                  limit 1) last on true
             where reader.id = \(\.viewer)
            """
        let viewer: ID<Accounts.Account>, work: ID<Catalog.Work>, edition: ID<Catalog.Edition>?
        let counting: Accounts.Counting, now: Timestamp

        static func decode(_ columns: inout Columns) throws -> Library.Basis {
            Library.Basis(
                reader: try Accounts.Reader(&columns), bornAt: try columns("created_at"),
                today: try columns("today"), counts: try columns("counts"), isOut: try columns("is_out") ?? false,
                privacy: Privacy([
                    .shelves: try columns("shelves"), .lists: try columns("lists"), .activity: try columns("activity"),
                ]),
                total: try columns("total"), mine: try columns.part(through: "moved_at", Library.Basis.Mine.init),
                last: try columns.part(through: "finished_unit", Library.Reading.init),
                rating: try columns.part(through: "level") { (stars: try $0("rating"), level: try $0("level")) },
                edition: try columns("edition"), book: try columns.part(through: "author_names", Catalog.Book.init),
                target: try columns("target"), gate: try columns("gate"))
        }
    }

    struct Insert: Statement {
        static let sql: SQL<Self> = """
            insert into shelf_entry (id, reader_id, work_id, edition_id, status, visibility, note, times_read, rating, rating_level,
                                     title_key, author_key, year, counted, added_at, moved_at)
            values (\(\.draft.id), \(\.draft.reader), \(\.draft.work), \(\.draft.edition), \(\.draft.status), \(\.draft.visibility), \(\.draft.note), \(\.draft.timesRead, as: Int32.self), \(\.rating?.stars), \(\.rating?.level), \(\.book.titleKey, "book.titleKey"), \(\.book.authorKey, "book.authorKey"), \(\.book.shelfYear, "book.shelfYear"), \(\.draft.counted), \(\.draft.addedAt), \(\.draft.movedAt))
            """
        let draft: Library.Draft, book: Catalog.Book, rating: (stars: Rating, level: Visibility)?
    }

    struct Update: Statement {
        static let sql: SQL<Self> = """
            update shelf_entry
               set edition_id = \(\.draft.edition),
                   status = \(\.draft.status),
                   visibility = \(\.draft.visibility),
                   note = \(\.draft.note),
                   times_read = \(\.draft.timesRead, as: Int32.self),
                   title_key = \(\.book.titleKey, "book.titleKey"),
                   author_key = \(\.book.authorKey, "book.authorKey"),
                   year = \(\.book.shelfYear, "book.shelfYear"),
                   counted = \(\.draft.counted),
                   version = \(\.draft.version, as: Int32.self),
                   moved_at = \(\.draft.movedAt)
             where id = \(\.draft.id)
            """
        let draft: Library.Draft, book: Catalog.Book
    }

    /// Its readings go with it.
    struct Delete: Statement {
        static let sql: SQL<Self> = "delete from shelf_entry where id = \(\.entry)"
        let entry: ID<Library.Entry>
    }

    struct InsertReading: Statement {
        static let sql: SQL<Self> = """
            insert into reading (id, entry_id, reader_id, outcome, started, started_unit, finished, finished_unit, created_at, ended_at)
            values (\(\.reading.id), \(\.entry), \(\.reader), \(\.reading.outcome), \(\.reading.started?.first), \(\.reading.started?.unit), \(\.reading.finished?.first), \(\.reading.finished?.unit), \(\.at), \(\.endedAt, "endedAt"))
            """
        let entry: ID<Library.Entry>, reader: ID<Accounts.Account>, reading: Library.Reading, at: Timestamp
        private var endedAt: Timestamp? { reading.outcome == .open ? nil : at }
    }

    struct UpdateReading: Statement {
        static let sql: SQL<Self> = """
            update reading
               set outcome = \(\.reading.outcome),
                   ended_at = case when \(\.reading.outcome) <> 'open' then coalesce(ended_at, \(\.at)) end,
                   started = \(\.reading.started?.first),
                   started_unit = \(\.reading.started?.unit),
                   finished = \(\.reading.finished?.first),
                   finished_unit = \(\.reading.finished?.unit)
             where id = \(\.reading.id)
            """
        let reading: Library.Reading, at: Timestamp
    }

    struct DropReading: Statement {
        static let sql: SQL<Self> = "delete from reading where id = \(\.reading)"
        let reading: ID<Library.Reading>
    }

    /// A book in the reader's own library.
    struct Mine: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select \(columns(isOwn: "true", least: "0"))
              from shelf_entry
              join work on work.id = shelf_entry.work_id
              \(lastReading)
             where shelf_entry.reader_id = \(\.viewer)
               and shelf_entry.work_id = \(Catalog.resolved("\(\.work)"))
            """
        let viewer: ID<Accounts.Account>, work: ID<Catalog.Work>
        typealias Output = Library.Entry
    }

    /// The readings of a book, last first, at most 100. Index `reading_of_entry`.
    struct Readings: Statement {
        static let sql: SQL<Self> = """
            select \(readingColumns)
              from reading
             where entry_id = \(\.entry)
             order by id desc
             limit 100
            """
        let entry: ID<Library.Entry>
        typealias Output = Library.Reading
    }

    /// What these works are to a reader; those that are not in the reader's library are left out. Index
    /// `shelf_entry_of_reader`.
    struct StatusesOf: Statement {
        static let sql: SQL<Self> =
            "select work_id, status from shelf_entry where reader_id = \(\.reader) and work_id = any(\(\.works))"
        let reader: ID<Accounts.Account>, works: [ID<Catalog.Work>]

        static func decode(_ columns: inout Columns) throws -> (work: ID<Catalog.Work>, status: Library.Status) {
            (try columns("work_id"), try columns("status"))
        }
    }
}

extension Library.Basis.Mine {
    fileprivate init(_ columns: inout Columns) throws {
        self.init(
            id: try columns("id"), status: try columns("status"), edition: try columns("edition_id"),
            visibility: try columns("visibility"), note: try columns("note"), timesRead: try columns("times_read"),
            counted: try columns("counted"), version: try columns("version"), addedAt: try columns("added_at"),
            movedAt: try columns("moved_at"))
    }
}

extension Catalog.Book {
    /// What a shelf sorts by: folded, at most 80 bytes.
    var titleKey: String { Self.key(title) }
    var authorKey: String { Self.key(authors.first?.name ?? "") }
    var shelfYear: Int16? { year.map { Int16(clamping: $0) } }

    private static func key(_ text: String) -> String { Normaliser.fold(text).clipped(to: 80).text ?? "" }
}
