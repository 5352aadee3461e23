import Community
import HTTPTypes
import Hummingbird

extension Lending.Routes {
    func addCopies(to routes: inout RouteTable) {
        routes.get(
            "/libraries/{library}/copies", summary: "The copies of a library, and which are out.",
            query: Self.copyQuery + QueryParameter.paging, reply: .page(Self.copy), copies)
        routes.post(
            "/libraries/{library}/copies", access: .reader,
            summary: "Record a copy of a book in a library that you contribute to.", body: Self.newCopy,
            reply: Self.copy, addCopy)
        routes.get("/copies/{copy}", summary: "One copy.", reply: Self.copy, oneCopy)
        routes.patch(
            "/copies/{copy}", access: .reader, summary: "Change the edition or the label of a copy.",
            body: Self.copyChange, reply: Self.copy, changeCopy)
        routes.delete("/copies/{copy}", summary: "Take a copy out of its library.", removeCopy)
        routes.get(
            "/shared/{token}/copies", summary: "The copies of a library that was shared by a link.",
            query: Self.copyQuery + QueryParameter.paging, reply: .page(Self.copy), sharedCopies)
    }

    /// `GET /libraries/{library}/copies?sort&q` → 200 with a page; 404, 422.
    @Sendable private func copies(_ request: Request, context: SiteContext) async throws -> Reply {
        let id = try Self.library(context)
        let (sort, words) = try Self.wanted(context)
        let filter = [id.text, sort.rawValue, words ?? ""].joined(separator: "\u{0}")
        let page = try context.page(list: "copies", filter: filter, key: Lending.CopyKey.self)
        return try Reply.page(
            try await store.copies(of: id, for: context.viewer, sort: sort, words: words, page: page), list: "copies",
            filter: filter, context: context)
    }

    /// `GET /shared/{token}/copies?sort&q` → 200 with a page; 404, 422.
    @Sendable private func sharedCopies(_ request: Request, context: SiteContext) async throws -> Reply {
        let token = try context.text("token")
        let (sort, words) = try Self.wanted(context)
        let filter = [token, sort.rawValue, words ?? ""].joined(separator: "\u{0}")
        let page = try context.page(list: "shared-copies", filter: filter, key: Lending.CopyKey.self)
        return try Reply.page(
            try await store.copies(sharedAs: token, for: context.viewer, sort: sort, words: words, page: page),
            list: "shared-copies", filter: filter, context: context)
    }

    /// `POST /libraries/{library}/copies` `{book_id, edition_id?, label?}` → 201; 403 `not_contributor`, `account_frozen`,
    /// `email_unverified`, 404, 409 `library_full`, 422.
    @Sendable private func addCopy(_ request: Request, context: SiteContext) async throws -> Reply {
        let identity = try context.signedIn()
        let id = try Self.library(context)
        var form = try context.form(request)
        let work = form.id("book_id", as: Catalog.Work.self)
        let edition = form.optionalID("edition_id", as: Catalog.Edition.self)
        let label = form.optionalString("label", bytes: Limits.lending.label)
        try form.check()
        return try await context.write(
            request,
            again: { done in
                let copy = try done.made(Lending.Copy.self)
                return try Reply.json(.ok, try await store.copy(copy, for: .reader(identity.account)))
            }
        ) {
            let copy = try await store.add(work, edition: edition, label: label, to: id, by: identity)
            return try Reply.created(copy, location: "/copies/\(copy.id)")
        }
    }

    /// `GET /copies/{copy}` → 200; 404.
    @Sendable private func oneCopy(_ request: Request, context: SiteContext) async throws -> Reply {
        try Reply.json(.ok, try await store.copy(try Self.copy(context), for: context.viewer))
    }

    /// `PATCH /copies/{copy}` `{edition_id?, label?}` → 200; null clears. 403 `not_contributor`, 404, 422.
    /// Refused with `account_frozen` too.
    @Sendable private func changeCopy(_ request: Request, context: SiteContext) async throws -> Reply {
        let identity = try context.signedIn()
        let id = try Self.copy(context)
        var form = try context.form(request)
        let edition = form.optionalID("edition_id", as: Catalog.Edition.self)
        let label = form.optionalString("label", bytes: Limits.lending.label)
        try form.check()
        let change = Lending.CopyChange(
            edition: form.change("edition_id", edition), label: form.change("label", label))
        return try await context.write(
            request, again: { _ in try Reply.json(.ok, try await store.copy(id, for: .reader(identity.account))) }
        ) {
            try Reply.json(.ok, try await store.change(id, change, by: identity))
        }
    }

    /// `DELETE /copies/{copy}` → 204; 403 `not_contributor`, 404, 409 `copy_out`.
    /// Refused with `account_frozen` too.
    @Sendable private func removeCopy(_ request: Request, context: SiteContext) async throws -> Reply {
        let identity = try context.signedIn()
        let id = try Self.copy(context)
        return try await context.write(request) {
            try await store.remove(id, by: identity)
            return .noContent
        }
    }

    static func copy(_ context: SiteContext) throws(Failure) -> ID<Lending.Copy> {
        try context.id("copy", as: Lending.Copy.self)
    }

    private static let copyQuery = [
        QueryParameter("sort", .choice(Lending.Sort.allCases.map(\.rawValue)), "`added` where it is left out."),
        QueryParameter("q", .string(1...100), "Words in title or author."),
    ]

    private static func wanted(_ context: SiteContext) throws -> (sort: Lending.Sort, words: String?) {
        let query = try context.query()
        return (try query.choice("sort", Lending.Sort.self) ?? .added, try query.text("q", bytes: 1...100))
    }
}
