import Jobs
import Postgres

extension Gate {
    /// Puts an `Unlock` into the queue for each of some readers whose gate a merge of two works opened.
    ///
    /// Posts of the one are behind the gate of the other from then on: who was further there may see more here. How far
    /// each was in both is known before the merge alone, which says it here.
    package struct UnlockMerged: Job {
        package static let kind = "gate.unlock_merged"

        /// The work that stays.
        let work: ID<Catalog.Work>
        /// The one that went, and what had been merged into it.
        let gone: [ID<Catalog.Work>]
        let readers: [Levels]

        /// The two gates of a reader.
        struct Levels: Codable, Sendable {
            let reader: ID<Accounts.Account>
            let gone: Int
            let kept: Int
        }
    }
}

extension Gate.Store {
    /// Before one work is merged into another, in the transaction that does: has the readers told whose gate opens
    /// posts by it, those of the first `Limits.Gate.mergedReaders`. Their accounts are locked.
    func foresee(_ from: ID<Catalog.Work>, into target: ID<Catalog.Work>, in transaction: Transaction) async throws {
        let readers = try await transaction.all(
            Gate.Statements.MergeLevels(from: from, into: target, limit: Limits.Gate.mergedReaders))
        guard !readers.isEmpty else { return }
        let gone = try await transaction.all(Gate.Statements.MergedWorks(work: from))
        let jobs = try stride(from: 0, to: readers.count, by: Limits.Gate.mergedAtOnce).map { start in
            let some = readers[start..<min(start + Limits.Gate.mergedAtOnce, readers.count)]
            return try Jobs.Enqueue(Gate.UnlockMerged(work: target, gone: gone, readers: Array(some)))
        }
        try await transaction.batch { batch in
            for job in jobs { batch.run(job) }
        }
    }

    func tell(_ job: Gate.UnlockMerged, in attempt: Jobs.Attempt) async throws {
        let unlocks = try job.readers.map { levels in
            let isOfThese = levels.gone < levels.kept
            return try Gate.unlocking(
                Gate.Unlock(
                    reader: levels.reader, work: job.work, from: min(levels.gone, levels.kept),
                    merge: Gate.Unlock.Part(
                        works: job.gone, isOfThese: isOfThese, to: max(levels.gone, levels.kept))))
        }
        try await house.database.transaction { transaction in
            try await transaction.batch { batch in
                for unlock in unlocks { batch.run(unlock) }
            }
            try await attempt.finish(in: transaction)
        }
    }
}
