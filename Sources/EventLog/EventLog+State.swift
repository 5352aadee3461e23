import Postgres

extension EventLog {
    /// What holds now of a topic of which only the latest counts. It stands in a table and in no log: sockets are told of a change by an
    /// event on `control` and read it then.
    package struct State: Sendable {
        /// From 1 on, one more with each change.
        package let version: Int64
        /// An object, at most 16 KiB as text.
        package let data: JSON
    }

    /// Puts what holds now of `topic`, and tells the servers with `event`, which stands on `control`.
    package static func put(
        _ data: JSON, of topic: Topic, telling event: NewEvent, in transaction: some Queryable
    ) async throws {
        try await transaction.run(Statements.PutState(topic: topic.name, data: data, at: event.at))
        try await append(event, in: transaction)
    }
}

extension EventLog.Reader {
    /// `nil` where there never was any.
    package func state(of topic: Topic) async throws -> EventLog.State? {
        try await database.first(EventLog.Statements.ReadState(topic: topic.name))
    }
}
