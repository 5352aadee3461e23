import Postgres

extension Boards.Statements {
    /// Where a chapter of the edition that the reader's entry names ends; null where that has no such chapter. No row
    /// without a chapter table.
    struct ChapterEnd: Statement {
        static let sql: SQL<Self> = """
            select case when chapter.number is not null then coalesce(next.position, \(Gate.end)) end::smallint
              from shelf_entry entry
              left join edition_chapter chapter on chapter.edition_id = entry.edition_id and chapter.number = \(\.chapter, as: Int32.self)
              left join edition_chapter next
                on next.edition_id = chapter.edition_id and next.number = chapter.number + 1
             where entry.reader_id = \(\.reader)
               and entry.work_id = \(\.work)
               and exists (select 1 from edition_chapter known where known.edition_id = entry.edition_id)
            """
        let reader: ID<Accounts.Account>, work: ID<Catalog.Work>, chapter: Int
        typealias Output = Gate.Scope?
    }

    /// A book that a post about another one names, or what it was merged into, and whether it is a later one of a
    /// series of that; what comes later is not known where a place has no number. Held, so that a merge waits or is
    /// waited for: a post that named what has been merged away would open to nobody.
    struct AlsoBook: Statement {
        static let sql: SQL<Self> = """
            with target as (
                \(Catalog.held("\(\.also)"))
            )
            select work.id,
                   exists (select 1
                             from work_series own
                             join work_series other on other.series_id = own.series_id and other.work_id = work.id
                            where own.work_id = \(\.work)
                              and own.work_id <> work.id
                              and coalesce(other.ordinal > own.ordinal, true)) as is_later
              from target
              join work on work.id = target.id
             where work.title is not null
               and work.withdrawn_at is null
            """
        let work: ID<Catalog.Work>, also: ID<Catalog.Work>

        static func decode(_ columns: inout Columns) throws -> (book: ID<Catalog.Work>, isLater: Bool) {
            (try columns("id"), try columns("is_later"))
        }
    }

    /// How many posts more or fewer stand at a scope on the board of a thread, whose row is locked: goes with the
    /// commit, as all who write on one board take turns at it. Two scopes in one transaction: the lower one first.
    struct CountScope: Statement {
        static let sql: SQL<Self> = """
            insert into board_scope as counted (work_id, scope, posts)
            select thread.work_id, \(\.scope), greatest(\(\.by)::integer, 0)
              from thread
             where thread.id = \(\.thread)
               and thread.group_id is null
            on conflict (work_id, scope) do update
               set posts = counted.posts + \(\.by)
            """
        let thread: ID<Boards.Thread>, scope: Gate.Scope, by: Int32
    }

    /// A reader who writes in a thread has read it so far, and follows it unless they mute it, or watch as many as one
    /// may.
    struct MarkWritten: Statement {
        static let sql: SQL<Self> = """
            insert into thread_reader as mine (reader_id, thread_id, read_number, watching, at)
            select \(\.reader), \(\.thread), \(\.number, as: Int32.self),
                   case when exists (select 1
                                       from thread_reader known
                                      where known.reader_id = \(\.reader)
                                        and known.thread_id = \(\.thread)
                                        and known.watching is not null)
                        then 'followed'
                        when (select count(*)
                                from (select 1
                                        from thread_reader watched
                                       where watched.reader_id = \(\.reader)
                                         and watched.watching is not null
                                       limit \(Limits.boards.watchedThreads)) counted)
                             < \(Limits.boards.watchedThreads) then 'followed' end, \(\.at)
            on conflict (reader_id, thread_id) do update
               set read_number = greatest(mine.read_number, excluded.read_number),
                   watching = coalesce(mine.watching, excluded.watching),
                   at = excluded.at
            """
        let reader: ID<Accounts.Account>, thread: ID<Boards.Thread>, number: Int, at: Timestamp
    }
}
