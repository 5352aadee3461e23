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
                    "Show this picture: JPEG, PNG or WebP. The middle square of it is kept, without any metadata.",
                query: [Self.alt], reply: Self.picture, put)
            routes.delete("/me/picture", summary: "Show no picture any more.", remove)
            routes.get(
                "/editions/{edition}/cover", summary: "The cover of an edition: its words and its addresses.",
                reply: Self.editionCover, cover)
            routes.upload(
                "/editions/{edition}/cover", summary: "Set the cover of an edition: JPEG, PNG or WebP. Librarians.",
                query: [Self.alt], reply: Self.editionCover, putCover)
            routes.delete(
                "/editions/{edition}/cover", access: .verified,
                summary: "Take the cover of an edition away; it has a drawn one then. Librarians.", removeCover)
            let widths = Kind.cover.widths.map(String.init).joined(separator: ", ")
            routes.image(
                "/covers/{edition}/{width}",
                summary: "The cover of an edition, \(widths) pixels wide; where nobody gave one, drawn from its title.",
                query: [QueryParameter("v", .string, "Part of the address; with it the answer never changes.")],
                types: ["image/jpeg", "image/png"], coverImage)
            routes.image("/media/{hash}", summary: "A file of a picture.", types: ["image/jpeg"], file)
        }

        private var store: Store { site.community.media }

        // MARK: A reader's picture

        /// `PUT /me/picture?alt=…` → 200 with the picture; 408, 409 `picture_quota`, 413, 415, 422 `picture_damaged`, `picture_too_large`,
        /// `picture_shape`, `picture_too_costly`, `validation` for `?alt`; 501 `pictures_off`, 503, 507.
        @Sendable private func put(_ request: Request, context: SiteContext) async throws -> Reply {
            let account = try context.signedIn().account
            let alt = try context.alt()
            let prepared = try await prepare(request, context, .profile)
            let reply = try await context.write(request) {
                let shown = try await store.show(prepared, alt: alt, of: account)
                return try Reply.json(.ok, PictureBody(shown, base: context.base))
            }
            try await store.settle(prepared)
            return reply
        }

        /// `DELETE /me/picture` → 204; 404 where there is none.
        @Sendable private func remove(_ request: Request, context: SiteContext) async throws -> Reply {
            let account = try context.signedIn().account
            return try await context.write(request) {
                try await store.removePicture(of: account)
                return .noContent
            }
        }

        // MARK: Covers

        /// `GET /editions/{edition}/cover` → 200; 404.
        @Sendable private func cover(_ request: Request, context: SiteContext) async throws -> Reply {
            let cover = try await store.cover(of: try context.id("edition", as: Catalog.Edition.self))
            return try Reply.json(.ok, EditionCoverBody(cover, base: context.base))
        }

        /// `PUT /editions/{edition}/cover?alt=…` → 200 with the cover; 403 `not_librarian`, 404, and whatever `PUT /me/picture` answers.
        @Sendable private func putCover(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            try identity.mayKeepCovers()
            let edition = try context.id("edition", as: Catalog.Edition.self)
            let alt = try context.alt()
            _ = try await store.cover(of: edition)
            let prepared = try await prepare(request, context, .cover)
            let reply = try await context.write(request) {
                let cover = try await store.cover(prepared, alt: alt, for: edition, by: identity)
                return try Reply.json(.ok, EditionCoverBody(cover, base: context.base))
            }
            try await store.settle(prepared)
            return reply
        }

        /// `DELETE /editions/{edition}/cover` → 204; 403 `not_librarian`, 404 also where there is none.
        @Sendable private func removeCover(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            let edition = try context.id("edition", as: Catalog.Edition.self)
            return try await context.write(request) {
                try await store.removeCover(of: edition, by: identity)
                return .noContent
            }
        }

        private func prepare(_ request: Request, _ context: SiteContext, _ kind: Kind) async throws -> Prepared {
            try await store.prepare(
                Array(context.body.readableBytesView), type: request.mediaType ?? "", as: kind)
        }

        // MARK: Files

        /// `GET /covers/{edition}/{width}?v=…` → 200 with an image for every edition; 304, 404 for another width.
        @Sendable private func coverImage(_ request: Request, context: SiteContext) async throws -> Reply {
            let edition = try context.id("edition", as: Catalog.Edition.self)
            guard let width = Int(try context.text("width")), Kind.cover.widths.contains(width) else {
                throw Failure.notFound("cover of that width")
            }
            switch try await store.cover(of: edition, width: width) {
            case .stored(let file, let tag):
                let isNamed = try context.query()["v"] == tag
                return .image(file, caching: isNamed ? .always : .minutes)
            case .drawn(let bytes, let isFinal):
                return .image(File(bytes: bytes, type: "image/png"), caching: isFinal ? .minutes : .never)
            }
        }

        /// `GET /media/{hash}` → 200; 304, 404.
        @Sendable private func file(_ request: Request, context: SiteContext) async throws -> Reply {
            guard let hash = Hash(text: try context.text("hash")) else { throw Failure.notFound("picture") }
            return .image(try await store.file(hash), caching: .always).tagged(hash.text)
        }

        private static let alt = QueryParameter(
            "alt", .string(Limits.Media.alt), "What the picture shows, in words, for those who do not see it.")
    }
}

extension SiteContext {
    /// `?alt`; `nil` where it was not given.
    fileprivate func alt() throws(Failure) -> String? {
        let alt = try query().text("alt", bytes: Limits.Media.alt)
        try Media.check(alt: alt)
        return alt
    }
}

extension Reply {
    /// How long a picture may be kept by whoever fetched it.
    fileprivate enum Caching: String {
        /// Its address names its content.
        case always = "public, max-age=31536000, immutable"
        /// Another may take its place.
        case minutes = "public, max-age=300, stale-while-revalidate=86400"
        /// It stands in for one that is being drawn.
        case never = "no-store"
    }

    /// An image, which a browser shows and never runs.
    fileprivate static func image(_ file: Media.File, caching: Caching) -> Reply {
        let headers: HTTPFields = [
            .contentType: file.type, .cacheControl: caching.rawValue, .contentDisposition: "inline",
        ]
        return Reply(status: .ok, headers: headers, content: .bytes(.init(bytes: file.bytes)))
    }
}
