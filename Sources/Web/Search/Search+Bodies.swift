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

        func put(into object: JSONObject) {
            object.put("id", search.id)
            object.put("query", search.query)
            object.put("searched_at", search.at)
        }
    }

    /// A book that was found: as in a list of books.
    static let hit = Catalog.Routes.item

    static let recent = Schema.object("RecentSearch", ["id": .id, "query": .string, "searched_at": .time])
}
