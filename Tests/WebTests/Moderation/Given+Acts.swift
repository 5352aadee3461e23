import Postgres
import TestSupport

@testable import Community

extension Given {
    /// An act on many, begun, without its list.
    func bulk(_ verb: Moderation.Verb) async throws -> ID<Moderation.Bulk> {
        let id: ID<Moderation.Bulk> = try world.services.ids.make()
        try await world.asSuperuser(
            """
            insert into moderation_bulk (id, state, verb, actor, reason, asked, total, done, made_at, ended_at)
            values (\(id), 'done', '\(verb.rawValue)', 'cli:root', 'it is spam', '{}', 1, 1, now(), now())
            """)
        return id
    }

    /// An act as its transaction leaves it, recorded and told; nothing is done to the thing.
    @discardableResult
    func act(
        _ verb: Moderation.Verb, on thing: Thing, of author: Signed, by actor: Moderation.Actor = World.terminal,
        reason: String = "it is spam", until: Timestamp? = nil, bulk: ID<Moderation.Bulk>? = nil,
        public said: String? = nil, change: Moderation.Change? = nil
    ) async throws -> ID<Moderation.Action> {
        var order = Moderation.Order(verb, by: actor, reason: reason)
        (order.expiresAt, order.bulk, order.said) = (until, bulk, said)
        let sent = order
        let change = change ?? Moderation.Change(author: author.id, before: [:], after: [:])
        return try await world.database.transaction {
            try await world.community.moderation.record(sent, on: thing, change, in: $0)
        }
    }
}
