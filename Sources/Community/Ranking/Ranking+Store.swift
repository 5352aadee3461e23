import Logging
import Postgres

extension Ranking {
    /// Makes the lists and gives them.
    package struct Store: Sendable {
        let services: Services
        let catalog: Catalog.Store

        package init(_ services: Services, catalog: Catalog.Store) {
            self.services = services
            self.catalog = catalog
        }

        /// Folds what has changed, and makes the lists that are due; as of `time`, all of them. What cannot be folded
        /// keeps no list from being made. Lists of a span that cannot be made stay as they were, with their time, and
        /// keep no other from being made. Then throws what was wrong first.
        package func refresh(asOf time: Timestamp? = nil) async throws {
            var fault: (any Error)?
            func trying(_ body: () async throws -> Void) async throws {
                do { try await body() } catch {
                    try Task.checkCancellation()
                    fault = fault ?? error
                }
            }
            try await trying { try await fold() }
            for span in try await due(always: time != nil) {
                try await trying { try await make(span, at: time ?? services.clock.now()) }
            }
            if let fault { throw fault }
        }

        /// Sums again what marks name; gives how many marks there were. Where so many take too long, fewer are taken.
        @discardableResult
        package func fold() async throws -> Int {
            var (total, atOnce) = (0, Limits.ranking.marksAtOnce)
            while true {
                do {
                    let taken = try await fold(atMost: atOnce)
                    total += taken
                    guard taken == atOnce else { return total }
                } catch let error as PostgresError where error.sqlState == .queryCanceled && atOnce > 100 {
                    atOnce /= 4
                }
            }
        }

        private func fold(atMost limit: Int) async throws -> Int {
            let fold = Statements.Fold(hoursFrom: services.hoursKeptFrom, limit: limit)
            return try await services.database.transaction { transaction in
                try await transaction.run(Statements.TakeTime(seconds: 60))
                try await transaction.run(Statements.LockSums())
                return try await transaction.one(fold)
            }
        }

        /// Makes the lists of a span as a new generation, shows it and tells those who follow the topic `trending`.
        @discardableResult
        package func make(_ span: Span, at time: Timestamp) async throws -> Int64 {
            let moment = Moment(span, at: time, in: services)
            return try await services.database.transaction { transaction in
                try await transaction.run(Statements.TakeTime(seconds: 120))
                try await transaction.run(Statements.LockSums())
                try await transaction.run(Statements.SumSite())
                let made = try await transaction.one(Statements.Make(moment: moment))
                if span == .month { try await transaction.run(Statements.MakeNew(moment: moment)) }
                try await Shown(try await transaction.all(Statements.Current())).tell(services, in: transaction)
                return made
            }
        }

        /// Sums everything anew from the acts; gives how many sums of a work and day were wrong.
        package func rebuild() async throws -> Int {
            let hoursFrom = services.hoursKeptFrom
            return try await services.database.transaction { transaction in
                try await transaction.run(Statements.TakeTime(seconds: 3_600))
                try await transaction.run(Statements.LockSums())
                return try await transaction.one(Statements.Rebuild(hoursFrom: hoursFrom))
            }
        }

        /// Drops what is too old.
        package func upkeep() async throws {
            let now = services.clock.now()
            let drop = Statements.Drop(
                daysFrom: CalendarDate(days: now.day.days - Int32(Limits.ranking.keptDays)),
                hoursFrom: services.hoursKeptFrom, now: now)
            try await services.database.transaction { transaction in
                try await transaction.run(Statements.TakeTime(seconds: 60))
                try await transaction.run(Statements.LockSums())
                try await transaction.run(drop)
            }
        }

        /// Spans whose lists are to be made now: those that nobody has made, those in which something was done since
        /// and those that have aged.
        private func due(always: Bool) async throws -> [Span] {
            let shown = try await services.database.all(Statements.Due())
            return Span.allCases.filter { span in
                guard !always, let last = shown.first(where: { $0.span == span }) else { return true }
                let limit = last.hasChanged ? span.cadence : span.patience
                // Made in the future: the database's clock was set back.
                return last.seconds < 0 || last.seconds >= Double(limit.components.seconds)
            }
        }
    }
}
