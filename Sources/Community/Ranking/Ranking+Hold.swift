import Postgres

extension Ranking {
    /// A book that moderators keep out of all rankings for a while.
    package struct Held: Sendable, Hashable, Encodable {
        package let reason: String
        package let until: Timestamp
    }
}

extension Ranking.Store {
    /// Keeps a book out of all rankings until a time, at most `Limits.ranking.holdDays` ahead, from this moment on; a
    /// second hold takes the place of the first. Gives whether it is the first. Throws `.forbidden` (`not_moderator`, `account_frozen`), `.invalid`
    /// (`/reason`, `/until`), `.notFound`.
    @discardableResult
    package func hold(
        _ book: ID<Catalog.Work>, until: Timestamp, by identity: Accounts.Identity, reason: String
    ) async throws -> (held: Ranking.Held, isNew: Bool) {
        let moderator = try Boards.Moderator(identity, reason: reason)
        let now = services.clock.now()
        guard until > now, until <= now + .seconds(Limits.ranking.holdDays * 86_400) else {
            throw Failure.invalid(
                "/until", .outOfRange, "must be ahead, at most \(Limits.ranking.holdDays) days from now")
        }
        let held = Ranking.Held(reason: reason, until: until)
        return try await services.database.transaction { transaction in
            let put = Ranking.Statements.Hold(book: book, held: held, actor: moderator.actor.text, at: now)
            guard let put = try await transaction.first(put) else { throw Failure.notFound("book") }
            try await Moderation.Store(services).record(
                "ranking.hold", on: .book(put.work), by: moderator.actor, reason: reason,
                before: put.former.map { ["until": $0.text] } ?? [:], after: ["until": until.text], in: transaction)
            return (held, put.former == nil)
        }
    }

    /// Lets a book into rankings again, as soon as lists are made. Throws as `hold` does, and `.notFound` where it is
    /// not held.
    package func release(_ book: ID<Catalog.Work>, by identity: Accounts.Identity, reason: String) async throws {
        let moderator = try Boards.Moderator(identity, reason: reason)
        try await services.database.transaction { transaction in
            guard let former = try await transaction.first(Ranking.Statements.Release(book: book)) else {
                throw Failure.notFound("hold on this book's ranking")
            }
            try await Moderation.Store(services).record(
                "ranking.release", on: .book(former.work), by: moderator.actor, reason: reason,
                before: ["until": former.until.text], after: [:], in: transaction)
        }
    }
}

extension Ranking {
}

extension Ranking.Statements {
    /// Of a merged book the one that stays is held. No row where there is no such book.
    struct Hold: Statement {
        static let sql: SQL<Self> = """
            with book as materialized (
                select coalesce(merged_into, id) as id from work where id = \(\.book)
            ), former as materialized (
                select held.work_id, held.until from ranking_hold held join book on book.id = held.work_id
            )
            insert into ranking_hold (work_id, reason, until, actor, held_at)
            select book.id, \(\.held.reason), \(\.held.until), \(\.actor), \(\.at) from book
                on conflict (work_id) do update
                set reason = excluded.reason, until = excluded.until, actor = excluded.actor, held_at = excluded.held_at
            returning work_id, (select until from former) as until
            """
        let book: ID<Catalog.Work>, held: Ranking.Held, actor: String, at: Timestamp

        static func decode(_ columns: inout Columns) throws -> (work: ID<Catalog.Work>, former: Timestamp?) {
            (try columns("work_id"), try columns("until"))
        }
    }

    struct Release: Statement {
        static let sql: SQL<Self> = """
            delete from ranking_hold
             where work_id = \(Catalog.resolved("\(\.book)"))
            returning work_id, until
            """
        let book: ID<Catalog.Work>

        static func decode(_ columns: inout Columns) throws -> (work: ID<Catalog.Work>, until: Timestamp) {
            (try columns("work_id"), try columns("until"))
        }
    }
}
