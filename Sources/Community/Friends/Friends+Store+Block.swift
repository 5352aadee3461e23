import Postgres

extension Friends.Store {
    /// Blocks the reader of that username: friendship and requests between the two end, and they no longer exist for
    /// each other. Blocking twice is blocking once. A frozen reader may block too. Throws `.notFound` for whom `reader`
    /// may not see, `.invalid` (`/username` `oneself`), `.conflict` (`too_many_blocks`).
    package func block(_ username: String, by reader: ID<Accounts.Account>) async throws {
        let folded = Accounts.Username.fold(username)
        try await services.database.transaction { transaction in
            guard
                let other = try await transaction.first(
                    Friends.Statements.FindBlockable(viewer: reader, folded: folded))
            else {
                throw Failure.notFound("reader")
            }
            guard other != reader else { throw Failure.invalid("/username", .oneself, "is your own") }
            // A suspended reader stays blockable; a deleted one is nobody any more.
            guard try await transaction.all(Friends.Statements.LockPair(one: reader, other: other)).count == 2 else {
                throw Failure.notFound("reader")
            }
            let now = services.clock.now()
            guard
                try await transaction.run(Friends.Statements.InsertBlock(blocker: reader, blocked: other, at: now)) == 1
            else {
                return
            }
            let bound = Limits.friends.blocks
            guard try await transaction.one(Friends.Statements.CountBlocks(blocker: reader, limit: bound + 1)) <= bound
            else {
                throw Failure.conflict(code: .tooManyBlocks, "at most \(bound) readers can be blocked")
            }
            try await transaction.run(Friends.Statements.WithdrawBetween(one: reader, other: other, at: now))
            if try await transaction.run(Friends.Statements.Part(one: reader, other: other)) == 2 {
                try await Friends.Event.friendshipChanged(reader, other).append(in: transaction, services: services)
            }
            try await Community.relationChanges(.blocked, of: reader, and: other, in: services, transaction)
            try await Friends.Event.blockChanged(reader, other).append(in: transaction, services: services)
        }
    }

    /// Lifts a block; friendship does not come back. Throws `.notFound` where `reader` has not blocked anybody of that
    /// username.
    package func unblock(_ username: String, by reader: ID<Accounts.Account>) async throws {
        let folded = Accounts.Username.fold(username)
        try await services.database.transaction { transaction in
            let blocked = Friends.Statements.FindBlocked(viewer: reader, folded: folded)
            guard let other = try await transaction.first(blocked) else { return }
            _ = try await transaction.all(Friends.Statements.LockPair(one: reader, other: other))
            let delete = Friends.Statements.DeleteBlock(blocker: reader, blocked: other)
            guard try await transaction.run(delete) == 1 else { return }
            try await Community.relationChanges(.unblocked, of: reader, and: other, in: services, transaction)
            try await Friends.Event.blockChanged(reader, other).append(in: transaction, services: services)
        }
    }
}
