import Postgres

extension Groups {
    static let changeStatements: [any Statement.Type] = [
        Statements.InsertGroup.self, Statements.ChangeGroup.self, Statements.CloseGroup.self,
        Statements.DropMembers.self, Statements.DropWaiting.self, Statements.ThreadsOf.self,
    ]
}

extension Groups.Statements {
    struct InsertGroup: Statement {
        static let name = "groups.insert_group"
        static let sql = """
            insert into reading_group (id, name, folded, about, html, joining, visibility, members, maker_id, work_id,
                                       active_at, created_at)
            values ($1, $2, $3, $4, $5, $6, $7, 1, $8, $9, $10, $10)
            """
        let id: ID<Groups.Group>
        let group: Groups.NewGroup
        let text: Markdown.Text?
        let maker: ID<Accounts.Account>
        let book: ID<Catalog.Work>?
        let at: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(id)
            parameters.append(group.name)
            parameters.append(Groups.fold(group.name))
            parameters.append(text?.body)
            parameters.append(text?.html)
            parameters.append(group.joining)
            parameters.append(group.visibility)
            parameters.append(maker)
            parameters.append(book)
            parameters.append(at)
        }
    }

    struct ChangeGroup: Statement {
        static let name = "groups.change_group"
        static let sql = """
            update reading_group
               set name = $2, folded = $3, about = $4, html = $5, joining = $6, work_id = $7, version = version + 1
             where id = $1
            """
        let id: ID<Groups.Group>
        let name: String
        let text: (body: String, html: String)?
        let joining: Groups.Joining
        let book: ID<Catalog.Work>?

        func bind(to parameters: inout Parameters) {
            parameters.append(id)
            parameters.append(name)
            parameters.append(Groups.fold(name))
            parameters.append(text?.body)
            parameters.append(text?.html)
            parameters.append(joining)
            parameters.append(book)
        }
    }

    // MARK: The end of a group

    struct CloseGroup: Statement {
        static let name = "groups.close_group"
        static let sql = """
            update reading_group set closed_at = $2, members = 0, version = version + 1 where id = $1
            """
        let group: ID<Groups.Group>
        let at: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(group)
            parameters.append(at)
        }
    }

    /// Gives who was in it.
    struct DropMembers: Statement {
        static let name = "groups.drop_members"
        static let sql = "delete from group_member where group_id = $1 returning reader_id"
        let group: ID<Groups.Group>
        func bind(to parameters: inout Parameters) { parameters.append(group) }
        static func decode(_ row: borrowing Row) throws -> ID<Accounts.Account> { try row[0] }
    }

    /// Requests, invitations and bans.
    struct DropWaiting: Statement {
        static let name = "groups.drop_waiting"
        static let sql = """
            with asked as (
                delete from group_request where group_id = $1
            ), invited as (
                delete from group_invitation where group_id = $1
            )
            delete from group_ban where group_id = $1
            """
        let group: ID<Groups.Group>
        func bind(to parameters: inout Parameters) { parameters.append(group) }
    }

    /// Its threads, in the order of their ids; index `thread_of_group`.
    struct ThreadsOf: Statement {
        static let name = "groups.threads_of"
        static let sql = "select id from thread where group_id = $1 and id > $2 order by id limit $3"
        let group: ID<Groups.Group>
        let after: ID<Boards.Thread>
        let limit: Int

        func bind(to parameters: inout Parameters) {
            parameters.append(group)
            parameters.append(after)
            parameters.append(limit)
        }

        static func decode(_ row: borrowing Row) throws -> ID<Boards.Thread> { try row[0] }
    }
}
