import Community
import HTTPTypes
import Hummingbird

extension Places {
    /// Positions, bookmarks and chapters over HTTP.
    package struct Routes: Sendable {
        let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            routes.put(
                "/books/{book}/position", access: .reader,
                summary:
                    "Say how far you are in a book: opens it (`reading`), or finishes it (`read`) at its end. A device that "
                    + "is behind another is refused with `positions` (409 `position_behind`), what it sent and what is there.",
                body: Self.step, reply: Self.place, log)
            routes.get(
                "/books/{book}/position", access: .reader, summary: "Where you left off in a book.",
                reply: Self.place, place)
            routes.get(
                "/books/{book}/position/journal", access: .reader,
                summary: "Every step of yours through a book, last first.",
                query: QueryParameter.paging, reply: .page(Self.logged), journal)
            routes.get(
                "/me/reading", access: .reader,
                summary:
                    "The books that you are in, with the place left off, the one read last first: to go on reading.",
                query: QueryParameter.paging, reply: .page(Self.place), places)
            addBookmarks(to: &routes)
        }

        var store: Store { site.community.places }

        /// `PUT /books/{book}/position` `{percent | page, page_count? or ebook? | chapter, device, seen?, meant?}` → 201 for the first in a
        /// book, 200; 403 `account_frozen`, `not_on_loan`, `loan_ended`, 404, 409 `position_behind` (then `meant` says which holds: `mine`, the one sent, or `theirs`) and `library_full`, 422 with
        /// `pages_unknown` or `chapters_unknown` where that way is closed.
        @Sendable private func log(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let work = try context.id("book", as: Catalog.Work.self)
            var form = try context.form(request)
            let said = form.said()
            let device = form.string("device", bytes: Limits.places.device)
            let seen = form.optionalInteger("seen", in: 0...Int(Int32.max))
            let meant = form.optionalChoice("meant", Meant.self)
            if said == nil, form.faults.all.isEmpty {
                form.fault("percent", .required, "say percent, page or chapter")
            }
            try form.check()
            guard let said else { throw Failure.invalid("/percent", .required, "say percent, page or chapter") }
            let step = Step(said, device: device, seen: seen, meant: meant)
            return try await context.write(request) {
                do {
                    let (place, isFirst) = try await store.log(step, in: work, by: reader)
                    guard isFirst else { return try Reply.json(.ok, place) }
                    return try Reply.created(place, location: "/books/\(place.book.id)/position")
                } catch let conflict as Conflict {
                    throw Self.problem(conflict)
                }
            }
        }

        private static func problem(_ conflict: Conflict) -> Problem {
            var problem = Problem(
                .positionBehind,
                "Send it again with `meant`: `mine` for the position that was sent, `theirs` for the one that is there."
            )
            problem.positions = [SentBody(conflict), conflict.there]
            return problem
        }

        /// `GET /books/{book}/position` → 200; 404 where you logged none.
        @Sendable private func place(_ request: Request, context: SiteContext) async throws -> Reply {
            let work = try context.id("book", as: Catalog.Work.self)
            return try Reply.json(.ok, try await store.place(in: work, of: try context.signedIn().account))
        }

        /// `GET /books/{book}/position/journal` → 200 with a page; 404 where the book is not in your library.
        @Sendable private func journal(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let work = try context.id("book", as: Catalog.Work.self)
            let filter = reader.text + " " + work.text
            let page = try context.page(list: "journal", filter: filter, key: ID<Logged>.self)
            return try Reply.page(
                try await store.journal(of: work, by: reader, page: page), list: "journal", filter: filter,
                context: context)
        }

        /// `GET /me/reading` → 200 with a page.
        @Sendable private func places(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let page = try context.page(list: "me-reading", filter: reader.text, key: Key.self)
            return try Reply.page(
                try await store.places(of: reader, page: page), list: "me-reading", filter: reader.text,
                context: context)
        }
    }
}

extension Places.Routes {
    /// What was sent, beside what is there.
    private struct SentBody: Encodable, Sendable {
        let position: Int
        let percent: Double
        let page: Int?
        let device: String

        init(_ conflict: Places.Conflict) {
            position = conflict.sent
            percent = Double(conflict.sent) / 100
            page = conflict.sentPage
            device = conflict.device
        }
    }

    private static let part = Schema.integer(0...10_000)
    private static let page = Schema.orNull(.integer(0...Limits.places.pages.upperBound))
    private static let pages = Schema.orNull(.integer(Limits.places.pages))
    private static let device = Schema.string(Limits.places.device)

    /// Of the problem `position_behind`.
    static let behind = Schema.object(
        "Behind", ["position": part, "percent": .number(0...100), "page": page, "device": .orNull(device)],
        optional: [
            "book": Reviews.Routes.book, "shelf": Library.Routes.shelf, "page_count": pages, "ebook_id": .orNull(.id),
            "logged_at": .time, "version": .integer,
        ])

    private static let step = Schema.object(
        "Step", ["device": device],
        optional: [
            "percent": .orNull(.number(0...100)), "page": page, "page_count": pages, "ebook": .orNull(.id),
            "chapter": .orNull(.integer(Limits.places.chapters)), "seen": .orNull(.integer(0...Int(Int32.max))),
            "meant": .orNull(.choice(Places.Meant.allCases.map(\.rawValue))),
        ])

    static let place = Schema.object(
        "Place",
        [
            "book": Reviews.Routes.book, "shelf": Library.Routes.shelf, "position": part, "percent": .number(0...100),
            "page": page, "page_count": pages, "ebook_id": .orNull(.id), "device": .orNull(device), "logged_at": .time,
            "version": .integer,
        ])

    private static let logged = Schema.object(
        "LoggedStep",
        [
            "id": .id, "position": part, "percent": .number(0...100), "page": page, "device": .orNull(device),
            "logged_at": .time,
        ])

    static let newBookmark = Schema.object(
        "NewBookmark", [:],
        optional: [
            "percent": .orNull(.number(0...100)), "page": page, "page_count": pages, "ebook": .orNull(.id),
            "chapter": .orNull(.integer(Limits.places.chapters)), "label": .orNull(.string(Limits.places.label)),
        ])

    static let bookmark = Schema.object(
        "Bookmark",
        [
            "id": .id, "book": Reviews.Routes.book, "position": part, "percent": .number(0...100), "page": page,
            "page_count": pages, "label": .orNull(.string(Limits.places.label)), "ebook_id": .orNull(.id),
            "version": .integer(1...Int(Int32.max)),
            "created_at": .time, "changed_at": .time,
        ])
}

extension Form {
    /// One of `percent`, `page` with perhaps `page_count`, and `chapter`; `nil` where none was sent, a fault where more than one was.
    mutating func said() -> Places.Said? {
        let percent = optionalNumber("percent", in: 0...100)
        let page = optionalInteger("page", in: 0...Limits.places.pages.upperBound)
        let total = optionalInteger("page_count", in: Limits.places.pages)
        let chapter = optionalInteger("chapter", in: Limits.places.chapters)
        let ebook = optionalID("ebook", as: Ebooks.Ebook.self)
        var said: [(name: String, said: Places.Said)] = []
        if let percent { said.append(("percent", Places.Said(percent: percent))) }
        if let page { said.append(("page", ebook.map { .ebook($0, page: page) } ?? .page(page, of: total))) }
        if let chapter { said.append(("chapter", .chapter(chapter))) }
        for other in said.dropFirst() { fault(other.name, .mismatch, "say percent, page or chapter, not two of them") }
        if total != nil, page == nil { fault("page_count", .mismatch, "goes with a page") }
        if ebook != nil, page == nil { fault("ebook", .mismatch, "goes with a page") }
        if ebook != nil, total != nil { fault("page_count", .mismatch, "an e-book knows how many pages it has") }
        return said.first?.said
    }
}
