import Community
import HTTPTypes
import Hummingbird

extension Friends {
    /// Friendship and blocks over HTTP.
    package struct Routes: Sendable {
        let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            routes.post(
                "/me/friend-requests", summary: "Ask a reader for friendship; where they asked you already, accept.",
                body: Self.newRequest, reply: Self.asked, ask)
            routes.get(
                "/me/friend-requests", access: .reader, summary: "Open requests to you, or of you, newest first.",
                query: [QueryParameter("is_incoming", .boolean, "To you (`true` where it is left out) or of you.")]
                    + QueryParameter.paging,
                reply: .page(Self.request), requests)
            routes.post(
                "/me/friend-requests/{request}/accept", access: .reader, summary: "Accept a request.", status: .ok,
                reply: Self.request, accept)
            routes.post(
                "/me/friend-requests/{request}/decline", access: .reader, summary: "Decline a request; nobody is told.",
                status: .noContent, decline)
            routes.delete("/me/friend-requests/{request}", summary: "Take back your request.", withdraw)
            routes.get(
                "/me/friends", access: .reader, summary: "Your friends, newest first.", query: QueryParameter.paging,
                reply: .page(Self.friend), friends)
            routes.delete("/me/friends/{username}", summary: "End a friendship, for both.", remove)
            routes.put(
                "/me/blocks/{username}", access: .reader,
                summary: "Block a reader: you no longer exist for each other. Friendship and requests end.",
                status: .noContent, block)
            routes.delete("/me/blocks/{username}", summary: "Lift a block.", unblock)
            routes.get(
                "/me/blocks", access: .reader, summary: "Whom you have blocked, newest first.",
                query: QueryParameter.paging,
                reply: .page(Self.blocked), blocks)
            addReaders(to: &routes)
        }

        var store: Store { site.community.friends }

        /// `POST /me/friend-requests` `{username}` → 201 `{id, state}`: `pending` for a request that is open now, new or
        /// not, and `accepted` where the other had asked. 403 `email_unverified`, `account_frozen`; 404 for nobody and
        /// for whom you may not see; 409 `already_friends`, `too_many_open_requests`, `inbox_full`, `too_many_friends`;
        /// 422, 429.
        /// Refused with `not_found` too.
        @Sendable private func ask(_ request: Hummingbird.Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            var form = try context.form(request)
            let username = form.string("username", bytes: 1...Limits.accounts.username.upperBound)
            try form.check()
            return try await context.write(request) {
                let asked = try await store.ask(username, by: identity)
                let body = AskedBody(id: asked.id, state: asked.state)
                return try Reply.created(body, location: "/me/friend-requests/\(asked.id)")
            }
        }

        /// `GET /me/friend-requests?is_incoming=true|false` → 200 with a page.
        @Sendable private func requests(_ request: Hummingbird.Request, context: SiteContext) async throws -> Reply {
            let direction = try context.query().boolean("is_incoming") ?? true ? Request.Direction.in : .out
            let page = try context.page(
                list: "friend-requests", filter: direction.rawValue, key: ID<Friends.Request>.self)
            let requests = try await store.requests(direction, of: try context.signedIn().account, page)
            return try Reply.page(requests, list: "friend-requests", filter: direction.rawValue, context: context)
        }

        /// `POST /me/friend-requests/{request}/accept` → 200 with the request; again, the same. 404, 409
        /// `too_many_friends`.
        /// Refused with `account_frozen` too.
        @Sendable private func accept(_ request: Hummingbird.Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            let id = try context.id("request", as: Friends.Request.self)
            return try await context.write(
                request, again: { _ in try Reply.json(.ok, try await store.accepted(id, by: identity.account)) }
            ) {
                try Reply.json(.ok, try await store.accept(id, by: identity.account))
            }
        }

        /// `POST /me/friend-requests/{request}/decline` → 204; 404.
        @Sendable private func decline(_ request: Hummingbird.Request, context: SiteContext) async throws -> Reply {
            let account = try context.signedIn().account
            let id = try context.id("request", as: Friends.Request.self)
            return try await context.write(request) {
                try await store.decline(id, by: account)
                return .noContent
            }
        }

        /// `DELETE /me/friend-requests/{request}` → 204; 404.
        @Sendable private func withdraw(_ request: Hummingbird.Request, context: SiteContext) async throws -> Reply {
            let account = try context.signedIn().account
            let id = try context.id("request", as: Friends.Request.self)
            return try await context.write(request) {
                try await store.withdraw(id, by: account)
                return .noContent
            }
        }

        /// `GET /me/friends` → 200 with a page.
        @Sendable private func friends(_ request: Hummingbird.Request, context: SiteContext) async throws -> Reply {
            let page = try context.page(list: "friends", key: Key.self)
            return try Reply.page(
                try await store.friends(of: try context.signedIn().account, page), list: "friends", context: context)
        }

        /// `DELETE /me/friends/{username}` → 204, whether there is such a reader or not, and whether you were friends
        /// or not; 403 `account_frozen`.
        @Sendable private func remove(_ request: Hummingbird.Request, context: SiteContext) async throws -> Reply {
            let account = try context.signedIn().account
            let username = try context.text("username")
            return try await context.write(request) {
                try await store.remove(username, of: account)
                return .noContent
            }
        }

        /// `PUT /me/blocks/{username}` → 204, again and again; 404 for nobody and for whom you may not see; 409
        /// `too_many_blocks`; 422 for oneself.
        /// Refused with `validation` too.
        @Sendable private func block(_ request: Hummingbird.Request, context: SiteContext) async throws -> Reply {
            let account = try context.signedIn().account
            let username = try context.text("username")
            return try await context.write(request) {
                try await store.block(username, by: account)
                return .noContent
            }
        }

        /// `DELETE /me/blocks/{username}` → 204, whether there is such a reader or not, and whether you had blocked them
        /// or not.
        @Sendable private func unblock(_ request: Hummingbird.Request, context: SiteContext) async throws -> Reply {
            let account = try context.signedIn().account
            let username = try context.text("username")
            return try await context.write(request) {
                try await store.unblock(username, by: account)
                return .noContent
            }
        }

        /// `GET /me/blocks` → 200 with a page.
        @Sendable private func blocks(_ request: Hummingbird.Request, context: SiteContext) async throws -> Reply {
            let page = try context.page(list: "blocks", key: Key.self)
            return try Reply.page(
                try await store.blocks(of: try context.signedIn().account, page), list: "blocks", context: context)
        }
    }
}

extension Friends.Routes {
    /// What came of asking.
    struct AskedBody: Encodable {
        let id: ID<Friends.Request>
        let state: Friends.Request.State
    }

    static let reader = Accounts.Routes.reader
    /// What a reader is told: a declined request looks pending.
    private static let state = Schema.choice([Friends.Request.State.pending, .accepted].map(\.rawValue))

    static let newRequest = Schema.object("NewFriendRequest", ["username": .string(Limits.accounts.username)])
    static let asked = Schema.object("AskedFriendRequest", ["id": .id, "state": state])
    static let request = Schema.object(
        "FriendRequest",
        ["id": .id, "reader": reader, "is_incoming": .boolean, "state": state, "created_at": .time])
    static let friend = Schema.object("Friend", ["reader": reader, "befriended_at": .time])
    static let blocked = Schema.object("Block", ["reader": reader, "blocked_at": .time])
}
