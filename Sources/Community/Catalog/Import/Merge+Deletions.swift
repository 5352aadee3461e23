import Postgres

extension Catalog.Merge {
    mutating func merge(_ deletion: Catalog.Entries.Deletion) async throws {
        var changed = 0
        switch deletion.kind {
        case .work:
            guard let (_, work) = try await transaction.first(Catalog.FindSources<Catalog.Work>(keys: [deletion.key])),
                !work.isAlias,
                try await transaction.first(Catalog.HasReaders(work: work.id)) == nil
            else { break }
            changed = try await transaction.run(Catalog.WithdrawWork(work: work.id))
            if changed > 0 {
                try await transaction.run(Catalog.PutPopularity(works: [work.id], listed: [false]))
                touched.insert(work.id)
            }
        case .edition:
            guard let (_, edition, work) = try await transaction.first(Catalog.FindEditions(keys: [deletion.key])),
                !edition.isAlias
            else { break }
            changed = try await transaction.run(Catalog.WithdrawEdition(edition: edition.id))
            if changed > 0 {
                try await transaction.run(Catalog.RemoveISBNs(editions: [edition.id]))
                try await transaction.run(Catalog.BumpWorks(works: [work]))
                touched.insert(work)
            }
        case .author:
            guard
                let (_, author) = try await transaction.first(
                    Catalog.FindSources<Catalog.Author>(keys: [deletion.key])),
                !author.isAlias
            else { break }
            changed = try await transaction.run(Catalog.WithdrawAuthor(author: author.id))
            if changed > 0 {
                try await Catalog.WorkChanges(transaction: transaction).renamed([author.id])
            }
        }
        if changed > 0 { outcome.changed += 1 } else { outcome.unchanged += 1 }
    }
}
