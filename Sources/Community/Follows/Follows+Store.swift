import Postgres

extension Follows {
    /// What a reader may do about following.
    package struct Store: Sendable {
        let services: Services

        package init(_ services: Services) { self.services = services }

        /// Follows something; twice is once. Gives what is followed now: what it was merged into.
        ///
        /// One transaction: the row, for a book the event. Throws `.notFound` for what is not there or may not be seen,
        /// `.forbidden` (`account_frozen`), `.conflict` (`too_many_follows`).
        @discardableResult
        package func put(_ subject: Thing, by reader: ID<Accounts.Account>) async throws -> Thing {
            try await services.database.transaction { transaction in
                guard let target = try await hold(subject, for: reader, in: transaction) else {
                    throw subject.missing
                }
                let put = Statements.Put(
                    id: try services.ids.make(), reader: reader, subject: target, at: services.clock.now())
                guard try await transaction.run(put) == 1 else { return target }
                let bound = Limits.follows.follows
                guard try await transaction.one(Statements.Count(reader: reader, limit: bound + 1)) <= bound else {
                    throw Failure.conflict(
                        code: .tooManyFollows, "a reader follows at most \(bound) things; unfollow one first")
                }
                if target.kind == Catalog.Work.self {
                    try await Event.followChanged([reader]).append(in: transaction, services: services)
                }
                return target
            }
        }

        /// Follows something no longer, also what is not there any more or not for the reader; nothing where it is not
        /// followed. What comes of it says nothing about the thing. Throws `.forbidden` (`account_frozen`).
        package func remove(_ subject: Thing, by reader: ID<Accounts.Account>) async throws {
            try await services.database.transaction { transaction in
                try await lock(subject, for: reader, in: transaction)
                guard try await transaction.run(Statements.Remove(reader: reader, subject: subject)) == 1 else {
                    return
                }
                if subject.kind == Catalog.Work.self {
                    try await Event.followChanged([reader]).append(in: transaction, services: services)
                }
            }
        }

        /// What `reader` follows, of one kind or all, newest first; lists that the reader may no longer see are left
        /// out.
        package func follows(
            _ kind: Kind?, of reader: ID<Accounts.Account>, _ page: PageRequest<ID<Follow>>
        ) async throws -> Page<Follow, ID<Follow>> {
            let database = services.database
            return try await page.read(from: .highest, key: \.id) { span in
                if let kind {
                    try await database.all(Statements.OfKind(viewer: reader, kind: kind, span: span))
                } else {
                    try await database.all(Statements.All(viewer: reader, span: span))
                }
            }
        }

        /// What is followed as it is now, held as `lock` does; `nil` where it is not there for the reader.
        private func hold(
            _ subject: Thing, for reader: ID<Accounts.Account>, in transaction: Transaction
        ) async throws -> Thing? {
            try await lock(subject, for: reader, in: transaction)
            return try await subject.seen(by: .reader(reader), in: transaction)?.thing
        }

        /// Locks the account, then holds what is followed against merges, for which it waits.
        private func lock(
            _ subject: Thing, for reader: ID<Accounts.Account>, in transaction: Transaction
        ) async throws {
            let library = Library.Store(services)
            if let work = subject.id(as: Catalog.Work.self) { return try await library.lock(reader, holding: work) }
            try await library.lock(reader, in: transaction)
            guard let author = subject.id(as: Catalog.Author.self) else { return }
            try await transaction.run(Statements.HoldAuthor(author: author))
        }

        // MARK: Merges and endings
    }
}
