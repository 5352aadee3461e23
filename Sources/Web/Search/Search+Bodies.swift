import Community
import JSONWriting
import Postgres

extension Search.Routes {
    struct SuggestionsBody: Encodable, Sendable {
        let items: [Catalog.Book]
        let showingResultsFor: String?
    }

    struct RecentBody: JSONForm, Sendable {
        let search: Search.Recent

        /// What repeats it, filters and order of books too.
        private var path: String {
            let values = search.asked.values.sorted { $0.key < $1.key }
            return "/search?" + values.map { "\($0)=\(QueryString.encode($1))" }.joined(separator: "&")
        }

        func put(into object: JSONObject) {
            object.put("id", search.id)
            object.put("query", search.asked[.any])
            object.put("title", search.asked[.title])
            object.put("author", search.asked[.author])
            object.put("subject", search.asked[.subject])
            object.put("publisher", search.asked[.publisher])
            object.put("genre", search.asked[.genre])
            object.put("isbn", search.asked.values["isbn"])
            object.put("path", path)
            object.put("searched_at", search.at)
        }
    }

    /// A book that was found: as in a list of books.
    static let hit = Catalog.Routes.item

    static let recent = Schema.object(
        "RecentSearch",
        [
            "id": .id, "query": .orNull(.string), "title": .orNull(.string), "author": .orNull(.string),
            "subject": .orNull(.string), "publisher": .orNull(.string), "genre": .orNull(.string),
            "isbn": .orNull(.string), "path": .string, "searched_at": .time,
        ])
}
