import Postgres

extension Messages {
    /// What a reader may do with conversations. Writing, reading and what others do to them stand in
    /// `Messages+Store+….swift`.
    package struct Store: Sendable {
        let services: Services

        package init(_ services: Services) { self.services = services }

        /// The conversation of `reader` with the reader of that username; opens it where there is none.
        ///
        /// One that is there is found whatever the two are by now. Throws `.notFound` for whom the reader may not see;
        /// `.invalid` (`/username` `oneself`); to open one also `.forbidden` (`account_frozen`, `email_unverified`,
        /// `not_friends`) and `.limited`.
        package func open(with username: String, by reader: Accounts.Identity) async throws -> Opened {
            let folded = Accounts.Username.fold(username)
            return try await services.database.transaction { transaction in
                let found = Friends.Statements.FindReader(viewer: reader.account, folded: folded)
                guard let other = try await transaction.first(found)?.id else { throw Failure.notFound("reader") }
                guard other != reader.account else { throw Failure.invalid("/username", .oneself, "is your own") }
                if let known = try await known(reader.account, other, in: transaction) { return .found(known) }
                try reader.mayPost()
                let locked = try await transaction.all(Friends.Statements.LockPair(one: reader.account, other: other))
                guard locked.count == 2, locked.allSatisfy(\.isThere) else { throw Failure.notFound("reader") }
                try locked.first { $0.account == reader.account }?.state.mayWrite()
                // One may have blocked the other while this waited.
                guard try await transaction.first(found) != nil else { throw Failure.notFound("reader") }
                // Somebody may have opened it while this waited.
                if let known = try await known(reader.account, other, in: transaction) { return .found(known) }
                try await mayOpen(with: other, reader, in: transaction)
                return .made(try await insert(reader.account, other, in: transaction))
            }
        }

        /// The conversation of `reader` with the reader of that username, where there is one. Throws `.notFound`.
        package func conversation(with username: String, of reader: ID<Accounts.Account>) async throws -> Conversation {
            let found = Friends.Statements.FindReader(viewer: reader, folded: Accounts.Username.fold(username))
            guard let other = try await services.database.first(found)?.id,
                let known = try await known(reader, other, in: services.database)
            else { throw Failure.notFound("conversation") }
            return known
        }

        /// Throws `.notFound` for one that a block hides.
        private func known(
            _ reader: ID<Accounts.Account>, _ other: ID<Accounts.Account>, in queryable: some Queryable
        ) async throws -> Conversation? {
            let asked = Statements.ConversationWith(reader: reader, other: other)
            guard let id = try await queryable.first(asked) else { return nil }
            guard let open = try await queryable.first(Statements.One(viewer: reader, conversation: id)) else {
                throw Failure.notFound("reader")
            }
            return open
        }

        private func mayOpen(
            with other: ID<Accounts.Account>, _ reader: Accounts.Identity, in transaction: Transaction
        ) async throws {
            let now = services.clock.now()
            let daily =
                services.isNew(bornAt: reader.createdAt)
                ? Limits.messages.conversationsOnFirstDay : Limits.messages.conversationsPerDay
            let asked = Statements.OpenedLately(
                reader: reader.account, other: other, since: now - .seconds(86_400), limit: daily + 1)
            let (areFriends, opened) = try await transaction.one(asked)
            guard areFriends else { throw Failure.notFriends }
            guard !services.settings.limitsRates || opened < daily else {
                throw Failure.limited(policy: "conversations", retryAfter: .seconds(3600))
            }
        }

        private func insert(
            _ opener: ID<Accounts.Account>, _ partner: ID<Accounts.Account>, in transaction: Transaction
        ) async throws -> Conversation {
            let id: ID<Conversation> = try services.ids.make()
            let now = services.clock.now()
            try await transaction.batch { batch in
                batch.run(Statements.InsertConversation(id: id, opener: opener, partner: partner, at: now))
                batch.run(Statements.InsertSides(id: id, opener: opener, partner: partner, at: now))
            }
            return try await transaction.one(Statements.One(viewer: opener, conversation: id))
        }

        /// The reader's conversations, archived or not, last active first.
        package func conversations(
            of reader: ID<Accounts.Account>, archived isArchived: Bool, page: PageRequest<Key>
        ) async throws -> Page<Conversation, Key> {
            let database = services.database
            return try await page.read(from: .highest, key: \.key) {
                try await database.all(Statements.List(viewer: reader, isArchived: isArchived, span: $0))
            }
        }

        /// One of the reader's conversations. Throws `.notFound` also for one that a block hides.
        package func conversation(_ id: ID<Conversation>, of reader: ID<Accounts.Account>) async throws -> Conversation
        {
            guard let found = try await services.database.first(Statements.One(viewer: reader, conversation: id)) else {
                throw Failure.notFound("conversation \(id)")
            }
            return found
        }

        /// Whether a reader may follow what happens in a conversation: one of its two, while no block hides it.
        package func isOpen(_ id: ID<Conversation>, to reader: ID<Accounts.Account>) async throws -> Bool {
            try await services.database.first(Statements.IsOpen(viewer: reader, conversation: id)) != nil
        }

        /// Puts a conversation among the archived ones or back, mutes it or not; the other is not told. Throws
        /// `.notFound`, `.forbidden` (`account_frozen`).
        package func file(
            _ id: ID<Conversation>, _ filing: Filing, by reader: ID<Accounts.Account>
        ) async throws -> Conversation {
            try await services.database.transaction { transaction in
                guard let state = try await transaction.first(Accounts.Statements.LockState(reader: reader)) else {
                    throw Failure.unauthenticated()
                }
                let filed = Statements.File(reader: reader, conversation: id, filing: filing)
                guard try await transaction.run(filed) == 1 else { throw Failure.notFound("conversation \(id)") }
                try state.mayWrite()
                return try await transaction.one(Statements.One(viewer: reader, conversation: id))
            }
        }

        /// What the reader wants of messages.
        package func settings(of reader: ID<Accounts.Account>) async throws -> Settings {
            try await services.database.first(Statements.SettingsOf(reader: reader)) ?? Settings()
        }

        /// Changes that; from now on others see what it says. A frozen reader may, too. Throws `.unauthenticated` once
        /// the account is deleted.
        package func change(_ settings: Settings, of reader: ID<Accounts.Account>) async throws {
            let put = Statements.PutSettings(reader: reader, settings: settings)
            guard try await services.database.run(put) == 1 else { throw Failure.unauthenticated() }
        }
    }
}

extension Failure {
    /// Of what is between friends; `what` they do.
    static func notFriends(_ what: String) -> Failure { .forbidden(code: .notFriends, what) }

    /// Messages are.
    static var notFriends: Failure { notFriends("only friends write to each other") }
    /// Invitations are, into groups and to lend to each other.
    static var notInvitable: Failure { notFriends("invite friends: ask this reader for friendship first") }
}
