import EventLog
import Postgres

extension Feed {
    /// What a reader is to somebody who did something.
    struct Tie: Hashable, Sendable {
        let reader: Int64
        let doer: Int64
        let isFriend: Bool
        let isMuted: Bool
    }
}

extension Feed.Audience {
    /// What everybody says of a followed book and home shows; `/me/feed` shows the same.
    private static let ofBooks = Set([Reviews.EventKind.posted, .edited, .removed].map(\.rawValue))
    /// What is said in the reader's groups, likewise: threads, by their first posts.
    private static let ofGroups = Set([Boards.EventKind.opened, .edited, .deleted, .restored].map(\.rawValue))

    package func shown(_ events: [LoggedEvent], atHomesOf readers: [Int64]) async throws -> [Set<Int64>] {
        let doers = Set(events.flatMap { $0.readers + [$0.owner].compactMap(\.self) })
        guard !doers.isEmpty, !readers.isEmpty else { return events.map { Self.shown($0, to: readers, [:]) } }
        let ties = try await database.all(Feed.Statements.Ties(readers: readers, doers: Array(doers)))
        let known = Dictionary(grouping: ties, by: \.reader)
            .mapValues { Dictionary($0.map { ($0.doer, $0) }) { first, _ in first } }
        return events.map { Self.shown($0, to: readers, known) }
    }

    /// A home is made of what friends did, whatever it was, of the reviews of followed books, and of threads in the
    /// reader's groups.
    private static func shown(
        _ event: LoggedEvent, to readers: [Int64], _ ties: [Int64: [Int64: Feed.Tie]]
    ) -> Set<Int64> {
        let isOfBook = event.places.contains { $0.topic.name.hasPrefix("book:") }
        let isOfGroup = event.places.contains { $0.topic.name.hasPrefix("group:") }
        if isOfGroup, !ofGroups.contains(event.kind) { return [] }
        return Set(
            readers.filter { reader in
                if let owner = event.owner, owner == reader || ties[reader]?[owner]?.isMuted == true { return false }
                // Where a book's topic does not carry it, only a friend's can have led here.
                return !isOfBook || ofBooks.contains(event.kind)
                    || event.readers.contains { ties[reader]?[$0]?.isFriend == true }
            })
    }
}

extension LoggedEvent {
    /// Of whose topics it is.
    fileprivate var readers: [Int64] {
        places.compactMap { place in
            place.topic.name.hasPrefix("reader:") ? Int64(place.topic.name.dropFirst("reader:".count)) : nil
        }
    }
}
