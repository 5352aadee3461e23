import Postgres

extension Moderation {
    enum Statements {}
}

extension Moderation.Statements {
    struct Record: Statement {
        static let sql: SQL<Self> = """
            insert into moderation_action (id, at, actor, action, subject_kind, subject_id, reason, before, after, report, author_id, said)
            values (\(\.id), \(\.at), \(\.actor), \(\.action), \(\.subjectKind), \(\.subject), \(\.reason), \(\.before), \(\.after),
                    \(\.report), \(\.author), \(\.said))
            """
        let id: ID<Moderation.Action>, at: Timestamp, actor: String, action: String, subjectKind: String, subject: Int64
        let reason: String, before: JSON, after: JSON
        var report: ID<Moderation.Case>?
        var author: ID<Accounts.Account>?
        var said: String?
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
        typealias Output = Moderation.Action
    }
}
