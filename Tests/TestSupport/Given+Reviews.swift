import Community
import EventLog
import Postgres

extension Given {
    /// What `reader` says about `book`: four stars, or what is named.
    @discardableResult
    package func review(
        by reader: ID<Accounts.Account>, of book: ID<Catalog.Work>, rating: Double? = 4, body: String? = nil,
        visibility: Visibility? = nil, spoilers: Bool? = nil
    ) async throws -> Reviews.Review {
        let new = Reviews.NewReview(
            rating: rating.flatMap(Rating.init(stars:)), body: body,
            visibility: visibility.map { .set($0) } ?? .keep, spoilers: spoilers)
        return try await world.community.reviews.put(new, on: book, by: reader).review
    }

    /// Makes two readers friends, as if one had asked and the other agreed.
    package func friendship(_ one: ID<Accounts.Account>, _ other: ID<Accounts.Account>) async throws {
        try await world.asSuperuser(
            """
            insert into friendship (reader_id, friend_id, since) values (\(one), \(other), now()), (\(other), \(one), now());
            insert into friend_tally (reader_id, friends) values (\(one), 1), (\(other), 1)
                on conflict (reader_id) do update set friends = friend_tally.friends + 1
            """)
    }
}

extension World {
    /// What was written to the outbox and not yet taken, oldest first: kind and payload.
    package func outbox() async throws -> [(kind: String, topics: String, data: String)] {
        try await asSuperuser(
            "select kind, topics::text, data::text from outbox where 'control' <> all (topics) order by position"
        ).map {
            ($0[0] ?? "", $0[1] ?? "", $0[2] ?? "")
        }
    }

    /// Empties the outbox: what stands there is looked at, not delivered.
    package func clearOutbox() async throws {
        try await asSuperuser("delete from outbox")
    }
}
