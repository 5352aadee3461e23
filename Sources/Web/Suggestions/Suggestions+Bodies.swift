import Community
import HTTPTypes
import Postgres

extension Suggestions.Routes {
    private struct ListBody<Item: Encodable & Sendable>: Encodable, Sendable {
        let items: [Item]
        let madeAt: Timestamp?
        let emptyBecause: String?
    }

    static func list<Body: Encodable & Sendable, Item>(
        _ bodies: [Body], of found: Suggestions.List<Item>
    ) throws -> Reply {
        try Reply.json(
            .ok, ListBody(items: bodies, madeAt: found.asOf, emptyBecause: found.emptiness?.rawValue))
    }

    struct RelativeBody: Encodable, Sendable {
        let book: Catalog.Routes.ItemBody
        let reason: RelativeReasonBody
    }

    struct RelativeReasonBody: Encodable, Sendable {
        struct Series: Encodable, Sendable {
            let id: ID<Catalog.Series>
            let name: String
        }

        let kind: String
        var series: Series?
        var author: Catalog.AuthorName?
        var genre: Ranking.Genre?
        var subject: String?
        var why: Ranking.EntryBody.Why?

        init(_ reason: Suggestions.Relative.Reason) {
            switch reason {
            case .series(let id, let name): (kind, series) = ("series", Series(id: id, name: name))
            case .readers(let readers):
                (kind, why) = ("readers", .init(readers: readers, usual: nil, isOfFriends: false))
            case .author(let author): (kind, self.author) = ("author", author)
            case .genre(let genre): (kind, self.genre) = ("genre", genre)
            case .subject(let subject): (kind, self.subject) = ("subject", subject)
            }
        }
    }

    struct SuggestionBody: Encodable, Sendable {
        let book: Catalog.Routes.ItemBody
        let reason: SuggestionReasonBody
    }

    struct SuggestionReasonBody: Encodable, Sendable {
        let kind: String
        var because: Catalog.Book?
        var genre: Ranking.Genre?
        var why: Ranking.EntryBody.Why?
        var friendCount: Int?
        var recommenderCount: Int?

        init(_ reason: Suggestions.Suggestion.Reason) {
            switch reason {
            case .readers(let readers, let book):
                (kind, because, why) = ("readers", book, .init(readers: readers, usual: nil, isOfFriends: false))
            case .friends(let friends, let recommending):
                (kind, friendCount, recommenderCount) = ("friends", friends, recommending)
            case .discovered(let reason):
                let told = Ranking.Routes.ReasonBody(reason)
                (kind, because, genre, why) = (told.kind, told.because, told.genre, told.why)
            }
        }
    }

    static let emptiness = Schema.choice(Suggestions.Emptiness.allCases.map(\.rawValue))

    private static let relatedReason = Schema.object(
        "RelatedReason",
        [
            "kind": .choice(["series", "readers", "author", "genre", "subject"]),
            "series": .orNull(Catalog.Routes.series), "author": .orNull(Catalog.Routes.author),
            "genre": .orNull(Ranking.Routes.genre), "subject": .orNull(.string), "why": .orNull(Ranking.Routes.why),
        ])

    static let relatedBooks = Schema.object(
        "RelatedBooks",
        [
            "items": .array(
                .object("RelatedBook", ["book": Catalog.Routes.item, "reason": relatedReason]),
                count: 0...Limits.suggestions.related),
            "made_at": .orNull(.time), "empty_because": .orNull(emptiness),
        ])

    private static let suggestionReason = Schema.object(
        "SuggestionReason",
        [
            "kind": .choice(["readers", "friends", "genre", "trending", "board", "new", "popular"]),
            "because": .orNull(Reviews.Routes.book), "genre": .orNull(Ranking.Routes.genre),
            "why": .orNull(Ranking.Routes.why), "friend_count": .orNull(.integer),
            "recommender_count": .orNull(.integer),
        ])

    static let suggestedBooks = Schema.object(
        "SuggestedBooks",
        [
            "items": .array(
                .object("SuggestedBook", ["book": Catalog.Routes.item, "reason": suggestionReason]),
                count: 0...Limits.suggestions.books),
            "made_at": .orNull(.time), "empty_because": .orNull(emptiness),
        ])
}
