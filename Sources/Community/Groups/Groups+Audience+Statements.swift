import Postgres

extension Groups.Statements {
    /// Pairs of a board's place in the list and a viewer of whom it is asked, who does not read it now: the board of a
    /// group, or the one on which a thread stands.
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

        static func decode(_ columns: inout Columns) throws -> (place: Int, viewer: Int64) {
            (try columns("place"), try columns("id"))
        }
    }
}
