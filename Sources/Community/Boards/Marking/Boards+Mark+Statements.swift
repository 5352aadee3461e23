import Postgres

extension Boards.Statements {
    /// How many posts a thread that the reader may know of has had; the account is held against its end. No row where
    /// there is none.
    struct ThreadBasis: Statement, ForViewer {
        static let sql: SQL<Self> = """
            with reader as (select id from account where id = \(\.viewer) and state <> 'deleted' for share)
            select thread.posts
              from reader
              join thread on thread.id = \(\.thread)
             where \(threadIsSeen())
            """
        let viewer: ID<Accounts.Account>, thread: ID<Boards.Thread>
        typealias Output = Int
    }

    // MARK: How far read

    /// Affects no row where as much or more was read before.
    struct MarkRead: Statement {
        static let sql: SQL<Self> = """
            insert into thread_reader (reader_id, thread_id, read_number, at) values (\(\.reader), \(\.thread), \(\.number), \(\.at))
                on conflict (reader_id, thread_id) do update
               set read_number = excluded.read_number, at = excluded.at
             where thread_reader.read_number < excluded.read_number
            """
        let reader: ID<Accounts.Account>, thread: ID<Boards.Thread>, number: Int, at: Timestamp
    }

    /// Marks of the board until now hold for the thread no more. Affects no row where neither was ever marked.
    struct MarkUnread: Statement {
        static let sql: SQL<Self> = """
            with reader as (select id from account where id = \(\.reader) and state <> 'deleted' for share)
            insert into thread_reader as mine (reader_id, thread_id, unmarked, at)
            select reader.id, thread.id, mark.marks, \(\.at)
              from reader
              join thread on thread.id = \(\.thread)
              left join board_read mark
                on mark.reader_id = \(\.reader)
               and mark.board_id = coalesce(thread.home_id, thread.board_id)
             where (mark.upto_id >= thread.id
                    or exists (select 1 from thread_reader own where own.reader_id = \(\.reader) and own.thread_id = thread.id))
                on conflict (reader_id, thread_id) do update
               set read_number = 0, unmarked = excluded.unmarked, at = excluded.at
             where mine.read_number > 0
                or mine.unmarked is distinct from excluded.unmarked
            """
        let reader: ID<Accounts.Account>, thread: ID<Boards.Thread>, at: Timestamp
    }

    // MARK: Following and muting threads

    /// Affects no row where it is so already.
    struct WatchThread: Statement {
        static let sql: SQL<Self> = """
            insert into thread_reader (reader_id, thread_id, watching, at) values (\(\.reader), \(\.thread), \(\.watching), \(\.at))
                on conflict (reader_id, thread_id) do update
               set watching = excluded.watching, at = excluded.at
             where thread_reader.watching is distinct from excluded.watching
            """
        let reader: ID<Accounts.Account>, thread: ID<Boards.Thread>, watching: Boards.Watching, at: Timestamp
    }

    struct UnwatchThread: Statement {
        static let sql: SQL<Self> = """
            update thread_reader
               set watching = null, at = \(\.at)
             where reader_id = \(\.reader)
               and thread_id = \(\.thread)
               and watching = \(\.watching)
            """
        let reader: ID<Accounts.Account>, thread: ID<Boards.Thread>, watching: Boards.Watching, at: Timestamp
    }

    /// Threads that a reader follows or mutes, at most `limit`; index `thread_reader_watched`.
    struct CountWatchedThreads: Statement {
        static let sql: SQL<Self> = """
            select count(*)
              from (select 1 from thread_reader where reader_id = \(\.reader) and watching is not null limit \(\.limit)) watched
            """
        let reader: ID<Accounts.Account>, limit: Int
        typealias Output = Int
    }

    // MARK: Following and muting boards

    /// The work of a book's board, or what it was merged into, held against being merged, and the account against its
    /// end. No row where there is none. After `Catalog.HoldBoth`, which has waited for a merge that had
    /// begun.
    struct HoldBoard: Statement {
        static let sql: SQL<Self> = """
            with reader as (select id from account where id = \(\.reader) and state <> 'deleted' for share)
            select board.id
              from reader
              join work named on named.id = \(\.work)
              join work board on board.id = coalesce(named.merged_into, named.id)
                             and board.title is not null
                             and board.withdrawn_at is null
               for share of board
            """
        let reader: ID<Accounts.Account>, work: ID<Catalog.Work>
        typealias Output = ID<Catalog.Work>
    }

    /// Affects no row where it is so already.
    struct WatchBoard: Statement {
        static let sql: SQL<Self> = """
            insert into board_reader (reader_id, work_id, watching, at) values (\(\.reader), \(\.work), \(\.watching), \(\.at))
                on conflict (reader_id, work_id) do update
               set watching = excluded.watching, at = excluded.at
             where board_reader.watching <> excluded.watching
            """
        let reader: ID<Accounts.Account>, work: ID<Catalog.Work>, watching: Boards.Watching, at: Timestamp
    }

    struct UnwatchBoard: Statement {
        static let sql: SQL<Self> = """
            delete from board_reader
             where reader_id = \(\.reader)
               and work_id = \(Catalog.resolved("\(\.work)"))
               and watching = \(\.watching)
            """
        let reader: ID<Accounts.Account>, work: ID<Catalog.Work>, watching: Boards.Watching
    }

    /// Affects no row where it is so already, and for a reader who is no member. With the membership it ends.
    struct WatchGroupBoard: Statement {
        static let sql: SQL<Self> = """
            update group_member
               set watching = \(\.watching)
             where group_id = \(\.group)
               and reader_id = \(\.reader)
               and watching is distinct from \(\.watching)
            """
        let reader: ID<Accounts.Account>, group: ID<Groups.Group>, watching: Boards.Watching
    }

    /// Ends that a member follows, or mutes, a group's board, where it is so; a reader who is no member has nothing to
    /// end.
    struct UnwatchGroupBoard: Statement {
        static let sql: SQL<Self> = """
            update group_member
               set watching = null
             where group_id = \(\.group)
               and reader_id = \(\.reader)
               and watching = \(\.watching)
            """
        let reader: ID<Accounts.Account>, group: ID<Groups.Group>, watching: Boards.Watching
    }

    /// Boards of books that a reader follows or mutes, at most `limit`.
    struct CountWatchedBoards: Statement {
        static let sql: SQL<Self> =
            "select count(*) from (select 1 from board_reader where reader_id = \(\.reader) limit \(\.limit)) watched"
        let reader: ID<Accounts.Account>, limit: Int
        typealias Output = Int
    }

    /// Marks all threads of a board as read, those of boards that were merged into it among them: one row for each of
    /// these boards, whatever stands on it. An account that is over marks nothing.
    ///
    /// A row says: all posts up to an identifier. Those are made before posts get their numbers, so it is one from
    /// before anything that may still be on its way (`settled`), and the threads that were written in since, the last
    /// ones of them at most, get markers of their own.
    struct MarkBoard: Statement {
        static let sql: SQL<Self> = """
            with reader as materialized (
                select id from account where id = \(\.reader) and state <> 'deleted' for share
            ), board as materialized (
                select \(\.board)::bigint as id
                 union all
                select work.id from work where work.merged_into = \(\.board)
            ), recent as materialized (
                select thread.id, thread.posts, thread.last_post_id
                  from thread
                 where thread.board_id = \(\.board)
                   and thread.hidden_at is null
                   and thread.last_post_id > \(\.settled)
                 order by thread.last_post_id desc
                 limit \(Limits.boards.markedThreads)
            ), bound as materialized (
                select greatest(\(\.settled), case when count(*) = \(Limits.boards.markedThreads) then min(last_post_id) end) as id
                  from recent
            ), marked as (
                insert into board_read as mine (reader_id, board_id, upto_id, at)
                select reader.id, board.id, bound.id, \(\.at)
                  from reader
                 cross join board
                 cross join bound
                 order by board.id
                    on conflict (reader_id, board_id) do update
                   set upto_id = greatest(mine.upto_id, excluded.upto_id), marks = mine.marks + 1, at = excluded.at
            )
            insert into thread_reader as mine (reader_id, thread_id, read_number, at)
            select reader.id, recent.id, recent.posts, \(\.at)
              from reader
             cross join recent
             order by recent.id
                on conflict (reader_id, thread_id) do update
               set read_number = excluded.read_number, at = excluded.at
             where mine.read_number < excluded.read_number
            """
        let reader: ID<Accounts.Account>, board: Int64, settled: ID<Boards.Post>, at: Timestamp
    }
}
