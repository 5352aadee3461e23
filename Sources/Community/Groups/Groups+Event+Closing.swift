import EventLog
import JSONWriting
import Postgres

extension Groups {
    /// Tells every server, as part of `transaction`, that `readers` (`nil`: everybody) may follow `topic` no longer.
    /// What is open ends when the servers come to this place in the log; whether somebody may follow it again is asked
    /// when they ask (`TopicGate`).
    package static func close(
        _ topic: Topic, to readers: [ID<Accounts.Account>]?, in transaction: some Queryable, services: Services
    ) async throws {
        try await EventLog.append(
            NewEvent(
                id: services.ids.make(NewEvent.self).rawValue, kind: EventKind.topicClosed.rawValue, topics: [.control],
                at: services.clock.now(),
                data: try JSON.object {
                    $0.put("topic", topic.name)
                    // Without them it is closed to all.
                    if let readers { $0.put("readers", readers) }
                }),
            in: transaction)
    }
}
