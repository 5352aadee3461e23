import Postgres

extension Groups.Statements {
    /// The role of a member who is about to write, held: nobody removes them before that is done. No row for no member.
    /// After the account, before any thread.
    struct HoldMember: Statement {
        static let sql: SQL<Self> =
            "select role from group_member where group_id = \(\.group) and reader_id = \(\.reader) for key share"
        let group: ID<Groups.Group>, reader: ID<Accounts.Account>
        typealias Output = Groups.Role
    }

    /// The same in the group of a thread or of a post; nothing where that stands in none.
    struct HoldMemberAt: Statement {
        static let sql: SQL<Self> = """
            select member.role
              from group_member member
             where member.group_id = (select thread.group_id
                                        from thread
                                       where thread.id = coalesce(\(\.thread), (select post.thread_id from post
                                                                        where post.id = \(\.post))))
               and member.reader_id = \(\.reader)
               for key share
            """
        let thread: ID<Boards.Thread>?, post: ID<Boards.Post>?, reader: ID<Accounts.Account>
        typealias Output = Groups.Role
    }

    /// The group of a thread and the reader's role there; no row where it is in none, or the reader is not.
    struct LeadOf: Statement {
        static let sql: SQL<Self> = """
            select member.group_id, member.role
              from thread
              join group_member member on member.group_id = thread.group_id and member.reader_id = \(\.reader)
             where thread.id = \(\.thread)
            """
        let thread: ID<Boards.Thread>, reader: ID<Accounts.Account>

        static func decode(_ columns: inout Columns) throws -> (group: ID<Groups.Group>, role: Groups.Role) {
            (try columns("group_id"), try columns("role"))
        }
    }

    /// The same of a post.
    struct LeadOfPost: Statement {
        static let sql: SQL<Self> = """
            select member.group_id, member.role
              from post
              join thread on thread.id = post.thread_id
              join group_member member on member.group_id = thread.group_id and member.reader_id = \(\.reader)
             where post.id = \(\.post)
            """
        let post: ID<Boards.Post>, reader: ID<Accounts.Account>

        static func decode(_ columns: inout Columns) throws -> (group: ID<Groups.Group>, role: Groups.Role) {
            (try columns("group_id"), try columns("role"))
        }
    }

    /// Something was written in the group of a thread: said once a minute, and not at all while somebody holds the
    /// group. The transaction that removes a member holds it and waits for what that member writes, which must not wait
    /// in turn.
    struct Touch: Statement {
        static let sql: SQL<Self> = """
            update reading_group
               set active_at = \(\.at)
             where id = (select held.id
                           from reading_group held
                          where held.id = (select thread.group_id from thread where thread.id = \(\.thread))
                            and held.active_at <= \(\.at)::timestamptz - interval '1 minute'
                            for no key update skip locked)
            """
        let thread: ID<Boards.Thread>, at: Timestamp
    }

    /// One row where the reader may follow what happens in a group.
    struct IsOpenTo: Statement, ForViewer {
        static let sql: SQL<Self> =
            "select reading_group.id from reading_group where reading_group.id = \(\.group) and \(isOpen())"
        let viewer: Viewer, group: ID<Groups.Group>
        typealias Output = ID<Groups.Group>
    }
}
