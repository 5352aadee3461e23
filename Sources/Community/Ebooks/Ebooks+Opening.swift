import JSONWriting
import Postgres

extension Ebooks {
    /// A book, opened where its reader left it.
    package struct Opening: Hashable, Sendable {
        /// Why it opens at this page.
        package enum Reason: String, Sendable, CaseIterable, Encodable, PostgresText {
            case bookmark, position, beginning
        }

        package let ebook: Opened
        package let page: Page
        package let keeping: Keeping
        package let reason: Reason
        package let bookmark: Places.Bookmark?
        package let place: Places.Place?
    }

    /// What an opening starts from.
    struct LeftOff: Sendable {
        let reason: Opening.Reason
        let bookmark: ID<Places.Bookmark>?
        let position: Int
        let anchor: Places.Anchor?
    }
}

extension Ebooks.Store {
    /// Opens a book for the viewer at the last page that they bookmarked, or where they were since, else at its
    /// beginning: in the e-book that they were in, else in their own, else in the first that they may read.
    ///
    /// `tellsPlaces`: with the bookmark and the place left off; else at the beginning, which tells nothing of either.
    ///
    /// Throws `.notFound` where there is none, `.unauthenticated` and `.forbidden` where there is one and its pages may not
    /// be turned.
    package func open(
        _ work: ID<Catalog.Work>, for viewer: Viewer, tellsPlaces: Bool = true
    ) async throws -> Ebooks.Opening {
        let database = services.database
        let ebooks = try await ebooks(of: work, for: viewer)
        guard let first = ebooks.first else { throw Failure.notFound("e-book of book \(work)") }
        var left: Ebooks.LeftOff?
        if tellsPlaces, let reader = viewer.reader {
            left = try await database.first(Ebooks.Statements.LastLeft(reader: reader, work: first.book.id))
        }
        let readable = ebooks.filter(\.access.isOpen)
        guard let ebook = readable.first(where: { $0.id == left?.anchor?.ebook }) ?? readable.first else {
            try first.access.check()
            throw Failure.notFound("e-book of book \(work)")
        }
        let anchor = left?.anchor?.ebook == ebook.id ? left?.anchor : nil
        let asked = Ebooks.Statements.PageAt(
            ebook: ebook.id, chapter: anchor?.chapter, start: anchor?.start, position: left?.position ?? 0)
        let number = try await database.first(asked) ?? 1
        let (pages, keeping) = try await pages(number...number, of: ebook.id, for: viewer)
        let places = Places.Store(services)
        var (bookmark, place): (Places.Bookmark?, Places.Place?)
        if let reader = viewer.reader, let left {
            if let id = left.bookmark { bookmark = try await places.bookmark(id, of: reader) }
            do { place = try await places.place(in: ebook.book.id, of: reader) } catch Failure.notFound {}
        }
        return Ebooks.Opening(
            ebook: try await opened(ebook.id, for: viewer), page: pages[0], keeping: keeping,
            reason: left?.reason ?? .beginning, bookmark: bookmark, place: place)
    }
}

extension Ebooks.Statements {
    /// Where a reader left a work: the last bookmark or the position, whichever came later.
    struct LastLeft: Statement {
        static let sql: SQL<Self> = """
            select reason, bookmark, position, ebook_id, ebook_chapter, ebook_start
              from ((select 'bookmark' as reason, id as bookmark, position, ebook_id, ebook_chapter, ebook_start, created_at as at
                       from bookmark
                      where reader_id = \(\.reader)
                        and work_id = \(\.work)
                      order by id desc
                      limit 1)
                     union all
                    select 'position', null, position, ebook_id, ebook_chapter, ebook_start, position_at
                      from shelf_entry
                     where reader_id = \(\.reader)
                       and work_id = \(\.work)
                       and position_at is not null) left_off
             order by at desc
             limit 1
            """
        let reader: ID<Accounts.Account>, work: ID<Catalog.Work>

        static func decode(_ columns: inout Columns) throws -> Ebooks.LeftOff {
            Ebooks.LeftOff(
                reason: try columns("reason"), bookmark: try columns("bookmark"), position: try columns("position"),
                anchor: try Places.Anchor(&columns))
        }
    }

    /// The page on which a place lies; of a position the page that it lies on or ends. The last page for what lies behind.
    struct PageAt: Statement {
        static let sql: SQL<Self> = """
            select coalesce(
                       (select page.number
                          from ebook_page page
                         where page.file_id = ebook.file_id
                           and page.chapter = \(\.chapter, as: Int32.self)
                           and page.start <= \(\.start, as: Int32.self)
                         order by page.start desc, page.number desc
                         limit 1),
                       (select page.number
                          from ebook_page page
                         where page.file_id = ebook.file_id
                           and page.position >= \(\.position, as: Int16.self)
                         order by page.position, page.number
                         limit 1)) as number
              from ebook
             where ebook.id = \(\.ebook)
            """
        let ebook: ID<Ebooks.Ebook>, chapter: Int?, start: Int?, position: Int
        typealias Output = Int
    }
}

extension Ebooks.Opening: JSONForm {
    package func put(into object: JSONObject) {
        object.put("ebook", ebook)
        object.put("page", page)
        object.put("opened_at", reason)
        object.put("bookmark", bookmark)
        object.put("place", place)
    }
}
