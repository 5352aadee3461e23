import Community
import Hummingbird

extension ISBN {
    /// Reading numbers of books over HTTP.
    package struct Routes: Sendable {
        private let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            routes.get(
                "/isbn/{code}", limit: .search,
                summary:
                    "What a code is: an ISBN in both its forms, with its books. Else what it is, or what is wrong with it.",
                reply: Self.reading, one)
            routes.post(
                "/isbn/resolve", access: .open, limit: .search,
                summary:
                    "All codes that a scanner saw, answered at once: found books, unknown ones, duplicates, and what is no book.",
                body: Self.codes, status: .ok, reply: .object("IsbnReadings", ["items": .array(Self.reading)]), resolve)
            routes.upload(
                "/isbn/scan", method: .post, status: .ok,
                summary:
                    "The barcodes in a picture from a camera or an album: what each is, where it lies, and its books. The server keeps nothing.",
                reply: Self.scan, scan)
        }

        /// `GET /isbn/{code}` → 200, whatever the code is.
        @Sendable private func one(_ request: Request, context: SiteContext) async throws -> Reply {
            let found = try await site.community.catalog.resolve([try context.text("code")])
            return try Reply.json(.ok, try await bodies(of: found, lookedUp: [], context)[0])
        }

        /// `POST /isbn/resolve` `{"codes": […]}` → 200 `{items}`, one for each code in its order; 422. Where this
        /// server asks other catalogues, unknown ISBNs of readers who may post are looked up in the background: ask
        /// again in some seconds.
        @Sendable private func resolve(_ request: Request, context: SiteContext) async throws -> Reply {
            var form = try context.form(request)
            let codes = form.strings("codes", count: 1...Limits.catalog.codes, bytes: 0...Limits.catalog.code)
            try form.check()
            return try await context.write(request) {
                try Reply.json(.ok, ["items": try await answers(to: codes, context)])
            }
        }

        /// `POST /isbn/scan` with a JPEG, PNG, WebP or HEIC → 200 `{items}`: books' codes first, each with its place in the upright picture.
        /// Unknown ISBNs are looked up as by `/isbn/resolve`. 408, 413, 415, 422 `picture_damaged`, `picture_too_large`, `picture_shape`,
        /// `picture_too_costly`; 429 beyond the account's time of conversion; 501 `pictures_off`, 503, 507.
        @Sendable private func scan(_ request: Request, context: SiteContext) async throws -> Reply {
            let barcodes = try await site.community.media.barcodes(
                in: Array(context.body.readableBytesView), type: request.mediaType ?? "",
                for: try context.signedIn().account)
            return try await context.write(request) {
                let answers = try await answers(to: barcodes.map(\.text), context)
                return try Reply.json(.ok, ["items": zip(barcodes, answers).map(ScannedBody.init)])
            }
        }

        /// What each code is. Unknown ISBNs are looked up elsewhere, in the background.
        private func answers(to codes: [String], _ context: SiteContext) async throws -> [Body] {
            let found = try await site.community.catalog.resolve(codes)
            let unknown = found.filter { $0.books.isEmpty && $0.duplicateOf == nil }.compactMap(\.reading.isbn)
            var asked: Set<ISBN> = []
            if let reader = Self.asker(context) {
                asked = try await site.community.sources.enqueueLookUps(of: unknown, for: reader)
            }
            return try await bodies(of: found, lookedUp: asked, context)
        }

        /// For whom other catalogues are asked: a reader who may post. Anybody else is not refused for it.
        private static func asker(_ context: SiteContext) -> ID<Accounts.Account>? {
            guard let identity = context.identity else { return nil }
            do throws(Failure) {
                try identity.mayPost()
                return identity.account
            } catch {
                return nil
            }
        }

        private func bodies(
            of codes: [Catalog.Resolved], lookedUp: Set<ISBN>, _ context: SiteContext
        ) async throws -> [Body] {
            // All covers in one trip.
            var books = try await context.items(codes.flatMap(\.books))[...]
            return codes.map { code in
                let own = Array(books.prefix(code.books.count))
                books = books.dropFirst(own.count)
                return Body(code, own, isLookedUp: code.reading.isbn.map(lookedUp.contains) ?? false)
            }
        }

        static let codes = Schema.object(
            "Codes", ["codes": .array(.string(0...Limits.catalog.code), count: 1...Limits.catalog.codes)])

        static let reading = Schema.object(
            "IsbnReading",
            [
                "code": .string, "outcome": .choice(Body.Outcome.allCases.map(\.rawValue)),
                "isbn13": .orNull(.string(13...13)), "isbn10": .orNull(.string(10...10)),
                "form": .orNull(.choice(Form.allCases.map(\.rawValue))), "add_on": .orNull(.string(2...5)),
                "article": .orNull(.choice(Article.allCases.map(\.rawValue))),
                "detail": .orNull(.string),
                "fault": .orNull(
                    .object(
                        "IsbnFault",
                        [
                            "code": .choice(["empty", "character", "length", "prefix", "check_digit", "placeholder"]),
                            "detail": .string, "expected": .orNull(.string), "found": .orNull(.string),
                            "position": .orNull(.integer),
                        ])),
                "duplicate_of": .orNull(.integer), "is_looked_up": .boolean, "books": .array(Catalog.Routes.item),
            ])

        static let scan = Schema.object(
            "IsbnScan",
            [
                "items": .array(
                    .object(
                        "ScannedIsbn", ["place": Media.Routes.part("BarcodePlace"), "reading": reading]))
            ])
    }
}

extension ISBN.Routes {
    /// One barcode of a picture.
    struct ScannedBody: Encodable, Sendable {
        /// The box around its bars, in thousandths of the picture's sides.
        struct Place: Encodable { let left: Int, top: Int, width: Int, height: Int }

        let place: Place
        let reading: Body

        init(_ barcode: Media.Barcode, _ reading: Body) {
            let place = barcode.place
            self.place = Place(left: place.left, top: place.top, width: place.width, height: place.height)
            self.reading = reading
        }
    }

    /// One code and what became of it.
    struct Body: Encodable, Sendable {
        enum Outcome: String, Encodable, CaseIterable {
            /// An ISBN with books.
            case found
            /// An ISBN of which the catalogue has no book.
            case unknown
            /// The same ISBN as an earlier code.
            case duplicate
            /// Right, but not a book's.
            case other
            case faulty
        }

        struct Fault: Encodable {
            let code: String
            let detail: String
            let expected: String?
            let found: String?
            let position: Int?
        }

        let code: String
        let outcome: Outcome
        var isbn13: String?
        var isbn10: String?
        var form: String?
        var addOn: String?
        var article: String?
        /// What it is, for people, where it is no ISBN.
        var detail: String?
        var fault: Fault?
        let duplicateOf: Int?
        /// Other catalogues are being asked for it.
        let isLookedUp: Bool
        let books: [Catalog.Routes.ItemBody]

        init(_ resolved: Catalog.Resolved, _ books: [Catalog.Routes.ItemBody], isLookedUp: Bool) {
            code = resolved.reading.code
            duplicateOf = resolved.duplicateOf
            self.isLookedUp = isLookedUp
            self.books = books
            switch resolved.reading.outcome {
            case .isbn(let isbn, let form, let addOn):
                outcome = resolved.duplicateOf != nil ? .duplicate : resolved.books.isEmpty ? .unknown : .found
                isbn13 = isbn.text
                isbn10 = isbn.ten
                self.form = form.rawValue
                self.addOn = addOn
            case .other(let article):
                outcome = .other
                self.article = article.rawValue
                detail = article.detail
            case .faulty(let why):
                outcome = .faulty
                detail = why.detail
                fault = Fault(
                    code: why.code, detail: why.detail, expected: why.expected, found: why.found, position: why.position
                )
            }
        }
    }
}
