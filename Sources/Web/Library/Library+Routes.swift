import Community
import HTTPTypes
import Hummingbird

extension Library {
    /// Shelves over HTTP; lists stand in `Library+Routes+Lists.swift`.
    package struct Routes: Sendable {
        let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            routes.put(
                "/books/{book}/shelf", access: .reader,
                summary: """
                    Put a book on a shelf, move it to another, or change its dates; what is left out stays. A book that comes to `read` ended \
                    today, in your time zone, unless `finished` says otherwise: null says nothing of the end.
                    """,
                body: Self.move, reply: Self.shelved, put)
            routes.get(
                "/books/{book}/shelf", access: .reader, summary: "A book in your library, with your readings of it.",
                reply: Self.shelved, mine)
            routes.delete(
                "/books/{book}/shelf", summary: "Take a book out of your library, with your readings of it.", remove)
            routes.get(
                "/readers/{username}/shelves", summary: "How many books a reader has on each shelf.",
                reply: Self.counts, counts)
            routes.get(
                "/readers/{username}/shelves/{shelf}", summary: "The books on a reader's shelf, or on `all` of them.",
                query: Self.wholeShelfQuery, reply: Self.shelfPage, theirs)
            routes.get(
                "/me/shelves", access: .reader,
                summary: "How many books you have on each shelf, and who sees them: `PATCH /me/settings` changes that.",
                reply: Self.mineCounts, myCounts)
            routes.get(
                "/me/shelves/{shelf}", access: .reader,
                summary: "The books on one of your shelves, or on `all` of them.",
                query: Self.wholeShelfQuery, reply: Self.shelfPage, myShelf)
            addReadings(to: &routes)
            addLists(to: &routes)
            addSharing(to: &routes)
        }

        var store: Store { site.community.library }

        /// `PUT /books/{book}/shelf` → 201 for a book that was not in the library, 200 otherwise; 403 `account_frozen`, 404,
        /// 409 `library_full`, 412 where `If-Match` does not name the version that is there, 422.
        /// Refused with `precondition_failed` too.
        @Sendable private func put(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let work = try context.id("book", as: Catalog.Work.self)
            let move = try Self.form(try context.form(request))
            let version = Precondition(request.headers[.ifMatch], of: "shelf")
            return try await context.write(request) {
                switch try await store.put(move, on: work, by: reader, ifVersion: version) {
                case .added(let shelved):
                    try Reply.created(shelved, location: "/books/\(shelved.entry.book.id)/shelf").tagged(shelved)
                case .changed(let shelved), .unchanged(let shelved):
                    try Reply.json(.ok, shelved).tagged(shelved)
                }
            }
        }

        /// `GET /books/{book}/shelf` → 200, 304; 404 where it is not in your library.
        @Sendable private func mine(_ request: Request, context: SiteContext) async throws -> Reply {
            let work = try context.id("book", as: Catalog.Work.self)
            let shelved = try await store.shelved(work, of: try context.signedIn().account)
            return try Reply.json(.ok, shelved).tagged(shelved)
        }

        /// `DELETE /books/{book}/shelf` → 204, also where it is not in your library; 403 `account_frozen`, 404, 412.
        /// Refused with `precondition_failed` too.
        @Sendable private func remove(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let work = try context.id("book", as: Catalog.Work.self)
            let version = Precondition(request.headers[.ifMatch], of: "shelf")
            return try await context.write(request) {
                try await store.remove(work, by: reader, ifVersion: version)
                return .noContent
            }
        }

        /// `GET /readers/{username}/shelves/{shelf}?sort&is_paused&genre&q&is_rated` → 200 with a page of what you may see; 403
        /// `sort_is_private`, 404 for a reader or shelf that does not exist for you, 422.
        @Sendable private func theirs(_ request: Request, context: SiteContext) async throws -> Reply {
            try await shelf(of: try context.text("username"), context)
        }

        /// `GET /me/shelves/{shelf}?sort&is_paused&genre&q&is_rated` → 200 with a page; 404 for a shelf that there is not, 422.
        @Sendable private func myShelf(_ request: Request, context: SiteContext) async throws -> Reply {
            try await shelf(of: try context.signedIn().username, context)
        }

        private func shelf(of username: String, _ context: SiteContext) async throws -> Reply {
            let withPaused = try context.query().boolean("is_paused") ?? false
            guard let shelf = Shelf(name: try context.text("shelf"), withPaused: withPaused) else {
                throw Failure.notFound("shelf")
            }
            let wanted = try Self.wanted(context)
            // Whatever decides on the list decides on its cursors.
            let filter = ([Accounts.Username.fold(username), shelf.name, String(shelf.withPaused)] + wanted.text)
                .joined(separator: "\u{0}")
            let page = try context.page(list: "shelf", filter: filter, key: ShelfKey.self)
            let found = try await store.shelf(
                shelf, of: username, for: context.viewer, sort: wanted.sort, filter: wanted.filter, page: page)
            let isPrivate = try await context.isPrivate(.shelves, of: username, found.page, page)
            return try Reply.page(
                found.page, list: "shelf", filter: filter, context: context,
                also: ["reader": found.reader, "shelf": shelf.name, "is_private": isPrivate])
        }

        /// `GET /readers/{username}/shelves` → 200 with what you may see of each; 404.
        @Sendable private func counts(_ request: Request, context: SiteContext) async throws -> Reply {
            let (reader, counts) = try await store.counts(of: try context.text("username"), for: context.viewer)
            let isEmpty = counts.all == 0 && counts.shelves.values.allSatisfy { $0 == 0 }
            var isPrivate = false
            if isEmpty {
                isPrivate = try await site.community.profiles.isPrivate(
                    .shelves, of: reader.username, for: context.viewer)
            }
            return try Reply.json(
                .ok, CountsBody(reader: reader, shelves: isPrivate ? nil : counts, isPrivate: isPrivate))
        }

        /// `GET /me/shelves` → 200.
        @Sendable private func myCounts(_ request: Request, context: SiteContext) async throws -> Reply {
            try Reply.json(.ok, try await mineBody(of: try context.signedIn().account))
        }

        private func mineBody(of reader: ID<Accounts.Account>) async throws -> MineBody {
            async let counts = store.counts(of: reader, for: .reader(reader))
            async let privacy = site.community.profiles.privacy(of: reader)
            return MineBody(shelves: try await counts, privacy: try await privacy)
        }
    }
}

extension Library.Routes {
    /// What a shelf may be asked for.
    static let shelfQuery =
        [
            QueryParameter("sort", .choice(Library.Sort.allCases.map(\.rawValue)), "`added` where it is left out."),
            QueryParameter("genre", .string(1...100), "Slug of a genre."),
            QueryParameter("q", .string(1...100), "Words in title or author."),
            QueryParameter("is_rated", .boolean, "Rated by the reader or not."),
        ] + Catalog.Routes.traits

    private static let wholeShelfQuery =
        shelfQuery + [
            QueryParameter(
                "is_paused", .boolean,
                "`true`: on `reading`, paused books too, as clients with three shelves show them.")
        ] + QueryParameter.paging

    static let shelfPage = Schema.page(
        entry, also: ["reader": Accounts.Routes.reader, "shelf": anyShelf, "is_private": .boolean])

    /// That, as it was asked for, and as text for the cursor.
    struct Wanted {
        let sort: Library.Sort
        let filter: Library.Filter

        var text: [String] {
            [
                sort.rawValue, filter.genre ?? "", filter.words ?? "", filter.isRated.map { "\($0)" } ?? "",
                filter.books.text,
            ]
        }
    }

    static func wanted(_ context: SiteContext) throws -> Wanted {
        let query = try context.query()
        var books = Catalog.Browse.Filter()
        try Catalog.Routes.read(traits: query, into: &books)
        return Wanted(
            sort: try query.choice("sort", Library.Sort.self) ?? .added,
            filter: Library.Filter(
                genre: try query.text("genre", bytes: 1...100), words: try query.text("q", bytes: 1...100),
                isRated: try query.boolean("is_rated"), books: books))
    }

    /// The visibility levels by their names in JSON.
    enum Level: String, CaseIterable {
        case `private`, friends, members, `public`

        var visibility: Visibility {
            switch self {
            case .private: .private
            case .friends: .friends
            case .members: .members
            case .public: .public
            }
        }
    }

    /// Reads `{shelf, edition_id?, started?, finished?, visibility?, note?}`, reporting all faults at once. A field that is left out
    /// stays as it is, null clears it.
    static func form(_ sent: Form) throws -> Library.Move {
        var form = sent
        let status = form.choice("shelf", Library.Status.self)
        let edition = form.optionalID("edition_id", as: Catalog.Edition.self)
        let started = date("started", &form)
        let finished = date("finished", &form)
        let visibility = form.optionalChoice("visibility", Level.self)?.visibility
        let note = form.optionalString("note", bytes: Limits.library.note)
        try form.check()
        return Library.Move(
            status ?? .want, edition: form.change("edition_id", edition), started: form.change("started", started),
            finished: form.change("finished", finished), visibility: form.change("visibility", visibility),
            note: form.change("note", note))
    }

    static func date(_ name: String, _ form: inout Form) -> PartialDate? {
        guard let text = form.optionalString(name, bytes: 4...10) else { return nil }
        let date = PartialDate(text: text)
        if date == nil { form.fault(name, .badFormat, "must be like 2024, 2024-05 or 2024-05-17") }
        return date
    }
}

extension Form {
    /// `value` where the field was sent, null included.
    func change<Value>(_ name: String, _ value: Value?) -> FieldChange<Value> { has(name) ? .set(value) : .keep }
}
