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

    /// Those of the pairs whose reader has muted the other.
    struct Muted: Statement {
        static let sql: SQL<Self> = """
            select tie.reader_id, tie.doer_id
              from unnest(\(\.ties, each: \.reader)::bigint[], \(\.ties, each: \.doer)::bigint[]) tie (reader_id, doer_id)
             where \(Friends.isMuted(viewer: "tie.reader_id", by: "tie.doer_id"))
            """
        let ties: [Feed.Tie]
        typealias Output = Feed.Tie
    }

    /// Those of the pairs who are friends.
    struct Befriended: Statement {
        static let sql: SQL<Self> = """
            select tie.reader_id, tie.doer_id
              from unnest(\(\.ties, each: \.reader)::bigint[], \(\.ties, each: \.doer)::bigint[]) tie (reader_id, doer_id)
              join friendship on friendship.reader_id = tie.reader_id and friendship.friend_id = tie.doer_id
            """
        let ties: [Feed.Tie]
        typealias Output = Feed.Tie
    }
}

extension Feed.Tie: RowReadable {
    init(_ columns: inout Columns) throws {
        self.init(reader: try columns("reader_id"), doer: try columns("doer_id"))
    }
}
