import Postgres

extension Boards {
    static let markStatements: [any Statement.Type] =
        [
            Statements.ThreadScene.self, Statements.MarkRead.self, Statements.MarkUnread.self,
            Statements.MarkBoard.self, Statements.WatchThread.self, Statements.UnwatchThread.self,
            Statements.CountWatchedThreads.self,
            Statements.HoldBoard.self, Statements.WatchBoard.self, Statements.UnwatchBoard.self,
            Statements.CountWatchedBoards.self, Statements.FollowedThreads<Onward>.self,
            Statements.FollowedThreads<Back>.self, Statements.WatchGroupBoard.self, Statements.UnwatchGroupBoard.self,
        ] + reactionStatements + moderationStatements + forgetStatements + mergeStatements
}

extension Boards.Statements {
    /// How many posts a thread that the reader may know of has had; the account is held against its end. No row where there is none.
    struct ThreadScene: Statement {
        static let name = "boards.thread_scene"
        static let sql = """
            with reader as (select id from account where id = $1 and state <> 'deleted' for share)
            select thread.posts
              from reader
              join thread on thread.id = $2
             where \(threadIsSeen)
            """
        let reader: ID<Accounts.Account>
        let thread: ID<Boards.Thread>
        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(thread)
        }
        static func decode(_ row: borrowing Row) throws -> Int32 { try row[0] }
    }

    // MARK: How far read

    /// Affects no row where as much or more was read before.
    struct MarkRead: Statement {
        static let name = "boards.mark_read"
        static let sql = """
            insert into thread_reader (reader_id, thread_id, read_number, at) values ($1, $2, $3, $4)
                on conflict (reader_id, thread_id) do update
               set read_number = excluded.read_number, at = excluded.at
             where thread_reader.read_number < excluded.read_number
            """
        let reader: ID<Accounts.Account>
        let thread: ID<Boards.Thread>
        let number: Int
        let at: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(thread)
            parameters.append(number)
            parameters.append(at)
        }
    }

    /// Marks of the board until now hold for the thread no more. Affects no row where neither was ever marked.
    struct MarkUnread: Statement {
        static let name = "boards.mark_unread"
        static let sql = """
            with reader as (select id from account where id = $1 and state <> 'deleted' for share)
            insert into thread_reader as mine (reader_id, thread_id, unmarked, at)
            select reader.id, thread.id, mark.marks, $3
              from reader
              join thread on thread.id = $2
              left join board_read mark
                on mark.reader_id = $1
               and mark.board_id = coalesce(thread.home_id, thread.board_id)
             where (mark.upto_id >= thread.id
                    or exists (select 1 from thread_reader own where own.reader_id = $1 and own.thread_id = thread.id))
                on conflict (reader_id, thread_id) do update
               set read_number = 0, unmarked = excluded.unmarked, at = excluded.at
             where mine.read_number > 0
                or mine.unmarked is distinct from excluded.unmarked
            """
        let reader: ID<Accounts.Account>
        let thread: ID<Boards.Thread>
        let at: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(thread)
            parameters.append(at)
        }
    }

    // MARK: Following and muting threads

    /// Affects no row where it is so already.
    struct WatchThread: Statement {
        static let name = "boards.watch_thread"
        static let sql = """
            insert into thread_reader (reader_id, thread_id, watching, at) values ($1, $2, $3, $4)
                on conflict (reader_id, thread_id) do update
               set watching = excluded.watching, at = excluded.at
             where thread_reader.watching is distinct from excluded.watching
            """
        let reader: ID<Accounts.Account>
        let thread: ID<Boards.Thread>
        let watching: Boards.Watching
        let at: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(thread)
            parameters.append(watching)
            parameters.append(at)
        }
    }

    struct UnwatchThread: Statement {
        static let name = "boards.unwatch_thread"
        static let sql = """
            update thread_reader
               set watching = null, at = $4
             where reader_id = $1
               and thread_id = $2
               and watching = $3
            """
        let reader: ID<Accounts.Account>
        let thread: ID<Boards.Thread>
        let watching: Boards.Watching
        let at: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(thread)
            parameters.append(watching)
            parameters.append(at)
        }
    }

    /// Threads that a reader follows or mutes, at most `limit`; index `thread_reader_watched`.
    struct CountWatchedThreads: Statement {
        static let name = "boards.count_watched_threads"
        static let sql = """
            select count(*)
              from (select 1 from thread_reader where reader_id = $1 and watching is not null limit $2) watched
            """
        let reader: ID<Accounts.Account>
        let limit: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(limit)
        }
        static func decode(_ row: borrowing Row) throws -> Int { try row[0] }
    }

    // MARK: Following and muting boards

    /// The work of a book's board, or what it was merged into, held against being merged, and the account against its end. No row where
    /// there is none. After `Library.Statements.HoldWork`, which has waited for a merge that had begun.
    struct HoldBoard: Statement {
        static let name = "boards.hold_board"
        static let sql = """
            with reader as (select id from account where id = $1 and state <> 'deleted' for share)
            select board.id
              from reader
              join work named on named.id = $2
              join work board on board.id = coalesce(named.merged_into, named.id)
                             and board.title is not null
                             and board.withdrawn_at is null
               for share of board
            """
        let reader: ID<Accounts.Account>
        let work: ID<Catalog.Work>
        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(work)
        }
        static func decode(_ row: borrowing Row) throws -> ID<Catalog.Work> { try row[0] }
    }

    /// Affects no row where it is so already.
    struct WatchBoard: Statement {
        static let name = "boards.watch_board"
        static let sql = """
            insert into board_reader (reader_id, work_id, watching, at) values ($1, $2, $3, $4)
                on conflict (reader_id, work_id) do update
               set watching = excluded.watching, at = excluded.at
             where board_reader.watching <> excluded.watching
            """
        let reader: ID<Accounts.Account>
        let work: ID<Catalog.Work>
        let watching: Boards.Watching
        let at: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(work)
            parameters.append(watching)
            parameters.append(at)
        }
    }

    struct UnwatchBoard: Statement {
        static let name = "boards.unwatch_board"
        static let sql = """
            delete from board_reader
             where reader_id = $1
               and work_id = (select coalesce(merged_into, id) from work where id = $2)
               and watching = $3
            """
        let reader: ID<Accounts.Account>
        let work: ID<Catalog.Work>
        let watching: Boards.Watching
        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(work)
            parameters.append(watching)
        }
    }

    /// Affects no row where it is so already, and for whoever is no member. With the membership it ends.
    struct WatchGroupBoard: Statement {
        static let name = "boards.watch_group_board"
        static let sql = """
            update group_member
               set watching = $3
             where group_id = $2
               and reader_id = $1
               and watching is distinct from $3
            """
        let reader: ID<Accounts.Account>
        let group: ID<Groups.Group>
        let watching: Boards.Watching
        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(group)
            parameters.append(watching)
        }
    }

    /// Ends that a member follows, or mutes, a group's board, where it is so; whoever is no member has nothing to end.
    struct UnwatchGroupBoard: Statement {
        static let name = "boards.unwatch_group_board"
        static let sql = """
            update group_member
               set watching = null
             where group_id = $2
               and reader_id = $1
               and watching = $3
            """
        let reader: ID<Accounts.Account>
        let group: ID<Groups.Group>
        let watching: Boards.Watching
        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(group)
            parameters.append(watching)
        }
    }

    /// Boards of books that a reader follows or mutes, at most `limit`.
    struct CountWatchedBoards: Statement {
        static let name = "boards.count_watched_boards"
        static let sql = "select count(*) from (select 1 from board_reader where reader_id = $1 limit $2) watched"
        let reader: ID<Accounts.Account>
        let limit: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(limit)
        }
        static func decode(_ row: borrowing Row) throws -> Int { try row[0] }
    }
}
