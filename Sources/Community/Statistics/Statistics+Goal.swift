import JSONWriting
import Jobs
import Postgres

extension Statistics {
    /// What a reader set out to read in a year, and how far they are.
    package struct Goal: Sendable, Hashable {
        package let year: Int
        /// Finished readings.
        package let books: Progress?
        /// Pages of those.
        package let pages: Progress?
        package let list: List?
        /// Whether friends read in their feeds that it is reached.
        package let isAnnounced: Bool
        /// When all of it was found reached; `nil` while something is missing, and for up to ten seconds after. `nil` for
        /// others, to whom it would tell of books that they do not see.
        package var reachedAt: Timestamp?

        package var isReached: Bool { [books, pages, list?.progress].allSatisfy { $0?.isReached ?? true } }
    }

    /// How far a reader is in one part of a goal.
    package struct Progress: Sendable, Hashable, JSONForm {
        package let target: Int
        package let done: Int
        /// What would be on pace today; `nil` where the year does not last.
        package let expected: Int?

        /// `today` is the reader's own day.
        init(_ done: Int, of target: Int, in year: Int, today: CalendarDate) {
            let days = Statistics.days(of: year, until: today)
            let lasts = days.over > 0 && today <= Statistics.bounds(of: year).last
            self.target = target
            self.done = done
            expected = lasts ? target * days.over / days.all : nil
        }

        package var isReached: Bool { done >= target }

        package func put(into object: JSONObject) {
            object.put("target_count", target)
            object.put("done_count", done)
            object.put("expected_count", expected)
            object.put("ahead_count", expected.map { done - $0 })
        }
    }

    /// The list whose books a reader set out to read.
    package struct List: Sendable, Hashable, JSONForm {
        package let id: ID<Library.List>
        package let title: String
        package let progress: Progress

        package func put(into object: JSONObject) {
            object.put("id", id)
            object.put("title", title)
            object.put("progress", progress)
        }
    }

    /// What is to be set out; something must be.
    package struct NewGoal: Sendable, Hashable {
        package var books: Int?
        package var pages: Int?
        /// One of the reader's own.
        package var list: ID<Library.List>?
        /// Whether friends are to read in their feeds that it is reached.
        package var isAnnounced: Bool

        package init(books: Int? = nil, pages: Int? = nil, list: ID<Library.List>? = nil, isAnnounced: Bool = false) {
            (self.books, self.pages, self.list, self.isAnnounced) = (books, pages, list, isAnnounced)
        }

        var isEmpty: Bool { books == nil && pages == nil && list == nil }
    }

    /// A goal as it is kept, and how many books of its list are read.
    struct Kept: Sendable {
        let books: Int?
        let pages: Int?
        let list: (id: ID<Library.List>, title: String, books: Int, done: Int)?
        let isAnnounced: Bool
        let reachedAt: Timestamp?
        /// When something changed last that may concern it; `nil` where nothing did since it was looked at.
        let mark: Timestamp?

        func goal(of year: Year, today: CalendarDate) -> Goal {
            func progress(_ done: Int, of target: Int) -> Progress {
                Progress(done, of: target, in: year.year, today: today)
            }
            return Goal(
                year: year.year, books: books.map { progress(year.readingCount, of: $0) },
                pages: pages.map { progress(year.pageCount, of: $0) },
                list: list.map { List(id: $0.id, title: $0.title, progress: progress($0.done, of: $0.books)) },
                isAnnounced: isAnnounced, reachedAt: reachedAt)
        }
    }
}

extension Statistics.Goal: JSONForm {
    package func put(into object: JSONObject) {
        object.put("year", year)
        object.put("books", books)
        object.put("pages", pages)
        object.put("list", list)
        object.put("is_announced", isAnnounced)
        object.put("is_reached", isReached)
        object.put("reached_at", isReached ? reachedAt : nil)
    }
}

extension Statistics.Store {
    /// The reader's own goal. Throws `.notFound` where there is none.
    package func goal(_ year: Int, of reader: ID<Accounts.Account>) async throws -> Statistics.Goal {
        guard let (goal, _) = try await counted(year, of: reader, in: services.database) else {
            throw Failure.notFound("goal of \(year)")
        }
        return goal
    }

    /// The reader's own goal, and the mark that it had before it was counted.
    private func counted(
        _ year: Int, of reader: ID<Accounts.Account>, in queryable: some Queryable
    ) async throws -> (goal: Statistics.Goal, mark: Timestamp?)? {
        let viewer = Viewer.reader(reader)
        guard
            let kept = try await queryable.first(
                Statistics.Statements.GoalOf(viewer: viewer, reader: reader, year: year))
        else { return nil }
        let today = try await queryable.one(Statistics.Statements.Today(reader: reader, now: services.clock.now())).day
        let lines = try await queryable.all(
            Statistics.Statements.Lines(viewer: viewer, reader: reader, year: year))
        return (kept.goal(of: Statistics.Year(year, of: lines, today: today), today: today), kept.mark)
    }

    /// Sets the reader's goal of a year, whatever it was; one that is reached already is not told. Gives whether it is
    /// the first of the year. Throws `.invalid` (`/books`, where nothing is set out; `/list_id`, for a list that is not
    /// the reader's or holds no book), `.forbidden` (`account_frozen`).
    package func set(
        _ new: Statistics.NewGoal, for year: Int, by reader: ID<Accounts.Account>
    ) async throws -> (goal: Statistics.Goal, isNew: Bool) {
        guard !new.isEmpty else {
            throw Failure.invalid("/books", .required, "say books, pages or a list")
        }
        return try await services.database.transaction { transaction in
            try await Library.Store(services).lock(reader, in: transaction)
            if let list = new.list {
                let books = try await transaction.first(
                    Statistics.Statements.BooksOfOwnList(reader: reader, list: list))
                guard let books else { throw Failure.invalid("/list_id", .unknown, "is no list of yours") }
                guard books > 0 else { throw Failure.invalid("/list_id", .tooShort, "holds no book") }
            }
            let old = Statistics.Statements.Replaced(reader: reader, year: year, new: new)
            if let goal = try await transaction.first(old) { try await takeBack(goal, in: transaction) }
            let put = Statistics.Statements.PutGoal(
                id: try services.ids.make(), reader: reader, year: year, new: new, at: services.clock.now())
            let isNew = try await transaction.one(put)
            guard let goal = try await check(year, of: reader, tells: false, in: transaction) else {
                throw Failure.notFound("goal of \(year)")
            }
            return (goal, isNew)
        }
    }

    /// Takes the reader's goal of a year away; none is none. Throws `.forbidden` (`account_frozen`).
    package func drop(_ year: Int, by reader: ID<Accounts.Account>) async throws {
        try await services.database.transaction { transaction in
            try await Library.Store(services).lock(reader, in: transaction)
            try await drop(year, of: reader, in: transaction)
        }
    }

    private func drop(_ year: Int, of reader: ID<Accounts.Account>, in transaction: Transaction) async throws {
        let dropped = Statistics.Statements.DropGoal(reader: reader, year: year)
        if let goal = try await transaction.first(dropped) { try await takeBack(goal, in: transaction) }
    }

    /// Takes from friends' feeds that a goal was reached.
    private func takeBack(_ goal: (id: Int64, since: Timestamp), in transaction: Transaction) async throws {
        try await transaction.run(
            Activity.Statements.Undo(subject: goal.id, since: goal.since, kind: nil, at: services.clock.now()))
    }

    /// Has all goals of this year and the last looked at, also those that no change of a reading has marked: pages of a
    /// copy or an edition were corrected.
    package func markGoals() async throws {
        let now = services.clock.now()
        try await services.database.run(Statistics.Statements.MarkAll(year: now.day.civil.year - 1, now: now))
    }

    /// Finds out which goals are reached now, of those whose readings have changed; tells their readers. Gives how many
    /// were looked at, at most `Limits.statistics.goalsAtOnce`. Throws what was wrong first, after all of them.
    @discardableResult
    package func checkGoals() async throws -> Int {
        let stale = try await services.database.all(
            Statistics.Statements.Stale(limit: Limits.statistics.goalsAtOnce))
        var fault: (any Error)?
        for goal in stale {
            do {
                try await services.database.transaction { transaction in
                    guard try await transaction.first(Accounts.Statements.LockState(reader: goal.reader)) != nil else {
                        return
                    }
                    try await check(goal.year, of: goal.reader, tells: true, in: transaction)
                }
            } catch {
                // One that cannot be counted keeps nobody else's waiting.
                try Task.checkCancellation()
                fault = fault ?? error
            }
        }
        if let fault { throw fault }
        return stale.count
    }

    /// Dates a goal that is reached, and takes the date from one that is not, and with it what friends read of it. Gives
    /// `nil` where its list is gone, and with it the goal. The account is locked.
    @discardableResult
    private func check(
        _ year: Int, of reader: ID<Accounts.Account>, tells: Bool, in transaction: Transaction
    ) async throws -> Statistics.Goal? {
        guard let (was, mark) = try await counted(year, of: reader, in: transaction) else {
            try await drop(year, of: reader, in: transaction)
            return nil
        }
        let now = services.clock.now()
        var goal = was
        goal.reachedAt = was.isReached ? was.reachedAt ?? now : nil
        let kept = try await transaction.one(
            Statistics.Statements.MarkGoal(reader: reader, year: year, reachedAt: goal.reachedAt, mark: mark))
        if was.reachedAt != nil, goal.reachedAt == nil { try await takeBack(kept, in: transaction) }
        if tells, was.reachedAt == nil, goal.reachedAt != nil {
            try await tell(goal, kept, of: reader, in: transaction)
        }
        return goal
    }

    /// Tells that a goal is reached. What was told and taken back is shown again as it was. A goal of long ago is no news.
    private func tell(
        _ goal: Statistics.Goal, _ kept: (id: Int64, since: Timestamp), of reader: ID<Accounts.Account>,
        in transaction: Transaction
    ) async throws {
        let now = services.clock.now()
        let thisYear = try await transaction.one(Statistics.Statements.Today(reader: reader, now: now)).day.civil.year
        guard (thisYear - 1...thisYear).contains(goal.year) else { return }
        if goal.isAnnounced {
            let redo = Activity.Statements.Redo(subject: kept.id, since: kept.since, kind: .goalReached)
            if try await transaction.run(redo) == 0 {
                let act = try services.ids.make(Activity.Act.self).rawValue
                try await transaction.run(
                    Activity.Statements.Record(
                        id: act, reader: reader, work: nil, kind: .goalReached, at: now, subject: kept.id,
                        since: kept.since))
            }
        }
        try await Notifications.Tell.told(
            .goalReached, to: reader, by: nil, of: Int64(goal.year), cause: kept.id
        ).enqueue(in: transaction)
    }
}
