import Postgres

// What the viewer may know to be there at all. Beyond that, whether it opens is for `Gate` to say: a row that is seen
// and does not open is read without a word of its text.
extension Boards.Statements {
    /// SQL: whether the viewer sees what `owner` says on boards.
    static func isSeen<S: ForViewer>(_ owner: SQL<S>) -> SQL<S> {
        """
        exists (select 1
                  from (values (\(Privacy.level(.discussions, of: owner)))) said (level)
                 where \(Visibility.predicate(viewer: .viewer, owner: owner, level: "said.level")))
        """
    }

    /// SQL: whether the thread in scope as `thread` is seen: its group lets the viewer read, and what its opener says
    /// is seen, or its first post is gone, and the answers stay.
    static func threadIsSeen<S: ForViewer>() -> SQL<S> {
        """
        (thread.hidden_at is null
                and \(Groups.opens(viewer: .viewer))
                and (\(isSeen("thread.author_id"))
                     or \(.viewer) >= 0 and exists (select 1 from post opener
                                             where opener.thread_id = thread.id and opener.number = 1
                                               and (opener.deleted_at is not null or opener.hidden_at is not null))))
        """
    }

    /// SQL: whether the post in scope as `post` stands.
    static let postStands: Fragment = "(post.deleted_at is null and post.hidden_at is null)"

    /// SQL: whether the post in scope as `post` is seen where its thread is: what its author says is, or it is gone and
    /// keeps the place of its answers. One that is hidden by moderation is known only where it has some, or opens the
    /// thread.
    static func postIsSeen<S: ForViewer>() -> SQL<S> {
        """
        (case when \(postStands) then \(isSeen("post.author_id"))
                      else \(.viewer) >= 0 and (post.deleted_at is not null or post.replies > 0 or post.number = 1) end)
        """
    }

    /// What the thread in scope as `thread` is to the viewer, as `marker`: how far read, and whether followed or muted.
    /// No number where neither the thread nor its board was ever marked.
    ///
    /// Where the board was marked and posts have come since, the last one that was there then is looked for by halves:
    /// each step asks the index `post_in_thread` for one post, 13 for ten thousand.
    static func itsMarker<S: ForViewer>() -> SQL<S> {
        """
        cross join lateral (
                   select greatest(own.read_number,
                                   (select case when thread.id > mark.upto_id then null
                                                when thread.last_post_id <= mark.upto_id then thread.posts
                                                else (with recursive halved as (
                                                          select 0 as low, thread.posts as high
                                                           union all
                                                          select case when post.id <= mark.upto_id then post.number
                                                                      else halved.low end,
                                                                 case when post.id <= mark.upto_id then halved.high
                                                                      else post.number - 1 end
                                                            from halved
                                                            join post on post.thread_id = thread.id
                                                             and post.number = (halved.low + halved.high + 1) / 2
                                                           where halved.low < halved.high)
                                                      select nullif(max(halved.low), 0) from halved) end
                                      from board_read mark
                                     where mark.reader_id = \(.viewer)
                                       and mark.board_id = coalesce(thread.home_id, thread.board_id)
                                       and mark.marks > coalesce(own.unmarked, 0))) as read_number,
                          own.watching
                     from (values (1)) marked (once)
                     left join thread_reader own on own.reader_id = \(.viewer) and own.thread_id = thread.id
                    limit 1) marker
        """
    }

    /// The board that `id` names: a book (or what it was merged into) or a group, with the viewer's gate for the book.
    static func named<S: ForViewer>(_ id: SQL<S>) -> SQL<S> {
        """
        board as materialized (
            select board.id, \(Gate.level(viewer: .viewer, work: "board.id")) as level
              from (select coalesce((select coalesce(work.merged_into, work.id) from work where work.id = \(id)), \(id)) as id
                     limit 1) board
        )
        """
    }

    /// A board as a whole, for one viewer. Outsiders are told of no posts; of a group's board none are counted.
    struct BoardOf: Statement, ForViewer {
        static let sql: SQL<Self> = """
            with \(named("\(\.board)"))
            select board.level, coalesce(counted.posts, 0) as posts, coalesce(counted.ahead, 0) as ahead,
                   coalesce((select board_reader.watching from board_reader
                              where board_reader.reader_id = \(\.viewer) and board_reader.work_id = board.id),
                            (select group_member.watching from group_member
                              where group_member.group_id = board.id and group_member.reader_id = \(\.viewer))) as watching
              from board
             cross join lateral (
                   select sum(board_scope.posts) as posts,
                          sum(board_scope.posts) filter (where board_scope.scope > board.level) as ahead
                     from board_scope
                    where board_scope.work_id = board.id
                      and \(\.viewer) >= 0) counted
            """
        let viewer: Viewer, board: Int64

        static func decode(_ columns: inout Columns) throws -> Boards.Board {
            Boards.Board(
                gate: try columns("level"), posts: try columns("posts"), ahead: try columns("ahead"),
                watching: try columns("watching"))
        }
    }

    /// How far the viewer has read a thread; no row where the viewer does not see it.
    struct ThreadSeen: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select coalesce(marker.read_number, 0) as number
              from thread
             \(itsMarker())
             where thread.id = \(\.thread)
               and \(threadIsSeen())
            """
        let viewer: Viewer, thread: ID<Boards.Thread>
        typealias Output = Int
    }
}
