import Community
import HTTPTypes
import Hummingbird

extension Catalog.Routes {
    func addHelping(to routes: inout RouteTable) {
        routes.post(
            "/books",
            summary:
                "Add a book with its first edition. One that may be there already is refused with `candidates` (409 "
                + "`may_exist`): send `is_confirmed: true` when it is another one.",
            body: Self.newBook, reply: Self.book, addBook)
        routes.post(
            "/books/{book}/editions",
            summary: "Add an edition: a librarian's is there at once, a member's waits as a proposal.",
            body: Catalog.Field.body(
                "NewEdition", Catalog.Field.edition.filter { ![.book, .locked].contains($0.name) },
                also: [("reason", Self.reason)]),
            reply: Self.corrected, addEdition)
        for (kind, fields, name) in [
            (Catalog.Thing.Kind.book, Catalog.Field.book, "CorrectBook"),
            (.edition, Catalog.Field.edition, "CorrectEdition"), (.author, Catalog.Field.author, "CorrectAuthor"),
        ] {
            let path = "/\(Self.plural(kind))/{\(kind.rawValue)}"
            routes.patch(
                path,
                summary: "Correct fields: a librarian's word holds at once, a member's waits as a proposal.",
                body: Catalog.Field.body(
                    name, fields,
                    also: [("reason", Self.reason), ("version", .orNull(.integer(1...Int(Int32.max))))]),
                reply: Self.corrected
            ) { request, context in try await correct(kind, request, context) }
            routes.get(
                path + "/revisions", summary: "What people changed about it, newest first.",
                query: QueryParameter.paging, reply: .page(Self.revision)
            ) { request, context in try await revisions(kind, context) }
            routes.post(
                path + "/merge", summary: "Take everything that hangs on it over to another one. For librarians.",
                body: .object("Merge", ["into": .id], optional: ["reason": Self.reason]),
                status: .noContent
            ) { request, context in try await merge(kind, request, context) }
        }
        routes.post(
            "/revisions/{revision}/undo", summary: "Take a correction back. For librarians.",
            body: .object("Undo", [:], optional: ["reason": Self.reason]), status: .ok,
            reply: Self.corrected, undo)
    }

    /// Why something is changed, in a request.
    private static let reason = Schema.orNull(.string(Limits.catalog.changeReason))

    static func plural(_ kind: Catalog.Thing.Kind) -> String { kind.rawValue + "s" }

    /// What `{kind}` in the path names.
    private func thing(_ kind: Catalog.Thing.Kind, _ context: SiteContext) throws(Failure) -> Catalog.Thing {
        switch kind {
        case .book: .book(try context.id("book", as: Catalog.Work.self))
        case .edition: .edition(try context.id("edition", as: Catalog.Edition.self))
        case .author: .author(try context.id("author", as: Catalog.Author.self))
        }
    }

    func helper(_ context: SiteContext) throws(Failure) -> Catalog.Helper {
        try Catalog.Helper(try context.signedIn(), in: site.community.services)
    }

    /// `POST /books` → 201 with the book's page; 403 `account_limited`, `account_new`, 409 `may_exist` with `candidates`, 422, 429.
    @Sendable private func addBook(_ request: Request, context: SiteContext) async throws -> Reply {
        let helper = try helper(context)
        var form = try context.form(request)
        let book = form.facts(Catalog.Field.book, except: [.locked])
        let edition = form.facts(Self.editionFields)
        let isConfirmed = form.boolean("is_confirmed", default: false)
        try form.check()
        let new = Catalog.AddedBook(book: book, edition: edition, isConfirmed: isConfirmed)
        return try await context.write(request) {
            do {
                let page = try await store.book(try await store.add(new, by: helper))
                return Reply(
                    status: .created,
                    headers: [.contentType: "application/json", .location: "/api/v1/books/\(page.id)"],
                    content: .bytes(try Self.encode(page, base: context.base, mine: Mine(photos: .nothing))))
            } catch let found as Catalog.NearDuplicates {
                throw try await Self.problem(found, context)
            }
        }
    }

    /// `POST /books/{book}/editions` → 201 `{outcome, edition_id, proposal_id, …}`; 403 `account_limited`, `account_new`, 404, 409 `isbn_taken`,
    /// `too_many_proposals`, 422.
    @Sendable private func addEdition(_ request: Request, context: SiteContext) async throws -> Reply {
        let helper = try helper(context)
        let book = try context.id("book", as: Catalog.Work.self)
        var form = try context.form(request)
        let facts = form.facts(Catalog.Field.edition)
        let reason = form.optionalString("reason", bytes: Limits.catalog.changeReason) ?? ""
        try form.check()
        return try await context.write(request) {
            try Reply.json(
                .created, CorrectedBody(try await store.addEdition(facts, to: book, reason: reason, by: helper)))
        }
    }

    private static func problem(
        _ found: Catalog.NearDuplicates, _ context: SiteContext
    ) async throws -> Problem {
        var problem = Problem(
            .mayExist, "Look at the candidates; where it is none of them, send it again with `is_confirmed: true`.")
        problem.candidates = try await context.items(found.candidates)
        return problem
    }

    /// `PATCH /books/{book}`, `PATCH /authors/{author}` and `PATCH /editions/{edition}` → 200
    /// `{outcome, proposal_id, revision_id, version}`; 403 `not_librarian`, 404, 409 `too_many_proposals`,
    /// 412 where `version` is not the one that is there, 422.
    /// Refused with `precondition_failed` too.
    private func correct(
        _ kind: Catalog.Thing.Kind, _ request: Request, _ context: SiteContext
    ) async throws -> Reply {
        let helper = try helper(context)
        let thing = try thing(kind, context)
        var form = try context.form(request)
        let facts = form.facts(Catalog.Field.all(of: kind))
        let reason = form.optionalString("reason", bytes: Limits.catalog.changeReason) ?? ""
        let version = form.optionalInteger("version", in: 1...Int(Int32.max))
        try form.check()
        return try await context.write(request) {
            try Reply.json(
                .ok,
                CorrectedBody(
                    try await store.correct(thing, facts, reason: reason, by: helper, ifVersion: version)))
        }
    }

    /// `GET /books/{book}/revisions` and its like → 200 with a page; what does not exist has none.
    private func revisions(_ kind: Catalog.Thing.Kind, _ context: SiteContext) async throws -> Reply {
        let thing = try thing(kind, context)
        let page = try await store.revisions(
            of: thing, for: context.viewer,
            try context.page(list: "revisions", filter: thing.name, key: ID<Catalog.Revision>.self))
        let bodies = page.map(RevisionBody.init)
        return try Reply.page(bodies, list: "revisions", filter: thing.name, context: context)
    }

    /// `POST /books/{book}/merge`, `POST /authors/{author}/merge` and `POST /editions/{edition}/merge` `{into, reason}` → 204; 403 `not_librarian`, 404, 409, 422, 503 while an
    /// import takes long over a batch.
    /// Refused with `other_book` too.
    private func merge(
        _ kind: Catalog.Thing.Kind, _ request: Request, _ context: SiteContext
    ) async throws -> Reply {
        let helper = try helper(context)
        let from = try thing(kind, context)
        var form = try context.form(request)
        let into = form.id("into", as: Catalog.Thing.self)
        let reason = form.optionalString("reason", bytes: Limits.catalog.changeReason) ?? ""
        try form.check()
        return try await store.merging {
            try await context.write(request) {
                try await store.merge(from, into: Catalog.Thing(kind, into.rawValue), reason: reason, by: helper)
                return .noContent
            }
        }
    }

    /// `POST /revisions/{revision}/undo` `{reason}` → 200; 403 `not_librarian`, 404, 409 `changed_since`, `cannot_undo`, `already_undone`.
    @Sendable private func undo(_ request: Request, context: SiteContext) async throws -> Reply {
        let helper = try helper(context)
        let revision = try context.id("revision", as: Catalog.Revision.self)
        var form = try context.form(request)
        let reason = form.optionalString("reason", bytes: Limits.catalog.changeReason) ?? ""
        try form.check()
        return try await context.write(request) {
            try Reply.json(.ok, CorrectedBody(try await store.undo(revision, reason: reason, by: helper)))
        }
    }

    /// The fields of a new book that its edition has alone.
    static let editionFields = Catalog.Field.edition.filter {
        ![.book, .title, .subtitle, .language, .locked].contains($0.name)
    }

    static let newBook = Catalog.Field.body(
        "NewBook", Catalog.Field.book.filter { $0.name != .locked } + editionFields,
        also: [("is_confirmed", .orNull(.boolean))])
}
