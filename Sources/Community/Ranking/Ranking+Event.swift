import EventLog
import Postgres

extension Ranking {
    enum EventKind: String, Sendable, CaseIterable {
        case stateChanged = "state.changed"
    }

    /// What the topic `trending` holds: for each window the moment as of which the list that is shown was made, null
    /// where there is none.
    struct Shown: Encodable {
        let day, week, month: Instant?

        struct Instant: Encodable {
            let madeAt: Timestamp
        }

        init(_ generations: [Generation]) {
            func instant(_ span: Span) -> Instant? {
                generations.first { $0.span == span }.map { Instant(madeAt: $0.asOf) }
            }
            (day, week, month) = (instant(.day), instant(.week), instant(.month))
        }

        /// Tells the servers that this holds now.
        func tell(_ services: Services, in transaction: some Queryable) async throws {
            let event = NewEvent(
                id: try services.ids.make(Shown.self).rawValue, kind: EventKind.stateChanged.rawValue,
                topics: [.control], at: services.clock.now(), data: try JSON(encoding: ["topic": Topic.trending.name]))
            try await EventLog.put(try JSON(encoding: self), of: .trending, telling: event, in: transaction)
        }
    }
}
