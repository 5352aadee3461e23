import Jobs
import Postgres

extension Boards: Domain {
    package static let things: [any ThingKind.Type] = [Thread.self, Post.self]
    package static let worksOfReaders = [
        WorkColumn("thread"), WorkColumn("post", "also_work_id"), WorkColumn("board_reader"),
        WorkColumn("board_moderator"),
    ]
    package static var eventKinds: [String] { EventKind.names }

    package static let eventSubjects = [EventSubject.text]
    package static let topics: [String: TopicRule] = [
        "thread": { id, reader, database in
            try await database.first(Statements.FindThread(thread: id, viewer: reader.rawValue)) != nil
        }
    ]

    package static func exceptions(to questions: EventQuestions, in database: Database) async throws -> [Exceptions] {
        try questions.answers(try await database.all(Statements.TextExceptions(questions: questions)))
    }

    package static func worksAreToMerge(_ merge: Merge<Catalog.Work>, in transaction: Transaction) async throws {
        try await merge.run([lockThreads], of: Self.self, in: transaction)
    }

    package static func forget(_ account: ID<Accounts.Account>, in services: Services) async throws {
        try await Store(services).forget(account)
    }

    /// To be called in the transaction that ends an account, which is locked. What it marked and follows goes at once;
    /// what others count goes in portions (`Boards.Forget`), so that no thread waits for all of it. Until then nobody
    /// sees it: the account has no reach.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of services: Services, in transaction: Transaction
    ) async throws {
        try await transaction.run(Boards.Statements.DropMarkers(reader: account))
        try await transaction.run(Boards.Statements.DropBoardMarkers(reader: account))
        try await transaction.run(Boards.Statements.DropBoardReads(reader: account))
        try await transaction.run(Boards.Statements.DropModerations(reader: account))
        guard try await transaction.one(Boards.Statements.HasSaid(account: account)) else { return }
        try await Boards.Forget(gone: account).enqueue(in: transaction)
    }

    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // Threads that somebody opened. They stay for the answers of others, without a title: see `Recounts.Remains`.
        .init("thread", owner: "t.author_id", work: "t.work_id", isKept: true),
        // Posts, whose rows stay as tombstones.
        .init("post", owner: "t.author_id", hidden: ["path"], isKept: true),
        // What they say, and said before. Taken away by a job (`Forget`), as reactions are.
        .init(
            "post_text", source: "post_text t join post on post.id = t.post_id", owner: "post.author_id", isKept: true),
        // The same, as it is searched; gone with the texts.
        .init(
            "post_search", source: "post_search t join post on post.id = t.post_id", owner: "post.author_id",
            unexported: "Made of the texts, which are exported.", isKept: true),
        Post.personalReactions(isKept: true),
        // How far threads were read, and which are followed or muted.
        .init("thread_reader", key: "t.thread_id"),
        // Boards that are followed or muted.
        .init("board_reader", key: "t.work_id", work: "t.work_id"),
        // Boards that somebody moderates.
        .init("board_moderator", key: "t.work_id", work: "t.work_id"),
        // How far all threads of boards were read.
        .init("board_read", key: "t.board_id"),
    ]
}

extension Boards.Thread: ThingKind {
    package static let facts = ThingFacts(
        name: "thread", table: "thread", author: "thread.author_id", title: "coalesce(thread.title, '')",
        group: "thread.group_id", isHidden: "(thread.hidden_at is not null)")

    package static func isSeen<S: ForViewer>() -> SQL<S> { Boards.Statements.threadIsSeen() }
}

extension Boards.Post: ThingKind {
    package static let facts = ThingFacts(
        name: "post", table: "post", joins: "join thread on thread.id = post.thread_id", author: "post.author_id",
        title: "coalesce(thread.title, '')", beside: "post.thread_id", group: "thread.group_id",
        said: """
            jsonb_build_object('title', case when post.number = 1 then thread.title end, 'scope', post.scope,
                                   'body', (select post_text.body from post_text where post_text.id = post.text_id))
            """,
        isHidden: "(post.hidden_at is not null)",
        isDeleted: "(post.deleted_at is not null)")

    package static func isSeen<S: ForViewer>() -> SQL<S> {
        """
        (\(Boards.Statements.threadIsSeen())
                and \(Boards.Statements.postStands)
                and \(Boards.Statements.isSeen("post.author_id")))
        """
    }
}

extension Boards.Post: GatedKind {
    package static func isMet<S: ForViewer>() -> SQL<S> {
        """
        ((post.author_id = \(.viewer) or \(Boards.Statements.threadIsSeen()))
                and \(Boards.Statements.postIsSeen()))
        """
    }

    package static func opens<S: ForViewer>() -> SQL<S> { Gate.opens(viewer: .viewer) }
    package static func unveils<S: ForViewer>() -> SQL<S> { Gate.unveils(viewer: .viewer) }
    package static var toldScope: Fragment { Gate.told() }
    package static var word: Fragment { "case when post.number = 1 then thread.kind else \(literal: reply) end" }
}

extension Boards.Post: Utterance {
    package static let saying = SayingFacts(
        joins: "left join post_text on post_text.id = post.text_id",
        text: "concat_ws(chr(10), case when post.number = 1 then thread.title end, post_text.body)",
        isOpen: """
            ((thread.group_id is null
                     or exists (select from reading_group where id = thread.group_id and visibility = 'public'))
                    and \(Privacy.level(.discussions, of: "post.author_id")) >= \(Visibility.members.rawValue))
            """)
}

extension Boards.Post: Reactable {
    package static let reacting = ReactionFacts(
        event: Boards.EventKind.reacted.rawValue, topic: "'thread:' || post.thread_id",
        data: "'post', jsonb_build_object('id', post.id::text, 'thread_id', post.thread_id::text)",
        subject: ("\(literal: EventSubject.text.name)", "post.text_id"), isTold: "post.text_id is not null",
        isThere: "thread.hidden_at is null")

    package static func admits<S: ForViewer>() -> SQL<S> { Groups.admits(viewer: .viewer) }

    package static func telling(_ post: ID<Self>, by reader: ID<Accounts.Account>) -> Notifications.Tell? {
        .reacted(to: post, by: reader)
    }

    // The reactions of a thread are those to its first post.
    package static func lockCounters(of posts: [ID<Self>], in batch: inout Batch) {
        batch.run(Boards.Statements.LockThreadsOpened(posts: posts))
    }

    package static func setCounters(of posts: [ID<Self>], at now: Timestamp, in batch: inout Batch) {
        batch.run(Boards.Statements.CountThreadReactions(posts: posts, now: now))
    }
}

extension Boards.Post: Revised {
    package typealias Mark = Gate.Scope
    package static let revising = RevisionFacts(
        mark: "scope",
        formerly: """
            stands.id, stands.thread_id, stands.author_id, stands.number, stands.replies, stands.deleted_at, stands.hidden_at,
                   stands.also_work_id, stands.also_scope, greatest(stands.scope, said.scope) as scope
            """,
        kept: Limits.boards.texts, isTitled: true)
}

extension Thing {
    package static func thread(_ id: ID<Boards.Thread>) -> Thing { Thing(id) }
    package static func post(_ id: ID<Boards.Post>) -> Thing { Thing(id) }
}

extension EventSubject {
    /// The id of a post's text (`post_text`), while the post has no other: told to those who may see the post; where
    /// only its gate is shut, a placeholder. The event's data is one for all: inline spoilers stay veiled in it.
    package static let text = EventSubject(name: "text")
}

extension Community {
    package var boards: Boards.Store { Boards.Store(services) }
}
