import Community
import HTTPTypes
import Hummingbird
import JSONWriting
import NIOCore
import PlainText

/// A page that takes along the lists which its screen shows, so that a screen is one call: `?include=reviews,threads`.
///
/// Each list is the first page of what its own route answers, cursors among it, by the same handler and for the same
/// caller: what is gated or hidden there is so here, and an access token needs the scope of each. A list that is not
/// there for the caller, and one that the caller may not read, is null; without the scope of one the whole call is
/// refused. An access token may not ask for what is for sessions alone: 403 `session_required`. All of them are read
/// beside each other.
struct Including: Sendable {
    /// Below the prefix, as in the route table.
    let page: String
    /// What the page with its lists is called in `openapi.json`.
    let name: String
    /// Where each list's route stands, by the list's name. A path may name one of several: `/me/shelves/want` of
    /// `/me/shelves/{shelf}`.
    let lists: KeyValuePairs<String, String>

    /// What the object with its lists is called there.
    var included: String { name + "Included" }

    /// What is said there of one of its lists.
    static func sentence(of list: String, in schema: String) -> String? {
        all.first { $0.included == schema }?.lists.first { $0.key == list }.map {
            "What `GET /api/v1\($0.value)` answers, a list its first page; null where there is nothing for you."
        }
    }

    /// Lists that one call takes along, at most.
    static let most = 8

    /// Every page that takes lists along.
    static let all = [book, reader, me, notebook, theme, folder, list]

    private static let book = Including(
        page: "/books/{book}", name: "BookScreen",
        lists: [
            "reviews": "/books/{book}/reviews", "ratings": "/books/{book}/ratings", "threads": "/books/{book}/threads",
            "position": "/books/{book}/position", "recommendations": "/books/{book}/recommendations",
            "friends": "/books/{book}/friends", "bookmarks": "/books/{book}/bookmarks",
            "shelf": "/books/{book}/shelf", "review": "/books/{book}/review", "gate": "/books/{book}/gate",
            "ranking": "/books/{book}/ranking", "moderators": "/books/{book}/moderators",
            "sources": "/books/{book}/sources", "revisions": "/books/{book}/revisions",
            "photos": "/books/{book}/photos", "notebook": "/books/{book}/notebook",
            "related": "/books/{book}/related",
        ])

    private static let notebook = Including(
        page: "/books/{book}/notebook", name: "NotebookScreen",
        lists: [
            "book": "/books/{book}", "position": "/books/{book}/position", "shelf": "/books/{book}/shelf",
            "bookmarks": "/books/{book}/bookmarks", "photos": "/books/{book}/photos",
        ])

    private static let theme = Including(
        page: "/themes/{theme}", name: "ThemeScreen", lists: ["notes": "/themes/{theme}/notes"])

    private static let folder = Including(
        page: "/folders/{folder}", name: "FolderScreen",
        lists: ["folders": "/folders/{folder}/folders", "notes": "/folders/{folder}/notes"])

    private static let list = Including(
        page: "/lists/{list}", name: "BookListScreen", lists: ["books": "/lists/{list}/books"])

    private static let reader = Including(
        page: "/readers/{username}", name: "ReaderScreen",
        lists: [
            "shelves": "/readers/{username}/shelves", "favourites": "/readers/{username}/favourites",
            "recommendations": "/readers/{username}/recommendations", "lists": "/readers/{username}/lists",
            "libraries": "/readers/{username}/libraries", "groups": "/readers/{username}/groups",
            "friends": "/readers/{username}/friends", "mutual_friends": "/readers/{username}/friends/mutual",
            "reviews": "/readers/{username}/reviews", "posts": "/readers/{username}/posts",
            "photos": "/readers/{username}/photos",
            "notes": "/readers/{username}/notes", "statistics": "/readers/{username}/statistics",
        ])

    private static let me = Including(
        page: "/me", name: "MeScreen",
        lists: [
            "shelves": "/me/shelves", "shelf_want": "/me/shelves/want", "shelf_reading": "/me/shelves/reading",
            "shelf_read": "/me/shelves/read", "reading": "/me/reading", "library": "/me/library",
            "borrowed": "/me/borrowed",
            "bookmarks": "/me/bookmarks", "favourites": "/me/favourites", "recommendations": "/me/recommendations",
            "lists": "/me/lists", "libraries": "/me/libraries", "loans": "/me/loans", "groups": "/me/groups",
            "group_invitations": "/me/group-invitations", "genres": "/me/genres", "friends": "/me/friends",
            "friend_requests": "/me/friend-requests", "friend_suggestions": "/me/friend-suggestions",
            "follows": "/me/follows", "feed": "/me/feed",
            "conversations": "/me/conversations", "notifications": "/me/notifications", "posts": "/me/posts",
            "threads": "/me/threads", "searches": "/me/searches", "settings": "/me/settings", "photos": "/me/photos",
            "notebooks": "/me/notebooks", "books": "/books", "trending": "/trending", "discover": "/discover",
            "suggestions": "/me/suggestions", "all_genres": "/genres", "statistics": "/me/statistics",
            "hot_boards": "/boards/hot", "sessions": "/me/sessions",
        ])
}

extension RouteTable {
    /// Makes the route of a page take lists along, whose routes have been added. Throws where one of them is not there, or
    /// needs of the path what the page has not.
    mutating func include(_ including: Including) throws {
        let place = routes.firstIndex { $0.method == .get && $0.path == "/api/v1" + including.page }
        guard let index = place else { throw Including.NoRoute(path: including.page) }
        let page = routes[index]
        let lists = try including.lists.map { name, path in
            guard let route = route(.get, "/api/v1" + path),
                let list = Including.List(name, route, at: path, of: page)
            else { throw Including.NoRoute(path: path) }
            return list
        }
        let names = lists.map(\.name).joined(separator: ", ")
        routes[index].query.append(
            QueryParameter(
                "include", .string(1...200),
                "Lists to take along, the first page of each: at most \(Including.most) of \(names), with commas between them."
            ))
        routes[index].handler = Including.Handling(page: page, lists: lists).reply
        let included = Schema.record(
            name: including.included,
            lists.map { Schema.Property(name: $0.name, schema: .orNull($0.route.reply ?? .any), isRequired: false) })
        routes[index].reply = page.reply?.adding(optional: ["included": included], as: including.name)
    }
}

extension Including {
    struct NoRoute: Error {
        let path: String
    }

    struct List: Sendable {
        let name: String
        let route: Route
        /// Parameters of the route's path that the list's own path says, by name.
        let fixed: [(name: Substring, value: Substring)]

        /// `nil` where the route needs of its path what neither `path` nor the page's has.
        init?(_ name: String, _ route: Route, at path: String, of page: Route) {
            var fixed: [(name: Substring, value: Substring)] = []
            for (part, value) in zip(route.path.split(separator: "/").dropFirst(2), path.split(separator: "/"))
            where part.hasPrefix("{") {
                let parameter = part.dropFirst().dropLast()
                if !value.hasPrefix("{") {
                    fixed.append((parameter, value))
                } else if value != part || !page.pathParameters.contains(String(parameter)) {
                    return nil
                }
            }
            (self.name, self.route, self.fixed) = (name, route, fixed)
        }
    }

    /// The page with its lists.
    struct Handling: Sendable {
        let page: Route
        let lists: [List]

        @Sendable func reply(_ request: Request, context: SiteContext) async throws -> Reply {
            let wanted = try self.wanted(context)
            guard !wanted.isEmpty else { return try await page.handler(request, context) }
            for list in wanted { try list.route.admit(context) }
            async let whole = page.handler(request, context)
            let parts = try await withThrowingTaskGroup(of: (name: String, bytes: ByteBuffer?).self) { group in
                for list in wanted {
                    group.addTask { (list.name, try await list.bytes(request, context)) }
                }
                var parts: [String: ByteBuffer] = [:]
                for try await part in group { parts[part.name] = part.bytes }
                return parts
            }
            return try await whole.taking(wanted.map { (name: $0.name, bytes: parts[$0.name]) })
        }

        /// Throws `.invalid` for names that are none and for too many.
        private func wanted(_ context: SiteContext) throws(Failure) -> [List] {
            guard let text = try context.query().text("include", bytes: 1...200) else { return [] }
            let names = Set(text.split(separator: ",").map { $0.trimmed { $0 == " " } })
            let wanted = lists.filter { names.contains($0.name) }
            guard wanted.count == names.count else {
                let known = lists.map(\.name).joined(separator: ", ")
                throw .invalid("?include", .unknown, "must be names of \(known), with commas between them")
            }
            guard wanted.count <= Including.most else {
                throw .invalid("?include", .outOfRange, "must name at most \(Including.most)")
            }
            return wanted
        }
    }
}

extension Including.List {
    /// What the list's own route answers to the caller who asks for its first page; `nil` for what is not there or not
    /// theirs to read.
    fileprivate func bytes(_ request: Request, _ context: SiteContext) async throws -> ByteBuffer? {
        let target = route.path.split(separator: "/").map { part in
            guard part.hasPrefix("{") else { return part }
            let name = part.dropFirst().dropLast()
            return fixed.first { $0.name == name }?.value ?? context.parameters[name] ?? ""
        }.joined(separator: "/")
        let context = context.entering(route, at: "/" + target)
        do {
            guard case .bytes(let bytes) = try await route.handler(request, context).content else { return nil }
            return bytes
        } catch let failure as Failure {
            switch failure {
            case .notFound, .forbidden: return nil
            default: throw failure
            }
        }
    }
}

extension Reply {
    /// This reply, an object, with those parts in a member `included`.
    fileprivate func taking(_ parts: [(name: String, bytes: ByteBuffer?)]) throws -> Reply {
        guard status == .ok, case .bytes(let own) = content, own.readableBytes > 2 else { return self }
        var bytes = own.getSlice(at: own.readerIndex, length: own.readableBytes - 1) ?? own
        for (place, part) in parts.enumerated() {
            bytes.writeString(place == 0 ? ",\"included\":{" : ",")
            bytes.writeString("\"\(part.name)\":")
            if let part = part.bytes { bytes.writeImmutableBuffer(part) } else { bytes.writeStaticString("null") }
        }
        bytes.writeStaticString("}}")
        var reply = self
        reply.content = .bytes(bytes)
        reply.headers[.eTag] = nil
        return reply
    }
}

extension Route {
    /// Throws unless who calls may make this call: 401 and 403 by its access, 403 for access tokens without its scope.
    func admit(_ context: SiteContext) throws {
        if let scopes = context.identity?.scopes {
            switch tokens {
            case .ignored: break
            case .refused: throw Problem.sessionRequired
            case .scope(let scope): guard scopes.contains(scope) else { throw Problem.insufficientScope(scope) }
            }
        }
        switch access {
        case .open: break
        case .reader, .session: _ = try context.signedIn()
        case .verified: try context.signedIn().mayPost()
        }
    }
}
