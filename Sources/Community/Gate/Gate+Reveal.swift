import Postgres

extension Gate {
    /// What a reader asked to see although it lies ahead.
    package struct Reveal: Hashable, Sendable, Encodable {
        package enum Subject: Hashable, Sendable {
            case post(ID<Boards.Post>)
            case thread(ID<Boards.Thread>)
            case book(ID<Catalog.Work>)
            case review(ID<Reviews.Review>)
        }

        package let id: ID<Reveal>
        package let subject: Subject
        /// Of a post or thread: where it stands; `nil` for a book.
        package let thread: ID<Boards.Thread>?
        /// What it is about; `nil` for what is about no book.
        package let book: ID<Catalog.Work>?
        package let at: Timestamp

        private enum CodingKeys: String, CodingKey {
            case id, kind, at
            case post = "post_id"
            case thread = "thread_id"
            case book = "book_id"
            case review = "review_id"
        }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(subject.kind, forKey: .kind)
            try container.encode(subject.post, forKey: .post)
            try container.encode(thread, forKey: .thread)
            try container.encode(book, forKey: .book)
            try container.encode(subject.review, forKey: .review)
            try container.encode(at, forKey: .at)
        }
    }
}

extension Gate.Reveal.Subject {
    /// `post`, `thread`, `book` or `review`.
    package var kind: String {
        switch self {
        case .post: "post"
        case .thread: "thread"
        case .book: "book"
        case .review: "review"
        }
    }

    var post: ID<Boards.Post>? { if case .post(let id) = self { id } else { nil } }
    var thread: ID<Boards.Thread>? { if case .thread(let id) = self { id } else { nil } }
    var book: ID<Catalog.Work>? { if case .book(let id) = self { id } else { nil } }
    var review: ID<Reviews.Review>? { if case .review(let id) = self { id } else { nil } }

    fileprivate var missing: Failure {
        switch self {
        case .post(let id): .notFound("post \(id)")
        case .thread(let id): .notFound("thread \(id)")
        case .book(let id): .notFound("book \(id)")
        case .review(let id): .notFound("review \(id)")
        }
    }
}

extension Gate.Store {
    /// Opens a post, a thread, a review or all of a book to the reader; again is once. A merged book is what it was
    /// merged into.
    ///
    /// Throws `.notFound` for what the reader may not see or is deleted, `.forbidden` (`account_frozen`), `.conflict`
    /// (`too_many_reveals`).
    package func reveal(_ subject: Gate.Reveal.Subject, by reader: ID<Accounts.Account>) async throws {
        try await house.database.transaction { transaction in
            try await lock(reader, for: subject, in: transaction)
            guard let seen = try await seen(subject, by: reader, in: transaction) else { throw subject.missing }
            let from = try await transaction.one(Gate.Statements.LevelOf(viewer: reader, work: seen.book))
            guard try await !transaction.one(Gate.Statements.IsRevealed(reader: reader, subject: seen)) else { return }
            guard try await transaction.one(Gate.Statements.CountReveals(reader: reader)) < Limits.Gate.reveals else {
                throw Failure.conflict(
                    code: "too_many_reveals", "a reader has at most \(Limits.Gate.reveals); take one back first")
            }
            let insert = Gate.Statements.InsertReveal(
                id: try house.ids.make(), reader: reader, subject: seen, at: house.clock.now())
            let unlock = try seen.book.map { try Gate.unlocking(of: $0, for: reader, from: from) }
            try await transaction.batch { batch in
                batch.run(insert)
                if let unlock { batch.run(unlock) }
            }
        }
    }

    /// Undoes that; what was not revealed is as it was. Throws `.notFound` for what the reader may not see and has not
    /// revealed, `.forbidden` (`account_frozen`).
    package func unreveal(_ subject: Gate.Reveal.Subject, by reader: ID<Accounts.Account>) async throws {
        try await house.database.transaction { transaction in
            try await lock(reader, for: subject, in: transaction)
            let target = try await target(of: subject, in: transaction)
            let undone = try await transaction.run(Gate.Statements.DeleteReveal(reader: reader, subject: target))
            guard undone == 0 else { return }
            guard try await seen(target, by: reader, in: transaction) != nil else { throw subject.missing }
        }
    }

    /// What the reader revealed, last first.
    package func reveals(
        of reader: ID<Accounts.Account>, page: PageRequest<ID<Gate.Reveal>>
    ) async throws -> Page<Gate.Reveal, ID<Gate.Reveal>> {
        let database = house.database
        return try await page.read(from: .max, key: \.id) {
            try await database.all(Gate.Statements.Reveals(reader: reader, span: $0))
        }
    }

    /// Locks the account, and holds a book against merges.
    private func lock(
        _ reader: ID<Accounts.Account>, for subject: Gate.Reveal.Subject, in transaction: Transaction
    ) async throws {
        let library = Library.Store(house)
        guard case .book(let work) = subject else { return try await library.lock(reader, in: transaction) }
        try await library.lock(reader, holding: work)
    }

    /// The subject, a merged book as what it was merged into, where the reader may know that it is there.
    private func seen(
        _ subject: Gate.Reveal.Subject, by reader: ID<Accounts.Account>, in transaction: Transaction
    ) async throws -> Gate.Reveal.Subject? {
        switch subject {
        case .post(let id):
            try await transaction.first(Gate.Statements.SeenPost(viewer: .reader(reader), post: id)).map { _ in subject
            }
        case .thread(let id):
            try await transaction.first(Gate.Statements.SeenThread(viewer: .reader(reader), thread: id))
                .map { _ in subject }
        case .book(let id): try await transaction.first(Catalog.HoldBook(work: id)).map { .book($0) }
        case .review(let id):
            try await transaction.first(Gate.Statements.SeenReview(viewer: .reader(reader), review: id))
                .map { _ in subject }
        }
    }

    private func target(
        of subject: Gate.Reveal.Subject, in transaction: Transaction
    ) async throws -> Gate.Reveal.Subject {
        guard case .book(let id) = subject else { return subject }
        return try await transaction.first(Catalog.HoldBook(work: id)).map { .book($0) } ?? subject
    }
}
