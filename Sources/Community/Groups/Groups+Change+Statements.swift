import MarkdownReading
import Postgres

extension Groups.Statements {
    struct InsertGroup: Statement {
        static let sql: SQL<Self> = """
            insert into reading_group (id, name, folded, about, html, joining, visibility, members, maker_id, work_id,
                                       active_at, created_at)
            values (\(\.id), \(\.group.name), \(\.folded, "folded"), \(\.text?.body), \(\.text?.html), \(\.group.joining), \(\.group.visibility), 1, \(\.maker), \(\.book), \(\.at), \(\.at))
            """
        let id: ID<Groups.Group>, group: Groups.NewGroup, text: Markdown.Text?, maker: ID<Accounts.Account>
        let book: ID<Catalog.Work>?, at: Timestamp
        private var folded: String { Groups.fold(group.name) }
    }

    struct ChangeGroup: Statement {
        static let sql: SQL<Self> = """
            update reading_group
               set name = \(\.name), folded = \(\.folded, "folded"), about = \(\.text?.body), html = \(\.text?.html), joining = \(\.joining), work_id = \(\.book), version = version + 1
             where id = \(\.id)
            """
        let id: ID<Groups.Group>, name: String, text: (body: String, html: String)?, joining: Groups.Joining
        let book: ID<Catalog.Work>?
        private var folded: String { Groups.fold(name) }
    }

    /// Hides a group, whose row is locked, or brings it back; gives what it is then. No row where it is so already.
    struct HideGroup: Statement {
        static let sql: SQL<Self> = """
            update reading_group
               set hidden_at = \(\.at), version = version + 1
             where id = \(\.group)
               and (hidden_at is null) <> (\(\.at)::timestamptz is null)
            returning name, joining, version
            """
        let group: ID<Groups.Group>, at: Timestamp?

        static func decode(_ columns: inout Columns) throws -> (name: String, joining: Groups.Joining, version: Int) {
            (try columns("name"), try columns("joining"), try columns("version"))
        }
    }

    // MARK: The end of a group

    struct CloseGroup: Statement {
        static let sql: SQL<Self> = """
            update reading_group set closed_at = \(\.at), members = 0, version = version + 1 where id = \(\.group)
            """
        let group: ID<Groups.Group>, at: Timestamp
    }

    /// Gives who was in it.
    struct DropMembers: Statement {
        static let sql: SQL<Self> = "delete from group_member where group_id = \(\.group) returning reader_id"
        let group: ID<Groups.Group>
        typealias Output = ID<Accounts.Account>
    }

    /// Requests, invitations and bans.
    struct DropWaiting: Statement {
        static let sql: SQL<Self> = """
            with asked as (
                delete from group_request where group_id = \(\.group)
            ), invited as (
                delete from group_invitation where group_id = \(\.group)
            )
            delete from group_ban where group_id = \(\.group)
            """
        let group: ID<Groups.Group>
    }

    /// Its threads, in the order of their ids; index `thread_of_group`.
    struct ThreadsOf: Statement {
        static let sql: SQL<Self> =
            "select id from thread where group_id = \(\.group) and id > \(\.after) order by id limit \(\.limit)"
        let group: ID<Groups.Group>, after: ID<Boards.Thread>, limit: Int
        typealias Output = ID<Boards.Thread>
    }
}
