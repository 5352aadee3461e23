import Postgres

extension Groups.Statements {
    /// Pairs of a board's place in the list and a viewer who reads it now: the board of a group, or the one on which a
    /// thread stands.
    struct BoardHearers: Statement {
        static let sql: SQL<Self> = """
            select asked.place - 1 as place, viewer.id
              from unnest(\(\.questions, each: \.subject)::text[], \(\.questions, each: \.value)::bigint[]) with ordinality asked (kind, id, place)
             cross join lateral (select case asked.kind when 'group' then asked.id
                                                        else (select group_id from thread where id = asked.id) end
                                        as group_id) thread
             cross join unnest(\(\.viewers)::bigint[]) viewer (id)
             where \(Groups.opens(viewer: "viewer.id"))
            """
        let questions: [EventQuestion], viewers: [Int64]

        static func decode(_ columns: inout Columns) throws -> (place: Int, viewer: Int64) {
            (try columns("place"), try columns("id"))
        }
    }
}
