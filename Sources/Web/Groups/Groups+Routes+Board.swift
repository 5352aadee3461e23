import Community
import HTTPTypes
import Hummingbird

extension Groups.Routes {
    func addBoard(to routes: inout RouteTable) {
        routes.get(
            "/groups/{group}/threads",
            summary: """
                Threads on a group's board, last written in first; pinned ones stand in `pinned` of the first page alone. \
                `watching` says whether you follow or mute the board.
                """,
            query: [Boards.Routes.threadSort, Boards.Routes.kind] + QueryParameter.paging,
            reply: .page(
                Boards.Schemas.thread, name: "GroupBoardPage",
                also: [
                    "pinned": .array(Boards.Schemas.thread), "watching": .orNull(Boards.Schemas.watching),
                    "stream_cursor": .string,
                ]), threads)
        routes.post(
            "/groups/{group}/threads",
            summary: """
                Open a thread on the board of a group that you are in, about the book of `book_id` or about none. About a \
                book it gives away what it would on that book's board; about none, nothing. \(Boards.Routes.noneTwice)
                """,
            body: Self.newThread, reply: Boards.Routes.opened, open)
    }

    /// `GET /groups/{group}/threads?sort=&kind=` → 200 with a page; 403 `not_a_member` for who is only invited into a
    /// private group, 404, 422.
    @Sendable private func threads(_ request: Request, context: SiteContext) async throws -> Reply {
        let group = try context.id("group", as: Groups.Group.self)
        let query = try context.query()
        let sort = try query.choice("sort", Boards.ThreadSort.self) ?? .active
        let kind = try query.choice("kind", Boards.Kind.self)
        let filter = [group.text, sort.rawValue, kind?.rawValue ?? ""].joined(separator: " ")
        let page = try context.page(list: "group-threads", filter: filter, key: Boards.ThreadKey.self)
        let board = try await site.community.boards.threads(
            in: group, kind: kind, sort: sort, for: context.viewer, page: page)
        return try Reply.page(
            board.page, list: "group-threads", filter: filter, context: context,
            also: [
                "pinned": board.pinned, "watching": board.board.watching,
                "stream_cursor": board.position.text(signedBy: site.community.services.settings.secret),
            ])
    }

    /// `POST /groups/{group}/threads` `{title, kind?, body, book_id?, scope?, also?}` → 201 `{thread, post,
    /// scope_reason}`; 403 `account_frozen`, `email_unverified`, `not_a_member`, `not_moderator`, 404, 409
    /// `duplicate_post`, 422 with `no_book` among others, 429.
    @Sendable private func open(_ request: Request, context: SiteContext) async throws -> Reply {
        let author = try context.signedIn().account
        let group = try context.id("group", as: Groups.Group.self)
        var form = try context.form(request)
        let new = form.newThread()
        let book = form.optionalID("book_id", as: Catalog.Work.self)
        try form.check()
        return try await context.write(request) {
            try Boards.Routes.made(
                try await site.community.boards.open(new, in: group, about: book, by: author))
        }
    }
}
