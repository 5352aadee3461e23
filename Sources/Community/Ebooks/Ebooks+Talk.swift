import JSONWriting
import Postgres

extension Ebooks {
    /// How much was written about a page: for its margin.
    package struct Margin: Hashable, Sendable {
        package let page: Int
        /// Posts that give away as much as this page tells, and no more; also such as this viewer does not see.
        package let posts: Int
    }
}

extension Ebooks.Store {
    /// What was written about a page and the one before it, as far as the viewer sees it and is there. Throws as `pages`.
    package func talk(
        at number: Int, of id: ID<Ebooks.Ebook>, for viewer: Viewer, page: PageRequest<Boards.TalkKey>
    ) async throws -> Page<Boards.Shown, Boards.TalkKey> {
        let (work, ends) = try await ends(max(0, number - 2)...number, of: id, for: viewer)
        guard let end = ends.last, end.page == number else { throw Failure.notFound("page \(number) of ebook \(id)") }
        let after = min(ends.first { $0.page == number - 2 }?.position ?? 0, end.position - 1)
        // What lies behind the gate is not looked at.
        let gate = try await services.database.one(Ebooks.Statements.Reached(viewer: viewer, work: work))
        return try await Boards.Store(services).talk(
            about: work, after: after, upTo: min(end.position, gate), for: viewer, page: page)
    }

    /// How much was written about each page of a range. Throws as `pages`.
    package func margins(
        _ range: ClosedRange<Int>, of id: ID<Ebooks.Ebook>, for viewer: Viewer
    ) async throws -> [Ebooks.Margin] {
        let (work, ends) = try await ends((range.lowerBound - 1)...range.upperBound, of: id, for: viewer)
        let before = ends.first { $0.page < range.lowerBound }?.position ?? 0
        let pages = ends.filter { $0.page >= range.lowerBound }
        return try await services.database.all(
            Ebooks.Statements.Margins(work: work, before: before, ends: pages))
    }

    /// Where pages end, those of the range that there are.
    private func ends(
        _ range: ClosedRange<Int>, of id: ID<Ebooks.Ebook>, for viewer: Viewer
    ) async throws -> (work: ID<Catalog.Work>, ends: [Ebooks.PageEnd]) {
        let opened = try await opened(id, for: viewer)
        try opened.ebook.access.check()
        let ends = try await services.database.all(
            Ebooks.Statements.Ends(ebook: id, first: range.lowerBound, last: range.upperBound))
        return (opened.ebook.book.id, ends)
    }
}

extension Ebooks {
    /// Where a page ends, in ten-thousandths of the work.
    struct PageEnd: Hashable, Sendable {
        let page: Int
        let position: Int
    }
}

extension Ebooks.Statements {
    /// How far the viewer may be told of a work.
    struct Reached: Statement, ForViewer {
        static let sql: SQL<Self> = "select \(Gate.level(viewer: .viewer, work: "\(\.work)"))"
        let viewer: Viewer, work: ID<Catalog.Work>
        typealias Output = Int
    }

    /// Where pages end, in their order.
    struct Ends: Statement {
        static let sql: SQL<Self> = """
            select page.number, page.position
              from ebook
              join ebook_page page on page.file_id = ebook.file_id
             where ebook.id = \(\.ebook)
               and page.number between \(\.first, as: Int32.self) and \(\.last, as: Int32.self)
             order by page.number
            """
        let ebook: ID<Ebooks.Ebook>, first: Int, last: Int

        static func decode(_ columns: inout Columns) throws -> Ebooks.PageEnd {
            Ebooks.PageEnd(page: try columns("number"), position: try columns("position"))
        }
    }

    /// How many posts lie on each page. The primary key of `board_scope` gives those of a stretch.
    struct Margins: Statement {
        static let sql: SQL<Self> = """
            select page.number, coalesce(said.posts, 0)::integer as posts
              from (select number, position, lag(position, 1, \(\.before, as: Int32.self)) over (order by number) as before
                      from unnest(\(\.ends, each: \.page)::integer[], \(\.ends, each: \.position)::integer[]) as page (number, position)) page
             cross join lateral (select sum(posts) as posts
                                   from board_scope
                                  where board_scope.work_id = \(\.work)
                                    and board_scope.scope > page.before
                                    and board_scope.scope <= page.position) said
             order by page.number
            """
        let work: ID<Catalog.Work>, before: Int, ends: [Ebooks.PageEnd]

        static func decode(_ columns: inout Columns) throws -> Ebooks.Margin {
            Ebooks.Margin(page: try columns("number"), posts: try columns("posts"))
        }
    }
}

extension Ebooks.Margin: JSONForm {
    package func put(into object: JSONObject) {
        object.put("page", page)
        object.put("post_count", posts)
    }
}
