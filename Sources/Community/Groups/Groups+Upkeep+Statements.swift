import Postgres

extension Groups.Statements {
    /// What a reader is in, in the order of the groups' ids.
    struct GroupsOf: Statement {
        static let sql: SQL<Self> =
            "select group_id, role from group_member where reader_id = \(\.reader) order by group_id"
        let reader: ID<Accounts.Account>
        static func decode(_ columns: inout Columns) throws -> (group: ID<Groups.Group>, role: Groups.Role) {
            (try columns("group_id"), try columns("role"))
        }
    }

    /// What a reader whose account ends asked for, was invited into, invited others into, was banned from and made.
    struct Forget: Statement {
        static let sql: SQL<Self> = """
            with asked as (
                delete from group_request where reader_id = \(\.reader)
            ), invited as (
                delete from group_invitation where reader_id = \(\.reader) or inviter_id = \(\.reader)
            ), banned as (
                delete from group_ban where reader_id = \(\.reader)
            )
            update reading_group set maker_id = null where maker_id = \(\.reader)
            """
        let reader: ID<Accounts.Account>
    }

    /// Invitations between two readers where one blocks the other.
    struct EndBetween: Statement {
        static let sql: SQL<Self> = """
            update group_invitation
               set ended_at = \(\.at)
             where ended_at is null
               and (reader_id = \(\.one) and inviter_id = \(\.other) or reader_id = \(\.other) and inviter_id = \(\.one))
            """
        let one: ID<Accounts.Account>, other: ID<Accounts.Account>, at: Timestamp
    }
}
