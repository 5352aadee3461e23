import Postgres

extension Boards {
    /// Takes the board of one work over to another, in the transaction that merges them: threads with all that hangs on
    /// them, who follows or mutes it, the counts, and what elsewhere gives the work away.
    package static let workMerge: [MergeStep<Catalog.Work>] = [
        lockThreads,
        // Posts hang on their threads. Where these were opened stays with them: who had marked the one board as read has
        // not read the other. Index `thread_of_work`.
        MergeStep(
            "move_threads",
            """
            update thread
               set work_id = \(\.into), home_id = case when group_id is null then nullif(coalesce(home_id, work_id), \(\.into)) end
             where work_id = \(\.from)
            """),
        // Posts of a book's board come to another's. Index `post_search_of_board`.
        MergeStep(
            "move_words",
            """
            update post_search
               set board_id = \(\.into),
                   words = ts_delete(words, '#' || \(\.from)::bigint) || ('''#' || \(\.into)::bigint || '''')::tsvector
             where board_id = \(\.from)
            """),
        // Of two boards' pinned threads those pinned last stay so, as many as one board may have.
        MergeStep(
            "unpin_beyond",
            """
            update thread
               set pinned_at = null, version = version + 1
             where id in (select pinned.id
                            from (select id, row_number() over (order by pinned_at desc, id desc) as place
                                    from thread
                                   where board_id = \(\.into)
                                     and pinned_at is not null
                                     and hidden_at is null) pinned
                           where pinned.place > \(Limits.boards.pins))
            """),
        // Posts that give the one work away, too. Index `post_also_of_work`.
        MergeStep("move_also", "update post set also_work_id = \(\.into) where also_work_id = \(\.from)"),
        // Adds up what stands on both boards.
        MergeStep(
            "join_scopes",
            """
            insert into board_scope (work_id, scope, posts)
            select \(\.into), scope, posts
              from board_scope
             where work_id = \(\.from)
             order by scope
                on conflict (work_id, scope) do update set posts = board_scope.posts + excluded.posts
            """),
        MergeStep("drop_scopes", "delete from board_scope where work_id = \(\.from)"),
        // Who follows or mutes both boards keeps what was said of the second.
        MergeStep(
            "drop_board_doubles",
            """
            delete from board_reader gone
             where gone.work_id = \(\.from)
               and exists (select 1 from board_reader own where own.reader_id = gone.reader_id and own.work_id = \(\.into))
            """),
        MergeStep(
            "move_board_moderators",
            """
            with gone as (delete from board_moderator where work_id = \(\.from) returning reader_id, since)
            insert into board_moderator (work_id, reader_id, since) select \(\.into), reader_id, since from gone on conflict do nothing
            """),
        MergeStep("move_board_readers", "update board_reader set work_id = \(\.into) where work_id = \(\.from)"),
    ]

    /// The threads of the one, and those of the other whose pins may go; in their order, as all lock that lock several. Writers in them have then committed,
    /// and find the other work afterwards.
    static let lockThreads = MergeStep<Catalog.Work>(
        "boards_lock_threads",
        """
        select from thread
         where work_id = \(\.from)
            or work_id = \(\.into) and pinned_at is not null
         order by id
           for no key update
        """)
}
