import Postgres

extension Catalog {
    /// One thing turned out to be another: everything that hangs on the first goes over to the second, and the first
    /// leads there from then on.
    ///
    /// The one way to merge, inside the caller's transaction, for all that say that both are one: a librarian
    /// (`Store.merge`) or a redirect in a source's dump (`Intake.follow`). Each domain moves its own (`moveReaders`);
    /// what becomes of the facts of both is `Joining`'s rule. The caller tells the search and the orders of the works
    /// that changed (`WorkChanges`).
    ///
    /// Locks, as everybody who writes about a book: accounts of who has it, threads about it, the book, then what hangs
    /// on it. Who comes to have it meanwhile is locked behind it, and much else is, in an order that nobody could keep;
    /// so a librarian's merge never waits for long (`GiveWay`): it lets go of everything and begins anew, and readers
    /// who write go first.
    struct Merging {
        let transaction: Transaction
        let services: Services
        let authority: Authority
        let joining: Joining

        /// Gives the works that changed. Throws `.notFound` where one of the two is not there, `.invalid` where they
        /// are one or of two kinds, `.conflict` (`other_book`) for editions of two books.
        func merge(_ from: Thing, into target: Thing) async throws -> Set<ID<Work>> {
            guard from.kind == target.kind else {
                throw Failure.invalid("/into", .mismatch, "must be of the same kind")
            }
            if case .book(let from) = from, case .book(let target) = target {
                try await Community.worksAreToMerge(
                    Merge(from: from, into: target, at: services.clock.now()), in: transaction)
            }
            let (gone, kept) = try await both(from, target)
            let touched: Set<ID<Work>>
            switch (from, target) {
            case (.book(let from), .book(let target)): touched = try await move(from, into: target, gone, kept)
            case (.edition(let from), .edition(let target)): touched = try await move(from, into: target, gone, kept)
            case (.author(let from), .author(let target)): touched = try await move(from, into: target, gone, kept)
            default: touched = []
            }
            try await transaction.run(MoveProposals(from: from, into: target.id))
            try await transaction.run(
                AddRevision(
                    id: try services.ids.make(), at: services.clock.now(), actor: authority.actor,
                    account: authority.account,
                    action: .merge, thing: from, reason: authority.reason, before: try JSON([:] as Facts),
                    after: try JSON([Field.Name.into: .text(String(target.id))] as Facts)))
            return touched
        }

        /// Both things, locked in the order of their ids.
        private func both(_ from: Thing, _ target: Thing) async throws -> (gone: Snapshot, kept: Snapshot) {
            guard from != target else { throw Failure.invalid("/into", .same, "must be another one") }
            if from.id < target.id {
                let first = try await snapshot(of: from)
                return (first, try await snapshot(of: target))
            }
            let first = try await snapshot(of: target)
            return (try await snapshot(of: from), first)
        }

        /// A person merges what is there. A source's word also holds for what it deleted.
        private func snapshot(of thing: Thing) async throws -> Snapshot {
            let writing = Writing(transaction: transaction, services: services)
            return joining == .completing ? try await writing.snapshot(of: thing) : try await writing.row(of: thing)
        }

        /// Makes the one that stays what both are together.
        private func join(_ gone: Snapshot, of from: Thing, _ kept: Snapshot, as thing: Thing) async throws {
            var (facts, changed) = joining.facts(of: kept.facts, and: gone.facts, of: thing.kind)
            guard !changed.isEmpty else { return }
            if changed.remove(.series) != nil, case .book(let from) = from, case .book(let target) = thing {
                // As they are linked: by their names they might be series of another author.
                try await transaction.run(UnlinkSeries(works: [target]))
                try await transaction.run(JoinSeries(from: from, into: target))
            }
            try await Writing(transaction: transaction, services: services).write(
                facts, to: thing, from: kept.facts, changed: changed)
        }
    }
}

extension Catalog.Merging {
    /// Editions with their covers, headings, imported ratings, source keys; what readers hung on the work goes first.
    private func move(
        _ from: ID<Catalog.Work>, into target: ID<Catalog.Work>, _ gone: Catalog.Snapshot, _ kept: Catalog.Snapshot
    ) async throws -> Set<ID<Catalog.Work>> {
        let merge = Merge(from: from, into: target, at: services.clock.now())
        try await Community.worksMerge(merge, of: services, in: transaction)
        try await transaction.batch { batch in
            batch.run(Catalog.MoveEditions(from: from, into: target))
            batch.run(Catalog.UnlinkGenres(works: [from]))
            batch.run(Catalog.JoinImported(from: from, into: target))
            batch.run(Catalog.DropImported(work: from))
            batch.run(Catalog.CountImported(works: [target]))
            batch.run(Catalog.MergeWork(from: from, into: target))
            batch.run(Catalog.PutPopularity(works: [from], listed: [false]))
            batch.run(Catalog.MoveSources(from: from, into: target))
            batch.run(Catalog.BumpWorks(works: [target]))
        }
        try await join(gone, of: .book(from), kept, as: .book(target))
        if kept.isWithdrawn {
            // What its source deleted stays away, unless it has readers now.
            let isRead = try await transaction.first(Catalog.HasReaders(work: target)) != nil
            if isRead {
                try await transaction.run(Catalog.RestoreWork(work: target))
            } else {
                try await transaction.run(Catalog.UnlistWork(work: target))
            }
        }
        return [from, target]
    }

    /// Works, names, source keys, who follows them. Works that name both keep one, at the earlier place.
    private func move(
        _ from: ID<Catalog.Author>, into target: ID<Catalog.Author>, _ gone: Catalog.Snapshot, _ kept: Catalog.Snapshot
    ) async throws -> Set<ID<Catalog.Work>> {
        try await Merge(from: from, into: target, at: services.clock.now()).run(in: transaction)
        try await transaction.run(Catalog.UnlinkDoubles(from: from, into: target))
        try await transaction.run(Catalog.MoveAuthorLinks(from: from, into: target))
        try await transaction.run(Catalog.MergeAuthor(from: from, into: target))
        try await transaction.run(Catalog.MoveSources(from: from, into: target))
        try await join(gone, of: .author(from), kept, as: .author(target))
        try await Catalog.WorkChanges(transaction: transaction).renamed([target])
        return []
    }

    /// ISBNs, facts, cover, shelves, provenance, source keys.
    private func move(
        _ from: ID<Catalog.Edition>, into target: ID<Catalog.Edition>, _ gone: Catalog.Snapshot,
        _ kept: Catalog.Snapshot
    ) async throws -> Set<ID<Catalog.Work>> {
        let works = [gone, kept].compactMap { $0.facts[.book]?.text }.compactMap { ID<Catalog.Work>(text: $0) }
        guard joining != .completing || Set(works).count == 1 else {
            throw Failure.conflict(code: .otherBook, "these are editions of two books; merge the books first")
        }
        try await transaction.run(Catalog.RemoveISBNs(editions: [from]))
        try await transaction.run(Catalog.MergeEdition(from: from, into: target))
        try await transaction.run(Catalog.MoveSources(from: from, into: target))
        try await Merge(from: from, into: target, at: services.clock.now()).run(in: transaction)
        try await join(gone, of: .edition(from), kept, as: .edition(target))
        try await transaction.run(Catalog.BumpWorks(works: works))
        return Set(works)
    }
}
