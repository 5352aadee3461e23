import Jobs
import Postgres

extension Reviews: Domain {
    package static let things: [any ThingKind.Type] = [Review.self]
    package static let worksOfReaders = [WorkColumn("review")]
    package static var eventKinds: [String] { EventKind.names }
    package static let eventSubjects = [EventSubject.review, .reviewText, .reviewReply]

    package static func hearers(
        of questions: [EventQuestion], among viewers: [Int64], in database: Database
    ) async throws -> [Hearers] {
        var answers = questions.map { _ in Hearers() }
        for one in try await database.all(Statements.Hearing(questions: questions, viewers: viewers)) {
            answers[one.place].may.insert(one.viewer)
            guard let placeholder = one.placeholder else { continue }
            let name: StaticString =
                questions[one.place].subject == EventSubject.reviewReply.name ? "reply" : "review"
            try answers[one.place].hold(one.viewer, behind: placeholder, as: name)
        }
        return answers
    }

    package static func standingChanges(
        of account: ID<Accounts.Account>, in queryable: some Queryable
    ) async throws {
        try await CountReader(reader: account).enqueue(in: queryable)
    }

    /// Deletes whatever the reader said, to others' reviews too, with the counts of it. Tells nobody one by one: the end of the account is an event of its own.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of house: House, in transaction: Transaction
    ) async throws {
        try await transaction.run(Statements.RemoveRepliesOf(author: account))
        try await transaction.run(Statements.RemoveReactionsOf(reader: account))
        for work in try await transaction.all(Statements.RemoveAll(reader: account)) {
            try await transaction.run(Catalog.BumpReaders(work: work, by: -1))
        }
    }
}

extension Reviews.Review: ThingKind {
    package static let facts = ThingFacts(
        name: "review", table: "review", joins: "join work on work.id = review.work_id", author: "review.reader_id",
        title: "coalesce(work.title, '')", isHeld: true)

    package static func isSeen<S: ForViewer>() -> SQL<S> {
        Visibility.predicate(viewer: .viewer, owner: "review.reader_id", level: "review.visibility")
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
    package var reviews: Reviews.Store { Reviews.Store(house) }
}
