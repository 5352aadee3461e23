import Postgres

extension EventLog.Statements {
    struct PutState: Statement {
        static let sql: SQL<Self> = """
            insert into stream_state as held (topic, version, data, changed_at) values (\(\.topic), 1, \(\.data), \(\.at))
                on conflict (topic) do update
                set version = held.version + 1, data = excluded.data, changed_at = excluded.changed_at
            """
        let topic: String, data: JSON, at: Timestamp
    }

    struct ReadState: Statement {
        static let sql: SQL<Self> = "select version, data from stream_state where topic = \(\.topic)"
        let topic: String

        static func decode(_ columns: inout Columns) throws -> EventLog.State {
            EventLog.State(version: try columns("version"), data: try columns("data"))
        }
    }
}
