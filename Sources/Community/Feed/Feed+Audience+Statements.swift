import Postgres

extension Feed.Statements {
    /// Whose acts make up a reader's home: the friends whom the reader has not muted.
    struct HomeReaders: Statement {
        static let sql: SQL<Self> = """
            select friendship.friend_id
              from friendship
             where friendship.reader_id = \(\.reader)
               and not \(Friends.isMuted(viewer: "\(\.reader)", by: "friendship.friend_id"))
            """
        let reader: Int64
        typealias Output = Int64
    }

    /// The books that a reader follows: the reviews of them are part of the home.
    struct HomeBooks: Statement {
        static let sql: SQL<Self> = "select work_id from follow where reader_id = \(\.reader) and kind = 'book'"
        let reader: Int64
        typealias Output = Int64
    }

    /// What the readers of the first list are to those of the second, where they are anything: friends, or muting.
    struct Ties: Statement {
        static let sql: SQL<Self> = """
            select tie.reader_id, tie.doer_id, bool_or(tie.is_friend) as is_friend, bool_or(not tie.is_friend) as is_muted
              from (select friendship.reader_id, friendship.friend_id as doer_id, true as is_friend
                      from friendship
                     where friendship.reader_id = any(\(\.readers)) and friendship.friend_id = any(\(\.doers))
                    union all
                    select mute.reader_id, mute.muted_id, false
                      from mute
                     where mute.reader_id = any(\(\.readers)) and mute.muted_id = any(\(\.doers))) tie
             group by tie.reader_id, tie.doer_id
            """
        let readers: [Int64], doers: [Int64]

        static func decode(_ columns: inout Columns) throws -> Feed.Tie {
            Feed.Tie(
                reader: try columns("reader_id"), doer: try columns("doer_id"), isFriend: try columns("is_friend"),
                isMuted: try columns("is_muted"))
        }
    }
}
