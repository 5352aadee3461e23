import Jobs
import Postgres

extension Gate {
    /// Puts an `Unlock` into the queue for each of some readers whose gate a merge of two works opened.
    ///
    /// Posts of the one are behind the gate of the other from then on: who was further there may see more here. How far
    /// each was in both is known before the merge alone, which says it here. What stays may be merged away itself
    /// before this runs: it tells of what that has become. Whose account ends is taken out of `readers`
    /// (`Jobs.forget`).
    package struct UnlockMerged: Job {
        package static let kind = "gate.unlock_merged"

        /// The work that stays.
        let work: ID<Catalog.Work>
        /// The one that went, and what had been merged into it.
        let gone: [ID<Catalog.Work>]
        /// The one that stays, and what had been merged into that.
        let kept: [ID<Catalog.Work>]
        let readers: [Levels]

        /// The two gates of a reader.
        struct Levels: Codable, Hashable, Sendable {
            let reader: ID<Accounts.Account>
            let gone: Int
            let kept: Int
        }
    }

    /// Two works that are about to become one.
    struct Joint: Sendable {
        /// With all that had been merged into each before, itself first.
        let gone: [ID<Catalog.Work>]
        let kept: [ID<Catalog.Work>]
        /// How much is given away of each at most.
        let furthest: (gone: Int, kept: Int)

        /// Whether the merge opens posts of the one to who stands so in both: they are further in the other than here,
        /// and something is ahead here that is not ahead there.
        func opens(to levels: UnlockMerged.Levels) -> Bool {
            levels.gone < levels.kept && furthest.gone > levels.gone
                || levels.kept < levels.gone && furthest.kept > levels.kept
        }

        /// What is left to tell of `job`, which waits while the two are merged: the posts written for the work that it
        /// names, up to its reader's gate for that work. After the merge the gate is for both and no longer says what a
        /// step opened. `nil` where nothing is left.
        func rest(of job: Unlock, at levels: UnlockMerged.Levels) -> Unlock? {
            let works = job.work == gone.first ? gone : kept
            let level = job.work == gone.first ? levels.gone : levels.kept
            guard level > job.from else { return nil }
            var rest = job
            rest.merge = .init(works: works, to: level)
            return rest
        }
    }
}

extension Gate.Store {
    /// Before one work is merged into another, in the transaction that does: enqueues a notice for at most `limit`
    /// readers whose gate the merge opens, by their ids. Pending notices about one of the two works are narrowed to that
    /// work's posts. Locks the accounts of readers who have either work in their library.
    func foresee(
        _ from: ID<Catalog.Work>, into target: ID<Catalog.Work>, in transaction: Transaction,
        readers limit: Int = Limits.gate.mergedReaders
    ) async throws {
        let furthest = try await transaction.one(Gate.Statements.FurthestOf(from: from, into: target))
        guard max(furthest.gone, furthest.kept) > 0 else { return }
        let joint = Gate.Joint(
            gone: try await transaction.all(Gate.Statements.MergedWorks(work: from)),
            kept: try await transaction.all(Gate.Statements.MergedWorks(work: target)), furthest: furthest)
        let readers = try await transaction.all(Gate.Statements.ReadersOf(from: from, into: target, limit: limit))
        for start in stride(from: 0, to: readers.count, by: Limits.gate.mergedAtOnce) {
            let some = Array(readers[start..<min(start + Limits.gate.mergedAtOnce, readers.count)])
            let levels = try await transaction.all(Gate.Statements.MergeLevels(from: from, into: target, readers: some))
            try await foresee(joint, for: levels, from, into: target, in: transaction)
        }
    }

    private func foresee(
        _ joint: Gate.Joint, for levels: [Gate.UnlockMerged.Levels], _ from: ID<Catalog.Work>,
        into target: ID<Catalog.Work>, in transaction: Transaction
    ) async throws {
        let standing = Dictionary(levels.map { ($0.reader, $0) }) { first, _ in first }
        let keys = levels.flatMap { [Gate.Unlock.key($0.reader, from), Gate.Unlock.key($0.reader, target)] }
        let waiting = try await Jobs.take(Gate.Unlock.self, keys, in: transaction)
        var jobs = try waiting.compactMap { job in
            try standing[job.reader].flatMap { joint.rest(of: job, at: $0) }.map { try Jobs.Enqueue($0) }
        }
        let told = levels.filter(joint.opens)
        if !told.isEmpty {
            jobs.append(
                try Jobs.Enqueue(
                    Gate.UnlockMerged(work: target, gone: joint.gone, kept: joint.kept, readers: told)))
        }
        guard !jobs.isEmpty else { return }
        try await transaction.batch { batch in
            for job in jobs { batch.run(job) }
        }
    }

    func tell(_ job: Gate.UnlockMerged, in attempt: Jobs.Attempt) async throws {
        try await services.database.transaction { transaction in
            let book = try await hold(job.work, in: transaction)
            let unlocks = try job.readers.map { levels in
                try Gate.Statements.EnqueueUnlock(
                    Gate.Unlock(
                        reader: levels.reader, work: book, from: min(levels.gone, levels.kept),
                        merge: Gate.Unlock.Part(
                            works: levels.gone < levels.kept ? job.gone : job.kept, to: max(levels.gone, levels.kept))))
            }
            try await transaction.batch { batch in
                for unlock in unlocks { batch.run(unlock) }
            }
            try await attempt.finish(in: transaction)
        }
    }

    /// Holds what a work was merged into, or itself, against merges, so that the gate for it is the one that opened.
    private func hold(_ work: ID<Catalog.Work>, in transaction: Transaction) async throws -> ID<Catalog.Work> {
        var book = work
        while true {
            try await transaction.run(Catalog.HoldBoth(work: book))
            guard let target = try await transaction.first(Gate.Statements.BookOf(work: book)), target != book else {
                return book
            }
            book = target
        }
    }
}
