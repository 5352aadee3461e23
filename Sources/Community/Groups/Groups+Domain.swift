import Postgres

extension Groups: Domain {
    package static let things: [any ThingKind.Type] = [Group.self]
    package static let worksOfReaders = [WorkColumn("reading_group")]
    package static var eventKinds: [String] { EventKind.names }
    package static let eventSubjects = [EventSubject.group, .thread]
    package static let topics: [String: TopicRule] = [
        "group": { id, reader, database in
            let asked = Statements.IsOpenTo(viewer: .reader(reader), group: ID(rawValue: id))
            return try await database.first(asked) != nil
        }
    ]

    package static func exceptions(to questions: EventQuestions, in database: Database) async throws -> [Exceptions] {
        try questions.answers(try await database.all(Statements.BoardExceptions(questions: questions)))
    }

    /// Groups that read one work read another, in the transaction that merges them. Behind the boards, whose threads
    /// are locked: who writes in one says last that its group is active.
    package static let workMerge: [MergeStep<Catalog.Work>] = [
        // Index `reading_group_of_work`.
        MergeStep(
            "move_book",
            "update reading_group set work_id = \(\.into), version = version + 1 where work_id = \(\.from)")
    ]

    /// Takes a reader out of every group, and what they asked for, were invited into and sent; groups pass on as when
    /// they leave. To be called in the transaction that ends an account, which is locked, before its counters go.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of services: Services, in transaction: Transaction
    ) async throws {
        for known in try await transaction.all(Groups.Statements.GroupsOf(reader: account)) {
            guard try await transaction.first(Groups.Statements.LockGroup(group: known.group)) != nil else { continue }
            let standing = Groups.Statements.StandingIn(group: known.group, reader: account)
            // Somebody may have removed them, or given them another role, while this waited.
            guard let role = try await transaction.first(standing)?.role else { continue }
            try await Store(services).takeOut(account, role: role, of: known.group, in: transaction)
        }
        try await transaction.run(Groups.Statements.Forget(reader: account))
    }

    /// Invitations between two readers end, in the transaction in which one blocks the other.
    package static func relationChanges(
        _ change: RelationChange, of one: ID<Accounts.Account>, and other: ID<Accounts.Account>, in services: Services,
        _ transaction: Transaction
    ) async throws {
        guard change == .blocked else { return }
        try await transaction.run(Groups.Statements.EndBetween(one: one, other: other, at: services.clock.now()))
    }

    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        .init("group_member", key: "t.group_id"),
        .init("group_request", key: "t.group_id"),
        // Invitations that somebody got.
        .init("group_invitation", name: "group_invitation_received", key: "t.group_id", others: ["t.inviter_id"]),
        // Invitations that somebody sent.
        .init(
            "group_invitation", name: "group_invitation_sent", owner: "t.inviter_id", key: "t.group_id",
            secondKey: "t.reader_id", others: ["t.reader_id"]),
        .init("group_ban", key: "t.group_id"),
    ]
}

/// It is its owners': the one who has been there longest answers for it.
extension Groups.Group: ThingKind {
    package static let facts = ThingFacts(
        name: "group", table: "reading_group",
        author: """
            (select leader.reader_id
                       from group_member leader
                      where leader.group_id = reading_group.id and leader.role = 'owner'
                      order by leader.joined_at, leader.reader_id
                      limit 1)
            """,
        title: "reading_group.name", group: "reading_group.id",
        said: "jsonb_build_object('name', reading_group.name, 'description', reading_group.about)",
        isHidden: "(reading_group.hidden_at is not null)", isDeleted: "(reading_group.closed_at is not null)")

    package static func isSeen<S: ForViewer>() -> SQL<S> { Groups.Statements.isSeen() }
}

extension Groups.Group: Hideable {
    package static func setHidden(
        _ isHidden: Bool, _ id: ID<Self>, of services: Services, in transaction: Transaction
    ) async throws -> Bool {
        guard try await transaction.first(Groups.Statements.LockGroup(group: id)) != nil else { return false }
        let change = Groups.Statements.HideGroup(group: id, at: isHidden ? services.clock.now() : nil)
        guard let (name, joining, version) = try await transaction.first(change) else { return false }
        guard !isHidden else {
            try await Groups.Store(services).showOut(of: id, in: transaction)
            return true
        }
        try await Groups.Event.changed(id, name: name, joining: joining, version: version)
            .append(in: transaction, services: services)
        return true
    }
}

extension EventSubject {
    /// The id of a group whose board the viewer reads: asked of what happens there and names no text. Of texts it is
    /// asked with them.
    static let group = EventSubject(name: "group", boardTopics: "group:")
    /// The id of a thread on such a board, or on a book's own: likewise.
    static let thread = EventSubject(name: "thread", boardTopics: "thread:")
}

extension Community {
    package var groups: Groups.Store { Groups.Store(services) }
}
