import EventLog
import Postgres

extension Feed {
    /// A reader, and somebody who did something.
    struct Tie: Hashable, Sendable {
        let reader: Int64
        let doer: Int64
    }
}

extension Feed.Audience {
    /// What everybody says of a followed book and home shows; `/me/feed` shows the same.
    private static let ofBooks = Set([Reviews.EventKind.posted, .edited, .removed].map(\.rawValue))
    /// What is said in the reader's groups, likewise: threads, by their first posts.
    private static let ofGroups = Set([Boards.EventKind.opened, .edited, .deleted, .restored].map(\.rawValue))

    /// A home is made of what friends did, whatever it was, of the reviews of followed books, and of threads in the
    /// reader's groups.
    package func notAtHome(_ offers: [Offered]) async throws -> [Set<Int64>] {
        // Where a book's topic does not carry it, only a friend's can have led here.
        func needsFriend(_ event: LoggedEvent) -> Bool {
            event.isOn("book:") && !Self.ofBooks.contains(event.kind)
        }
        let muted = try await ties(offers.map { ($0, [$0.event.owner].compactMap(\.self)) }) {
            Feed.Statements.Muted(ties: $0)
        }
        let friends = try await ties(offers.map { ($0, needsFriend($0.event) ? $0.event.readers : []) }) {
            Feed.Statements.Befriended(ties: $0)
        }
        return offers.map { offer in
            let event = offer.event
            if event.isOn("group:"), !Self.ofGroups.contains(event.kind) { return Set(offer.viewers) }
            return Set(
                offer.viewers.filter { reader in
                    if let owner = event.owner {
                        if owner == reader || muted.contains(Feed.Tie(reader: reader, doer: owner)) { return true }
                    }
                    return needsFriend(event)
                        && !event.readers.contains { friends.contains(Feed.Tie(reader: reader, doer: $0)) }
                })
        }
    }

    /// Those of the pairs of a viewer and a doer that `statement` finds.
    private func ties<S: Statement>(
        _ asked: [(offer: Offered, doers: [Int64])], _ statement: ([Feed.Tie]) -> S
    ) async throws -> Set<Feed.Tie> where S.Output == Feed.Tie {
        let pairs = Set(
            asked.flatMap { offer, doers in
                doers.flatMap { doer in offer.viewers.map { Feed.Tie(reader: $0, doer: doer) } }
            })
        return pairs.isEmpty ? [] : Set(try await database.all(statement(Array(pairs))))
    }
}

extension LoggedEvent {
    fileprivate func isOn(_ topics: String) -> Bool { places.contains { $0.topic.name.hasPrefix(topics) } }

    /// Of whose topics it is.
    fileprivate var readers: [Int64] {
        places.compactMap { place in
            place.topic.name.hasPrefix("reader:") ? Int64(place.topic.name.dropFirst("reader:".count)) : nil
        }
    }
}
