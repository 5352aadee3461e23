import Postgres

extension Boards.Statements {
    /// The threads that some of these posts open.
    struct LockThreadsOpened: Statement {
        static let sql: SQL<Self> = """
            select from thread
             where id in (select thread_id from post where id = any(\(\.posts)) and number = 1)
             order by id
               for no key update
            """
        let posts: [ID<Boards.Post>]
    }

    /// The reactions and the heat of the threads that some of these posts open; they are locked.
    struct CountThreadReactions: Statement {
        static let sql: SQL<Self> = """
            update thread
               set reactions = post.reactions,
                   hot = \(heat(reactions: "post.reactions", now: "\(\.now)"))
              from post
             where post.id = any(\(\.posts))
               and post.number = 1
               and thread.id = post.thread_id
            """
        let posts: [ID<Boards.Post>], now: Timestamp
    }
}
