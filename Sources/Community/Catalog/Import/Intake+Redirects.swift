import Postgres

extension Catalog.Intake {
    /// Takes everything over from what a source redirects to what it redirects to, as a librarian's merge does.
    mutating func follow(_ redirect: Catalog.Entries.Redirect) async throws {
        guard redirect.from != redirect.to else { return }
        switch redirect.kind {
        case .work: try await followWork(redirect)
        case .author: try await followAuthor(redirect)
        case .edition: try await followEdition(redirect)
        }
    }

    private mutating func followWork(_ redirect: Catalog.Entries.Redirect) async throws {
        let known = try await transaction.all(Catalog.FindWorks(keys: [redirect.from, redirect.to]))
        guard var found = ends(of: redirect, among: known) else { return }
        if found[redirect.to] == nil {
            try await takeWorks([Catalog.WorkRecord(key: redirect.to, title: nil)])
            found[redirect.to] = knownWorks[redirect.to]
        }
        guard let target = found[redirect.to] else { return }
        if target.isBare { try await transaction.run(Catalog.ReviveWorks(works: [target.id])) }
        if let from = found[redirect.from], from.id != target.id {
            try await merge(.book(from.id), into: .book(target.id), redirect, isBare: target.isBare)
        }
        knownWorks[redirect.from] = try await alias(redirect, to: target.id, Catalog.Thing.book)
    }

    private mutating func followAuthor(_ redirect: Catalog.Entries.Redirect) async throws {
        let known = try await transaction.all(Catalog.FindAuthors(keys: [redirect.from, redirect.to]))
        guard var found = ends(of: redirect, among: known) else { return }
        if found[redirect.to] == nil {
            try await takeAuthors([], named: [redirect.to])
            found[redirect.to] = knownAuthors[redirect.to]
        }
        guard let target = found[redirect.to] else { return }
        if let from = found[redirect.from], from.id != target.id {
            try await merge(.author(from.id), into: .author(target.id), redirect, isBare: target.isBare)
        }
        knownAuthors[redirect.from] = try await alias(redirect, to: target.id, Catalog.Thing.author)
    }

    /// An edition hangs on a work: where nothing is known of either, what the source said is remembered until one of
    /// them comes.
    private mutating func followEdition(_ redirect: Catalog.Entries.Redirect) async throws {
        var found: [String: Catalog.FoundEdition] = [:]
        for edition in try await transaction.all(Catalog.FindEditions(keys: [redirect.from, redirect.to])) {
            found[edition.key] = edition
        }
        if let from = found[redirect.from], !holds(redirect, against: from.found) { return }
        if found[redirect.to] == nil, let from = found[redirect.from] {
            let end = try await end(of: redirect.to)
            try await addStandIn(Catalog.EditionRecord(key: end, work: ""), of: from.work)
            found[redirect.to] = knownEditions[end]
        }
        guard let target = found[redirect.to] else {
            let revision = redirect.stamp.revision
            let put = try await transaction.run(
                Catalog.PutAbsent(key: redirect.from, target: redirect.to, revision: revision))
            if put > 0 { outcome.changed += 1 } else { outcome.unchanged += 1 }
            return
        }
        if let from = found[redirect.from], from.found.id != target.found.id {
            try await merge(
                .edition(from.found.id), into: .edition(target.found.id), redirect, isBare: target.found.isBare)
            if from.work != target.work {
                try await transaction.run(Catalog.RetireEmptyWork(from: from.work, into: target.work))
            }
        }
        let alias = try await alias(redirect, to: target.found.id, Catalog.Thing.edition)
        knownEditions[redirect.from] = Catalog.FoundEdition(key: redirect.from, found: alias, work: target.work)
        // Others may have been waiting for this key.
        try await lead(to: [redirect.from])
    }

    private mutating func merge(
        _ from: Catalog.Thing, into target: Catalog.Thing, _ redirect: Catalog.Entries.Redirect, isBare: Bool
    ) async throws {
        let merging = Catalog.Merging(
            transaction: transaction, services: services,
            authority: Catalog.Authority(source: redirect.from.prefix { $0 != ":" }),
            joining: isBare ? .standingIn : .keeping)
        touched.formUnion(try await merging.merge(from, into: target))
    }

    /// What is known under a redirect's two keys; `nil`, and counted as unchanged, for one that is known already or
    /// older than what is stored.
    private mutating func ends<Entity>(
        of redirect: Catalog.Entries.Redirect, among known: [(String, Catalog.Found<Entity>)]
    ) -> [String: Catalog.Found<Entity>]? {
        let found = Dictionary(uniqueKeysWithValues: known)
        if let from = found[redirect.from], !holds(redirect, against: from) { return nil }
        return found
    }

    /// Whether a redirect says something new about what is known; counted as unchanged where not. What was deleted may
    /// still be redirected.
    private mutating func holds<Entity>(
        _ redirect: Catalog.Entries.Redirect, against known: Catalog.Found<Entity>
    ) -> Bool {
        if !known.isAlias, known.stamp.isEnding || redirect.stamp.replaces(known.stamp) { return true }
        outcome.unchanged += 1
        return false
    }

    /// Remembers that a redirect's first key means `target`.
    private mutating func alias<Entity>(
        _ redirect: Catalog.Entries.Redirect, to target: ID<Entity>, _ thing: (ID<Entity>) -> Catalog.Thing
    ) async throws -> Catalog.Found<Entity> {
        let stamp = Catalog.Stamp.ending(revision: redirect.stamp.revision)
        let thing = thing(target)
        var sources = Catalog.SourceColumns(thing.kind)
        sources.append(redirect.from, thing, stamp, isAlias: true)
        try await transaction.run(Catalog.PutSources(columns: sources))
        try await arrived([redirect.from])
        outcome.changed += 1
        return Catalog.Found(id: target, stamp: stamp, isAlias: true)
    }
}
