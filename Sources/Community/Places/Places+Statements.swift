import Postgres

extension Places {
    /// What `commonplace check` looks at.
    package static let recounts: [Recount] = [
        Recount(
            "journals", "Where a reader left off is where the journal ends, and it has as many rows as it says.",
            """
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
            """)
    ]

    enum Statements {}

    /// Moves the place left off with the book's status: run by the move, whose account is locked. Does nothing where
    /// none was logged, or where the reader is there already.
    struct Turn: Statement {
        static let sql: SQL<Self> = """
            with turned as (
                update shelf_entry
                   set position = \(\.position),
                       reached = null,
                       page = null,
                       position_at = \(\.at),
                       position_device = null,
                       position_version = position_version + 1,
                       ebook_id = null,
                       ebook_chapter = null,
                       ebook_start = null
                 where id = \(\.entry)
                   and (position <> \(\.position) or reached is not null)
                returning id
            )
            insert into progress (id, entry_id, position, at)
            select \(Statements.next("\(\.id)", of: "turned.id")), id, \(\.position), \(\.at) from turned
            """
        let entry: ID<Library.Entry>, position: Int16, id: ID<Logged>, at: Timestamp
    }
}

extension Places.Statements {
    /// What a step is decided on. No row where there is no such work; everything but the work may be absent.
    struct GroundOf: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select target.id, entry.id, entry.status, entry.position, entry.reached, entry.page, entry.pages,
                   entry.position_device, entry.ebook_id, entry.ebook_chapter, entry.ebook_start,
                   coalesce(entry.position_version, 0) as position_version, edition.pages,
                   exists (select 1 from edition_chapter where edition_chapter.edition_id = entry.edition_id) as has_chapters,
                   chapter.position, \(Gate.level(viewer: .viewer, work: "target.id")) as gate
              from (select coalesce(merged_into, id) as id from work where id = \(\.work)) target
              left join shelf_entry entry on entry.reader_id = \(\.viewer) and entry.work_id = target.id
              left join edition on edition.id = entry.edition_id
              left join edition_chapter chapter on chapter.edition_id = entry.edition_id and chapter.number = \(\.chapter, as: Int32.self)
            """
        let viewer: ID<Accounts.Account>, work: ID<Catalog.Work>, chapter: Int?

        static func decode(_ columns: inout Columns) throws -> Places.Ground {
            Places.Ground(
                work: try columns("id"),
                entry: try columns.part(through: "position_version") {
                    Places.Ground.Entry(
                        id: try $0("id"), status: try $0("status"), position: try $0("position"),
                        reached: try $0("reached"), page: try $0("page"), pages: try $0("pages"),
                        device: try $0("position_device"), anchor: try Places.Anchor(&$0),
                        version: try $0("position_version"))
                },
                editionPages: try columns("pages"), hasChapters: try columns("has_chapters"),
                chapter: try columns("position"), gate: try columns("gate"))
        }
    }

    struct Advance: Statement {
        static let sql: SQL<Self> = """
            update shelf_entry
               set position = \(\.to.position, as: Int16.self),
                   reached = \(\.reached, as: Int16.self),
                   page = \(\.to.page, as: Int32.self),
                   pages = \(\.pages, as: Int32.self),
                   position_at = \(\.to.at),
                   position_device = \(\.to.device),
                   position_version = position_version + 1,
                   ebook_id = \(\.ebook),
                   ebook_chapter = \(\.chapter, as: Int32.self),
                   ebook_start = \(\.start, as: Int32.self)
             where id = \(\.entry)
            """
        let entry: ID<Library.Entry>, to: Places.Logged, reached: Int?, pages: Int?
        let ebook: ID<Ebooks.Ebook>?, chapter: Int?, start: Int?

        init(
            entry: ID<Library.Entry>, to logged: Places.Logged, reached: Int?, pages: Int?, anchor: Places.Anchor?
        ) {
            (self.entry, self.to, self.reached, self.pages) = (entry, logged, reached, pages)
            (ebook, chapter, start) = (anchor?.ebook, anchor?.chapter, anchor?.start)
        }
    }

    /// SQL: `id`, or one of the millisecond after the last of the entry's journal, where a clock that is behind made
    /// it: a journal ends with what was logged last. Its lower bits come of both ids, as other entries may be lifted to
    /// the same millisecond. The entry is locked.
    static func next<S>(_ id: SQL<S>, of entry: SQL<S>) -> SQL<S> {
        """
        (select case when max(last.id) > \(id) then (((max(last.id) >> 22) + 1) << 22) | (hashint8extended(\(entry), \(id)) & 4194303) else \(id) end
           from progress last
          where last.entry_id = \(entry))
        """
    }

    struct Log: Statement {
        static let sql: SQL<Self> = """
            insert into progress (id, entry_id, position, page, device, at)
            values (\(next("\(\.logged.id)", of: "\(\.entry)")), \(\.entry), \(\.logged.position, as: Int16.self), \(\.logged.page, as: Int32.self), \(\.logged.device), \(\.logged.at))
            """
        let entry: ID<Library.Entry>, logged: Places.Logged
    }

    /// The columns that `Places.Place` is read from; `entry` and `work` must be in scope.
    private static let columns: Fragment = """
        entry.id, \(Catalog.Book.columns), entry.status, entry.position,
               coalesce(\(Ebooks.page(of: "entry")), entry.page) as page,
               coalesce(\(Ebooks.pages(of: "entry")), entry.pages, (select pages from edition where edition.id = entry.edition_id)) as pages,
               entry.ebook_id, entry.position_device, entry.position_at, entry.position_version
        """

    struct PlaceIn: Statement {
        static let sql: SQL<Self> = """
            select \(columns)
              from shelf_entry entry
              join work on work.id = entry.work_id
             where entry.reader_id = \(\.reader)
               and entry.work_id = \(Catalog.resolved("\(\.work)"))
               and entry.position_at is not null
            """
        let reader: ID<Accounts.Account>, work: ID<Catalog.Work>
        typealias Output = Places.Place
    }

    /// The books that a reader is in. Index `shelf_entry_left_off`.
    struct LeftOff: ListStatement {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>(
                ["entry.position_at", "entry.id"], ["\(\.span.place.at)", "\(\.span.place.id)"], isAscending: false,
                direction)
            return """
                select \(columns)
                  from shelf_entry entry
                  join work on work.id = entry.work_id
                 where entry.reader_id = \(\.reader)
                   and entry.status in ('reading', 'paused')
                   and entry.position_at is not null
                   and \(keyset.condition)
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let reader: ID<Accounts.Account>, span: Span<Places.Key>
        typealias Output = Places.Place
    }

    struct EntryOf: Statement {
        static let sql: SQL<Self> =
            "select id from shelf_entry where reader_id = \(\.reader) and work_id = \(Catalog.resolved("\(\.work)"))"
        let reader: ID<Accounts.Account>, work: ID<Catalog.Work>
        typealias Output = ID<Library.Entry>
    }

    /// Index `progress_of_entry`.
    struct Journal: ListStatement {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>("id", "\(\.span.place)", direction)
            return """
                select id, position, page, device, at
                  from progress
                 where entry_id = \(\.entry)
                   and \(keyset.condition)
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let entry: ID<Library.Entry>, span: Span<ID<Places.Logged>>

        static func decode(_ columns: inout Columns) throws -> Places.Logged {
            Places.Logged(
                id: try columns("id"), position: try columns("position"), page: try columns("page"),
                device: try columns("device"), at: try columns("at"))
        }
    }
}

extension Places.Place: RowReadable {
    /// Reads the columns of `Places.Statements.columns`.
    package init(_ columns: inout Columns) throws {
        self.init(
            entry: try columns("id"), book: try Catalog.Book(&columns), status: try columns("status"),
            position: try columns("position"), page: try columns("page"), pages: try columns("pages"),
            ebook: try columns("ebook_id"), device: try columns("position_device"), at: try columns("position_at"),
            version: try columns("position_version"))
    }
}

extension Places.Anchor {
    /// Reads the columns `ebook_id`, `ebook_chapter` and `ebook_start`; `nil` where no page of an e-book was named.
    init?(_ columns: inout Columns) throws {
        let ebook: ID<Ebooks.Ebook>? = try columns("ebook_id")
        let (chapter, start): (Int?, Int?) = (try columns("ebook_chapter"), try columns("ebook_start"))
        guard let chapter, let start else { return nil }
        self.init(ebook: ebook, chapter: chapter, start: start)
    }
}
