import Postgres

extension Library {
    /// A book that a reader put on a shelf at some time past, and perhaps rated a minute later: part of a community
    /// that is taken in whole.
    package struct Past: Sendable {
        package let reader: ID<Accounts.Account>
        package let work: ID<Catalog.Work>
        /// `want`, `reading` or `read`.
        package let status: Status
        package let at: Timestamp
        package let started: CalendarDate?
        package let finished: CalendarDate?
        package let rating: Rating?

        package init(
            reader: ID<Accounts.Account>, work: ID<Catalog.Work>, status: Status, at: Timestamp,
            started: CalendarDate? = nil, finished: CalendarDate? = nil, rating: Rating? = nil
        ) {
            self.reader = reader
            self.work = work
            self.status = status
            self.at = at
            self.started = started
            self.finished = finished
            self.rating = rating
        }

        var ratedAt: Timestamp { at + .seconds(60) }
    }

    /// What acts of the past count in rankings, by the rules of `Activity.Statements.Record`, for acts that come in the
    /// order of time.
    struct PastWeights {
        struct Weight: Hashable {
            var weight: Int16
            var leftOut: Int16?
        }

        private struct Day: Hashable {
            let reader: ID<Accounts.Account>
            let day: CalendarDate
        }

        /// Works of which something counts. A rating may fall behind acts of the next day.
        private var days: [Day: Set<ID<Catalog.Work>>] = [:]

        mutating func weigh(_ past: Past) -> Weight {
            let kind = past.status.act
            guard let end = past.finished else { return weigh(past, kind, at: past.at, why: nil) }
            let isLongAgo = end.days < past.at.day.days - Int32(Limits.ranking.endedDays)
            return weigh(past, kind, at: past.at, why: isLongAgo ? .longAgo : nil)
        }

        /// The rating of a book that was shelved with the weight `before`.
        mutating func weighRating(_ past: Past, after before: Weight) -> Weight {
            if before.leftOut == Activity.LeftOut.longAgo.rawValue { return before }
            let isNew = before.weight < Activity.Kind.bookRated.weight || past.ratedAt.day == past.at.day
            return weigh(past, .bookRated, at: past.ratedAt, why: isNew ? nil : .notNew)
        }

        private mutating func weigh(
            _ past: Past, _ kind: Activity.Kind, at time: Timestamp, why: Activity.LeftOut?
        ) -> Weight {
            if let why { return Weight(weight: 0, leftOut: why.rawValue) }
            let day = Day(reader: past.reader, day: time.day)
            let works = days[day] ?? []
            guard works.count - (works.contains(past.work) ? 1 : 0) < Limits.ranking.worksPerDay else {
                return Weight(weight: 0, leftOut: Activity.LeftOut.tooMany.rawValue)
            }
            days[day, default: []].insert(past.work)
            return Weight(weight: kind.weight, leftOut: nil)
        }
    }
}

extension Library.Store {
    /// Entries that one statement takes in.
    private static let pastAtOnce = 4000

    /// Takes in what many readers did, in the order of time, as `put` and `Reviews.Store.put` would have written it one
    /// by one: entries, readings, ratings that everybody may see, acts with their weights, and every counter. Events
    /// are not told: nobody was there to hear.
    ///
    /// For readers whose libraries are empty, whose settings are untouched, and who were verified and a day old at
    /// their first act; each book once for each. One transaction: all of it or nothing. `advance` moves the clock by
    /// which identifiers are made, `progress` is told how many entries are in.
    package func takeIn(
        _ past: [Library.Past], advance: @Sendable (Timestamp) -> Void, progress: @Sendable (Int) -> Void
    ) async throws {
        try await services.database.transaction(attempts: 1) { transaction in
            let works = Array(Set(past.map(\.work)))
            var books: [ID<Catalog.Work>: Catalog.Book] = [:]
            for book in try await transaction.all(Library.Statements.BooksOfPast(works: works)) {
                books[book.id] = book
            }
            var weights = Library.PastWeights()
            for start in stride(from: 0, to: past.count, by: Self.pastAtOnce) {
                var lines = Library.PastLines()
                for entry in past[start..<min(start + Self.pastAtOnce, past.count)] {
                    guard let book = books[entry.work] else { throw Failure.notFound("book \(entry.work)") }
                    advance(entry.at)
                    try lines.append(entry, book, &weights, services.ids)
                }
                try await transaction.run(Library.Statements.InsertPast(lines: lines))
                progress(min(start + Self.pastAtOnce, past.count))
            }
            let readers = Array(Set(past.map(\.reader)))
            try await transaction.batch { batch in
                batch.run(Library.Statements.TallyPast(readers: readers))
                batch.run(Library.Statements.CountPast(readers: readers))
                batch.run(Library.Statements.CountPastRatings(readers: readers))
            }
        }
    }
}
