import Community
import JSONWriting
import Postgres

extension Search.Routes {
    /// A book that was found: as in a list of books, and what it is to the reader who asks.
    struct HitBody: JSONForm, Sendable {
        let book: Catalog.Routes.ItemBody
        let shelf: Library.Status?

        func put(into object: JSONObject) {
            book.put(into: object)
            object.put("shelf", shelf)
        }
    }

    /// As little as a line of suggestions needs.
    struct SuggestionBody: JSONForm, Sendable {
        let hit: Search.Hit

        func put(into object: JSONObject) {
            object.put("id", hit.book.id)
            object.put("title", hit.book.title)
            object.put("authors", hit.book.authors)
            object.put("year", hit.book.year)
        }
    }

    struct SuggestionsBody: Encodable, Sendable {
        let items: [SuggestionBody]
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

    static let hit = Schema.object(
        "SearchHit",
        [
            "id": .id, "title": .orNull(.string), "subtitle": .orNull(.string),
            "authors": .array(Catalog.Routes.author), "cover": .orNull(Media.cover), "year": .orNull(.integer),
            "rating": Catalog.Routes.itemRating, "reader_count": .integer, "recommendation_count": .integer,
            "shelf": .orNull(.choice(Library.Status.allCases.map(\.rawValue))),
        ])

    static let suggestion = Schema.object(
        "Suggestion",
        ["id": .id, "title": .orNull(.string), "authors": .array(Catalog.Routes.author), "year": .orNull(.integer)])

    static let recent = Schema.object("RecentSearch", ["id": .id, "query": .string, "searched_at": .time])
}
