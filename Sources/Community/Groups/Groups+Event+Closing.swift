import EventLog
import Postgres

extension Groups {
    /// Tells every server, as part of `transaction`, that `readers` (`nil`: everybody) may follow `topic` no longer.
    /// What is open ends when the servers come to this place in the log; whether somebody may follow it again is asked
    /// when they ask (`TopicGate`).
    package static func close(
        _ topic: Topic, to readers: [ID<Accounts.Account>]?, in transaction: some Queryable, house: House
    ) async throws {
        try await EventLog.append(
            NewEvent(
                id: house.ids.make(Closing.self).rawValue, kind: EventKind.topicClosed.rawValue, topics: [.control],
                at: house.clock.now(),
                data: try JSON(encoding: Closing(topic: topic.name, readers: readers.map { $0.map(\.text) }))),
            in: transaction)
    }

    /// On `control`, version 1. Without `readers` it is closed to all.
    private struct Closing: Encodable {
        let topic: String
        let readers: [String]?
    }
}
