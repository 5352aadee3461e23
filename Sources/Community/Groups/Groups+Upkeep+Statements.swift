import Postgres

extension Groups {
    static let upkeepStatements: [any Statement.Type] = [
        Statements.GroupsOf.self, Statements.Forget.self, Statements.EndBetween.self, Statements.MoveBook.self,
    ]
}

extension Groups.Statements {
    /// What a reader is in, in the order of the groups' ids.
    struct GroupsOf: Statement {
        static let name = "groups.groups_of"
        static let sql = "select group_id, role from group_member where reader_id = $1 order by group_id"
        let reader: ID<Accounts.Account>
        func bind(to parameters: inout Parameters) { parameters.append(reader) }
        static func decode(_ row: borrowing Row) throws -> (group: ID<Groups.Group>, role: Groups.Role) {
            (try row[0], try row[1])
        }
    }

    /// What a reader whose account ends asked for, was invited into, invited others into, was banned from and made.
    struct Forget: Statement {
        static let name = "groups.forget"
        static let sql = """
            with asked as (
                delete from group_request where reader_id = $1
            ), invited as (
                delete from group_invitation where reader_id = $1 or inviter_id = $1
            ), banned as (
                delete from group_ban where reader_id = $1
            )
            update reading_group set maker_id = null where maker_id = $1
            """
        let reader: ID<Accounts.Account>
        func bind(to parameters: inout Parameters) { parameters.append(reader) }
    }

    /// Invitations between two readers of whom one blocks the other.
    struct EndBetween: Statement {
        static let name = "groups.end_between"
        static let sql = """
            update group_invitation
               set ended_at = $3
             where ended_at is null
               and (reader_id = $1 and inviter_id = $2 or reader_id = $2 and inviter_id = $1)
            """
        let one: ID<Accounts.Account>
        let other: ID<Accounts.Account>
        let at: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(one)
            parameters.append(other)
            parameters.append(at)
        }
    }

    /// Index `reading_group_of_work`.
    struct MoveBook: Catalog.Moving {
        static let name = "groups.move_book"
        static let sql = "update reading_group set work_id = $2, version = version + 1 where work_id = $1"
        let from: ID<Catalog.Work>
        let into: ID<Catalog.Work>
    }
}
