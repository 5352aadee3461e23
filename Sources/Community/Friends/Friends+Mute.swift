import Postgres

extension Friends {
    /// Somebody whom the viewer muted.
    package struct Mute: Sendable, Hashable, Encodable {
        package let reader: Accounts.Reader
        package let mutedAt: Timestamp
    }
}

extension Friends.Store {
    /// Mutes the reader of that username, who is not told. Muting twice is muting once. A frozen reader may mute too:
    /// it is no voice. Throws `.notFound` for whom `reader` may not see, `.invalid` (`/username` `oneself`),
    /// `.conflict` (`too_many_mutes`).
    package func mute(_ username: String, by reader: ID<Accounts.Account>) async throws {
        let folded = Accounts.Username.fold(username)
        try await services.database.transaction { transaction in
            guard
                let other = try await transaction.first(Friends.Statements.FindReader(viewer: reader, folded: folded))
            else {
                throw Failure.notFound("reader")
            }
            guard other.id != reader else { throw Failure.invalid("/username", .oneself, "is your own") }
            // Both, as wherever two readers are concerned: nobody mutes an account that is just being deleted.
            let locked = try await transaction.all(Friends.Statements.LockPair(one: reader, other: other.id))
            guard locked.count == 2 else { throw Failure.notFound("reader") }
            let mute = Friends.Statements.InsertMute(reader: reader, muted: other.id, at: services.clock.now())
            guard try await transaction.run(mute) == 1 else { return }
            let bound = Limits.friends.mutes
            guard try await transaction.one(Friends.Statements.CountMutes(reader: reader, limit: bound + 1)) <= bound
            else {
                throw Failure.conflict(code: .tooManyMutes, "at most \(bound) readers can be muted")
            }
            try await Friends.Event.muteChanged(reader).append(in: transaction, services: services)
        }
    }

    /// Lifts a mute, also of a reader whom `reader` may not see any more; nothing where there is none. What comes of it
    /// says nothing about the other, not even whether there is anybody of that username.
    package func unmute(_ username: String, by reader: ID<Accounts.Account>) async throws {
        let folded = Accounts.Username.fold(username)
        try await services.database.transaction { transaction in
            let muted = Friends.Statements.FindMuted(reader: reader, folded: folded)
            guard let other = try await transaction.first(muted) else { return }
            _ = try await transaction.all(Friends.Statements.LockPair(one: reader, other: other))
            let delete = Friends.Statements.DeleteMute(reader: reader, muted: other)
            guard try await transaction.run(delete) == 1 else { return }
            try await Friends.Event.muteChanged(reader).append(in: transaction, services: services)
        }
    }

    /// Whom `reader` has muted and may still see, newest first.
    package func mutes(
        of reader: ID<Accounts.Account>, _ page: PageRequest<Friends.Key>
    ) async throws -> Page<Friends.Mute, Friends.Key> {
        try await page.read(from: .highest, key: { Friends.Key(at: $0.mutedAt, id: $0.reader.id) }) {
            try await services.database.all(Friends.Statements.Mutes(viewer: reader, span: $0))
        }
    }
}
