import Logging
import Postgres

extension Ranking {
    /// Makes the lists and gives them.
    package struct Store: Sendable {
        let house: House
        let catalog: Catalog.Store

        package init(_ house: House, catalog: Catalog.Store) {
            self.house = house
            self.catalog = catalog
        }

        /// Folds what has changed, and makes the lists that are due; as of `time`, all of them. Lists of a span that cannot be made stay as
        /// they were, with their time, and keep no other from being made; then throws what was wrong with the first.
        package func refresh(asOf time: Timestamp? = nil) async throws {
            try await fold()
            var fault: (any Error)?
            for span in try await due(always: time != nil) {
                do { try await make(span, at: time ?? house.clock.now()) } catch {
                    try Task.checkCancellation()
                    fault = fault ?? error
                }
            }
            if let fault { throw fault }
        }

        /// Sums again what marks name; gives how many marks there were.
        @discardableResult
        package func fold() async throws -> Int {
            let hoursFrom = self.hoursFrom
            var total = 0
            while true {
                let taken = try await house.database.transaction { transaction in
                    try await transaction.run(Statements.TakeTime(seconds: 60))
                    try await transaction.run(Statements.LockSums())
                    return try await transaction.one(Statements.Fold(hoursFrom: hoursFrom))
                }
                total += taken
                guard taken == Limits.Ranking.marksAtOnce else { return total }
            }
        }

        /// Makes the lists of a span as a new generation, shows it and tells those who follow the topic `trending`.
        @discardableResult
        package func make(_ span: Span, at time: Timestamp) async throws -> Int64 {
            let moment = Moment(span, at: time)
            return try await house.database.transaction { transaction in
                try await transaction.run(Statements.TakeTime(seconds: 120))
                try await transaction.run(Statements.LockSums())
                try await transaction.run(Statements.SumSite())
                let made = try await transaction.one(Statements.Make(moment: moment))
                if span == .month { try await transaction.run(Statements.MakeNew(moment: moment)) }
                try await Shown(try await transaction.all(Statements.Current())).tell(house, in: transaction)
                return made
            }
        }

        /// Sums everything anew from the acts; gives how many sums of a work and day were wrong.
        package func rebuild() async throws -> Int {
            let hoursFrom = self.hoursFrom
            return try await house.database.transaction { transaction in
                try await transaction.run(Statements.TakeTime(seconds: 3_600))
                try await transaction.run(Statements.LockSums())
                return try await transaction.one(Statements.Rebuild(hoursFrom: hoursFrom))
            }
        }

        /// Drops what is too old.
        package func upkeep() async throws {
            let now = house.clock.now()
            let drop = Statements.Drop(
                daysFrom: CalendarDate(days: now.day.days - Int32(Limits.Ranking.keptDays)), hoursFrom: hoursFrom,
                now: now)
            try await house.database.transaction { transaction in
                try await transaction.run(Statements.TakeTime(seconds: 60))
                try await transaction.run(Statements.LockSums())
                try await transaction.run(drop)
            }
        }

        /// The first day of which sums by hour are kept: one more than is read, for what is asked as of a little earlier.
        private var hoursFrom: CalendarDate {
            CalendarDate(days: house.clock.now().day.days - Int32(Limits.Ranking.keptHourDays))
        }

        /// Spans whose lists are to be made now: those that nobody has made, those in which something was done since and those that have aged.
        private func due(always: Bool) async throws -> [Span] {
            let shown = try await house.database.all(Statements.Due())
            return Span.allCases.filter { span in
                guard !always, let last = shown.first(where: { $0.span == span }) else { return true }
                let limit = last.hasChanged ? span.cadence : span.patience
                // Made in the future: the database's clock was set back.
                return last.seconds < 0 || last.seconds >= Double(limit.components.seconds)
            }
        }
    }
}
