import Community
import HTTPTypes
import Hummingbird

extension Notifications {
    /// Notifications over HTTP.
    package struct Routes: Sendable {
        private let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            routes.get(
                "/me/notifications", access: .reader,
                summary: """
                    What you were told of, newest first: who did it, and what it is about as far as you may see that now. \
                    What only a newer server knows has `kind` null and a text alone.
                    """,
                query: [
                    QueryParameter("is_unread", .boolean, "Only those that you have not read."),
                    QueryParameter("kind", .choice(Kind.allCases.map(\.rawValue)), "Only those of this kind."),
                ] + QueryParameter.paging, reply: .page(Self.notification), list)
            routes.put(
                "/me/notifications/read", access: .reader,
                summary: "Read a notification and all that stand after it in the list; all, where none is named.",
                body: Self.newReading,
                reply: Self.unread, readAll)
            routes.put(
                "/me/notifications/seen", access: .reader, summary: "Say that you have seen the list.",
                status: .noContent,
                see)
            routes.put(
                "/me/notifications/{notification}/read", access: .reader, summary: "Read a notification.",
                reply: Self.unread, read)
            routes.delete(
                "/me/notifications/{notification}", access: .reader, summary: "Take a notification away.", remove)
            routes.get(
                "/me/settings/notifications", access: .reader,
                summary: "What you want to be told of, kind by kind: at all, and also by mail while it is unread.",
                reply: Self.settings, settings)
            routes.patch(
                "/me/settings/notifications", access: .reader,
                summary: "Say what you want to be told of. What is left out stays.", body: Self.newSettings,
                reply: Self.settings, change)
        }

        private var store: Store { site.community.notifications }

        /// `GET /me/notifications?is_unread=&kind=` → 200 with a page.
        @Sendable private func list(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let query = try context.query()
            let filter = Filter(
                isUnread: try query.boolean("is_unread") ?? false, kind: try query.choice("kind", Kind.self))
            let scope = "\(reader) \(filter.isUnread) \(filter.kind?.rawValue ?? "")"
            let page = try context.page(list: "notifications", filter: scope, key: Key.self)
            return try Reply.page(
                try await store.list(of: reader, filter, page: page), list: "notifications", filter: scope,
                context: context)
        }

        /// `PUT /me/notifications/read` `{through?}` → 200 `{unread_count}`; 404, 422.
        /// Refused with `not_found` too.
        @Sendable private func readAll(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            var form = try context.form(request)
            let through = form.optionalID("through", as: Item.self)
            try form.check()
            return try await context.write(request) {
                if let through {
                    try await store.readAll(through: through, by: reader)
                } else {
                    try await store.readAll(by: reader)
                }
                return try await unread(of: reader)
            }
        }

        /// `PUT /me/notifications/{notification}/read` → 200 `{unread_count}`, again and again; 404.
        @Sendable private func read(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let id = try context.id("notification", as: Item.self)
            return try await context.write(request) {
                try await store.read(id, by: reader)
                return try await unread(of: reader)
            }
        }

        private func unread(of reader: ID<Accounts.Account>) async throws -> Reply {
            try Reply.json(.ok, ["unread_count": try await store.unread(of: reader)])
        }

        /// `PUT /me/notifications/seen` → 204.
        @Sendable private func see(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            return try await context.write(request) {
                try await store.see(by: reader)
                return .noContent
            }
        }

        /// `DELETE /me/notifications/{notification}` → 204; 404.
        @Sendable private func remove(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let id = try context.id("notification", as: Item.self)
            return try await context.write(request) {
                try await store.remove(id, by: reader)
                return .noContent
            }
        }

        /// `GET /me/settings/notifications` → 200 `{kind: {is_in_inbox, is_mailed}}`.
        @Sendable private func settings(_ request: Request, context: SiteContext) async throws -> Reply {
            try Reply.json(.ok, try await store.settings(of: try context.signedIn().account))
        }

        /// `PATCH /me/settings/notifications` `{kind?: {is_in_inbox?, is_mailed?}}` → 200 with all; 422.
        @Sendable private func change(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            var form = try context.form(request)
            let changes = form.notificationSettings()
            try form.check()
            return try await context.write(request) {
                try Reply.json(.ok, try await store.change(changes, of: reader))
            }
        }
    }
}
