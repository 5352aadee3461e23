import Community
import HTTPTypes
import Hummingbird
import JSONWriting

extension Library.Routes {
    func addLists(to routes: inout RouteTable) {
        routes.get(
            "/me/lists", access: .reader, summary: "Your lists, newest first.", query: QueryParameter.paging,
            reply: .page(Self.list), myLists)
        routes.post(
            "/me/lists", access: .reader, summary: "Make a list.", body: Self.newList, reply: Self.list, makeList)
        routes.get(
            "/readers/{username}/lists", summary: "A reader's lists, newest first.", query: QueryParameter.paging,
            reply: .page(Self.list, name: "ReaderListPage", also: ["is_private": .boolean]), lists)
        routes.get(
            "/lists/{list}", summary: "One list.", reply: Self.list, oneList)
        routes.patch(
            "/lists/{list}", access: .reader, summary: "Change the title, description or level of your list.",
            body: Self.listChange, reply: Self.list, changeList)
        routes.delete("/lists/{list}", summary: "Delete your list.", removeList)
        routes.get(
            "/lists/{list}/books", summary: "The books of a list in its order.", query: QueryParameter.paging,
            reply: .page(Self.item), books)
        routes.put(
            "/lists/{list}/books/{book}", access: .reader,
            summary: "Put a book on your list, move it, or change what you say about it there.", body: Self.newItem,
            reply: Self.item, putBook)
        routes.delete("/lists/{list}/books/{book}", summary: "Take a book off your list.", takeBook)
    }

    /// `GET /me/lists` → 200 with a page.
    @Sendable private func myLists(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let page = try context.page(list: "lists", filter: reader.text, key: ID<Library.List>.self)
        return try Reply.page(
            try await store.lists(of: reader, for: .reader(reader), page: page), list: "lists", filter: reader.text,
            context: context)
    }

    /// `GET /readers/{username}/lists` → 200 with a page of those that you may see; 404.
    @Sendable private func lists(_ request: Request, context: SiteContext) async throws -> Reply {
        let username = try context.text("username")
        let filter = Accounts.Username.fold(username)
        let page = try context.page(list: "reader-lists", filter: filter, key: ID<Library.List>.self)
        let found = try await store.lists(of: username, for: context.viewer, page: page)
        let isPrivate = try await context.isPrivate(.lists, of: username, found, page)
        return try Reply.page(
            found, list: "reader-lists", filter: filter, context: context, also: ["is_private": isPrivate])
    }

    /// `POST /me/lists` `{title, description?, visibility?}` → 201; 403 `account_frozen`, `email_unverified`, 409 `too_many_lists`, 422.
    @Sendable private func makeList(_ request: Request, context: SiteContext) async throws -> Reply {
        let identity = try context.signedIn()
        var form = try context.form(request)
        let new = Library.NewList(
            title: form.string("title", bytes: Limits.library.listTitle),
            description: form.optionalString("description", bytes: Limits.library.listDescription),
            visibility: form.optionalChoice("visibility", Level.self)?.visibility)
        try form.check()
        return try await context.write(request) {
            let list = try await store.make(new, by: identity)
            return try Reply.created(list, location: "/lists/\(list.id)").tagged(list)
        }
    }

    /// `GET /lists/{list}` → 200; 404, also for one that its reader keeps from you.
    @Sendable private func oneList(_ request: Request, context: SiteContext) async throws -> Reply {
        let id = try context.id("list", as: Library.List.self)
        let list = try await store.list(id, for: context.viewer)
        return try Reply.json(.ok, list).tagged(list)
    }

    /// `PATCH /lists/{list}` `{title?, description?, visibility?}` → 200; what is left out stays, null clears. 403, 404, 412, 422.
    /// Refused with `account_frozen`, `precondition_failed` too.
    @Sendable private func changeList(_ request: Request, context: SiteContext) async throws -> Reply {
        let identity = try context.signedIn()
        let id = try context.id("list", as: Library.List.self)
        var form = try context.form(request)
        let title = form.optionalString("title", bytes: Limits.library.listTitle)
        if form.has("title"), title == nil, form.faults.all.isEmpty {
            form.fault("title", .required, "a list has a title")
        }
        let description = form.optionalString("description", bytes: Limits.library.listDescription)
        let visibility = form.optionalChoice("visibility", Level.self)?.visibility
        try form.check()
        let change = Library.ListChange(
            title: title, description: form.change("description", description),
            visibility: form.change("visibility", visibility))
        let version = Precondition(request.headers[.ifMatch], of: "list")
        return try await context.write(request) {
            let list = try await store.change(id, change, by: identity, ifVersion: version)
            return try Reply.json(.ok, list).tagged(list)
        }
    }

    /// `DELETE /lists/{list}` → 204; 403 `account_frozen`, 404, 412.
    /// Refused with `precondition_failed` too.
    @Sendable private func removeList(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let id = try context.id("list", as: Library.List.self)
        let version = Precondition(request.headers[.ifMatch], of: "list")
        return try await context.write(request) {
            try await store.remove(id, by: reader, ifVersion: version)
            return .noContent
        }
    }

    /// `GET /lists/{list}/books` → 200 with a page; 404, also for a list that its reader keeps from you.
    @Sendable private func books(_ request: Request, context: SiteContext) async throws -> Reply {
        let id = try context.id("list", as: Library.List.self)
        let page = try context.page(list: "list-books", filter: id.text, key: Library.ListKey.self)
        return try Reply.page(
            try await store.books(on: id, for: context.viewer, page: page), list: "list-books", filter: id.text,
            context: context)
    }

    /// `PUT /lists/{list}/books/{book}` `{after?, note?}` → 201 for a book that is new there, 200 otherwise. `after`: the book that it
    /// is to follow; null for the first place; left out, it stays where it is or goes to the end. 404, 409 `list_full`, 412 by the list's version, 422.
    /// Refused with `account_frozen`, `precondition_failed` too.
    @Sendable private func putBook(_ request: Request, context: SiteContext) async throws -> Reply {
        let identity = try context.signedIn()
        let id = try context.id("list", as: Library.List.self)
        let work = try context.id("book", as: Catalog.Work.self)
        var form = try context.form(request)
        let after = form.optionalID("after", as: Catalog.Work.self)
        let note = form.optionalString("note", bytes: Limits.library.note)
        try form.check()
        let spot: Library.Spot = form.has("after") ? after.map { .after($0) } ?? .first : .keep
        let change: FieldChange<String> = form.change("note", note)
        let version = Precondition(request.headers[.ifMatch], of: "list")
        return try await context.write(request) {
            let (item, isNew) = try await store.put(
                work, on: id, at: spot, note: change, by: identity, ifVersion: version)
            guard isNew else { return try Reply.json(.ok, item) }
            return try Reply.created(item, location: "/lists/\(id)/books/\(item.book.id)")
        }
    }

    /// `DELETE /lists/{list}/books/{book}` → 204, also where it is not on the list; 403 `account_frozen`, 404, 412.
    /// Refused with `precondition_failed` too.
    @Sendable private func takeBook(_ request: Request, context: SiteContext) async throws -> Reply {
        let identity = try context.signedIn()
        let id = try context.id("list", as: Library.List.self)
        let work = try context.id("book", as: Catalog.Work.self)
        let version = Precondition(request.headers[.ifMatch], of: "list")
        return try await context.write(request) {
            try await store.take(work, off: id, by: identity, ifVersion: version)
            return .noContent
        }
    }

    /// `is_hidden`: a moderator hides it, and its reader alone sees it; `visibility` is then what it comes back with.
    static let list = Schema.object(
        "BookList",
        [
            "id": .id, "author": Accounts.Routes.reader, "title": .string(Limits.library.listTitle),
            "description": .orNull(.string(Limits.library.listDescription)), "visibility": .orNull(level),
            "is_hidden": .boolean, "book_count": .integer, "is_followed": .boolean,
            "version": .integer(1...Int(Int32.max)), "created_at": .time, "changed_at": .time,
        ])

    static let newList = Schema.object(
        "NewBookList", ["title": .string(Limits.library.listTitle)],
        optional: [
            "description": .orNull(.string(Limits.library.listDescription)), "visibility": .orNull(level),
        ])

    static let listChange = Schema.object(
        "BookListChange", [:],
        optional: [
            "title": .string(Limits.library.listTitle),
            "description": .orNull(.string(Limits.library.listDescription)), "visibility": .orNull(level),
        ])

    static let item = Schema.object(
        "BookListItem",
        ["book": Reviews.Routes.book, "note": .orNull(.string(Limits.library.note)), "added_at": .time])

    static let newItem = Schema.object(
        "NewBookListItem", [:], optional: ["after": .orNull(.id), "note": .orNull(.string(Limits.library.note))])
}
