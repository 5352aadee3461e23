import Postgres

extension Places {
    /// A chapter of an edition; it ends where the next begins.
    package struct Chapter: Hashable, Sendable {
        package let title: String?
        /// Ten-thousandths of the work.
        package let position: Int

        package init(title: String? = nil, position: Int) {
            self.title = title
            self.position = position
        }
    }
}

extension Places.Store {
    /// The chapters of an edition, or of what it was merged into, in their order; none where nobody said where they begin. Throws `.notFound`.
    package func chapters(of edition: ID<Catalog.Edition>) async throws -> [Places.Chapter] {
        guard let shown = try await house.database.first(Places.Statements.EditionShown(edition: edition)) else {
            throw Failure.notFound("edition \(edition)")
        }
        return try await house.database.all(Places.Statements.ChaptersOf(edition: shown))
    }

    /// Says where the chapters of an edition begin, instead of what was said before; no chapters: nothing is known. Librarians only. Positions
    /// that readers named by chapter before stay.
    ///
    /// Throws `.forbidden` (`not_librarian`), `.notFound`, `.invalid` where they do not stand in their order.
    package func setChapters(
        _ chapters: [Places.Chapter], of edition: ID<Catalog.Edition>, by helper: Catalog.Helper
    ) async throws {
        try helper.requireLibrarian()
        try Self.check(chapters)
        try await house.database.transaction { transaction in
            guard let held = try await transaction.first(Places.Statements.LockEdition(edition: edition)) else {
                throw Failure.notFound("edition \(edition)")
            }
            try await transaction.batch { batch in
                batch.run(Places.Statements.DropChapters(edition: held))
                batch.run(Places.Statements.InsertChapters(edition: held, chapters: chapters))
            }
        }
    }

    private static func check(_ chapters: [Places.Chapter]) throws(Failure) {
        var faults = Faults()
        faults.require(
            chapters.count <= Limits.Places.chapters.upperBound, "/chapters", "too_long",
            "at most \(Limits.Places.chapters.upperBound)")
        var last = -1
        for (index, chapter) in chapters.enumerated() where !faults.isFull {
            let pointer = "/chapters/\(index)"
            faults.require(
                (0...10_000).contains(chapter.position), pointer + "/position", "out_of_range", "must be 0 to 10000")
            faults.require(
                chapter.position > last, pointer + "/position", "mismatch", "must come after the chapter before")
            if let title = chapter.title {
                faults.require(
                    Limits.Places.chapterTitle.contains(title.utf8.count), pointer + "/title", "too_long",
                    "1 to 500 bytes of UTF-8")
                faults.require(!title.utf8.contains(0), pointer + "/title", "bad_format", "holds a NUL")
            }
            last = chapter.position
        }
        try faults.check()
    }
}

extension Places {
    /// Where the chapters of one edition begin holds for another, in the transaction that merges them, unless that one has chapters of its
    /// own: those count then for the readers of both.
    static func moveChapters(
        _ from: ID<Catalog.Edition>, into target: ID<Catalog.Edition>, in transaction: Transaction
    ) async throws {
        try await transaction.run(Statements.MoveChapters(from: from, into: target))
        try await transaction.run(Statements.DropChapters(edition: from))
    }
}
