import Postgres

extension Ebooks {
    enum Statements {}
}

extension Ebooks.Statements {
    /// The columns of an e-book; what `joins` joins must be in scope.
    static func columns<S: ForViewer>(at now: SQL<S>) -> SQL<S> {
        """
        ebook.id, \(Catalog.Book.columns), ebook.edition_id, file.title as file_title, file.creators, file.language,
               file.direction, file.writing, file.pages, file.layout, file.cover, ebook.audience, ebook.rights,
               \(access(at: now)) as access, stored.size, ebook.version, ebook.created_at, ebook.changed_at
        """
    }

    static let joins: Fragment = """
        join work on work.id = ebook.work_id
          join ebook_file file on file.id = ebook.file_id
          join media_file stored on stored.hash = file.hash
        """

    /// SQL: whether the viewer may know of the e-book in scope.
    static func isSeen<S: ForViewer>() -> SQL<S> {
        "(ebook.reader_id = \(.viewer) or ebook.reader_id is null and \(.viewer) >= 0)"
    }

    /// SQL: what it takes for the viewer to turn its pages, as `Ebooks.Access`.
    static func access<S: ForViewer>(at now: SQL<S>) -> SQL<S> {
        """
        case when ebook.audience in ('me', 'everybody') or ebook.audience = 'members' and \(.viewer) > 0 then 'open'
                    when \(.viewer) <= 0 then 'sign_in'
                    else coalesce((select case when lent.returned_at is null and (lent.due_at is null or lent.due_at > \(now))
                                               then 'lent' else 'loan_ended' end
                                     from checkout lent
                                     join library on library.id = lent.library_id and library.kind = 'server'
                                     join copy on copy.id = lent.copy_id
                                              and coalesce(copy.edition_id, ebook.edition_id) = ebook.edition_id
                                    where lent.reader_id = \(.viewer)
                                      and lent.work_id = ebook.work_id
                                    order by lent.returned_at is null desc, lent.id desc
                                    limit 1), 'check_out') end
        """
    }

    /// One e-book, where the viewer may know of it, with its table of contents.
    struct One: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select \(columns(at: "\(\.now)")), file.contents
              from ebook
              \(joins)
             where ebook.id = \(\.ebook)
               and \(isSeen())
            """
        let viewer: Viewer, ebook: ID<Ebooks.Ebook>, now: Timestamp

        static func decode(_ columns: inout Columns) throws -> Ebooks.Opened {
            Ebooks.Opened(ebook: try Ebooks.Ebook(&columns), contents: try columns("contents"))
        }
    }

    /// The e-books of a work that the viewer may know of, their own first. Index `ebook_of_work`.
    struct OfWork: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select \(columns(at: "\(\.now)"))
              from ebook
              \(joins)
             where ebook.work_id = \(Catalog.resolved("\(\.work)"))
               and \(isSeen())
             order by ebook.reader_id nulls last, ebook.id desc
             limit \(limit)
            """
        private static let limit = Limits.defaultPage
        let viewer: Viewer, work: ID<Catalog.Work>, now: Timestamp
        typealias Output = Ebooks.Ebook
    }

    /// A reader's own e-books, newest first. Index `ebook_of_reader`.
    struct Own: ListStatement, ForViewer {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>("ebook.id", "\(\.span.place)", direction)
            return """
                select \(columns(at: "\(\.now)"))
                  from ebook
                  \(joins)
                 where ebook.reader_id = \(.viewer)
                   and \(keyset.condition)
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: Viewer, now: Timestamp, span: Span<ID<Ebooks.Ebook>>
        typealias Output = Ebooks.Ebook
    }

    /// Pages of an e-book, where the viewer may turn them; beside each what the answer's headers need.
    struct Pages: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select ebook.id, page.number, file.pages, file.layout, page.chapter, chapter.title, page.position, page.printed, replace(page.html, chr(1), '/api/v1/ebooks/' || ebook.id) as html, page.body,
                   ebook.audience, opened.access
              from ebook
              join ebook_file file on file.id = ebook.file_id
             cross join lateral (select \(access(at: "\(\.now)")) as access limit 1) opened
              join ebook_page page on page.file_id = file.id
              left join ebook_chapter chapter on chapter.file_id = file.id and chapter.number = page.chapter
             where ebook.id = \(\.ebook)
               and \(isSeen())
               and opened.access in ('open', 'lent')
               and page.number between \(\.first, as: Int32.self) and \(\.last, as: Int32.self)
               and file.layout = coalesce(\(\.layout, as: Int32.self), file.layout)
             order by page.number
            """
        let viewer: Viewer, ebook: ID<Ebooks.Ebook>, first: Int, last: Int, layout: Int?, now: Timestamp

        static func decode(_ columns: inout Columns) throws -> (page: Ebooks.Page, keeping: Ebooks.Keeping) {
            let page = Ebooks.Page(
                ebook: try columns("id"), number: try columns("number"), pages: try columns("pages"),
                layout: try columns("layout"), chapter: try columns("chapter"), chapterTitle: try columns("title"),
                position: try columns("position"), printed: try columns("printed"),
                html: try columns("html"), text: try columns("body"))
            return (page, Ebooks.Keeping(try columns("audience"), try columns("access")))
        }
    }

    /// The page of the present layout that has the place where a page of a former one began.
    struct PageNow: Statement {
        static let sql: SQL<Self> = """
            select page.number
              from ebook
              join ebook_former_page former on former.file_id = ebook.file_id
              join ebook_page page on page.file_id = ebook.file_id and page.chapter = former.chapter
             where ebook.id = \(\.ebook)
               and former.layout = \(\.layout, as: Int32.self)
               and former.number = \(\.number, as: Int32.self)
               and page.start <= former.start
             order by page.start desc, page.number desc
             limit 1
            """
        let ebook: ID<Ebooks.Ebook>, layout: Int, number: Int
        typealias Output = Int
    }
}

extension Ebooks.Statements {
    /// A page that a reader names; no row where there is no such e-book of this work for them.
    struct SpotOf: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select \(access(at: "\(\.now)")) as access, ebook.id, page.chapter, page.start, page.position, page.number,
                   file.pages, case when ebook.audience <> 'on_loan' then nullif(left(page.body, 200), '') end as words
              from ebook
              join ebook_file file on file.id = ebook.file_id
              left join ebook_page page on page.file_id = file.id and page.number = \(\.page, as: Int32.self)
             where ebook.id = \(\.ebook)
               and ebook.work_id = \(\.work)
               and \(isSeen())
               for key share of ebook
            """
        let viewer: Viewer, ebook: ID<Ebooks.Ebook>, work: ID<Catalog.Work>, page: Int, now: Timestamp

        static func decode(_ columns: inout Columns) throws -> (access: Ebooks.Access, spot: Places.Spot?) {
            let access: Ebooks.Access = try columns("access")
            let ebook: ID<Ebooks.Ebook> = try columns("id")
            let spot = try columns.part(through: "words") {
                Places.Spot(
                    anchor: Places.Anchor(ebook: ebook, chapter: try $0("chapter"), start: try $0("start")),
                    position: try $0("position"), page: try $0("number"), pages: try $0("pages"),
                    words: try $0("words"))
            }
            return (access, spot)
        }
    }
}

extension Ebooks {
    /// SQL: whether who borrows a copy of an edition reads an e-book with it.
    static func isLent(with edition: Fragment) -> Fragment {
        "exists (select 1 from ebook where ebook.edition_id = \(edition) and ebook.audience = 'on_loan')"
    }
}

extension Ebooks.Keeping {
    init(_ audience: Ebooks.Audience, _ access: Ebooks.Access) {
        self = access == .lent ? .lent : audience == .everybody ? .open : .own
    }
}

extension Ebooks.Ebook: RowReadable {
    /// Reads the columns of `Ebooks.Statements.columns`.
    package init(_ columns: inout Columns) throws {
        self.init(
            id: try columns("id"), book: try Catalog.Book(&columns), edition: try columns("edition_id"),
            title: try columns("file_title"), creators: try columns("creators"), language: try columns("language"),
            direction: try columns("direction"), writing: try columns("writing"), pages: try columns("pages"),
            layout: try columns("layout"), cover: try columns("cover"), audience: try columns("audience"),
            rights: try columns("rights"), access: try columns("access"), size: try columns("size"),
            version: try columns("version"), createdAt: try columns("created_at"),
            changedAt: try columns("changed_at"))
    }
}
