import Postgres

extension Notifications {
    /// A post of which readers are told.
    struct Basis: Sendable {
        let post: ID<Boards.Post>
        let author: ID<Accounts.Account>
        let thread: ID<Boards.Thread>
        /// Its number; the one that opens the thread has 1.
        let number: Int32
        var isFirst: Bool { number == 1 }
        let work: ID<Catalog.Work>?
        /// Where it stands on a group's board, which is none of the book's.
        let group: ID<Groups.Group>?
        /// What it replies to, and what it quotes, as far as that stands.
        let repliedTo: Source?
        let quoted: Source?
        let body: String
        /// When it was written.
        let at: Timestamp

        struct Source: Sendable {
            let post: ID<Boards.Post>
            let author: ID<Accounts.Account>
        }
    }

    /// What is told, of what and to whom.
    struct Notice: Sendable {
        let kind: Kind
        /// What it is grouped by.
        let subject: Int64
        /// What happened; with the actor it is told once.
        let cause: Int64
        let actor: ID<Accounts.Account>?
        /// The post of which readers must be allowed to know, or the reply to a review.
        var post: ID<Boards.Post>?
        var reply: ID<Reviews.Reply>?
    }

    /// Somebody who was told.
    struct Told: Sendable {
        let id: ID<Item>
        let reader: ID<Accounts.Account>
        /// It is a notification of its own, and adds nothing to one that was unread.
        let isNew: Bool
    }
}

extension Notifications.Basis: RowReadable {
    /// Reads a row of `Statements.bases`.
    init(_ columns: inout Columns) throws {
        self.init(
            post: try columns("id"), author: try columns("author_id"), thread: try columns("thread_id"),
            number: try columns("number"), work: try columns("work_id"), group: try columns("group_id"),
            repliedTo: try columns.part(through: "author_id", Source.init),
            quoted: try columns.part(through: "author_id", Source.init), body: try columns("body"),
            at: try columns("created_at"))
    }
}

extension Notifications.Basis.Source {
    fileprivate init(_ columns: inout Columns) throws {
        self.init(post: try columns("id"), author: try columns("author_id"))
    }
}

extension Notifications.Statements {
    /// SQL: posts with what a `Basis` says of them. A reply to the thread as a whole answers the post that opens it.
    static let bases: Fragment = """
        select post.id, post.author_id, post.thread_id, post.number, thread.work_id, thread.group_id,
                   answered.id, answered.author_id, quoted.id, quoted.author_id, text.body, post.created_at
              from post
              join thread on thread.id = post.thread_id
              join post_text text on text.id = post.text_id
              left join post answered
                     on answered.id = case when post.number > 1
                                           then coalesce(post.answers_id, post.parent_id,
                                                         (select opening.id from post opening
                                                           where opening.thread_id = post.thread_id
                                                             and opening.number = 1)) end
                    and answered.deleted_at is null
                    and answered.hidden_at is null
              left join post quoted
                     on quoted.id = post.quoted_id and quoted.deleted_at is null and quoted.hidden_at is null
             where \(Boards.Statements.postStands)
               and thread.hidden_at is null
        """

    /// No row where the post does not stand.
    struct BasisOf: Statement {
        static let sql: SQL<Self> = """
            \(bases)
               and post.id = \(\.post)
            """
        let post: ID<Boards.Post>
        typealias Output = Notifications.Basis
    }

    /// Holds accounts against their end, and readers against being mailed or tidied up meanwhile. Gives those that are
    /// there. Only as far as that: what readers write goes on while they are told, however often that is.
    struct Hold: Statement {
        static let sql: SQL<Self> =
            "select id from account where id = any(\(\.accounts)) and reach >= 0 order by id for key share"
        let accounts: [ID<Accounts.Account>]
        typealias Output = ID<Accounts.Account>
    }

    /// Who goes by these names, with that name.
    struct Named: Statement {
        static let sql: SQL<Self> =
            "select username_folded, id from account where username_folded = any(\(\.folded)) and reach >= 0"
        let folded: [String]

        static func decode(_ columns: inout Columns) throws -> (name: String, id: ID<Accounts.Account>) {
            (try columns("username_folded"), try columns("id"))
        }
    }

    /// Who follows a thread, beyond `after`, and has not read beyond the post, as those have who wrote in it or marked
    /// its board since; index `thread_reader_of_thread`.
    struct Followers: Statement {
        static let sql: SQL<Self> = """
            select reader_id
              from thread_reader
             where thread_id = \(\.thread)
               and reader_id > \(\.after)
               and watching is not null
               and watching = 'followed'
               and read_number < \(\.number)
               and not exists (select 1
                                 from post
                                 join thread on thread.id = post.thread_id
                                 join board_read mark on mark.board_id = coalesce(thread.home_id, thread.board_id)
                                where post.thread_id = \(\.thread)
                                  and post.number = \(\.number)
                                  and mark.reader_id = thread_reader.reader_id
                                  and mark.upto_id >= post.id
                                  and mark.marks > coalesce(thread_reader.unmarked, 0))
             order by reader_id
             limit \(\.limit)
            """
        let thread: ID<Boards.Thread>, after: ID<Accounts.Account>, limit: Int, number: Int32
        typealias Output = ID<Accounts.Account>
    }

    /// Who follows a book's board, beyond `after`; index `board_reader_of_work`.
    struct BoardFollowers: Statement {
        static let sql: SQL<Self> = """
            select reader_id
              from board_reader
             where work_id = \(\.work)
               and reader_id > \(\.after)
               and watching = 'followed'
             order by reader_id
             limit \(\.limit)
            """
        let work: ID<Catalog.Work>, after: ID<Accounts.Account>, limit: Int
        typealias Output = ID<Accounts.Account>
    }

    /// Which members follow a group's board, beyond `after`; index `group_member_pkey`.
    struct GroupFollowers: Statement {
        static let sql: SQL<Self> = """
            select reader_id
              from group_member
             where group_id = \(\.group)
               and reader_id > \(\.after)
               and watching = 'followed'
             order by reader_id
             limit \(\.limit)
            """
        let group: ID<Groups.Group>, after: ID<Accounts.Account>, limit: Int
        typealias Output = ID<Accounts.Account>
    }
}
