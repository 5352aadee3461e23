import EventLog
import Jobs
import Postgres

extension Library {
    /// What readers do with their libraries.
    package struct Store: Sendable {
        let services: Services

        package init(_ services: Services) { self.services = services }

        /// What a `put` did.
        package enum Outcome: Hashable, Sendable {
            case added(Shelved)
            case changed(Shelved)
            case unchanged(Shelved)

            package var shelved: Shelved {
                switch self {
                case .added(let shelved), .changed(let shelved), .unchanged(let shelved): shelved
                }
            }
        }

        /// Puts a book where `move` says: into the library, onto another shelf, or where it is with other dates.
        ///
        /// One transaction: the entry, its reading, the counters, the act, the event. An account whose address is not
        /// proven may shelve: an entry says nothing in words of its own to others, and is not counted. Throws
        /// `.invalid`, `.notFound` for the work, `.forbidden` (`account_frozen`), `.conflict` (`library_full`),
        /// `.preconditionFailed` where the entry has another version.
        package func put(
            _ move: Move, on work: ID<Catalog.Work>, by reader: ID<Accounts.Account>,
            ifVersion version: Precondition = .none
        ) async throws -> Outcome {
            try await self.move(move, on: work, by: reader, turnsPages: true, ifVersion: version)
        }

        /// `turnsPages`: the place left off follows; a position that is being logged moves it itself.
        func move(
            _ move: Move, on work: ID<Catalog.Work>, by reader: ID<Accounts.Account>, turnsPages: Bool,
            ifVersion version: Precondition = .none
        ) async throws -> Outcome {
            try move.validate(today: services.clock.now().day)
            return try await services.database.transaction { transaction in
                let basis = try await basis(of: reader, work: work, edition: move.edition.value, in: transaction)
                guard let book = basis.book else { throw Failure.notFound("book \(work)") }
                try version.check(basis.mine?.version)
                guard move.edition.value == nil || basis.edition != nil else {
                    throw Failure.invalid("/edition_id", .unknown, "is no edition of this book")
                }
                try basis.hasRoom()
                let step = try move.step(
                    from: basis.mine?.status, last: basis.last, id: try services.ids.make(), today: basis.today)
                let draft = try Draft(move, step, on: book.id, in: basis, services: services)
                let old = basis.mine
                if draft.version != old?.version {
                    let turn = try turnsPages ? self.turn(to: draft, step, from: basis.mine) : nil
                    try await write(draft, step, turn, basis, about: book, in: transaction)
                }
                let shelved = try await self.shelved(book.id, of: reader, in: transaction)
                guard let old else { return .added(shelved) }
                return draft.version == old.version ? .unchanged(shelved) : .changed(shelved)
            }
        }

        /// Locks the account, so that one reader's writers take turns. Throws `.forbidden` (`account_frozen`) where it
        /// may not write, and `.unauthenticated` where it is gone.
        func lock(_ reader: ID<Accounts.Account>, in transaction: Transaction) async throws {
            guard let state = try await transaction.first(Accounts.Statements.LockState(reader: reader)) else {
                throw Failure.unauthenticated()
            }
            try state.mayWrite()
        }

        /// The same, and holds the work against merges, for which it waits: in statements of their own, so that what
        /// the next one reads is as the last writer left it. Inside a transaction.
        func lock(_ reader: ID<Accounts.Account>, holding work: ID<Catalog.Work>) async throws {
            let (states, _) = try await services.database.pipeline(
                Accounts.Statements.LockState(reader: reader), Catalog.HoldBoth(work: work))
            guard let state = states.first else { throw Failure.unauthenticated() }
            try state.mayWrite()
        }

        /// Locks the account and reads what a move decides on.
        func basis(
            of reader: ID<Accounts.Account>, work: ID<Catalog.Work>, edition: ID<Catalog.Edition>?,
            in transaction: Transaction
        ) async throws -> Basis {
            try await lock(reader, holding: work)
            return try await transaction.one(
                Statements.Basis(
                    viewer: reader, work: work, edition: edition, counting: Accounts.Counting(services),
                    now: services.clock.now()))
        }

        /// Everything that a move changes, sent together. The row of `work_shelf` is locked last.
        func write(
            _ draft: Draft, _ step: ReadingStep, _ turn: Places.Turn?, _ basis: Basis, about book: Catalog.Book,
            in transaction: Transaction
        ) async throws {
            let now = services.clock.now()
            let events = Event.between(
                basis.mine?.status, told: basis.told(basis.mine?.visibility),
                Event.Moved(
                    entry: draft.id, reader: basis.reader, book: book, from: basis.mine?.status, to: draft.status,
                    timesRead: draft.timesRead),
                told: basis.told(draft.visibility))
            let records = try events.map {
                EventLog.Statements.Append(event: try $0.row(id: try services.ids.make(Event.self).rawValue, at: now))
            }
            let act = try services.ids.make(Activity.Act.self).rawValue
            let age = basis.counts ? nil : Accounts.Counting.comingOfAge(bornAt: basis.bornAt, in: services)
            let comingOfAge = try age.map {
                try Jobs.Enqueue(CountReader(reader: draft.reader, isBirthday: true), after: $0)
            }
            let unlock = try Gate.unlocking(of: draft.work, for: draft.reader, from: basis.gate)
            try await transaction.batch { batch in
                if basis.mine == nil {
                    batch.run(Statements.Insert(draft: draft, book: book, rating: basis.rating))
                } else {
                    batch.run(Statements.Update(draft: draft, book: book))
                }
                run(step, of: draft, at: now, into: &batch)
                if let turn { batch.run(turn) }
                if basis.gate < Gate.end { batch.run(unlock) }
                tally(of: draft.reader, from: basis.mine?.standing, to: draft.standing, into: &batch)
                if draft.status != basis.mine?.status {
                    record(draft, after: basis.mine?.status, step, as: act, at: now, into: &batch)
                }
                for record in records { batch.run(record) }
                if let comingOfAge { batch.run(comingOfAge) }
                let change = draft.standing.share - (basis.mine?.standing.share ?? .nothing)
                if change != .nothing { batch.run(Statements.Count(work: draft.work, by: change)) }
            }
        }

        private func run(_ step: ReadingStep, of draft: Draft, at now: Timestamp, into batch: inout Batch) {
            switch step {
            case .nothing: break
            case .begin(let reading):
                batch.run(
                    Statements.InsertReading(entry: draft.id, reader: draft.reader, reading: reading, at: now))
            case .change(let reading): batch.run(Statements.UpdateReading(reading: reading, at: now))
            case .drop(let reading): batch.run(Statements.DropReading(reading: reading.id))
            }
        }

        /// The act of a move. One of a kind stands for an entry: to and fro in an afternoon is no feed.
        private func record(
            _ draft: Draft, after old: Status?, _ step: ReadingStep, as act: Int64, at now: Timestamp,
            into batch: inout Batch
        ) {
            let subject = draft.id.rawValue
            for kind in takenBack(by: draft.status, old, step) {
                batch.run(Activity.Statements.Undo(subject: subject, since: draft.addedAt, kind: kind, at: now))
            }
            batch.run(
                Activity.Statements.Record(
                    id: act, reader: draft.reader, work: draft.work, kind: draft.status.act, at: now,
                    subject: subject, since: draft.addedAt, isLongAgo: isLongAgo(step, at: now)))
        }

        /// Whether the reader dates the end of a reading so far back, or so vaguely, that it says nothing of what is
        /// read now.
        private func isLongAgo(_ step: ReadingStep, at now: Timestamp) -> Bool {
            switch step {
            case .begin(let reading), .change(let reading):
                guard let end = reading.finished else { return false }
                return end.unit != .day || end.first.days < now.day.days - Int32(Limits.ranking.endedDays)
            case .nothing, .drop: return false
            }
        }

        /// Where the place left off goes with a move: to the end of a book that was read, back to the beginning where a
        /// reading begins or never was.
        private func turn(to draft: Draft, _ step: ReadingStep, from old: Basis.Mine?) throws -> Places.Turn? {
            let position: Int16
            switch step {
            case _ where draft.status == .read && old != nil && old?.status != .read: position = 10_000
            case .begin(let reading) where reading.outcome == .open && old != nil: position = 0
            case .drop: position = 0
            default: return nil
            }
            return Places.Turn(
                entry: draft.id, position: position, id: try services.ids.make(), at: services.clock.now())
        }

        /// Kinds of acts that no longer stand: an earlier one of the same kind, and having read what turned out not to
        /// be.
        private func takenBack(by new: Status, _ old: Status?, _ step: ReadingStep) -> [Activity.Kind] {
            guard let old else { return [] }
            if old == .read, case .change = step { return [new.act, .shelfRead] }
            if old == .read, case .drop = step { return [new.act, .shelfRead] }
            return [new.act]
        }

        func tally(of reader: ID<Accounts.Account>, from old: Standing?, to new: Standing?, into batch: inout Batch) {
            guard old?.shelves != new?.shelves || old?.level != new?.level else { return }
            if let old { batch.run(Statements.TakeOffTally(reader: reader, shelves: old.shelves, level: old.level)) }
            if let new { batch.run(Statements.PutOnTally(reader: reader, shelves: new.shelves, level: new.level)) }
        }

        /// Takes a book out of the reader's library, with its readings; its acts are undone. One that is not in it is out of
        /// it already. Throws `.notFound` for a book that is not there, `.forbidden` (`account_frozen`).
        package func remove(
            _ work: ID<Catalog.Work>, by reader: ID<Accounts.Account>, ifVersion version: Precondition = .none
        ) async throws {
            try await services.database.transaction { transaction in
                let basis = try await basis(of: reader, work: work, edition: nil, in: transaction)
                try version.check(basis.mine?.version)
                guard let mine = basis.mine, let book = basis.target else {
                    guard basis.book != nil else { throw Failure.notFound("book \(work)") }
                    return
                }
                let now = services.clock.now()
                let event = try Event.removed(reader: reader, book: book, level: basis.told(mine.visibility)).row(
                    id: try services.ids.make(Event.self).rawValue, at: now)
                try await transaction.batch { batch in
                    batch.run(Statements.Delete(entry: mine.id))
                    tally(of: reader, from: mine.standing, to: nil, into: &batch)
                    batch.run(
                        Activity.Statements.Undo(subject: mine.id.rawValue, since: mine.addedAt, kind: nil, at: now))
                    batch.run(EventLog.Statements.Append(event: event))
                    let change = Share.nothing - mine.standing.share
                    if change != .nothing { batch.run(Statements.Count(work: book, by: change)) }
                }
            }
        }

        /// A book in the reader's own library, with its readings. Throws `.notFound` where it is not in it.
        package func shelved(_ work: ID<Catalog.Work>, of reader: ID<Accounts.Account>) async throws -> Shelved {
            try await shelved(work, of: reader, in: services.database)
        }

        func shelved(
            _ work: ID<Catalog.Work>, of reader: ID<Accounts.Account>, in queryable: some Queryable
        ) async throws -> Shelved {
            guard let entry = try await queryable.first(Statements.Mine(viewer: reader, work: work)) else {
                throw Failure.notFound("book \(work) in your library")
            }
            return Shelved(entry: entry, readings: try await queryable.all(Statements.Readings(entry: entry.id)))
        }

        /// What each of these works is to the reader; works that are not in the reader's library are left out.
        package func statuses(
            of works: [ID<Catalog.Work>], for reader: ID<Accounts.Account>
        ) async throws -> [ID<Catalog.Work>: Status] {
            guard !works.isEmpty else { return [:] }
            let rows = try await services.database.all(Statements.StatusesOf(reader: reader, works: works))
            return Dictionary(rows.map { ($0.work, $0.status) }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// A book in the reader's own library, with its readings, last first.
    package struct Shelved: Hashable, Sendable {
        package let entry: Entry
        package let readings: [Reading]
    }
}

extension Timestamp {
    /// The day in UTC.
    var day: CalendarDate { CalendarDate(days: Int32(microseconds.flooredDivision(by: 86_400_000_000))) }
}
