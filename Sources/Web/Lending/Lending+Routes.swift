import Community
import HTTPTypes
import Hummingbird

extension Lending {
    /// Shared libraries over HTTP; members, copies, checkouts and loans stand in `Lending+Routes+….swift`.
    package struct Routes: Sendable {
        let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            routes.get(
                "/me/libraries", access: .reader,
                summary: "The libraries that you belong to or are invited to: the server's, your own, then the others.",
                query: QueryParameter.paging, reply: .page(Self.library), mine)
            routes.post(
                "/me/libraries", access: .reader, summary: "Make a library for a household, a class or a club.",
                body: Self.newLibrary, reply: Self.library, make)
            routes.get(
                "/readers/{username}/libraries", summary: "The libraries that a reader owns, as far as you see them.",
                query: QueryParameter.paging, reply: .page(Self.library), ofReader)
            routes.get("/libraries/{library}", summary: "One library.", reply: Self.library, one)
            routes.patch(
                "/libraries/{library}", access: .reader,
                summary: "Change what is said about a library of yours; what is left out stays.",
                body: Self.libraryChange, reply: Self.library, change)
            routes.delete("/libraries/{library}", summary: "End a library that you made, with its copies.", remove)
            routes.post(
                "/libraries/{library}/link",
                summary: "Make a link by which anybody sees what your library holds; the one before ends.",
                reply: Library.Routes.link, share)
            routes.delete("/libraries/{library}/link", summary: "Revoke the link to your library.", unshare)
            addMembers(to: &routes)
            addCopies(to: &routes)
            addCheckouts(to: &routes)
            addLoans(to: &routes)
        }

        var store: Store { site.community.lending }

        /// `GET /me/libraries` → 200 with a page.
        @Sendable private func mine(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let page = try context.page(list: "libraries", filter: reader.text, key: ID<SharedLibrary>.self)
            return try Reply.page(
                try await store.libraries(of: reader, page: page), list: "libraries", filter: reader.text,
                context: context)
        }

        /// `GET /readers/{username}/libraries` → 200 with a page of those that you may see; 404.
        @Sendable private func ofReader(_ request: Request, context: SiteContext) async throws -> Reply {
            let username = try context.text("username")
            let filter = Accounts.Username.fold(username)
            let page = try context.page(list: "reader-libraries", filter: filter, key: ID<SharedLibrary>.self)
            return try Reply.page(
                try await store.libraries(of: username, for: context.viewer, page: page), list: "reader-libraries",
                filter: filter, context: context)
        }

        /// `POST /me/libraries` `{name, description?, visibility?, loan_days?}` → 201. Without a level for its members alone; without days
        /// copies are due after 21, with null never. 403 `account_frozen`, `email_unverified`, 409 `too_many_libraries`, 422.
        @Sendable private func make(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            var form = try context.form(request)
            var new = NewLibrary(
                name: form.string("name", bytes: Limits.lending.name),
                description: form.optionalString("description", bytes: Limits.lending.description),
                visibility: form.optionalChoice("visibility", Library.Routes.Level.self)?.visibility ?? .private)
            let days = form.optionalInteger("loan_days", in: Limits.lending.loanDays)
            try form.check()
            if form.has("loan_days") { new.loanDays = days }
            return try await context.write(request) { [new] in
                let library = try await store.make(new, by: identity)
                return try Reply.created(library, location: "/libraries/\(library.id)")
            }
        }

        /// `GET /libraries/{library}` → 200; 404, also for what you may not see.
        @Sendable private func one(_ request: Request, context: SiteContext) async throws -> Reply {
            try Reply.json(.ok, try await store.library(try Self.library(context), for: context.viewer))
        }

        /// `PATCH /libraries/{library}` `{name?, description?, visibility?, loan_days?}` → 200; null clears. 403 `not_owner`,
        /// `account_frozen`, `email_unverified`, 404, 422.
        @Sendable private func change(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            let id = try Self.library(context)
            var form = try context.form(request)
            let name = form.optionalString("name", bytes: Limits.lending.name)
            let description = form.optionalString("description", bytes: Limits.lending.description)
            let level = form.optionalChoice("visibility", Library.Routes.Level.self)?.visibility
            let days = form.optionalInteger("loan_days", in: Limits.lending.loanDays)
            try form.check()
            let change = LibraryChange(
                name: form.change("name", name), description: form.change("description", description),
                visibility: form.change("visibility", level), loanDays: form.change("loan_days", days))
            return try await context.write(
                request,
                again: { _ in try context.reply(try await store.library(id, for: .reader(identity.account))) }
            ) {
                try context.reply(try await store.change(id, change, by: identity))
            }
        }

        /// `DELETE /libraries/{library}` → 204; 403 `not_owner`, `account_frozen`, 404, 409 `permanent`, `copies_out`.
        @Sendable private func remove(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            let id = try Self.library(context)
            return try await context.write(request) {
                try await store.remove(id, by: identity)
                return .noContent
            }
        }

        /// `POST /libraries/{library}/link` → 201 `{token, path}`; the token is told now and never again. 403, 404, 409 `permanent`.
        /// Refused with `not_owner` too.
        @Sendable private func share(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            let id = try Self.library(context)
            return try await context.write(request) {
                try Library.Routes.reply(to: try await store.share(id, by: identity))
            }
        }

        /// `DELETE /libraries/{library}/link` → 204, also where there is none; 404.
        /// Refused with `not_owner` too.
        @Sendable private func unshare(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let id = try Self.library(context)
            return try await context.write(request) {
                try await store.unshare(id, by: reader)
                return .noContent
            }
        }

        static func library(_ context: SiteContext) throws(Failure) -> ID<SharedLibrary> {
            try context.id("library", as: SharedLibrary.self)
        }
    }
}

extension SiteContext {
    /// 200 with a library, without what others said about it for an access token that may not read libraries.
    func reply(_ library: Lending.SharedLibrary) throws -> Reply {
        let isOwn = library.reader != nil && library.reader?.id == identity?.account
        return try Reply.json(.ok, isOwn || mayRead("library") ? library : library.withoutWords)
    }
}
