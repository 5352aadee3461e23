import JSONWriting
import Postgres

extension Gate {
    /// What a reader asked to see although it lies ahead.
    package struct Reveal: Hashable, Sendable, JSONForm {
        package let id: ID<Reveal>
        /// A post, a thread, a book or a review.
        package let subject: Thing
        /// Of a post or thread: where it stands; `nil` for a book.
        package let thread: ID<Boards.Thread>?
        /// What it is about; `nil` for what is about no book.
        package let book: ID<Catalog.Work>?
        package let at: Timestamp

        package func put(into object: JSONObject) {
            object.put("id", id)
            object.put("kind", subject.name)
            object.put("post_id", subject.post)
            object.put("thread_id", thread)
            object.put("book_id", book)
            object.put("review_id", subject.review)
            object.put("revealed_at", at)
        }
    }
}

extension Thing {
    var post: ID<Boards.Post>? { id(as: Boards.Post.self) }
    var thread: ID<Boards.Thread>? { id(as: Boards.Thread.self) }
    var book: ID<Catalog.Work>? { id(as: Catalog.Work.self) }
    var review: ID<Reviews.Review>? { id(as: Reviews.Review.self) }
}

extension Gate.Store {
    /// Opens a post, a thread, a review or all of a book to the reader; again is once. A merged book is what it was
    /// merged into.
    ///
    /// Throws `.notFound` for what the reader may not see or is deleted, `.forbidden` (`account_frozen`), `.conflict`
    /// (`too_many_reveals`).
    package func reveal(_ subject: Thing, by reader: ID<Accounts.Account>) async throws {
        try await services.database.transaction { transaction in
            try await lock(reader, for: subject, in: transaction)
            guard let seen = try await seen(subject, by: reader, in: transaction) else { throw subject.missing }
            let from = try await transaction.one(Gate.Statements.LevelOf(viewer: reader, work: seen.book))
            guard try await !transaction.one(Gate.Statements.IsRevealed(reader: reader, subject: seen)) else { return }
            guard try await transaction.one(Gate.Statements.CountReveals(reader: reader)) < Limits.gate.reveals else {
                throw Failure.conflict(
                    code: .tooManyReveals, "a reader has at most \(Limits.gate.reveals); take one back first")
            }
            let insert = Gate.Statements.InsertReveal(
                id: try services.ids.make(), reader: reader, subject: seen, at: services.clock.now())
            let unlock = try seen.book.map { try Gate.unlocking(of: $0, for: reader, from: from) }
            try await transaction.batch { batch in
                batch.run(insert)
                if let unlock { batch.run(unlock) }
            }
        }
    }

    /// Undoes that; what was not revealed is as it was. Throws `.notFound` for what the reader may not see and has not
    /// revealed, `.forbidden` (`account_frozen`).
    package func unreveal(_ subject: Thing, by reader: ID<Accounts.Account>) async throws {
        try await services.database.transaction { transaction in
            try await lock(reader, for: subject, in: transaction)
            let target = try await held(subject, in: transaction) ?? subject
            let undone = try await transaction.run(Gate.Statements.DeleteReveal(reader: reader, subject: target))
            guard undone == 0 else { return }
            guard try await seen(target, by: reader, in: transaction) != nil else { throw subject.missing }
        }
    }

    /// What the reader revealed, last first.
    package func reveals(
        of reader: ID<Accounts.Account>, page: PageRequest<ID<Gate.Reveal>>
    ) async throws -> Page<Gate.Reveal, ID<Gate.Reveal>> {
        let database = services.database
        return try await page.read(from: .highest, key: \.id) {
            try await database.all(Gate.Statements.Reveals(reader: reader, span: $0))
        }
    }

    /// Locks the account, and holds a book against merges.
    private func lock(
        _ reader: ID<Accounts.Account>, for subject: Thing, in transaction: Transaction
    ) async throws {
        let library = Library.Store(services)
        guard let work = subject.book else { return try await library.lock(reader, in: transaction) }
        try await library.lock(reader, holding: work)
    }

    /// The subject, a merged book as what it was merged into, where the reader may know that it is there.
    private func seen(
        _ subject: Thing, by reader: ID<Accounts.Account>, in transaction: Transaction
    ) async throws -> Thing? {
        // One that was withdrawn, or has no title yet, still has a board.
        if subject.book != nil { return try await held(subject, in: transaction) }
        return try await subject.seen(by: .reader(reader), in: transaction)?.thing
    }

    /// The book as it is now, held against merges; `nil` where there is none.
    private func held(_ subject: Thing, in transaction: Transaction) async throws -> Thing? {
        guard let book = subject.book else { return nil }
        return try await transaction.first(Catalog.HoldBook(work: book)).map(Thing.book)
    }
}
