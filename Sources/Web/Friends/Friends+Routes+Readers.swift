import Community
import HTTPTypes
import Hummingbird
import JSONWriting

// What a reader does about another by name, and whom they may know.

extension Friends.Routes {
    func addReaders(to routes: inout RouteTable) {
        routes.get(
            "/readers/{username}/friends", access: .reader,
            summary: "The friends of a reader who is your friend, as far as you may see them, newest first.",
            query: QueryParameter.paging, reply: .page(Self.friend), friendsOf)
        routes.get(
            "/readers/{username}/friends/mutual", access: .reader,
            summary: "The friends whom you have in common with a reader; `befriended_at`: when they became yours.",
            query: QueryParameter.paging, reply: .page(Self.friend), mutual)
        routes.get(
            "/me/friend-suggestions", access: .reader,
            summary:
                "Readers whom you may want to know, each with the reason: friends of friends, similar taste, similar shelves.",
            reply: Self.suggestions, suggestions)
        routes.delete(
            "/me/friend-suggestions/{username}", summary: "Do not suggest this reader again.", dismiss)
        routes.put(
            "/me/mutes/{username}", access: .reader,
            summary: "Mute a reader, who is not told: nothing of theirs stands in your feed or comes to your inbox.",
            status: .noContent, mute)
        routes.delete("/me/mutes/{username}", summary: "Lift a mute.", unmute)
        routes.get(
            "/me/mutes", access: .reader, summary: "Whom you have muted, newest first.", query: QueryParameter.paging,
            reply: .page(Self.muted), mutes)
    }

    /// `GET /readers/{username}/friends` → 200 with a page; 404 unless they are your friend or you.
    @Sendable private func friendsOf(_ request: Request, context: SiteContext) async throws -> Reply {
        let username = try context.text("username")
        let filter = Accounts.Username.fold(username)
        let page = try context.page(list: "reader-friends", filter: filter, key: Friends.Key.self)
        let friends = try await store.friends(of: username, for: try context.signedIn().account, page)
        return try Reply.page(friends, list: "reader-friends", filter: filter, context: context)
    }

    /// `GET /readers/{username}/friends/mutual` → 200 with a page; 404.
    @Sendable private func mutual(_ request: Request, context: SiteContext) async throws -> Reply {
        let username = try context.text("username")
        let filter = Accounts.Username.fold(username)
        let page = try context.page(list: "mutual-friends", filter: filter, key: Friends.Key.self)
        let friends = try await store.mutualFriends(with: username, for: try context.signedIn().account, page)
        return try Reply.page(friends, list: "mutual-friends", filter: filter, context: context)
    }

    /// `GET /me/friend-suggestions` → 200 `{items: [{reader, reason}]}`, at most 20.
    @Sendable private func suggestions(_ request: Request, context: SiteContext) async throws -> Reply {
        let found = try await store.suggestions(for: try context.signedIn().account)
        return try Reply.json(.ok, ["items": found.map(SuggestionBody.init)])
    }

    /// `DELETE /me/friend-suggestions/{username}` → 204, again and again; 404 for whom you may not see; 409
    /// `too_many_dismissals`.
    @Sendable private func dismiss(_ request: Request, context: SiteContext) async throws -> Reply {
        let account = try context.signedIn().account
        let username = try context.text("username")
        return try await context.write(request) {
            try await store.dismiss(username, by: account)
            return .noContent
        }
    }

    /// `PUT /me/mutes/{username}` → 204, again and again; 404 for nobody and for whom you may not see; 409
    /// `too_many_mutes`; 422 for oneself.
    /// Refused with `validation` too.
    @Sendable private func mute(_ request: Request, context: SiteContext) async throws -> Reply {
        let account = try context.signedIn().account
        let username = try context.text("username")
        return try await context.write(request) {
            try await store.mute(username, by: account)
            return .noContent
        }
    }

    /// `DELETE /me/mutes/{username}` → 204, whether there is such a reader or not, and whether you had muted them or not.
    @Sendable private func unmute(_ request: Request, context: SiteContext) async throws -> Reply {
        let account = try context.signedIn().account
        let username = try context.text("username")
        return try await context.write(request) {
            try await store.unmute(username, by: account)
            return .noContent
        }
    }

    /// `GET /me/mutes` → 200 with a page.
    @Sendable private func mutes(_ request: Request, context: SiteContext) async throws -> Reply {
        let page = try context.page(list: "mutes", key: Friends.Key.self)
        return try Reply.page(
            try await store.mutes(of: try context.signedIn().account, page), list: "mutes", context: context)
    }
}

extension Friends.Routes {
    /// A suggestion as it is written.
    struct SuggestionBody: Encodable {
        let reader: Accounts.Reader
        let reason: ReasonBody

        init(_ suggestion: Friends.Suggestion) {
            reader = suggestion.reader
            reason = ReasonBody(reason: suggestion.reason)
        }
    }

    struct ReasonBody: JSONForm {
        let reason: Friends.Reason

        func put(into object: JSONObject) {
            switch reason {
            case .mutualFriends(let count, let readers):
                object.put("kind", "mutual_friends")
                object.put("friend_count", count)
                object.put("readers", readers)
            case .similarTaste(let rated, let alike, let books):
                object.put("kind", "similar_taste")
                object.put("book_count", rated)
                object.put("alike_count", alike)
                object.put("books", books)
            case .sharedBooks(let count, let books):
                object.put("kind", "shared_books")
                object.put("book_count", count)
                object.put("books", books)
            }
        }
    }

    static let muted = Schema.object("Mute", ["reader": reader, "muted_at": .time])
    private static let mutualFriends = Schema.object(
        "MutualFriendsReason",
        ["kind": .choice(["mutual_friends"]), "friend_count": .integer, "readers": .array(reader, count: 1...3)])
    private static let sharedBooks = Schema.object(
        "SharedBooksReason",
        ["kind": .choice(["shared_books"]), "book_count": .integer, "books": .array(Reviews.Routes.book, count: 1...3)])
    private static let similarTaste = Schema.object(
        "SimilarTasteReason",
        [
            "kind": .choice(["similar_taste"]), "book_count": .integer, "alike_count": .integer,
            "books": .array(Reviews.Routes.book, count: 1...3),
        ])
    private static let suggestion = Schema.object(
        "FriendSuggestion", ["reader": reader, "reason": .either([mutualFriends, similarTaste, sharedBooks])])
    static let suggestions = Schema.object(
        "FriendSuggestions", ["items": .array(suggestion, count: 0...Limits.friends.suggestions)])
}
