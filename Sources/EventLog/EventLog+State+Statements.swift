import Postgres

extension EventLog.Statements {
    struct PutState: Statement {
        static let name = "eventlog.put_state"
        static let sql = """
            insert into stream_state as held (topic, version, data, changed_at) values ($1, 1, $2, $3)
                on conflict (topic) do update
                set version = held.version + 1, data = excluded.data, changed_at = excluded.changed_at
            """
        let topic: String
        let data: JSON
        let at: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(topic)
            parameters.append(data)
            parameters.append(at)
        }
    }

    struct ReadState: Statement {
        static let name = "eventlog.read_state"
        static let sql = "select version, data from stream_state where topic = $1"
        let topic: String

        func bind(to parameters: inout Parameters) { parameters.append(topic) }

        static func decode(_ row: borrowing Row) throws -> EventLog.State {
            EventLog.State(version: try row[0], data: try row[1])
        }
    }
}
