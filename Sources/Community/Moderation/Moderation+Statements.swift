import Postgres

extension Moderation {
    enum Statements {}
}

extension Moderation.Statements {
    struct Record: Statement {
        static let sql: SQL<Self> = """
            insert into moderation_action (id, at, actor, action, subject_kind, subject_id, reason, before, after)
            values (\(\.id), \(\.at), \(\.actor), \(\.action), \(\.subjectKind), \(\.subject), \(\.reason), \(\.before), \(\.after))
            """
        let id: ID<Moderation.Action>, at: Timestamp, actor: String, action: String, subjectKind: String, subject: Int64
        let reason: String, before: JSON, after: JSON
    }

    /// What was done to one thing, newest first; index `moderation_action_of_subject`.
    struct History: Statement {
        static let sql: SQL<Self> = """
            select id, at, actor, action, reason, before, after
              from moderation_action
             where subject_kind = \(\.subjectKind)
               and subject_id = \(\.subject)
             order by id desc
             limit \(\.limit)
            """
        let subjectKind: String, subject: Int64, limit: Int
        static func decode(_ columns: inout Columns) throws -> Moderation.Action {
            Moderation.Action(
                id: try columns("id"), at: try columns("at"), actor: try columns("actor"),
                action: try columns("action"), reason: try columns("reason"), before: try columns("before"),
                after: try columns("after"))
        }
    }
}
