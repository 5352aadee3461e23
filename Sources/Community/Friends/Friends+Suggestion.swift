import Postgres

extension Friends {
    /// Somebody whom the viewer may want to know, and why.
    package struct Suggestion: Sendable, Hashable {
        package let reader: Accounts.Reader
        package let reason: Reason
    }

    package enum Reason: Sendable, Hashable {
        /// Friends of the viewer who are friends of theirs: how many of those that were looked at, and at most three of
        /// them.
        case mutualFriends(count: Int, readers: [Accounts.Reader])
        /// Books that both rated and show to members: how many, how many of them alike, and at most three that both like
        /// best. Both let members know of their taste.
        case similarTaste(rated: Int, alike: Int, books: [Catalog.Book])
        /// Books of the viewer's that they have on a shelf which the viewer sees: the same.
        case sharedBooks(count: Int, books: [Catalog.Book])
    }

    /// A suggestion as it is found: `through` names the friends or works that led there.
    struct Lead<Way: Sendable>: Sendable {
        let reader: Accounts.Reader
        let count: Int
        /// How many of those the two rated alike.
        var alike = 0
        let through: [ID<Way>]
    }
}

extension Friends.Store {
    /// Readers whom `reader` may want to know, at most `Limits.friends.suggestions`: friends of friends, then readers
    /// with similar taste and those with similar shelves, those with the most in common first. Each once. Bounded work: the newest friends and books are looked
    /// at, not all.
    package func suggestions(for reader: ID<Accounts.Account>) async throws -> [Friends.Suggestion] {
        let database = services.database
        let (befriended, rating, reading) = try await database.pipeline(
            Friends.Statements.FriendsOfFriends(viewer: reader), Friends.Statements.SimilarTaste(viewer: reader),
            Friends.Statements.SimilarShelves(viewer: reader))
        var met = Set(befriended.map(\.reader.id))
        func new<Way>(_ leads: [Friends.Lead<Way>]) -> [Friends.Lead<Way>] {
            leads.filter { met.count < Limits.friends.suggestions && met.insert($0.reader.id).inserted }
        }
        let (alike, similar) = (new(rating), new(reading))
        let (readers, books) = try await database.pipeline(
            Friends.Statements.ReadersNamed(viewer: reader, readers: befriended.flatMap(\.through)),
            Friends.Statements.BooksNamed(works: (alike + similar).flatMap(\.through)))
        let names = Dictionary(readers.map { ($0.id, $0) }) { first, _ in first }
        let titles = Dictionary(books.map { ($0.id, $0) }) { first, _ in first }
        return befriended.map { lead in
            Friends.Suggestion(
                reader: lead.reader,
                reason: .mutualFriends(count: lead.count, readers: lead.through.compactMap { names[$0] }))
        }
            + alike.map { lead in
                Friends.Suggestion(
                    reader: lead.reader,
                    reason: .similarTaste(
                        rated: lead.count, alike: lead.alike, books: lead.through.compactMap { titles[$0] }))
            }
            + similar.map { lead in
                Friends.Suggestion(
                    reader: lead.reader,
                    reason: .sharedBooks(count: lead.count, books: lead.through.compactMap { titles[$0] }))
            }
    }

    /// Somebody is not suggested to `reader` any more, for good; twice is once. Throws `.notFound` for whom `reader`
    /// may not see and for oneself, `.conflict` (`too_many_dismissals`).
    package func dismiss(_ username: String, by reader: ID<Accounts.Account>) async throws {
        let folded = Accounts.Username.fold(username)
        try await services.database.transaction { transaction in
            let found = try await transaction.first(Friends.Statements.FindReader(viewer: reader, folded: folded))
            guard let other = found?.id, other != reader else { throw Failure.notFound("reader") }
            let locked = try await transaction.all(Friends.Statements.LockPair(one: reader, other: other))
            guard locked.count == 2 else { throw Failure.notFound("reader") }
            let dismissal = Friends.Statements.InsertDismissal(
                reader: reader, dismissed: other, at: services.clock.now())
            guard try await transaction.run(dismissal) == 1 else { return }
            let bound = Limits.friends.dismissals
            guard
                try await transaction.one(Friends.Statements.CountDismissals(reader: reader, limit: bound + 1)) <= bound
            else {
                throw Failure.conflict(code: .tooManyDismissals, "at most \(bound) suggestions can be dismissed")
            }
        }
    }
}
