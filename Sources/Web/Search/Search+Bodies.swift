import Community
import Postgres

extension Search.Routes {
    /// A book that was found: as in a list of books, and what it is to the reader who asks.
    struct HitBody: Encodable, Sendable {
        let id: ID<Catalog.Work>
        let title: String?
        let subtitle: String?
        let authors: [Catalog.AuthorName]
        let cover: Media.CoverBody?
        let year: Int?
        let rating: Catalog.Routes.ItemBody.Rating
        let readers: Int
        let recommends: Int
        let shelf: Library.Status?

        init(_ book: Catalog.Routes.ItemBody, shelf: Library.Status?) {
            id = book.id
            title = book.title
            subtitle = book.subtitle
            authors = book.authors
            cover = book.cover
            year = book.year
            rating = book.rating
            readers = book.readers
            recommends = book.recommends
            self.shelf = shelf
        }
    }

    /// As little as a line of suggestions needs.
    struct SuggestionBody: Encodable, Sendable {
        let id: ID<Catalog.Work>
        let title: String?
        let authors: [Catalog.AuthorName]
        let year: Int?

        init(_ hit: Search.Hit) {
            id = hit.book.id
            title = hit.book.title
            authors = hit.book.authors
            year = hit.book.year
        }
    }

    struct SuggestionsBody: Encodable, Sendable {
        let items: [SuggestionBody]
        let showingResultsFor: String?
    }

    struct RecentBody: Encodable, Sendable {
        let id: ID<Search.RecentSearch>
        let query: String
        let at: Timestamp

        init(_ search: Search.Recent) {
            id = search.id
            query = search.query
            at = search.at
        }
    }

    static let hit = Schema.object(
        "SearchHit",
        [
            "id": .id, "title": .orNull(.string), "subtitle": .orNull(.string),
            "authors": .array(Catalog.Routes.author), "cover": .orNull(Media.cover), "year": .orNull(.integer),
            "rating": Catalog.Routes.itemRating, "readers": .integer, "recommends": .integer,
            "shelf": .orNull(.choice(Library.Status.allCases.map(\.rawValue))),
        ])

    static let suggestion = Schema.object(
        "Suggestion",
        ["id": .id, "title": .orNull(.string), "authors": .array(Catalog.Routes.author), "year": .orNull(.integer)])

    static let recent = Schema.object("RecentSearch", ["id": .id, "query": .string, "at": .time])
}
