import Community
import HTTPTypes
import Hummingbird

extension Places.Routes {
    func addBookmarks(to routes: inout RouteTable) {
        routes.get(
            "/books/{book}/bookmarks", access: .reader,
            summary: "Your bookmarks in a book, from its beginning, and where you left off.",
            query: QueryParameter.paging,
            reply: .page(Self.bookmark, name: "BookBookmarkPage", also: ["left_off": .orNull(Self.place)]), inBook)
        routes.post(
            "/books/{book}/bookmarks", access: .reader,
            summary: "Mark a place in a book; without one, where you left off.", body: Self.newBookmark,
            reply: Self.bookmark, mark)
        routes.get(
            "/me/bookmarks", access: .reader, summary: "Your bookmarks in all books, newest first.",
            query: QueryParameter.paging, reply: .page(Self.bookmark), all)
        routes.get(
            "/bookmarks/{bookmark}", access: .reader, summary: "One of your bookmarks.", reply: Self.bookmark, one)
        routes.patch(
            "/bookmarks/{bookmark}", access: .reader, summary: "Move your bookmark, or call it something else.",
            body: Self.newBookmark, reply: Self.bookmark, change)
        routes.delete("/bookmarks/{bookmark}", access: .reader, summary: "Take your bookmark out.", remove)
    }

    /// `GET /books/{book}/bookmarks` → 200 with a page; `left_off` is null where no position was logged.
    @Sendable private func inBook(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let work = try context.id("book", as: Catalog.Work.self)
        let filter = reader.text + " " + work.text
        let page = try context.page(list: "book-bookmarks", filter: filter, key: Places.BookmarkKey.self)
        async let bookmarks = store.bookmarks(in: work, of: reader, page: page)
        var place: Places.Place?
        do { place = try await store.place(in: work, of: reader) } catch Failure.notFound {}
        return try Reply.page(
            try await bookmarks, list: "book-bookmarks", filter: filter, context: context, also: ["left_off": place])
    }

    /// `POST /books/{book}/bookmarks` `{percent | page, page_count? or ebook? | chapter, label?}` → 201; 403 `account_frozen`, 404, 409
    /// `too_many_bookmarks`, 422 as for positions, and where no place is sent and none was logged.
    @Sendable private func mark(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let work = try context.id("book", as: Catalog.Work.self)
        var form = try context.form(request)
        let said = form.said()
        let label = form.optionalString("label", bytes: Limits.places.label)
        try form.check()
        return try await context.write(request) {
            let bookmark = try await store.mark(said, label: label, in: work, by: reader)
            return try Reply.created(bookmark, location: "/bookmarks/\(bookmark.id)").tagged(bookmark.tag)
        }
    }

    /// `GET /me/bookmarks` → 200 with a page.
    @Sendable private func all(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let page = try context.page(list: "bookmarks", filter: reader.text, key: ID<Places.Bookmark>.self)
        return try Reply.page(
            try await store.bookmarks(of: reader, page: page), list: "bookmarks", filter: reader.text,
            context: context)
    }

    /// `GET /bookmarks/{bookmark}` → 200; 404, also for another reader's.
    @Sendable private func one(_ request: Request, context: SiteContext) async throws -> Reply {
        let bookmark = try await store.bookmark(
            try context.id("bookmark", as: Places.Bookmark.self), of: try context.signedIn().account)
        return try Reply.json(.ok, bookmark).tagged(bookmark.tag)
    }

    /// `PATCH /bookmarks/{bookmark}` `{percent | page, page_count? or ebook? | chapter, label?}` → 200; what is left out stays, a null label
    /// clears it. 403, 404, 412, 422.
    /// Refused with `account_frozen`, `precondition_failed` too.
    @Sendable private func change(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let id = try context.id("bookmark", as: Places.Bookmark.self)
        var form = try context.form(request)
        let said = form.said()
        let label = form.optionalString("label", bytes: Limits.places.label)
        try form.check()
        let change: FieldChange<String> = form.change("label", label)
        let version = Precondition(request.headers[.ifMatch], of: "bookmark")
        return try await context.write(request) {
            let bookmark = try await store.change(id, to: said, label: change, by: reader, ifVersion: version)
            return try Reply.json(.ok, bookmark).tagged(bookmark.tag)
        }
    }

    /// `DELETE /bookmarks/{bookmark}` → 204; 403 `account_frozen`, 404.
    @Sendable private func remove(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let id = try context.id("bookmark", as: Places.Bookmark.self)
        return try await context.write(request) {
            try await store.remove(id, by: reader)
            return .noContent
        }
    }
}

extension Places.Bookmark {
    /// The `ETag` without its quotes: id and version.
    fileprivate var tag: String { "bookmark-\(id)-\(version)" }
}
