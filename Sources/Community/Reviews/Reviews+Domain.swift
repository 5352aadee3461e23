import Jobs
import Postgres

extension Reviews: Domain {
    package static let things: [any ThingKind.Type] = [Review.self, Reply.self]
    package static let worksOfReaders = [WorkColumn("review")]
    package static var eventKinds: [String] { EventKind.names }
    package static let eventSubjects = [EventSubject.review, .reviewText, .reviewReply]

    package static func exceptions(to questions: EventQuestions, in database: Database) async throws -> [Exceptions] {
        try questions.answers(try await database.all(Statements.TellingExceptions(questions: questions)))
    }

    package static func standingChanges(
        of account: ID<Accounts.Account>, in queryable: some Queryable
    ) async throws {
        try await CountReader(reader: account).enqueue(in: queryable)
    }

    /// Deletes whatever the reader said, to others' reviews too, with the counts of it. Tells nobody one by one: the end of the account is an event of its own.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of services: Services, in transaction: Transaction
    ) async throws {
        try await transaction.run(Statements.RemoveRepliesOf(author: account))
        let reacted = Reactions.Statements.ReactedTo<Review>(reader: account, after: .min, limit: .max)
        try await Reactions.drop(
            of: account, to: try await transaction.all(reacted), at: services.clock.now(), in: transaction)
        for work in try await transaction.all(Statements.RemoveAll(reader: account)) {
            try await transaction.run(Catalog.BumpReaders(work: work, by: -1))
        }
    }

    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // Ratings and reviews.
        .init("review", work: "t.work_id"),
        // What reviews say, and said before.
        .init("review_text", source: "review_text t join review on review.id = t.review_id", owner: "review.reader_id"),
        // Answers to reviews.
        .init("review_reply", owner: "t.author_id"),
        Review.personalReactions(),
    ]
}

extension Reviews.Review: ThingKind {
    package static let facts = ThingFacts(
        name: "review", table: "review", joins: "join work on work.id = review.work_id", author: "review.reader_id",
        title: "coalesce(work.title, '')", said: "jsonb_build_object('rating', review.rating, 'body', review.body)",
        isHidden: "(review.hidden_at is not null)", isHeld: true)

    package static func isSeen<S: ForViewer>() -> SQL<S> {
        Visibility.predicate(viewer: .viewer, owner: "review.reader_id", level: "review.visibility")
    }
}

extension Reviews.Reply: ThingKind {
    package static let facts = ThingFacts(
        name: Reviews.replyKind, table: "review_reply",
        joins: "join review on review.id = review_reply.review_id join work on work.id = review.work_id",
        author: "review_reply.author_id", title: "coalesce(work.title, '')",
        said: "jsonb_build_object('body', review_reply.body)", isHidden: "(review_reply.hidden_at is not null)",
        isHeld: true)

    package static func isSeen<S: ForViewer>() -> SQL<S> { Reviews.Statements.replyIsSeen(by: .viewer) }
}

extension Reviews.Review: GatedKind {
    package static func opens<S: ForViewer>() -> SQL<S> { Gate.opensReview(viewer: .viewer) }
    package static func unveils<S: ForViewer>() -> SQL<S> { Gate.unveilsReview(viewer: .viewer) }
    package static var toldScope: Fragment { "\(Gate.end)::smallint" }
    package static func shut(at scope: Gate.Scope) -> Failure { .reviewGated }
}

extension Reviews.Review: Utterance {
    package static let saying = SayingFacts(
        text: "review.body",
        isOpen: "coalesce(review.hidden_level, review.visibility) >= \(Visibility.members.rawValue)")
}

extension Reviews.Reply: Utterance {
    package static let saying = SayingFacts(
        text: "review_reply.body",
        isOpen: """
            (coalesce(review.hidden_level, review.visibility) >= \(Visibility.members.rawValue)
                    and \(Reviews.Statements.replyLevel) >= \(Visibility.members.rawValue))
            """)
}

extension Reviews.Review: Reactable {
    // Followers of a book hear of what members may see.
    package static let reacting = ReactionFacts(
        event: Reviews.EventKind.reacted.rawValue, topic: "'book:' || review.work_id",
        data: """
            'review', jsonb_build_object('id', review.id::text), 'book', jsonb_build_object('id', review.work_id::text)
            """,
        subject: (
            "case when review.text_id is null then \(literal: EventSubject.review.name) else \(literal: EventSubject.reviewText.name) end",
            "coalesce(review.text_id, review.id)"
        ),
        isTold: "review.visibility >= \(Visibility.members.rawValue)")

    package static func telling(_ review: ID<Self>, by reader: ID<Accounts.Account>) -> Notifications.Tell? {
        .reviewReacted(to: review, by: reader)
    }
}

extension Reviews.Review: Revised {
    package typealias Mark = Bool
    package static let revising = RevisionFacts(
        mark: "spoilers",
        formerly: """
            stands.id, stands.reader_id, stands.work_id, stands.visibility, stands.spoilers or said.spoilers as spoilers
            """,
        kept: Limits.reviews.texts)
}

extension Failure {
    /// The review opens to those who have finished its book.
    static var reviewGated: Failure {
        .forbidden(code: .reviewGated, "it gives the end away: finish the book or reveal it first")
    }
}

extension Thing {
    package static func review(_ id: ID<Reviews.Review>) -> Thing { Thing(id) }
}

extension EventSubject {
    /// The id of a review while it has no text: told to those who may see it.
    static let review = EventSubject(name: "review")
    /// The id of a review's text, while it has no other: told to those who may see the review; where its gate is shut,
    /// a placeholder.
    static let reviewText = EventSubject(name: "review_text")
    /// The id of the text of a reply to a review, while it has no other: likewise, and where its author lets it be
    /// seen.
    static let reviewReply = EventSubject(name: "review_reply")
}

extension Community {
    package var reviews: Reviews.Store { Reviews.Store(services) }
}
