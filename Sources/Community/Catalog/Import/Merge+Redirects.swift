import Postgres

extension Catalog.Merge {
    mutating func merge(_ redirect: Catalog.Entries.Redirect) async throws {
        guard redirect.from != redirect.to else { return }
        switch redirect.kind {
        case .work: try await redirectWork(redirect)
        case .author: try await redirectAuthor(redirect)
        case .edition: try await redirectEdition(redirect)
        }
    }

    private mutating func redirectWork(_ redirect: Catalog.Entries.Redirect) async throws {
        guard var found = try await ends(of: redirect, Catalog.Work.self) else { return }
        if found[redirect.to] == nil {
            try await mergeWorks([Catalog.WorkRecord(key: redirect.to, title: nil)])
            found[redirect.to] = knownWorks[redirect.to]
        }
        guard let target = found[redirect.to] else { return }
        if let from = found[redirect.from], from.id != target.id {
            // What our readers hung on a work stays where they put it: a librarian merges such works, an import does not.
            guard try await transaction.first(Catalog.HasReaders(work: from.id)) == nil else {
                outcome.unchanged += 1
                return
            }
            try await transaction.run(Catalog.MoveEditions(from: from.id, into: target.id))
            try await transaction.run(Catalog.MergeWork(from: from.id, into: target.id))
            try await transaction.run(Catalog.PutPopularity(works: [from.id], listed: [false]))
            try await transaction.run(Catalog.MoveSources(from: from.id, into: target.id))
            try await transaction.run(Catalog.BumpWorks(works: [target.id]))
            touched.formUnion([from.id, target.id])
        }
        knownWorks[redirect.from] = try await alias(redirect, to: target.id)
    }

    private mutating func redirectAuthor(_ redirect: Catalog.Entries.Redirect) async throws {
        guard var found = try await ends(of: redirect, Catalog.Author.self) else { return }
        if found[redirect.to] == nil {
            try await mergeAuthors([], named: [redirect.to])
            found[redirect.to] = knownAuthors[redirect.to]
        }
        guard let target = found[redirect.to] else { return }
        if let from = found[redirect.from], from.id != target.id {
            try await transaction.run(Catalog.UnlinkDoubles(from: from.id, into: target.id))
            try await transaction.run(Catalog.MoveAuthorLinks(from: from.id, into: target.id))
            try await transaction.run(Catalog.MergeAuthor(from: from.id, into: target.id))
            try await transaction.run(Catalog.MoveSources(from: from.id, into: target.id))
            try await Catalog.WorkChanges(transaction: transaction).renamed([target.id])
        }
        knownAuthors[redirect.from] = try await alias(redirect, to: target.id)
    }

    /// An edition's ISBNs go over to the edition that it turned out to be, where that is known.
    private mutating func redirectEdition(_ redirect: Catalog.Entries.Redirect) async throws {
        var found: [String: (Catalog.Found<Catalog.Edition>, ID<Catalog.Work>)] = [:]
        for (key, edition, work) in try await transaction.all(Catalog.FindEditions(keys: [redirect.from, redirect.to]))
        {
            found[key] = (edition, work)
        }
        guard let (from, work) = found[redirect.from], !from.isAlias, redirect.stamp.replaces(from.stamp) else {
            outcome.unchanged += 1
            return
        }
        var works = [work]
        var target = from.id
        if let (other, otherWork) = found[redirect.to], other.id != from.id {
            try await transaction.run(Catalog.MoveISBNs(from: from.id, into: other.id))
            try await transaction.run(Catalog.MergeEdition(from: from.id, into: other.id))
            works.append(otherWork)
            target = other.id
        }
        try await transaction.run(Catalog.RemoveISBNs(editions: [from.id]))
        try await transaction.run(Catalog.WithdrawEdition(edition: from.id))
        try await transaction.run(Catalog.BumpWorks(works: works))
        touched.formUnion(works)
        try await alias(redirect, to: target)
    }

    /// What is known under a redirect's two keys; `nil`, and counted as unchanged, for one that is known already or older than what is stored.
    private mutating func ends<Entity: Catalog.Sourced>(
        of redirect: Catalog.Entries.Redirect, _: Entity.Type
    ) async throws -> [String: Catalog.Found<Entity>]? {
        var found: [String: Catalog.Found<Entity>] = [:]
        for (key, known) in try await transaction.all(
            Catalog.FindSources<Entity>(keys: [redirect.from, redirect.to]))
        {
            found[key] = known
        }
        if let from = found[redirect.from], from.isAlias || !redirect.stamp.replaces(from.stamp) {
            outcome.unchanged += 1
            return nil
        }
        return found
    }

    /// Remembers that a redirect's first key means `target`.
    @discardableResult
    private mutating func alias<Entity: Catalog.Sourced>(
        _ redirect: Catalog.Entries.Redirect, to target: ID<Entity>
    ) async throws -> Catalog.Found<Entity> {
        var sources = Catalog.SourceColumns<Entity>()
        sources.append(redirect.from, target, redirect.stamp, isAlias: true)
        try await transaction.run(Catalog.PutSources(columns: sources))
        outcome.changed += 1
        return Catalog.Found(id: target, stamp: redirect.stamp, isAlias: true)
    }
}
