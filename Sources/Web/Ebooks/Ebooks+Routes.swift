import Community
import HTTPTypes
import Hummingbird
import NIOCore

extension Ebooks {
    /// E-books and their pages over HTTP.
    package struct Routes: Sendable {
        let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            routes.fileUpload(
                "/editions/{edition}/ebook", types: Self.types, bytes: Limits.ebooks.upload,
                summary:
                    "Keep an e-book of an edition, for you alone, or as a librarian for others: an EPUB, or plain text in UTF-8. "
                    + "It takes the place of the one that you, or the librarians, had there.",
                query: Self.said, reply: Self.opened, keep)
            routes.get(
                "/books/{book}/ebooks", summary: "E-books of a book that you may know of, your own first.",
                reply: Self.ebooks, ofBook)
            routes.get(
                "/me/ebooks", access: .reader, summary: "Your own e-books, newest first.", query: QueryParameter.paging,
                reply: .page(Self.ebook, name: "OwnEbookPage"), mine)
            routes.get(
                "/ebooks/{ebook}", summary: "What an e-book says of itself, with its table of contents.",
                reply: Self.opened, one)
            routes.patch(
                "/ebooks/{ebook}", access: .reader, summary: "Say anew who reads an e-book, and by what right.",
                body: Self.change, reply: Self.ebook, change)
            routes.delete("/ebooks/{ebook}", summary: "Take an e-book away.", remove)
            routes.get(
                "/ebooks/{ebook}/pages", summary: "Pages of an e-book, one after the other, to fetch ahead.",
                query: Self.range + [Self.layout], reply: Self.pageRange, pages)
            routes.get(
                "/ebooks/{ebook}/pages/{page}", summary: "A page of an e-book, ready to be shown.",
                query: [Self.layout], reply: Self.page, page)
            routes.guardedFile(
                "/ebooks/{ebook}/pictures/{number}",
                summary: "A picture of an e-book, for those who may turn its pages.",
                query: [Self.layout], types: ["image/jpeg", "image/png"], picture)
            routes.guardedFile(
                "/ebooks/{ebook}/offline", access: .reader, limit: .costly,
                summary:
                    "An e-book to be read without a connection: a ZIP archive of `ebook.json`, `pages/1.json` … and `pictures/0` …. "
                    + "They are the answers of the e-book, of its pages and of its pictures.",
                types: ["application/zip"], offline)
            routes.get(
                "/ebooks/{ebook}/search", limit: .search,
                summary: "Pages of an e-book on which some words stand, up to where you are in the book.",
                query: [Self.question] + QueryParameter.paging, reply: .page(Self.hit), search)
            routes.get(
                "/ebooks/{ebook}/pages/{page}/talk",
                summary: "What was written about a page and the one before it, as far as you see it and are there.",
                query: QueryParameter.paging, reply: .page(Boards.Schemas.post, name: "EbookTalkPage"), talk)
            routes.get(
                "/ebooks/{ebook}/talk", summary: "How much was written about each of some pages: for their margins.",
                query: Self.range, reply: Self.margins, margins)
            routes.get(
                "/books/{book}/open",
                summary:
                    "Open a book: the e-book that you read, and the page that you bookmarked last or were on since.",
                reply: Self.opening, open)
        }

        private var store: Store { site.community.ebooks }

        // MARK: Keeping

        /// `PUT /editions/{edition}/ebook?rights&audience` → 201 for the first, 200; 403 `not_librarian`, 404, 408, 409 `ebook_quota`, 413,
        /// 415, 422 `ebook_damaged`, `ebook_locked`, `ebook_too_large`, `validation`; 429 beyond the account's time of conversion; 501
        /// `ebooks_off`, 503, 507.
        @Sendable private func keep(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            let edition = try context.id("edition", as: Catalog.Edition.self)
            let new = try context.newEbook()
            try await store.check(new, at: edition, by: identity)
            let incoming = try await receive(request, by: identity.account)
            let prepared = try await store.prepare(incoming, for: identity.account)
            // What a repeated call must say again.
            var named = context
            named.body = ByteBuffer(string: "\(prepared.hash) \(new.rights.rawValue) \(new.audience.rawValue)")
            let reply = try await named.write(request) {
                let (opened, isFirst) = try await store.add(new, prepared, at: edition, by: identity)
                guard isFirst else { return try Reply.json(.ok, opened).tagged(opened.ebook) }
                return try Reply.created(opened, location: "/ebooks/\(opened.ebook.id)").tagged(opened.ebook)
            }
            try await store.settle(prepared)
            return reply
        }

        /// A file that keeps its turn waiting is paid for by its sender, as a picture is.
        private func receive(_ request: Request, by account: ID<Accounts.Account>) async throws -> Media.Incoming {
            let budget = site.community.media.facilities.budget
            let turn = try budget.begin(account)
            let start = ContinuousClock.now
            defer { budget.end(turn, took: max(.zero, .now - start - site.limits.uploadBodyGrace)) }
            let incoming = try await store.receive()
            try await request.eachPart(atMost: Limits.ebooks.upload) { part in
                try await incoming.append(Array(part.readableBytesView))
            }
            return incoming
        }

        /// `PATCH /ebooks/{ebook}` `{rights?, audience?}` → 200; what is left out stays. 403 `account_frozen`, `not_librarian`, 404, 412, 422.
        /// Refused with `precondition_failed` too.
        @Sendable private func change(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            let id = try context.id("ebook", as: Ebook.self)
            var form = try context.form(request)
            let change = Change(
                rights: form.optionalChoice("rights", Rights.self),
                audience: form.optionalChoice("audience", Audience.self))
            try form.check()
            let version = Precondition(request.headers[.ifMatch], of: "ebook")
            return try await context.write(request) {
                let ebook = try await store.change(id, change, by: identity, ifVersion: version).ebook
                return try Reply.json(.ok, ebook).tagged(ebook)
            }
        }

        /// `DELETE /ebooks/{ebook}` → 204; 403 `account_frozen`, `not_librarian`, 404, 412. Refused with `precondition_failed` too.
        @Sendable private func remove(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            let id = try context.id("ebook", as: Ebook.self)
            let version = Precondition(request.headers[.ifMatch], of: "ebook")
            return try await context.write(request) {
                try await store.remove(id, by: identity, ifVersion: version)
                return .noContent
            }
        }

        // MARK: Reading

        /// `GET /books/{book}/ebooks` → 200.
        @Sendable private func ofBook(_ request: Request, context: SiteContext) async throws -> Reply {
            let work = try context.id("book", as: Catalog.Work.self)
            return try Reply.json(.ok, ["items": try await store.ebooks(of: work, for: context.viewer)])
        }

        /// `GET /me/ebooks` → 200 with a page.
        @Sendable private func mine(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let page = try context.page(list: "me-ebooks", filter: reader.text, key: ID<Ebook>.self)
            return try Reply.page(
                try await store.ebooks(of: reader, page: page), list: "me-ebooks", filter: reader.text,
                context: context)
        }

        /// `GET /ebooks/{ebook}` → 200; 404.
        @Sendable private func one(_ request: Request, context: SiteContext) async throws -> Reply {
            let opened = try await store.opened(try context.id("ebook", as: Ebook.self), for: context.viewer)
            return try Reply.json(.ok, opened).tagged(opened.ebook)
        }

        /// `GET /ebooks/{ebook}/pages/{page}?v` → 200; 401 for one that is for members, 403 `not_on_loan`, `loan_ended`, 404, 410 `page_moved`
        /// with `page` for an address of a former layout.
        @Sendable private func page(_ request: Request, context: SiteContext) async throws -> Reply {
            let id = try context.id("ebook", as: Ebook.self)
            let number = try context.pageNumber()
            let layout = try context.query().integer("v", in: 1...Int(Int32.max))
            let (pages, keeping) = try await store.pages(
                number...number, layout: layout, of: id, for: context.viewer)
            return try Reply.json(.ok, pages[0]).kept(keeping, isNamed: layout != nil)
        }

        /// `GET /ebooks/{ebook}/pages?from&to&v` → 200 with at most 20, those that there are; 401, 403, 404, 410 as for one page.
        ///
        /// Refused with `not_on_loan`, `loan_ended`, `page_moved` too.
        @Sendable private func pages(_ request: Request, context: SiteContext) async throws -> Reply {
            let id = try context.id("ebook", as: Ebook.self)
            let range = try context.pageRange()
            let layout = try context.query().integer("v", in: 1...Int(Int32.max))
            let (pages, keeping) = try await store.pages(range, layout: layout, of: id, for: context.viewer)
            return try Reply.json(.ok, ["items": pages]).kept(keeping, isNamed: layout != nil)
        }

        /// `GET /ebooks/{ebook}/pictures/{number}` → 200; 304, 401, 403 `not_on_loan`, `loan_ended`, 404, 501 `pictures_off`, `ebooks_off`, 503.
        @Sendable private func picture(_ request: Request, context: SiteContext) async throws -> Reply {
            let id = try context.id("ebook", as: Ebook.self)
            guard let number = Int(try context.text("number")), (0...Self.lastPage).contains(number) else {
                throw Failure.notFound("picture of that number")
            }
            let layout = try context.query().integer("v", in: 1...Int(Int32.max))
            let picture = try await store.picture(number, of: id, for: context.viewer)
            return Reply.image(picture.file, caching: .asked).tagged(picture.tag)
                .kept(picture.keeping, isNamed: layout == picture.layout)
        }

        /// `GET /ebooks/{ebook}/offline` → 200; 304, 401, 403 `not_on_loan`, `loan_ended`, `not_offline`, 404, 501 `ebooks_off`, 429 beyond the account's time of
        /// conversion, 503 with how far it is while pictures are made, 507 `no_room`.
        @Sendable private func offline(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let packing = try await store.packing(of: try context.id("ebook", as: Ebook.self), for: reader)
            let tag = "\"\(packing.tag)\""
            if let known = request.headers[.ifNoneMatch], EntityTag.matches(tag, known) {
                return Reply(status: .notModified, headers: [.eTag: tag]).kept(packing.keeping, isNamed: false)
            }
            let archive = try await store.pack(packing, for: reader)
            return Reply.file(
                size: archive.size, type: "application/zip", name: "ebook-\(packing.ebook.id).zip"
            ) { try await archive.give(to: $0) }.tagged(packing.tag).kept(packing.keeping, isNamed: false)
        }

        /// `GET /ebooks/{ebook}/search?q` → 200 with a page; 401, 403 `not_on_loan`, `loan_ended`, 404.
        @Sendable private func search(_ request: Request, context: SiteContext) async throws -> Reply {
            let id = try context.id("ebook", as: Ebook.self)
            let text = try context.query().text("q", bytes: 1...400) ?? ""
            let filter = id.text + " " + text
            let page = try context.page(list: "ebook-search", filter: filter, key: HitKey.self)
            return try Reply.page(
                try await store.search(text, in: id, for: context.viewer, page: page), list: "ebook-search",
                filter: filter, context: context)
        }

        /// `GET /ebooks/{ebook}/pages/{page}/talk` → 200 with a page; 401, 403 `not_on_loan`, `loan_ended`, 404.
        @Sendable private func talk(_ request: Request, context: SiteContext) async throws -> Reply {
            try context.require(.read, "boards")
            let id = try context.id("ebook", as: Ebook.self)
            let number = try context.pageNumber()
            let filter = "\(id) \(number)"
            let page = try context.page(list: "ebook-talk", filter: filter, key: Boards.TalkKey.self)
            return try Reply.page(
                try await store.talk(at: number, of: id, for: context.viewer, page: page), list: "ebook-talk",
                filter: filter, context: context)
        }

        /// `GET /ebooks/{ebook}/talk?from&to` → 200 with one for each page; 401, 403 `not_on_loan`, `loan_ended`, 404.
        @Sendable private func margins(_ request: Request, context: SiteContext) async throws -> Reply {
            try context.require(.read, "boards")
            let id = try context.id("ebook", as: Ebook.self)
            let range = try context.pageRange()
            return try Reply.json(.ok, ["items": try await store.margins(range, of: id, for: context.viewer)])
        }

        /// `GET /books/{book}/open` → 200; 401 where the e-books are for members, 403 `not_on_loan`, `loan_ended`, 404 where there is none.
        @Sendable private func open(_ request: Request, context: SiteContext) async throws -> Reply {
            let work = try context.id("book", as: Catalog.Work.self)
            let opening = try await store.open(work, for: context.viewer, tellsPlaces: context.mayRead("library"))
            return try Reply.json(.ok, opening).kept(opening.keeping, isNamed: false)
        }

        static let lastPage = 100_000
        static let types = ["application/epub+zip", "text/plain"]
    }
}

extension Reply {
    /// The same reply, which clients may keep as the e-book allows. `isNamed`: its address names the layout, so that what
    /// stands there never changes.
    fileprivate func kept(_ keeping: Ebooks.Keeping, isNamed: Bool) -> Reply {
        var reply = self
        reply.headers[.cacheControl] =
            switch keeping {
            case .lent: "private, no-store"
            case .open where isNamed: "public, max-age=\(Limits.ebooks.openAge), immutable"
            case .own where isNamed: "private, max-age=\(Limits.ebooks.ownAge)"
            case .open, .own: nil
            }
        return reply
    }

    fileprivate func tagged(_ ebook: Ebooks.Ebook) -> Reply {
        taggedAsShown("ebook-\(ebook.id)", version: ebook.version)
    }
}
