import EventLog
import Jobs
import Postgres

extension Gate {
    /// Tells a reader's inbox what opened in the books of their library when they chose another setting: a
    /// `posts.unlocked` for each book.
    ///
    /// Put into the queue where the reader chooses, no more than one at a time and one in an hour, whatever they choose
    /// meanwhile: what waits tells what is open when it runs. A library goes by in portions, each of which leaves the
    /// next one in its own transaction.
    package struct UnlockLibrary: Job {
        package static let kind = "gate.unlock_library"

        package let reader: ID<Accounts.Account>
        /// The setting before.
        let wasOff: Bool
        let gatedRereads: Bool
        /// Books up to this one are done; 0 before the first, which is no identifier.
        let after: Int64

        init(reader: ID<Accounts.Account>, was setting: Setting, after: ID<Catalog.Work> = .min) {
            self.reader = reader
            (wasOff, gatedRereads) = (setting.isOff, setting.gatesRereads)
            self.after = after.rawValue
        }

        /// What opens depends on what was shut.
        package var uniqueKey: String? { "\(reader) \(wasOff) \(gatedRereads)" }

        var was: Setting { Setting(isOff: wasOff, gatesRereads: gatedRereads) }
    }
}

extension Gate.Store {
    /// The events of one portion of the library, and the job of the next; nothing where the gates have shut again. As
    /// with one book, the account is not locked for longer than they take.
    func tell(_ job: Gate.UnlockLibrary, in attempt: Jobs.Attempt) async throws {
        for _ in 0..<Self.looks {
            let setting = try await setting(of: job.reader)
            let portion = try await setting.opensMore(than: job.was) ? self.portion(of: job) : []
            var told: [Gate.Unlocked] = []
            for book in portion where book.isAhead {
                let unlocked = try await unlocked(in: book.work, from: book.from, to: book.to, for: job.reader)
                if let unlocked { told.append(unlocked) }
            }
            let records = try told.map {
                EventLog.Statements.Append(event: try Gate.Event.unlocked($0, for: job.reader).row(services))
            }
            let isTold = try await services.database.transaction { transaction in
                let reader = try await transaction.first(Accounts.Statements.LockState(reader: job.reader))
                guard try await self.setting(of: job.reader, in: transaction) == setting else { return false }
                try await attempt.finish(in: transaction)
                guard reader != nil else { return true }
                try await transaction.batch { batch in
                    for record in records { batch.run(record) }
                }
                if portion.count == Limits.gate.openedBooks, let last = portion.last?.work {
                    try await Gate.UnlockLibrary(reader: job.reader, was: job.was, after: last).enqueue(in: transaction)
                }
                return true
            }
            if isTold { return }
        }
        throw Gate.Moving(job: Gate.UnlockLibrary.kind)
    }

    private func portion(of job: Gate.UnlockLibrary) async throws -> [Gate.Reopened] {
        try await services.database.all(
            Gate.Statements.Shelved(
                viewer: job.reader, was: job.was, after: ID(rawValue: job.after), limit: Limits.gate.openedBooks))
    }
}
