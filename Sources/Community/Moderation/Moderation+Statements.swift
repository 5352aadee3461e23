import Postgres

extension Moderation {
    package static let statements: [any Statement.Type] = [Statements.Record.self, Statements.History.self]

    enum Statements {}
}

extension Moderation.Statements {
    struct Record: Statement {
        static let name = "moderation.record"
        static let sql = """
            insert into moderation_action (id, at, actor, action, subject_kind, subject_id, reason, before, after)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """
        let id: ID<Moderation.Action>
        let at: Timestamp
        let actor: String
        let action: String
        let subjectKind: String
        let subject: Int64
        let reason: String
        let before: JSON
        let after: JSON
        func bind(to parameters: inout Parameters) {
            parameters.append(id)
            parameters.append(at)
            parameters.append(actor)
            parameters.append(action)
            parameters.append(subjectKind)
            parameters.append(subject)
            parameters.append(reason)
            parameters.append(before)
            parameters.append(after)
        }
    }

    /// What was done to one thing, newest first; index `moderation_action_of_subject`.
    struct History: Statement {
        static let name = "moderation.history"
        static let sql = """
            select id, at, actor, action, reason, before, after
              from moderation_action
             where subject_kind = $1
               and subject_id = $2
             order by id desc
             limit $3
            """
        let subjectKind: String
        let subject: Int64
        let limit: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(subjectKind)
            parameters.append(subject)
            parameters.append(limit)
        }
        static func decode(_ row: borrowing Row) throws -> Moderation.Action {
            Moderation.Action(
                id: try row[0], at: try row[1], actor: try row[2], action: try row[3], reason: try row[4],
                before: try row[5],
                after: try row[6])
        }
    }
}
