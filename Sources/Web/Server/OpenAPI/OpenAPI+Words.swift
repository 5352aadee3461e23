import Community
import HTTPTypes

// Names and lines of the document.
extension OpenAPI {
    /// Characters of the line that stands for a call in a list.
    package static let lineLength = 80

    /// The line that stands for a call in a list: the whole summary where it is short, else its first sentence or clause.
    package static func line(of summary: String) -> String {
        if summary.count <= lineLength { return summary }
        let room = summary.prefix(lineLength)
        for end in [". ", "; ", ": ", ", ", " "] {
            guard let last = room.ranges(of: end).last, last.lowerBound > room.startIndex else { continue }
            let line = room[..<last.lowerBound]
            if end == " " || line.count > 15 { return line + "." }
        }
        return String(room)
    }

    /// What the call does, whom it answers and what it costs.
    static func description(of route: Route) -> String {
        let access =
            switch route.access {
            case .open: "Everybody may call."
            case .reader: "For signed-in readers."
            case .session: "For signed-in readers with a session; no access token may call."
            case .verified: "For signed-in readers whose address is proven."
            }
        let codes = Dictionary(grouping: route.allProblems, by: \.meaning.status).sorted { $0.key < $1.key }.map {
            "\($0.key) " + $0.value.map { "`\($0)`" }.joined(separator: ", ")
        }
        guard !codes.isEmpty else { return route.summary + "\n\n" + access }
        return route.summary + "\n\n" + access + "\n\nRefused with: " + codes.joined(separator: "; ") + "."
    }

    /// What each tag is about.
    static let areas: [String: String] = [
        "server": "What this server is, its probes and its descriptions.",
        "catalog": "Books, editions, authors, series and genres, and how readers correct them.",
        "search": "Finding books by words, ISBN and filters.",
        "accounts": "Signing up and in, keys, profile and settings.",
        "friends": "Friends, requests, suggestions, blocks and mutes.",
        "reviews": "Ratings, reviews and the replies to them.",
        "library": "Shelves, lists, favourites, bookmarks, places in books, statistics, goals, and lending.",
        "notebook": "Notes about books, in themes and folders, and finding again what a reader keeps.",
        "feed": "What friends do, and following books, authors, series and lists.",
        "ranking": "Trending books, books to discover, suggestions, related books, and boards that are talked on.",
        "media": "Pictures and covers.",
        "photos": "Photographs of books.",
        "ebooks": "E-books: keeping them, turning their pages, searching in them, and what was written about a page.",
        "messages": "Conversations between friends.",
        "stream": "The live stream over a WebSocket.",
        "boards": "Talking about a book without being spoiled.",
        "notifications": "What the inbox tells.",
        "groups": "Groups of readers and their boards.",
        "reports": "Reporting what breaks the rules, and what became of it.",
        "moderation": "What moderators see and do.",
        "compatibility": "Calls in the form of another service's API.",
    ]
}

extension Route {
    /// The names in braces, in order.
    package var pathParameters: [String] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    }

    /// A name for functions of generated clients: `list_books`, `get_book`, `accept_group_request`.
    package var operationID: String {
        let parts = path.split(separator: "/").filter { $0 != "api" && $0 != "v1" }
        var words: [String] = []
        for (index, part) in parts.enumerated() where !part.hasPrefix("{") {
            let isOne = index + 1 < parts.count && parts[index + 1].hasPrefix("{")
            let word = part.replacing("-", with: "_").replacing(".", with: "_")
            words.append(isOne ? Self.singular(String(word)) : String(word))
        }
        let isThing = parts.last?.hasPrefix("{") ?? false
        guard let last = words.last else { return method.rawValue.lowercased() + (path == "/" ? "_root" : "_index") }
        switch method {
        case .get where types.isEmpty && reply?.isPage == true: return "list_" + words.joined(separator: "_")
        // What it shows has a call of its own beside it.
        case .get where types.contains("image/jpeg") && path.hasPrefix("/api/"):
            return "get_" + words.joined(separator: "_") + "_file"
        case .get: return "get_" + words.joined(separator: "_")
        case .patch: return "change_" + words.joined(separator: "_")
        case .delete: return "delete_" + words.joined(separator: "_")
        case .put: return "put_" + words.joined(separator: "_")
        case .post where status == .created && !isThing:
            return "create_" + (words.dropLast() + [Self.singular(last)]).joined(separator: "_")
        case .post where words.count > 1 && !isThing:
            return last + "_" + words.dropLast().joined(separator: "_")
        default: return method.rawValue.lowercased() + "_" + words.joined(separator: "_")
        }
    }

    /// One of what a word names: `shelves` → `shelf`.
    static func singular(_ word: String) -> String {
        let parts = word.split(separator: "_")
        guard let last = parts.last.map(String.init) else { return word }
        let one: String =
            switch last {
            case "series", "access": last
            case "shelves": "shelf"
            case "searches": "search"
            case _ where last.hasSuffix("ies"): last.dropLast(3) + "y"
            case _ where last.hasSuffix("s") && !last.hasSuffix("ss"): String(last.dropLast())
            default: last
            }
        return (parts.dropLast().map(String.init) + [one]).joined(separator: "_")
    }
}

extension Schema {
    /// A list that is read page by page, or whole.
    var isPage: Bool {
        if case .record(_, let properties) = self { properties.contains { $0.name == "items" } } else { false }
    }
}
