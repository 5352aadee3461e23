import Postgres

extension Messages.Store {
    /// The end of a friendship: what was written between the two was written before it. Both accounts are locked.
    func parted(
        _ one: ID<Accounts.Account>, _ other: ID<Accounts.Account>, in transaction: some Queryable
    ) async throws {
        _ = try await transaction.all(Messages.Statements.LockOfPair(one: one, other: other))
    }

    /// A block hides what the two wrote from both, and takes it out of what they have not read. Both accounts are
    /// locked, the block is there.
    func blocked(_ one: ID<Accounts.Account>, _ other: ID<Accounts.Account>, in transaction: Transaction) async throws {
        guard let hidden = try await transaction.first(Messages.Statements.Hide(one: one, other: other)) else { return }
        try await count(hidden, -1, in: transaction)
    }

    /// The other way, where no block is left between the two: both accounts are locked, the block is gone.
    func unblocked(
        _ one: ID<Accounts.Account>, _ other: ID<Accounts.Account>, in transaction: Transaction
    ) async throws {
        guard let shown = try await transaction.first(Messages.Statements.Show(one: one, other: other)) else { return }
        try await count(shown, 1, in: transaction)
    }

    private func count(
        _ conversation: ID<Messages.Conversation>, _ sign: Int32, in transaction: Transaction
    ) async throws {
        let sides = try await transaction.all(Messages.Statements.UnreadSides(conversation: conversation))
        try transaction.atCommit { batch in
            for (reader, unread) in sides { batch.run(Profiles.Count(of: reader, unreadMessages: sign * unread)) }
        }
    }

    /// Takes a reader out of all of this at the end of the account, which is locked: what they wrote becomes deleted
    /// messages of nobody's, which nobody has to read any more. Conversations stay with the others, and go with the
    /// second of the two. Tells nobody one by one.
    package func removeAll(of reader: ID<Accounts.Account>, in transaction: Transaction) async throws {
        let conversations = try await transaction.all(Messages.Statements.LockAll(account: reader))
        let now = house.clock.now()
        try await transaction.batch { batch in
            batch.run(Messages.Statements.DropSettings(account: reader))
            batch.run(Messages.Statements.EmptyAll(account: reader, at: now))
            batch.run(Messages.Statements.UncountPartners(account: reader, conversations: conversations))
            batch.run(Messages.Statements.ClearPartners(account: reader, conversations: conversations))
            batch.run(Messages.Statements.LeaveSides(account: reader))
            batch.run(Messages.Statements.LeaveAll(account: reader))
            guard !conversations.isEmpty else { return }
            batch.run(Messages.Statements.DropMessages(conversations: conversations))
            batch.run(Messages.Statements.DropConversations(conversations: conversations))
        }
    }

    /// Takes the cards of one work over to another, in the transaction in which a librarian merges them.
    func move(_ from: ID<Catalog.Work>, into target: ID<Catalog.Work>, in transaction: Transaction) async throws {
        try await transaction.run(Messages.Statements.MoveCards(from: from, into: target))
    }
}
