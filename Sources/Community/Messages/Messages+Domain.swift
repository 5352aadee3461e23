import Postgres

extension Messages: Domain {
    package static let things: [any ThingKind.Type] = [Message.self]
    package static let worksOfReaders = [WorkColumn("message")]
    package static var eventKinds: [String] { EventKind.names }
    package static let eventSubjects = [EventSubject.message, .receipt]
    package static let topics: [String: TopicRule] = [
        "conversation": { id, reader, database in
            let asked = Statements.IsOpen(viewer: reader, conversation: ID(rawValue: id))
            return try await database.first(asked) != nil
        }
    ]

    /// Takes the cards of one work over to another, in the transaction in which a librarian merges them.
    package static let workMerge: [MergeStep<Catalog.Work>] = [
        // Cards of one work show another; index `message_of_work`.
        MergeStep("move_cards", "update message set work_id = \(\.into) where work_id = \(\.from)")
    ]

    /// Takes a reader out of all of this at the end of the account, which is locked: what they wrote becomes deleted
    /// messages of nobody's, which nobody has to read any more. Conversations stay with the others, and go with the
    /// second of the two. Tells nobody one by one.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of services: Services, in transaction: Transaction
    ) async throws {
        let conversations = try await transaction.all(Messages.Statements.LockAll(account: account))
        let now = services.clock.now()
        try await transaction.batch { batch in
            batch.run(Messages.Statements.DropSettings(account: account))
            batch.run(Messages.Statements.EmptyAll(account: account, at: now))
            batch.run(Messages.Statements.UncountPartners(account: account, conversations: conversations))
            batch.run(Messages.Statements.ClearPartners(account: account, conversations: conversations))
            batch.run(Messages.Statements.LeaveSides(account: account))
            batch.run(Messages.Statements.LeaveAll(account: account))
            guard !conversations.isEmpty else { return }
            batch.run(Messages.Statements.DropMessages(conversations: conversations))
            batch.run(Messages.Statements.DropConversations(conversations: conversations))
        }
    }

    /// At the end of a friendship what was written between the two was written before it. A block hides what they wrote from
    /// both, and takes it out of what they have not read; without it they see it again.
    package static func relationChanges(
        _ change: RelationChange, of one: ID<Accounts.Account>, and other: ID<Accounts.Account>, in services: Services,
        _ transaction: Transaction
    ) async throws {
        switch change {
        case .parted: _ = try await transaction.all(Statements.LockOfPair(one: one, other: other))
        case .blocked:
            let hidden = try await transaction.first(Statements.Hide(one: one, other: other))
            if let hidden { try await count(hidden, -1, in: transaction) }
        case .unblocked:
            let shown = try await transaction.first(Statements.Show(one: one, other: other))
            if let shown { try await count(shown, 1, in: transaction) }
        }
    }

    private static func count(_ conversation: ID<Conversation>, _ sign: Int32, in transaction: Transaction) async throws
    {
        let sides = try await transaction.all(Statements.UnreadSides(conversation: conversation))
        try transaction.atCommit { batch in
            for (reader, unread) in sides { batch.run(Accounts.AddToTally(of: reader, unreadMessages: sign * unread)) }
        }
    }

    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // Conversations that somebody opened.
        .init("conversation", name: "conversation_opened", owner: "t.opener_id", others: ["t.partner_id"]),
        // Conversations that others opened with somebody.
        .init("conversation", name: "conversation_joined", owner: "t.partner_id", others: ["t.opener_id"]),
        // How far somebody has read, and where they put a conversation.
        .init("conversation_reader", key: "t.conversation_id"),
        // What somebody wrote. What others wrote to them is those others' own.
        .init("message", owner: "t.sender_id", work: "t.work_id"),
        // What somebody wants of messages.
        .init("message_setting", key: "t.reader_id"),
    ]
}

extension Messages.Message: ThingKind {
    package static let facts = ThingFacts(
        name: "message", table: "message", joins: "join conversation on conversation.id = message.conversation_id",
        author: "message.sender_id", said: "jsonb_build_object('body', message.body)",
        context: "message.conversation_id", isDeleted: "(message.deleted_at is not null)")

    /// For the two of its conversation.
    package static func isSeen<S: ForViewer>() -> SQL<S> {
        """
        coalesce(\(Messages.Statements.isOpen(to: .viewer))
                         and \(Visibility.predicate(viewer: .viewer, owner: "message.sender_id", level: "2")), false)
        """
    }
}

extension EventSubject {
    /// What a message of the owner's says, by the id of that text: for the two of its conversation, while it says that.
    static let message = EventSubject(name: "message", isTold: Messages.Statements.isTold, namesReaders: true)
    /// The id of a conversation that the owner has read: for its two, where they have receipts.
    static let receipt = EventSubject(name: "receipt", isTold: Messages.Statements.isReceipt, namesReaders: true)
}

extension Community {
    package var messages: Messages.Store { Messages.Store(services) }
}
