import Community
import HTTPTypes
import Hummingbird

extension Library.Routes {
    func addSharing(to routes: inout RouteTable) {
        routes.post(
            "/me/shelves/{shelf}/link",
            summary: "Make a link by which anybody reads one of your shelves, or `all`; the one before ends.",
            reply: Self.link, shareShelf)
        routes.delete(
            "/me/shelves/{shelf}/link", summary: "Revoke the link to one of your shelves, or to `all`.", unshareShelf)
        routes.post(
            "/lists/{list}/link", summary: "Make a link by which anybody reads your list; the one before ends.",
            reply: Self.link, shareList)
        routes.delete("/lists/{list}/link", summary: "Revoke the link to your list.", unshareList)
        routes.get(
            "/shared/{token}", summary: "What a link opens: a shelf, all shelves, a list or a shared library.",
            reply: Self.shared, shared)
        routes.get(
            "/shared/{token}/shelf", summary: "The books on a shelf that was shared by a link.",
            query: [
                QueryParameter(
                    "shelf", Self.anyShelf,
                    "Which shelf, where the link opens a whole library; `all` where it is left out.")
            ] + Self.shelfQuery + QueryParameter.paging,
            reply: Self.shelfPage, sharedShelf)
        routes.get(
            "/shared/{token}/books", summary: "The books of a list that was shared by a link.",
            query: QueryParameter.paging, reply: .page(Self.item), sharedBooks)
    }

    /// `POST /me/shelves/{shelf}/link` → 201 `{token, path}`; the token is told now and never again. 403, 404.
    @Sendable private func shareShelf(_ request: Request, context: SiteContext) async throws -> Reply {
        let identity = try context.signedIn()
        let shelf = try Self.asked(context)
        return try await context.write(request) {
            try Self.reply(to: try await store.share(shelf.status, by: identity))
        }
    }

    /// `DELETE /me/shelves/{shelf}/link` → 204, also where there is none; 404 for a shelf that there is not.
    @Sendable private func unshareShelf(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let shelf = try Self.asked(context)
        return try await context.write(request) {
            try await store.unshare(shelf.status, by: reader)
            return .noContent
        }
    }

    /// `POST /lists/{list}/link` → 201 `{token, path}`; 403, 404.
    @Sendable private func shareList(_ request: Request, context: SiteContext) async throws -> Reply {
        let identity = try context.signedIn()
        let list = try context.id("list", as: Library.List.self)
        return try await context.write(request) {
            try Self.reply(to: try await store.share(list, by: identity))
        }
    }

    /// `DELETE /lists/{list}/link` → 204, also where there is none; 404.
    @Sendable private func unshareList(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let list = try context.id("list", as: Library.List.self)
        return try await context.write(request) {
            try await store.unshare(list, by: reader)
            return .noContent
        }
    }

    /// `GET /shared/{token}` → 200 `{kind, reader, shelf, list}`; 404 for one that was revoked and for what is none.
    @Sendable private func shared(_ request: Request, context: SiteContext) async throws -> Reply {
        let token = try context.text("token")
        if let (library, reader) = try await site.community.lending.linked(token, for: context.viewer) {
            return try Reply.json(.ok, SharedBody(kind: "shared_library", reader: reader, library: library))
        }
        switch try await store.shared(token, for: context.viewer) {
        case .shelf(let status, let reader):
            return try Reply.json(.ok, SharedBody(kind: "shelf", reader: reader, shelf: status))
        case .library(let reader):
            return try Reply.json(.ok, SharedBody(kind: "library", reader: reader))
        case .list(let list):
            return try Reply.json(.ok, SharedBody(kind: "list", reader: list.author, list: list))
        }
    }

    /// `GET /shared/{token}/shelf?shelf&sort&genre&q&is_rated&…` → 200 with a page; 403 `sort_is_private`, 404, 422.
    @Sendable private func sharedShelf(_ request: Request, context: SiteContext) async throws -> Reply {
        let token = try context.text("token")
        let wanted = try Self.wanted(context)
        let asked = try context.query().choice("shelf", AnyShelf.self).flatMap { Library.Shelf(name: $0.rawValue) }
        let filter = ([token, asked?.name ?? ""] + wanted.text).joined(separator: "\u{0}")
        let page = try context.page(list: "shared-shelf", filter: filter, key: Library.ShelfKey.self)
        let shelf = try await store.sharedShelf(token, asked, for: context.viewer).shelf
        let found = try await store.shelf(
            sharedAs: token, shelf, for: context.viewer, sort: wanted.sort, filter: wanted.filter, page: page)
        return try Reply.page(
            found.page, list: "shared-shelf", filter: filter, context: context,
            also: ["reader": found.reader, "shelf": shelf.name, "is_private": false])
    }

    /// `GET /shared/{token}/books` → 200 with a page; 404.
    @Sendable private func sharedBooks(_ request: Request, context: SiteContext) async throws -> Reply {
        let token = try context.text("token")
        let page = try context.page(list: "shared-list", filter: token, key: Library.ListKey.self)
        return try Reply.page(
            try await store.books(sharedAs: token, for: context.viewer, page: page), list: "shared-list", filter: token,
            context: context)
    }

    private static func asked(_ context: SiteContext) throws -> Library.Shelf {
        guard let shelf = Library.Shelf(name: try context.text("shelf")) else { throw Failure.notFound("shelf") }
        return shelf
    }

    /// The names of the shelves in a query.
    private enum AnyShelf: String, CaseIterable { case all, want, reading, paused, read, stopped }

    static func reply(to token: Token) throws -> Reply {
        let path = "/api/v1/shared/" + token.text
        return try Reply.json(.created, ["token": token.text, "path": path]).sealed
    }

    private struct SharedBody: Encodable, Sendable {
        let kind: String
        let reader: Accounts.Reader
        var shelf: Library.Status?
        var list: Library.List?
        var library: Lending.SharedLibrary?
    }

    static let link = Schema.object("ShareLink", ["token": .string, "path": .string])
    private static let shared = Schema.object(
        "Shared",
        [
            "kind": .choice(["shelf", "library", "list", "shared_library"]), "reader": Accounts.Routes.reader,
            "shelf": .orNull(shelf), "list": .orNull(list), "library": .orNull(Lending.Routes.library),
        ])
}
