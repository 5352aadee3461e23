import Community
import HTTPTypes
import Hummingbird

extension Media {
    /// Pictures over HTTP: a reader's own, covers, and the files themselves.
    package struct Routes: Sendable {
        private let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            routes.upload(
                "/me/picture",
                summary:
                    "Show this picture: JPEG, PNG, WebP or HEIC. The middle square of it is kept, without any metadata.",
                query: [Self.alt], reply: Self.picture, put)
            routes.delete("/me/picture", summary: "Show no picture any more.", remove)
            routes.get(
                "/editions/{edition}/cover", summary: "The cover of an edition: its words and its addresses.",
                reply: Self.editionCover, cover)
            routes.upload(
                "/editions/{edition}/cover",
                summary: "Set the cover of an edition: JPEG, PNG, WebP or HEIC. Librarians.",
                query: [Self.alt], reply: Self.editionCover, putCover)
            routes.delete(
                "/editions/{edition}/cover", access: .verified,
                summary: "Take the cover of an edition away; it has a drawn one then. Librarians.", removeCover)
            routes.upload(
                "/editions/{edition}/proposed-cover",
                summary: "Propose the cover of an edition, in place of what you proposed before: librarians decide.",
                query: [Self.alt, Self.reason], reply: Catalog.Routes.corrected, proposeCover)
            let widths = Kind.cover.widths.map(String.init).joined(separator: ", ")
            routes.image(
                "/covers/{edition}/{width}",
                summary: "The cover of an edition, \(widths) pixels wide; where nobody gave one, drawn from its title.",
                query: [QueryParameter("v", .string, "Part of the address; with it the answer never changes.")],
                types: ["image/jpeg", "image/png"], coverImage)
            routes.image(
                "/covers/books/{book}/{width}",
                summary: "The cover that stands for a book, \(widths) pixels wide; drawn where no edition has one.",
                types: ["image/jpeg", "image/png"], bookCoverImage)
            routes.image("/media/{hash}", summary: "A file of a picture.", types: ["image/jpeg"], file)
        }

        private var store: Store { site.community.media }

        // MARK: A reader's picture

        /// `PUT /me/picture?alt=…` → 201 with the first picture, 200 with one in the place of another; 408, 409 `picture_quota`, 413, 415, 422 `picture_damaged`,
        /// `picture_too_large`, `picture_shape`, `picture_too_costly`, `validation` for `?alt`; 429 beyond the account's
        /// time of conversion; 501 `pictures_off`, 503, 507.
        @Sendable private func put(_ request: Request, context: SiteContext) async throws -> Reply {
            let account = try context.signedIn().account
            let alt = try context.alt()
            let prepared = try await prepare(request, context, .profile)
            let reply = try await context.write(request) {
                let (shown, isFirst) = try await store.show(
                    prepared, alt: alt, of: account, telling: site.community.profiles.tellPicture)
                return try Reply.json(isFirst ? .created : .ok, PictureBody(shown, base: context.base))
            }
            try await store.settle(prepared)
            return reply
        }

        /// `DELETE /me/picture` → 204, also where there is none.
        @Sendable private func remove(_ request: Request, context: SiteContext) async throws -> Reply {
            let account = try context.signedIn().account
            return try await context.write(request) {
                try await store.removePicture(of: account, telling: site.community.profiles.tellPicture)
                return .noContent
            }
        }

        // MARK: Covers

        /// `GET /editions/{edition}/cover` → 200; 404.
        @Sendable private func cover(_ request: Request, context: SiteContext) async throws -> Reply {
            let cover = try await store.cover(of: try context.id("edition", as: Catalog.Edition.self))
            return try Reply.json(.ok, EditionCoverBody(cover, base: context.base))
        }

        /// `PUT /editions/{edition}/cover?alt=…` → 200 with the cover; 403 `not_librarian`, 404, and whatever
        /// `PUT /me/picture` answers.
        @Sendable private func putCover(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            try identity.mayKeepCovers()
            let edition = try context.id("edition", as: Catalog.Edition.self)
            let alt = try context.alt()
            _ = try await store.cover(of: edition)
            let prepared = try await prepare(request, context, .cover)
            let reply = try await context.write(request) {
                let cover = try await store.setCover(prepared, alt: alt, of: edition, by: identity)
                return try Reply.json(.ok, EditionCoverBody(cover, base: context.base))
            }
            try await store.settle(prepared)
            return reply
        }

        /// `DELETE /editions/{edition}/cover` → 204, also where there is none; 403 `not_librarian`, 404.
        @Sendable private func removeCover(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            let edition = try context.id("edition", as: Catalog.Edition.self)
            return try await context.write(request) {
                try await store.removeCover(of: edition, by: identity)
                return .noContent
            }
        }

        /// `PUT /editions/{edition}/proposed-cover?alt=…&reason=…` → 200
        /// `{outcome, proposal_id, revision_id, version}`; 403 `account_limited`, `account_new`, 404, 409
        /// `too_many_proposals`, and whatever `PUT /me/picture` answers.
        @Sendable private func proposeCover(_ request: Request, context: SiteContext) async throws -> Reply {
            let helper = try Catalog.Helper(try context.signedIn(), in: site.community.services)
            let edition = try context.id("edition", as: Catalog.Edition.self)
            let alt = try context.alt()
            let reason = try context.query().text("reason", bytes: Limits.catalog.changeReason) ?? ""
            _ = try await store.cover(of: edition)
            let prepared = try await prepare(request, context, .cover)
            let reply = try await context.write(request) {
                let proposal = try await store.proposeCover(
                    prepared, alt: alt, reason: reason, of: edition, by: helper)
                return try Reply.json(.ok, Catalog.Routes.CorrectedBody(.proposed(proposal)))
            }
            try await store.settle(prepared)
            return reply
        }

        private func prepare(_ request: Request, _ context: SiteContext, _ kind: Kind) async throws -> Prepared {
            try await store.prepare(
                Array(context.body.readableBytesView), type: request.mediaType ?? "", as: kind,
                for: try context.signedIn().account)
        }

        // MARK: Files

        /// `GET /covers/{edition}/{width}?v=…` → 200 with an image for every edition, also a merged one; 304, 404 for
        /// another width and for an edition that is not there.
        @Sendable private func coverImage(_ request: Request, context: SiteContext) async throws -> Reply {
            let edition = try context.id("edition", as: Catalog.Edition.self)
            switch try await store.cover(of: edition, width: try context.coverWidth()) {
            case .stored(let file, let tag):
                let isNamed = try context.query()["v"] == tag
                return .image(file, caching: isNamed ? .always : .minutes)
            case .drawn(let bytes, let isFinal): return .drawn(bytes, isFinal: isFinal)
            }
        }

        /// `GET /covers/books/{book}/{width}` → 200 with an image for every book; 304, 404 for another width and for a
        /// book that is not there.
        @Sendable private func bookCoverImage(_ request: Request, context: SiteContext) async throws -> Reply {
            let book = try context.id("book", as: Catalog.Work.self)
            switch try await store.cover(of: book, width: try context.coverWidth()) {
            case .stored(let file, _): return .image(file, caching: .minutes)
            case .drawn(let bytes, let isFinal): return .drawn(bytes, isFinal: isFinal)
            }
        }

        /// `GET /media/{hash}` → 200; 304, 404.
        @Sendable private func file(_ request: Request, context: SiteContext) async throws -> Reply {
            guard let hash = Hash(text: try context.text("hash")) else { throw Failure.notFound("picture") }
            return .image(try await store.file(hash), caching: .always).tagged(hash.text)
        }

        private static let alt = QueryParameter(
            "alt", .string(Limits.media.alt), "What the picture shows, in words, for those who do not see it.")
        private static let reason = QueryParameter("reason", .string(Limits.catalog.changeReason), "Why.")
    }
}

extension SiteContext {
    /// The last part of the path, one of the fixed widths. Throws `.notFound`.
    fileprivate func coverWidth() throws(Failure) -> Int {
        guard let width = Int(try text("width")), Media.Kind.cover.widths.contains(width) else {
            throw .notFound("cover of that width")
        }
        return width
    }

    /// `?alt`; `nil` where it was not given.
    func alt() throws(Failure) -> String? {
        let alt = try query().text("alt", bytes: Limits.media.alt)
        try Media.check(alt: alt)
        return alt
    }
}

extension Reply {
    /// How long a client may keep a picture that it fetched.
    enum Caching: String {
        /// Its address names its content.
        case always = "public, max-age=31536000, immutable"
        /// Another may take its place.
        case minutes = "public, max-age=300, stale-while-revalidate=86400"
        /// Who may see it is asked each time.
        case asked = "private, no-cache"
        /// It stands in for one that is being drawn.
        case never = "no-store"
    }

    fileprivate static func drawn(_ bytes: [UInt8], isFinal: Bool) -> Reply {
        image(Media.File(bytes: bytes, type: "image/png"), caching: isFinal ? .minutes : .never)
    }

    /// An image, which a browser shows and never runs.
    static func image(_ file: Media.File, caching: Caching) -> Reply {
        let headers: HTTPFields = [
            .contentType: file.type, .cacheControl: caching.rawValue, .contentDisposition: "inline",
        ]
        return Reply(status: .ok, headers: headers, content: .bytes(.init(bytes: file.bytes)))
    }
}
