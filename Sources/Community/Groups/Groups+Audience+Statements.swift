import Postgres

extension Groups.Statements {
    /// Each question asks about one board: that of a group, or the one on which a thread stands. One row for each of its
    /// viewers who does not read the board now, with the question's place in the list.
    struct BoardExceptions: Statement {
        static let sql: SQL<Self> = """
            select asked.place - 1 as place, viewer.id
              from \(EventQuestions.sql.of(\Self.questions))
             cross join lateral (select case asked.kind when 'group' then asked.value
                                                        else (select group_id from thread where id = asked.value) end
                                        as group_id) thread
             cross join \(EventQuestions.viewer().of(\Self.questions))
             where \(Groups.opens(viewer: "viewer.id")) is not true
            """
        let questions: EventQuestions

        static func decode(_ columns: inout Columns) throws -> Exceptions.Row {
            Exceptions.Row(place: try columns("place"), viewer: try columns("id"))
        }
    }
}
