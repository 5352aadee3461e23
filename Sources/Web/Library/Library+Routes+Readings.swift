import Community
import HTTPTypes
import Hummingbird

extension Library.Routes {
    func addReadings(to routes: inout RouteTable) {
        routes.patch(
            "/books/{book}/readings/{reading}", access: .reader,
            summary: "Change the dates of one of your readings of a book, or whether you finished it.",
            body: Self.readingChange, reply: Self.shelved, changeReading)
        routes.delete(
            "/books/{book}/readings/{reading}", summary: "Take out one of your readings of a book that is over.",
            status: .ok, reply: Self.shelved, removeReading)
    }

    /// `PATCH /books/{book}/readings/{reading}` `{outcome?, started?, finished?}` → 200 with the book; what is left out stays, a null date
    /// clears it. 403 `account_frozen`, 404, 409 `still_read`, 412, 422.
    @Sendable private func changeReading(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let work = try context.id("book", as: Catalog.Work.self)
        let reading = try context.id("reading", as: Library.Reading.self)
        var form = try context.form(request)
        let outcome = form.optionalChoice("outcome", Library.Reading.Outcome.self)
        let started = Self.date("started", &form)
        let finished = Self.date("finished", &form)
        try form.check()
        let change = Library.ReadingChange(
            outcome: outcome, started: form.change("started", started), finished: form.change("finished", finished))
        let version = Precondition(request.headers[.ifMatch], of: "shelf")
        return try await context.write(request) {
            let shelved = try await store.change(reading, of: work, change, by: reader, ifVersion: version)
            return try Reply.json(.ok, shelved).tagged(shelved)
        }
    }

    /// `DELETE /books/{book}/readings/{reading}` → 200 with the book; 403 `account_frozen`, 404, 409 `reading_open`, `still_read`, 412.
    @Sendable private func removeReading(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let work = try context.id("book", as: Catalog.Work.self)
        let reading = try context.id("reading", as: Library.Reading.self)
        let version = Precondition(request.headers[.ifMatch], of: "shelf")
        return try await context.write(request) {
            let shelved = try await store.remove(reading, of: work, by: reader, ifVersion: version)
            return try Reply.json(.ok, shelved).tagged(shelved)
        }
    }

    private static let readingChange = Schema.object(
        "BookReadingChange", [:],
        optional: [
            "outcome": .orNull(.choice(Library.Reading.Outcome.allCases.map(\.rawValue))),
            "started": .orNull(partialDate), "finished": .orNull(partialDate),
        ])
}

extension Reply {
    /// Tagged with the entry's version, for `If-Match`, behind a hash of the body, for `If-None-Match`: a rating, a position or a title may
    /// change what is shown without being a change of the entry.
    func tagged(_ shelved: Library.Shelved) -> Reply { tagged("shelf", version: shelved.entry.version) }

    /// The same for a list.
    func tagged(_ list: Library.List) -> Reply { tagged("list", version: list.version) }

    private func tagged(_ kind: String, version: Int) -> Reply {
        guard case .bytes(let bytes) = content else { return self }
        let hash = EntityTag.of(bytes).filter { $0.isLetter || $0.isNumber }
        return tagged("\(kind)-\(hash)-\(version)")
    }
}
