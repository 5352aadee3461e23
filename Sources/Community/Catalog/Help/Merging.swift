import Postgres

extension Catalog.Store {
    /// The catalogue's part of merging one book into another, in the caller's transaction: editions, headings, missing facts, imported
    /// ratings, source keys, proposals. What readers hung on it is moved by their own stores before: see `Community.mergeBooks`.
    func merge(
        _ from: ID<Catalog.Work>, into target: ID<Catalog.Work>, as authority: Catalog.Authority,
        in transaction: Transaction
    ) async throws {
        try await transaction.batch { batch in
            batch.run(Catalog.MoveEditions(from: from, into: target))
            batch.run(Catalog.CompleteWork(from: from, into: target))
            batch.run(Catalog.JoinSubjects(from: from, into: target))
            batch.run(Catalog.JoinSeries(from: from, into: target))
            batch.run(Catalog.JoinGenres(from: from, into: target))
            batch.run(Catalog.UnlinkGenres(works: [from]))
            batch.run(Catalog.JoinImported(from: from, into: target))
            batch.run(Catalog.DropImported(work: from))
            batch.run(Catalog.CountImported(works: [target]))
            batch.run(Catalog.MergeWork(from: from, into: target))
            batch.run(Catalog.PutPopularity(works: [from], listed: [false]))
            batch.run(Catalog.MoveSources(from: from, into: target))
            batch.run(Catalog.BumpWorks(works: [target]))
        }
        try await record(.book(from), into: .book(target), as: authority, in: transaction)
        try await Catalog.WorkChanges(transaction: transaction).changed([from, target])
    }

    /// Takes what hangs on one author over to another: works, names, source keys. Librarians only. Throws `.notFound`, `.invalid`.
    package func mergeAuthor(
        _ from: ID<Catalog.Author>, into target: ID<Catalog.Author>, reason: String = "", by helper: Catalog.Helper
    ) async throws {
        try helper.requireLibrarian()
        try Self.check(reason)
        try await house.database.transaction { transaction in
            let writing = Catalog.Writing(transaction: transaction, house: house)
            let (gone, kept) = try await both(.author(from), .author(target), with: writing)
            var facts = kept.facts
            for name in ["birth", "death", "about"] where facts[name]?.says != true { facts[name] = gone.facts[name] }
            facts["aliases"] = .texts(Self.aliases(of: kept.facts, and: gone.facts))
            // Works that name both keep one.
            try await transaction.run(Catalog.UnlinkDoubles(from: from, into: target))
            try await transaction.run(Catalog.MoveAuthorLinks(from: from, into: target))
            try await transaction.run(Catalog.MergeAuthor(from: from, into: target))
            try await transaction.run(Catalog.MoveSources(from: from, into: target))
            try await writing.write(facts, to: .author(target), from: kept.facts, changed: ["aliases"])
            try await record(
                .author(from), into: .author(target),
                as: Catalog.Authority(helper.actor, for: helper.account, reason: reason), in: transaction)
        }
    }

    /// Takes what hangs on one edition over to another: ISBNs, missing facts, source keys. Librarians only. Throws `.notFound`, `.invalid`,
    /// and `.conflict` (`other_book`) for editions of two books.
    package func mergeEdition(
        _ from: ID<Catalog.Edition>, into target: ID<Catalog.Edition>, reason: String = "", by helper: Catalog.Helper
    ) async throws {
        try helper.requireLibrarian()
        try Self.check(reason)
        try await house.database.transaction { transaction in
            let writing = Catalog.Writing(transaction: transaction, house: house)
            let (gone, kept) = try await both(.edition(from), .edition(target), with: writing)
            guard gone.facts["book"] == kept.facts["book"] else {
                throw Failure.conflict(code: "other_book", "these are editions of two books; merge the books first")
            }
            var facts = kept.facts.merging(gone.facts) { own, other in own.says ? own : other }
            facts["locked"] = kept.facts["locked"]
            facts["isbns"] = .texts(
                Array(Set((kept.facts["isbns"]?.texts ?? []) + (gone.facts["isbns"]?.texts ?? []))).sorted())
            try await transaction.run(Catalog.RemoveISBNs(editions: [from]))
            try await transaction.run(Catalog.MergeEdition(from: from, into: target))
            try await transaction.run(Catalog.MoveSources(from: from, into: target))
            try await writing.write(facts, to: .edition(target), from: kept.facts, changed: ["isbns"])
            try await record(
                .edition(from), into: .edition(target),
                as: Catalog.Authority(helper.actor, for: helper.account, reason: reason), in: transaction)
        }
    }

    /// Both things, locked in the order of their ids. Throws `.invalid` where they are one.
    func both(
        _ from: Catalog.Thing, _ target: Catalog.Thing, with writing: Catalog.Writing
    ) async throws -> (from: Catalog.Snapshot, into: Catalog.Snapshot) {
        guard from != target else { throw Failure.invalid("/into", "same", "must be another one") }
        if from.id < target.id {
            let first = try await writing.snapshot(of: from)
            return (first, try await writing.snapshot(of: target))
        }
        let first = try await writing.snapshot(of: target)
        return (try await writing.snapshot(of: from), first)
    }

    private func record(
        _ from: Catalog.Thing, into target: Catalog.Thing, as authority: Catalog.Authority, in transaction: Transaction
    ) async throws {
        try await transaction.run(Catalog.MoveProposals(from: from, into: target.id))
        try await transaction.run(
            Catalog.AddRevision(
                id: try house.ids.make(), at: house.clock.now(), actor: authority.actor.text,
                account: authority.account,
                action: .merge, thing: from, reason: authority.reason, before: try JSON([:]),
                after: try JSON(["into": .text(String(target.id))])))
    }

    /// The aliases of the one that stays, then name and aliases of the other: each spelling once.
    private static func aliases(of kept: Catalog.Facts, and gone: Catalog.Facts) -> [String] {
        var seen: Set<String> = [kept["name"]?.text ?? ""]
        let all =
            (kept["aliases"]?.texts ?? []) + [gone["name"]?.text].compactMap(\.self) + (gone["aliases"]?.texts ?? [])
        return Array(all.filter { seen.insert($0).inserted }.prefix(Limits.Catalog.aliases))
    }
}
