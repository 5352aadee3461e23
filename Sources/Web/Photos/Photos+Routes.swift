import Community
import HTTPTypes
import Hummingbird

extension Photos {
    /// Photographs over HTTP.
    package struct Routes: Sendable {
        private let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            routes.upload(
                "/books/{book}/photos", method: .post, bytes: Limits.photos.upload,
                summary:
                    "Keep a photograph of a book: JPEG, PNG, WebP or HEIC. It is kept upright, without any metadata.",
                query: Self.places + Self.said + Self.edits, reply: Self.photo, add)
            routes.get(
                "/books/{book}/photos", summary: "Photographs of a book that you may see, newest first.",
                query: [Self.whose] + QueryParameter.paging, reply: .page(Self.shown, name: "ShownPhotoPage"), ofBook)
            routes.get(
                "/me/photos", access: .reader, summary: "Your photographs, newest first.",
                query: [QueryParameter("book_id", .id, "Of this book alone.")] + QueryParameter.paging,
                reply: .page(Self.photo), mine)
            routes.get(
                "/readers/{username}/photos", summary: "A reader's photographs that you may see, newest first.",
                query: QueryParameter.paging,
                reply: .page(Self.shown, name: "ReaderPhotoPage", also: ["is_private": .boolean]), ofReader)
            routes.get("/photos/{photo}", summary: "One photograph.", reply: Self.shown, one)
            routes.patch(
                "/photos/{photo}", access: .reader,
                summary: "Change what your photograph says and shows, its place and its level.", body: Self.change,
                reply: Self.photo, change)
            routes.upload(
                "/photos/{photo}/image", bytes: Limits.photos.upload,
                summary: "Put another image in the place of your photograph's; what is said of it stays.",
                query: Self.edits, reply: Self.photo, replace)
            routes.guardedFile(
                "/photos/{photo}/{width}",
                summary: "The file of a photograph, \(Self.widths) pixels wide, for those who may see it.",
                query: [QueryParameter("v", .string, "Part of the address: it changes with what is shown.")],
                types: ["image/jpeg"], file)
        }

        private var store: Store { site.community.photos }
        private static let widths = Media.Kind.photo.widths.map(String.init).joined(separator: ", ")

        private static let whose = QueryParameter(
            "of", .choice(Whose.allCases.map(\.rawValue)), "Whose: `all` where it is left out.")

        // MARK: Keeping

        /// `POST /books/{book}/photos?page&percent&comment&alt&visibility&rotate&crop` → 201 with the photograph; 403, 404, 408, 409
        /// `picture_quota`, 413, 415, 422 `picture_damaged`, `picture_too_large`, `picture_shape`, `picture_too_costly`, `validation`; 429
        /// beyond the account's time of conversion; 501 `pictures_off`, 503, 507.
        @Sendable private func add(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            let work = try context.id("book", as: Catalog.Work.self)
            let new = try context.newPhoto()
            try await store.check(new, in: work, by: identity)
            let prepared = try await prepare(request, context, new.edit)
            let reply = try await context.write(request) {
                let photo = try await store.add(new, prepared, to: work, by: identity)
                return try Reply.created(photo, location: "/photos/\(photo.id)").tagged(photo)
            }
            try await site.community.media.settle(prepared)
            return reply
        }

        /// `PUT /photos/{photo}/image?rotate&crop` → 200 with the photograph; 404, 408, 409 `picture_quota`, 412, 413, 415, 422
        /// `picture_damaged`, `picture_too_large`, `picture_shape`, `picture_too_costly`; 429 beyond the account's time of conversion; 501
        /// `pictures_off`, 503, 507. Refused with `precondition_failed` too.
        @Sendable private func replace(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            let id = try context.id("photo", as: Photo.self)
            let edit = try context.photoEdit()
            try await store.check(id, by: identity)
            let prepared = try await prepare(request, context, edit)
            let version = Precondition(request.headers[.ifMatch], of: "photo")
            let reply = try await context.write(request) {
                let photo = try await store.replace(id, with: prepared, edit: edit, by: identity, ifVersion: version)
                return try Reply.json(.ok, photo).tagged(photo)
            }
            try await site.community.media.settle(prepared)
            return reply
        }

        private func prepare(
            _ request: Request, _ context: SiteContext, _ edit: Media.Edit
        ) async throws -> Media.Prepared {
            try await site.community.media.prepare(
                Array(context.body.readableBytesView), type: request.mediaType ?? "", as: .photo, edit: edit,
                for: try context.signedIn().account)
        }

        /// `PATCH /photos/{photo}` `{page?, percent?, comment?, alt?, visibility?, rotate?, crop?, words?}` → 200; what is left out stays, null
        /// clears; words that are cleared are read anew. An edit starts from the whole picture again. 403 `account_frozen`, `email_unverified`,
        /// 404, 409 `picture_quota`, 412, 422 `picture_shape`, `picture_too_costly`; 429 beyond the account's time of conversion, 501
        /// `pictures_off`, 503. Refused with `precondition_failed` too.
        @Sendable private func change(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            let id = try context.id("photo", as: Photo.self)
            var form = try context.form(request)
            let change = form.photoChange()
            try form.check()
            let version = Precondition(request.headers[.ifMatch], of: "photo")
            let edited = try await store.edited(id, by: change, identity)
            let reply = try await context.write(request) {
                let photo = try await store.change(id, change, edited: edited, by: identity, ifVersion: version)
                return try Reply.json(.ok, photo).tagged(photo)
            }
            if let edited { try await site.community.media.settle(edited.prepared) }
            return reply
        }

        // MARK: Reading

        /// `GET /books/{book}/photos?of=me|friends|all` → 200 with a page; 401 for yours and friends' without signing in.
        @Sendable private func ofBook(_ request: Request, context: SiteContext) async throws -> Reply {
            let work = try context.id("book", as: Catalog.Work.self)
            let whose = try context.query().choice("of", Whose.self) ?? .all
            if whose != .all { _ = try context.signedIn() }
            let filter = work.text + " " + whose.rawValue
            let page = try context.page(list: "book-photos", filter: filter, key: ID<Photo>.self)
            return try Reply.page(
                try await store.photos(of: work, by: whose, for: context.viewer, page: page), list: "book-photos",
                filter: filter, context: context)
        }

        /// `GET /me/photos?book_id` → 200 with a page.
        @Sendable private func mine(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let book = try context.query().id("book_id", as: Catalog.Work.self)
            let filter = reader.text + " " + (book?.text ?? "")
            let page = try context.page(list: "photos", filter: filter, key: ID<Photo>.self)
            let found =
                if let book {
                    try await store.photos(of: book, by: .me, for: .reader(reader), page: page)
                } else {
                    try await store.photos(of: reader, for: .reader(reader), page: page)
                }
            return try Reply.page(found, list: "photos", filter: filter, context: context)
        }

        /// `GET /readers/{username}/photos` → 200 with a page of those that you may see; 404.
        @Sendable private func ofReader(_ request: Request, context: SiteContext) async throws -> Reply {
            let username = try context.text("username")
            let filter = Accounts.Username.fold(username)
            let page = try context.page(list: "reader-photos", filter: filter, key: ID<Photo>.self)
            let found = try await store.photos(of: username, for: context.viewer, page: page)
            let isPrivate = try await context.isPrivate(.photos, of: username, found, page)
            return try Reply.page(
                found, list: "reader-photos", filter: filter, context: context, also: ["is_private": isPrivate])
        }

        /// `GET /photos/{photo}` → 200 with the photograph or its placeholder; 404, also for what you may not see.
        @Sendable private func one(_ request: Request, context: SiteContext) async throws -> Reply {
            let shown = try await store.photo(try context.id("photo", as: Photo.self), for: context.viewer)
            let reply = try Reply.json(.ok, shown)
            guard let photo = shown.photo else { return reply }
            return reply.tagged(photo)
        }

        /// `GET /photos/{photo}/{width}?v` → 200 with an image; 304, 404 for another width, and for what you may not see or is ahead of you.
        @Sendable private func file(_ request: Request, context: SiteContext) async throws -> Reply {
            let id = try context.id("photo", as: Photo.self)
            guard let width = Int(try context.text("width")) else { throw Failure.notFound("photo of that width") }
            let moderates = context.mayRead(Moderation.Routes.area) && (context.identity?.role ?? .member) >= .moderator
            let (file, tag) = try await store.file(of: id, width: width, for: context.viewer, moderates: moderates)
            return .image(file, caching: .asked).tagged(tag)
        }
    }
}

extension Reply {
    /// The same reply with the `ETag` of a photograph, as this caller is shown it.
    fileprivate func tagged(_ photo: Photos.Photo) -> Reply {
        taggedAsShown("photo-\(photo.id)", version: photo.version)
    }
}
