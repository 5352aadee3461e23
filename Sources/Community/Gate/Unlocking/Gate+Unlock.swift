import Jobs
import Postgres

extension Gate {
    /// Tells a reader's inbox what opened when their gate for a work did: `posts.unlocked`.
    ///
    /// Put into the queue by whatever may open a gate, in its transaction, where posts stand between the old gate and
    /// the new one. While one waits, later steps of the reader through the same work add nothing: it tells of all that
    /// opened since `from`.
    package struct Unlock: Job {
        package static let kind = "gate.unlock"

        package let reader: ID<Accounts.Account>
        package let work: ID<Catalog.Work>
        /// The gate before.
        package let from: Int
        /// Part of the posts alone, since a merge joined the book with another; `nil`: all of them.
        var merge: Part?

        package init(reader: ID<Accounts.Account>, work: ID<Catalog.Work>, from: Int) {
            self.init(reader: reader, work: work, from: from, merge: nil)
        }

        init(reader: ID<Accounts.Account>, work: ID<Catalog.Work>, from: Int, merge: Part?) {
            (self.reader, self.work, self.from, self.merge) = (reader, work, from, merge)
        }

        package var uniqueKey: String? {
            let key = Self.key(reader, work)
            guard let merge, let first = merge.works.first else { return key }
            // What opened at one time is told beside what opened at another.
            return key + " of \(first) \(from) \(merge.to)"
        }

        /// Of the job that tells of a step, and not of a merge.
        static func key(_ reader: ID<Accounts.Account>, _ work: ID<Catalog.Work>) -> String {
            reader.text + " " + work.text
        }

        /// The posts of one of two works that are one now, by the works that they were written for: those do not change
        /// when what became of the two is merged again.
        struct Part: Codable, Hashable, Sendable {
            /// One of the two, with all that had been merged into it before.
            let works: [ID<Catalog.Work>]
            /// As far as they opened.
            let to: Int
        }
    }

    /// How far a reader may be told of a work, which is no merged one.
    struct Standing: Hashable, Sendable {
        let work: ID<Catalog.Work>
        let level: Int
    }

    /// The gate moved again and again while it was looked at what opens: another run comes later.
    struct Moving: Error, CustomStringConvertible {
        let job: String
        var description: String { "\(job): the gate did not stand still" }
    }

    /// Runs behind a statement that moved the gate of a reader for a work, which is no merged one; `from`: the gate
    /// before. The reader's account is locked.
    static func unlocking(
        of work: ID<Catalog.Work>, for reader: ID<Accounts.Account>, from: Int
    ) throws -> Statements.EnqueueUnlock {
        try Statements.EnqueueUnlock(Unlock(reader: reader, work: work, from: from))
    }

    /// Has `worker` do the jobs of the gate, and when they are due.
    package static func register(on worker: Jobs.Worker, community: Community) {
        worker.handle(Unlock.self) { try await community.gate.tell($0, in: $1) }
        worker.handle(UnlockLibrary.self) { try await community.gate.tell($0, in: $1) }
        worker.handle(UnlockMerged.self) { try await community.gate.tell($0, in: $1) }
    }
}

extension Gate.Store {
    /// How often what opens is looked at anew because the gate moved meanwhile.
    static let looks = 5

    /// One event of what opened; none where nothing did that the reader may see, or the gate has shut again.
    ///
    /// What opened is read before the account is locked, which takes no longer than the event does: a transaction that
    /// moves the gate holds the account, so that the gate stands where it was looked at, or is looked at anew; and who
    /// moves it after this finds no job that runs.
    func tell(_ job: Gate.Unlock, in attempt: Jobs.Attempt) async throws {
        for _ in 0..<Self.looks {
            let standing = Gate.Statements.StandingOf(viewer: job.reader, work: job.work)
            let gate = try await services.database.first(standing)
            let unlocked = try await self.unlocked(job, at: gate)
            let isTold = try await services.database.transaction { transaction in
                if try await transaction.first(Accounts.Statements.LockState(reader: job.reader)) != nil {
                    guard try await transaction.first(standing) == gate else { return false }
                    if let unlocked {
                        try await Gate.Event.unlocked(unlocked, for: job.reader).append(
                            in: transaction, services: services)
                    }
                }
                try await attempt.finish(in: transaction)
                return true
            }
            if isTold { return }
        }
        throw Gate.Moving(job: Gate.Unlock.kind)
    }

    private func unlocked(_ job: Gate.Unlock, at gate: Gate.Standing?) async throws -> Gate.Unlocked? {
        guard let gate else { return nil }
        return try await unlocked(
            in: gate.work, from: job.from, to: min(gate.level, job.merge?.to ?? Gate.end), part: job.merge,
            for: job.reader)
    }

    /// What the reader may see that stands between two gates of a work; `nil` for nothing. `part`: of a merge alone.
    func unlocked(
        in work: ID<Catalog.Work>, from: Int, to: Int, part: Gate.Unlock.Part? = nil, for reader: ID<Accounts.Account>
    ) async throws -> Gate.Unlocked? {
        guard to > from else { return nil }
        let opened = try await services.database.all(
            Gate.Statements.OpenedPosts(
                viewer: reader, work: work, from: from, to: to, origins: part?.works ?? []))
        guard !opened.isEmpty else { return nil }
        return Gate.Unlocked(book: work, posts: opened.map(\.post), isCut: opened.contains { $0.isCut })
    }
}
