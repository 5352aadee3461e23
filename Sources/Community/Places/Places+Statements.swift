import Postgres

extension Places {
    /// Every statement of the domain; a test prepares each one.
    package static let statements: [any Statement.Type] =
        [
            Statements.GroundOf.self, Statements.Advance.self, Statements.Log.self, Turn.self, Statements.PlaceIn.self,
            Statements.LeftOff<NewestFirst>.self, Statements.LeftOff<OldestFirst>.self, Statements.EntryOf.self,
            Statements.Journal<NewestFirst>.self, Statements.Journal<OldestFirst>.self,
        ] + Statements.bookmarkStatements + Statements.chapterStatements

    /// What `commonplace check` looks at.
    package static let recounts: [any Recount.Type] = [Recounts.Journals.self]

    enum Statements {}
    enum Recounts {}

    /// Moves the place left off with the book's status: run by the move, whose account is locked. Does nothing where none was logged, or where
    /// the reader is there already.
    struct Turn: Statement {
        static let name = "places.turn"
        static let sql: SQL<Self> = """
            with turned as (
                update shelf_entry
                   set position = \(\.position),
                       page = null,
                       position_at = \(\.at),
                       position_device = null,
                       position_version = position_version + 1
                 where id = \(\.entry)
                   and position <> \(\.position)
                returning id
            )
            insert into progress (id, entry_id, position, at)
            select \(Statements.next("\(\.id)", of: "turned.id")), id, \(\.position), \(\.at) from turned
            """
        let entry: ID<Library.Entry>
        let position: Int16
        let id: ID<Logged>
        let at: Timestamp
    }
}

extension Places.Statements {
    /// What a step is decided on. No row where there is no such work; everything but the work may be absent.
    struct GroundOf: Statement, ForViewer {
        static let name = "places.ground_of"
        static let sql: SQL<Self> = """
            select target.id, entry.id, entry.status, entry.position, entry.page, entry.pages, entry.position_device,
                   coalesce(entry.position_version, 0), edition.pages,
                   exists (select 1 from edition_chapter where edition_chapter.edition_id = entry.edition_id),
                   chapter.position, \(Gate.level(viewer: .viewer, work: "target.id"))
              from (select coalesce(merged_into, id) as id from work where id = \(\.work)) target
              left join shelf_entry entry on entry.reader_id = \(\.viewer) and entry.work_id = target.id
              left join edition on edition.id = entry.edition_id
              left join edition_chapter chapter on chapter.edition_id = entry.edition_id and chapter.number = \(\.chapter, as: Int32.self)
            """
        let viewer: ID<Accounts.Account>
        let work: ID<Catalog.Work>
        let chapter: Int?

        static func decode(_ row: borrowing Row) throws -> Places.Ground {
            let id: ID<Library.Entry>? = try row[1]
            let pages: Int32? = try row[8]
            let chapter: Int16? = try row[10]
            return Places.Ground(
                work: try row[0], entry: try id.map { try entry($0, row) }, editionPages: pages.map(Int.init),
                hasChapters: try row[9], chapter: chapter.map(Int.init), gate: Int(try row[11] as Int32))
        }

        private static func entry(_ id: ID<Library.Entry>, _ row: borrowing Row) throws -> Places.Ground.Entry {
            let position: Int16? = try row[3]
            let (page, pages): (Int32?, Int32?) = (try row[4], try row[5])
            let version: Int32 = try row[7]
            return Places.Ground.Entry(
                id: id, status: try row[2], position: position.map(Int.init), page: page.map(Int.init),
                pages: pages.map(Int.init), device: try row[6], version: Int(version))
        }
    }

    struct Advance: Statement {
        static let name = "places.advance"
        static let sql: SQL<Self> = """
            update shelf_entry
               set position = \(\.to.position, as: Int16.self),
                   page = \(\.to.page, as: Int32.self),
                   pages = \(\.pages, as: Int32.self),
                   position_at = \(\.to.at),
                   position_device = \(\.to.device),
                   position_version = position_version + 1
             where id = \(\.entry)
            """
        let entry: ID<Library.Entry>
        let to: Places.Logged
        let pages: Int?
    }

    /// SQL: `id`, or one of the millisecond after the last of the entry's journal, where a clock that is behind made it:
    /// a journal ends with what was logged last. Its lower bits come of both ids, as other entries may be lifted to the
    /// same millisecond. The entry is locked.
    static func next<S>(_ id: SQL<S>, of entry: SQL<S>) -> SQL<S> {
        """
        (select case when max(last.id) > \(id) then (((max(last.id) >> 22) + 1) << 22) | (hashint8extended(\(entry), \(id)) & 4194303) else \(id) end
           from progress last
          where last.entry_id = \(entry))
        """
    }

    struct Log: Statement {
        static let name = "places.log"
        static let sql: SQL<Self> = """
            insert into progress (id, entry_id, position, page, device, at)
            values (\(next("\(\.logged.id)", of: "\(\.entry)")), \(\.entry), \(\.logged.position, as: Int16.self), \(\.logged.page, as: Int32.self), \(\.logged.device), \(\.logged.at))
            """
        let entry: ID<Library.Entry>
        let logged: Places.Logged
    }

    /// The columns that `Places.Place` is read from; `entry` and `work` must be in scope.
    private static let columns: Fragment = """
        entry.id, entry.status, entry.position, entry.page,
               coalesce(entry.pages, (select pages from edition where edition.id = entry.edition_id)),
               entry.position_device, entry.position_at, entry.position_version, \(Reviews.Statements.book)
        """

    private static func asPlace(_ row: borrowing Row) throws -> Places.Place {
        let position: Int16 = try row[2]
        let (page, pages): (Int32?, Int32?) = (try row[3], try row[4])
        let version: Int32 = try row[7]
        return Places.Place(
            entry: try row[0], book: try Reviews.Statements.asBook(row, from: 8), status: try row[1],
            position: Int(position), page: page.map(Int.init), pages: pages.map(Int.init), device: try row[5],
            at: try row[6], version: Int(version))
    }

    struct PlaceIn: Statement {
        static let name = "places.place_in"
        static let sql: SQL<Self> = """
            select \(columns)
              from shelf_entry entry
              join work on work.id = entry.work_id
             where entry.reader_id = \(\.reader)
               and entry.work_id = \(Reviews.Statements.target("\(\.work)"))
               and entry.position_at is not null
            """
        let reader: ID<Accounts.Account>
        let work: ID<Catalog.Work>

        static func decode(_ row: borrowing Row) throws -> Places.Place { try asPlace(row) }
    }

    /// The books that a reader is in. Index `shelf_entry_left_off`.
    struct LeftOff<Way: ListWay>: Statement {
        static var name: String { "places.left_off_\(Way.name)" }
        static var sql: SQL<Self> {
            """
            select \(columns)
              from shelf_entry entry
              join work on work.id = entry.work_id
             where entry.reader_id = \(\.reader)
               and entry.status in ('reading', 'paused')
               and entry.position_at is not null
               and (entry.position_at, entry.id) \(Way.comparison) (\(\.place.at), \(\.place.id))
             order by entry.position_at \(Way.order), entry.id \(Way.order)
             limit \(\.limit)
            """
        }
        let reader: ID<Accounts.Account>
        let place: Places.Key
        let limit: Int

        static func decode(_ row: borrowing Row) throws -> Places.Place { try asPlace(row) }
    }

    struct EntryOf: Statement {
        static let name = "places.entry_of"
        static let sql: SQL<Self> =
            "select id from shelf_entry where reader_id = \(\.reader) and work_id = \(Reviews.Statements.target("\(\.work)"))"
        let reader: ID<Accounts.Account>
        let work: ID<Catalog.Work>

        typealias Output = ID<Library.Entry>
    }

    /// Index `progress_of_entry`.
    struct Journal<Way: ListWay>: Statement {
        static var name: String { "places.journal_\(Way.name)" }
        static var sql: SQL<Self> {
            """
            select position, page, id, device, at
              from progress
             where entry_id = \(\.entry)
               and id \(Way.comparison) \(\.place)
             order by id \(Way.order)
             limit \(\.limit)
            """
        }
        let entry: ID<Library.Entry>
        let place: ID<Places.Logged>
        let limit: Int

        static func decode(_ columns: inout Columns) throws -> Places.Logged {
            let position: Int16 = try columns("position")
            let page: Int32? = try columns("page")
            return Places.Logged(
                id: try columns("id"), position: Int(position), page: page.map(Int.init), device: try columns("device"),
                at: try columns("at"))
        }
    }
}

extension Places.Recounts {
    struct Journals: Recount {
        static let name = "places.recount_journals"
        static let rule = "Where a reader left off is where the journal ends, and it has as many rows as it says."
        static let sql: SQL<Self> = """
            select 'entry ' || entry.id || ': stored ' || coalesce(entry.position, -1) || ' at version ' || entry.position_version
                   || ', logged ' || coalesce(last.position, -1) || ' in ' || counted.steps || ' rows'
              from shelf_entry entry
             cross join lateral (select count(*) as steps from progress where progress.entry_id = entry.id) counted
              left join lateral (select position
                                   from progress
                                  where progress.entry_id = entry.id
                                  order by id desc
                                  limit 1) last on true
             where entry.position_version <> counted.steps
                or entry.position <> last.position
             limit 1000
            """
    }
}
