import Postgres

extension Catalog.Intake {
    /// Takes what its source deleted out of lists and searches, unless a newer record is known; what is not known yet
    /// will not be taken in.
    mutating func delete(_ deletion: Catalog.Entries.Deletion) async throws {
        switch deletion.kind {
        case .work: try await deleteWork(deletion)
        case .edition: try await deleteEdition(deletion)
        case .author: try await deleteAuthor(deletion)
        }
    }

    private mutating func deleteWork(_ deletion: Catalog.Entries.Deletion) async throws {
        let found = try await transaction.first(Catalog.FindWorks(keys: [deletion.key]))?.1
        guard let work = try await carriedOut(deletion, on: found, Catalog.Thing.book) else { return }
        if try await transaction.first(Catalog.HasReaders(work: work)) != nil {
            outcome.kept += 1
            return
        }
        try await transaction.run(Catalog.WithdrawWorks(works: [work]))
        touched.insert(work)
    }

    private mutating func deleteEdition(_ deletion: Catalog.Entries.Deletion) async throws {
        let found = try await transaction.first(Catalog.FindEditions(keys: [deletion.key]))
        guard let edition = try await carriedOut(deletion, on: found?.found, Catalog.Thing.edition),
            let work = found?.work
        else { return }
        try await transaction.run(Catalog.WithdrawEditions(editions: [edition]))
        try await transaction.run(Catalog.RemoveISBNs(editions: [edition]))
        try await transaction.run(Catalog.BumpWorks(works: [work]))
        try await transaction.run(Catalog.WithdrawEmptyWork(work: work))
        touched.insert(work)
    }

    private mutating func deleteAuthor(_ deletion: Catalog.Entries.Deletion) async throws {
        let found = try await transaction.first(Catalog.FindAuthors(keys: [deletion.key]))?.1
        guard let author = try await carriedOut(deletion, on: found, Catalog.Thing.author) else { return }
        try await transaction.run(Catalog.WithdrawAuthors(authors: [author]))
        try await Catalog.WorkChanges(transaction: transaction).renamed([author])
    }

    /// What is to be withdrawn, stamped with the deletion; `nil`, and counted, where nothing is.
    private mutating func carriedOut<Entity>(
        _ deletion: Catalog.Entries.Deletion, on found: Catalog.Found<Entity>?, _ thing: (ID<Entity>) -> Catalog.Thing
    ) async throws -> ID<Entity>? {
        let stamp = Catalog.Stamp.ending(revision: deletion.stamp.revision)
        guard let found else {
            let revision = stamp.revision
            let put = try await transaction.run(Catalog.PutAbsent(key: deletion.key, target: nil, revision: revision))
            if put > 0 { outcome.changed += 1 } else { outcome.unchanged += 1 }
            return nil
        }
        guard !found.isAlias, stamp.replaces(found.stamp) else {
            outcome.unchanged += 1
            return nil
        }
        let thing = thing(found.id)
        var sources = Catalog.SourceColumns(thing.kind)
        sources.append(deletion.key, thing, stamp)
        try await transaction.run(Catalog.PutSources(columns: sources))
        outcome.changed += 1
        return found.id
    }
}
