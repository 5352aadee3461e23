import Postgres

extension Feed.Statements {
    /// Pairs of a question's place in the list and a viewer for whom the answer is yes now.
    struct Visible: Statement {
        static let sql: SQL<Self> = """
            select asked.place - 1 as place, viewer.id
              from unnest(\(\.questions, each: \.subject.rawValue, "questions.subject")::text[], \(\.questions, each: \.owner)::bigint[], \(\.questions, each: \.value)::bigint[]) with ordinality asked (kind, owner, value, place)
             cross join unnest(\(\.viewers)::bigint[]) viewer (id)
              left join shelf_entry on asked.kind = 'shelf' and shelf_entry.id = asked.value
              left join praise on asked.kind = 'praise' and praise.id = asked.value
              left join privacy on privacy.reader_id = coalesce(shelf_entry.reader_id, praise.reader_id)
             where case asked.kind
                   when 'shelf' then shelf_entry.id is not null and
                        \(Visibility.predicate(viewer: "viewer.id", owner: "shelf_entry.reader_id", level: Library.Statements.told))
                   when 'praise' then praise.id is not null and
                        \(Visibility.predicate(viewer: "viewer.id", owner: "praise.reader_id", level: Praise.Statements.told))
                   when 'level' then
                        \(Visibility.predicate(viewer: "viewer.id", owner: "asked.owner", level: "asked.value"))
                   when 'heard' then not \(Friends.isMuted(viewer: "viewer.id", by: "asked.owner"))
                   when 'message' then \(Messages.Statements.isTold)
                   when 'receipt' then \(Messages.Statements.isReceipt)
                   end
            """
        let questions: [Feed.Rule.Question], viewers: [Int64]

        static func decode(_ columns: inout Columns) throws -> (place: Int, viewer: Int64) {
            (try columns("place"), try columns("id"))
        }
    }

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
