import Community
import HTTPTypes
import Hummingbird

extension Lending.Routes {
    func addCheckouts(to routes: inout RouteTable) {
        routes.post(
            "/books/{book}/checkout", access: .reader,
            summary: "Check a book out of a library, the server's where you name none.", body: Self.place,
            status: .ok, reply: Self.checkout, checkOut)
        routes.post(
            "/books/{book}/return", access: .reader, summary: "Return a book to the library that you have it from.",
            body: Self.place, status: .ok, reply: Self.checkout, giveBack)
        routes.post(
            "/books/{book}/renew", access: .reader, summary: "Put off the day on which a book is due.",
            body: Self.place, status: .ok, reply: Self.checkout, renew)
        routes.post(
            "/checkouts/{checkout}/return", access: .reader,
            summary: "Take a copy back for a library that you contribute to.", status: .ok, reply: Self.checkout,
            takeBack)
        routes.get(
            "/me/borrowed", access: .reader, summary: "The books that you have borrowed, by title.",
            query: QueryParameter.paging, reply: .page(Self.checkout), borrowed)
        routes.get(
            "/me/library", access: .reader,
            summary: "The books that you own, have borrowed or have bookmarks in, each once, by title.",
            query: Self.myBooksQuery + QueryParameter.paging, reply: .page(Self.myBook), myBooks)
        routes.get(
            "/libraries/{library}/checkouts", summary: "The books that are out of a library, by title.",
            query: QueryParameter.paging, reply: .page(Self.checkout), checkouts)
    }

    /// `POST /books/{book}/checkout` `{library_id?}` → 200, also where you have it already; 403 `not_a_member`, `account_frozen`, 404,
    /// 409 `all_out`, `too_many_checkouts`, 422.
    @Sendable private func checkOut(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let work = try context.id("book", as: Catalog.Work.self)
        let library = try Self.place(request, context)
        return try await context.write(
            request, again: { _ in try await latest(of: work, from: library, by: reader) }
        ) {
            try Reply.json(.ok, try await store.checkOut(work, from: library, by: reader).checkout)
        }
    }

    /// `POST /books/{book}/return` `{library_id?}` → 200, also where you have returned it already; 404 where you never had it from there.
    @Sendable private func giveBack(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let work = try context.id("book", as: Catalog.Work.self)
        let library = try Self.place(request, context)
        return try await context.write(
            request, again: { _ in try await latest(of: work, from: library, by: reader) }
        ) {
            try Reply.json(.ok, try await store.giveBack(work, to: library, by: reader))
        }
    }

    /// `POST /books/{book}/renew` `{library_id?}` → 200; 403, 404, 409 `never_due`, `lender_decides`, `too_many_renewals`.
    /// Refused with `account_frozen` too.
    @Sendable private func renew(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let work = try context.id("book", as: Catalog.Work.self)
        let library = try Self.place(request, context)
        return try await context.write(
            request, again: { _ in try await latest(of: work, from: library, by: reader) }
        ) {
            try Reply.json(.ok, try await store.renew(work, from: library, by: reader))
        }
    }

    /// `POST /checkouts/{checkout}/return` → 200; 403 `account_frozen`, 404.
    @Sendable private func takeBack(_ request: Request, context: SiteContext) async throws -> Reply {
        let identity = try context.signedIn()
        let id = try context.id("checkout", as: Lending.Checkout.self)
        return try await context.write(
            request, again: { _ in try Reply.json(.ok, try await store.checkout(id, for: identity.account)) }
        ) {
            try Reply.json(.ok, try await store.takeBack(id, by: identity))
        }
    }

    private func latest(
        of work: ID<Catalog.Work>, from library: ID<Lending.SharedLibrary>, by reader: ID<Accounts.Account>
    ) async throws -> Reply {
        try Reply.json(.ok, try await store.checkout(of: work, from: library, by: reader))
    }

    /// `GET /me/library?of=all|owned|borrowed|bookmarked&q` → 200 with a page.
    @Sendable private func myBooks(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let query = try context.query()
        let which = try query.choice("of", Lending.MyBooks.self) ?? .all
        let words = try query.text("q", bytes: 1...100)
        let filter = [reader.text, which.rawValue, words ?? ""].joined(separator: " ")
        let page = try context.page(list: "my-library", filter: filter, key: Lending.MyBookKey.self)
        return try Reply.page(
            try await store.books(which, words: words, of: reader, page: page), list: "my-library", filter: filter,
            context: context)
    }

    private static let myBooksQuery = [
        QueryParameter("of", .choice(Lending.MyBooks.allCases.map(\.rawValue)), "Which; `all` where it is left out."),
        QueryParameter("q", .string(1...100), "What stands in the title."),
    ]

    /// A book, and what it is to the caller.
    static let myBook = Schema.object(
        "MyBook",
        [
            "book": Reviews.Routes.book, "is_owned": .boolean, "is_borrowed": .boolean, "due_at": .orNull(.time),
            "bookmark_count": .integer,
        ])

    /// `GET /me/borrowed` → 200 with a page.
    @Sendable private func borrowed(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let page = try context.page(list: "borrowed", filter: reader.text, key: Lending.CheckoutKey.self)
        return try Reply.page(
            try await store.borrowed(by: reader, page: page), list: "borrowed", filter: reader.text, context: context)
    }

    /// `GET /libraries/{library}/checkouts` → 200 with a page; 404.
    @Sendable private func checkouts(_ request: Request, context: SiteContext) async throws -> Reply {
        let id = try Self.library(context)
        let page = try context.page(list: "checkouts", filter: id.text, key: Lending.CheckoutKey.self)
        return try Reply.page(
            try await store.checkouts(of: id, for: context.viewer, page: page), list: "checkouts", filter: id.text,
            context: context)
    }

    /// `{library_id?}`, or no body at all.
    private static func place(
        _ request: Request, _ context: SiteContext
    ) throws -> ID<Lending.SharedLibrary> {
        var form = try context.form(request)
        let library = form.optionalID("library_id", as: Lending.SharedLibrary.self)
        try form.check()
        return library ?? .server
    }
}
