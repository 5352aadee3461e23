import Postgres

extension Community {
    /// Takes everything that hangs on one book over to another, in one transaction: each domain moves its own. Librarians only.
    ///
    /// The old id goes on answering with the other book. Throws `.forbidden` (`not_librarian`), `.notFound` where one of the two is not
    /// there or was merged before, `.invalid`.
    package func mergeBooks(
        _ from: ID<Catalog.Work>, into target: ID<Catalog.Work>, reason: String = "", by helper: Catalog.Helper
    ) async throws {
        try helper.requireLibrarian()
        try Catalog.Store.check(reason)
        try await house.database.transaction { transaction in
            let writing = Catalog.Writing(transaction: transaction, house: house)
            _ = try await catalog.both(.book(from), .book(target), with: writing)
            try await reviews.adopt(from, into: target, in: transaction)
            try await library.adopt(from, into: target, in: transaction)
            try await praise.adopt(from, into: target, in: transaction)
            try await places.adopt(from, into: target, in: transaction)
            try await feed.adopt(from, into: target, in: transaction)
            try await catalog.merge(
                from, into: target, as: Catalog.Authority(helper.actor, for: helper.account, reason: reason),
                in: transaction)
        }
    }
}

extension Community {
    /// The same for anything that can be merged. Throws `.invalid` for things of two kinds.
    package func merge(
        _ from: Catalog.Thing, into target: Catalog.Thing, reason: String = "", by helper: Catalog.Helper
    ) async throws {
        switch (from, target) {
        case (.book(let from), .book(let target)): try await mergeBooks(from, into: target, reason: reason, by: helper)
        case (.edition(let from), .edition(let target)):
            try await catalog.mergeEdition(from, into: target, reason: reason, by: helper)
        case (.author(let from), .author(let target)):
            try await catalog.mergeAuthor(from, into: target, reason: reason, by: helper)
        default: throw Failure.invalid("/into", "mismatch", "must be of the same kind")
        }
    }
}
