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
    /// The chapters of an edition, or of what it was merged into, in their order; none where nobody said where they
    /// begin. Throws `.notFound`.
    package func chapters(of edition: ID<Catalog.Edition>) async throws -> [Places.Chapter] {
        guard let shown = try await services.database.first(Places.Statements.EditionShown(edition: edition)) else {
            throw Failure.notFound("edition \(edition)")
        }
        return try await services.database.all(Places.Statements.ChaptersOf(edition: shown))
    }

    /// Says where the chapters of an edition begin, instead of what was said before; no chapters: nothing is known.
    /// Librarians only. Positions that readers named by chapter before stay. A change is a revision of the edition.
    ///
    /// Throws `.forbidden` (`not_librarian`), `.notFound`, `.invalid` where they do not stand in their order.
    package func setChapters(
        _ chapters: [Places.Chapter], of edition: ID<Catalog.Edition>, reason: String = "", by helper: Catalog.Helper
    ) async throws {
        try helper.requireLibrarian()
        try Self.check(chapters)
        try Catalog.Store.check(reason)
        let authority = Catalog.Authority(helper.actor, for: helper.account, reason: reason)
        try await services.database.transaction { transaction in
            guard let held = try await transaction.first(Places.Statements.LockEdition(edition: edition)) else {
                throw Failure.notFound("edition \(edition)")
            }
            let before = try await transaction.all(Places.Statements.ChaptersOf(edition: held))
            guard before != chapters else { return }
            _ = try await Places.put(
                chapters, on: held, insteadOf: before, as: authority, services: services, in: transaction)
        }
    }

    private static func check(_ chapters: [Places.Chapter]) throws(Failure) {
        var faults = Faults()
        faults.require(
            chapters.count <= Limits.places.chapters.upperBound, "/chapters", .tooLong,
            "at most \(Limits.places.chapters.upperBound)")
        var last = -1
        for (index, chapter) in chapters.enumerated() where !faults.isFull {
            let pointer = "/chapters/\(index)"
            faults.require(
                (0...10_000).contains(chapter.position), pointer + "/position", .outOfRange, "must be 0 to 10000")
            faults.require(
                chapter.position > last, pointer + "/position", .mismatch, "must come after the chapter before")
            if let title = chapter.title {
                faults.require(
                    Limits.places.chapterTitle.contains(title.utf8.count), pointer + "/title", .tooLong,
                    "1 to 500 bytes of UTF-8")
                faults.require(Wording.isPlain(title), pointer + "/title", .badFormat, Wording.unplain)
            }
            last = chapter.position
        }
        try faults.check()
    }
}

extension Places {
    /// Makes these the chapters of an edition whose row is locked, and records it: a revision of the field `chapters`.
    fileprivate static func put(
        _ chapters: [Chapter], on edition: ID<Catalog.Edition>, insteadOf before: [Chapter],
        as authority: Catalog.Authority, services: Services, in transaction: Transaction
    ) async throws -> ID<Catalog.Revision> {
        let id = try services.ids.make(Catalog.Revision.self)
        let revision = Catalog.AddRevision(
            id: id, at: services.clock.now(), actor: authority.actor, account: authority.account,
            action: authority.action,
            thing: .edition(edition), reason: authority.reason, before: try JSON(Catalog.Facts(chapters: before)),
            after: try JSON(Catalog.Facts(chapters: chapters)), proposal: authority.proposal, undoes: authority.undoes)
        try await transaction.batch { batch in
            batch.run(Statements.DropChapters(edition: edition))
            batch.run(Statements.InsertChapters(edition: edition, chapters: chapters))
            batch.run(revision)
        }
        return id
    }

    /// Takes a change of chapters back, in the transaction of `Catalog.Store.undo`. Throws `.notFound` for an edition
    /// that is not there any more, `.conflict` (`changed_since`).
    static func undo(
        _ revision: Catalog.Revision, as authority: Catalog.Authority, services: Services, in transaction: Transaction
    ) async throws -> Catalog.Corrected {
        guard case .edition(let edition) = revision.thing else { throw Failure.notFound(revision.thing.name) }
        let snapshot = try await Catalog.Writing(transaction: transaction, services: services).snapshot(
            of: revision.thing)
        let now = try await transaction.all(Statements.ChaptersOf(edition: edition))
        guard now == revision.after.chapters else {
            throw Failure.conflict(code: .changedSince, "the field chapters has changed since")
        }
        let undone = try await put(
            revision.before.chapters, on: edition, insteadOf: now, as: authority, services: services, in: transaction)
        return .applied(undone, version: snapshot.version)
    }
}

extension Catalog.Facts {
    fileprivate init(chapters: [Places.Chapter]) {
        self = [
            .chapters: .parts(
                chapters.map { Catalog.Fact.Part(name: $0.title, position: String($0.position)) })
        ]
    }

    /// None where nothing is said of them.
    fileprivate var chapters: [Places.Chapter] {
        (self[.chapters]?.parts ?? []).map {
            Places.Chapter(title: $0.name, position: $0.position.flatMap { Int($0) } ?? 0)
        }
    }
}
