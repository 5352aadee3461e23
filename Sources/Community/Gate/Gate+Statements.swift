import Postgres

// The gate in SQL. It is text and not SQL functions for the reason that `Visibility.predicate` is: Postgres does not
// inline functions that hold sub-selects.
extension Gate {
    /// SQL: how far `viewer` may be told of `work`, 0…10000; an `integer`. 0 where `work` is null.
    package static func level<S>(viewer: SQL<S>, work: SQL<S>) -> SQL<S> {
        """
        (case when exists (select 1 from gate_setting gate_of
                            where gate_of.reader_id = \(viewer) and gate_of.is_off)
                or exists (select 1 from reveal gate_work
                            where gate_work.reader_id = \(viewer) and gate_work.work_id = \(work)) then \(end)
              else coalesce((select \(shelved(gatesRereads: """
                                        exists (select 1 from gate_setting gate_of
                                                 where gate_of.reader_id = \(viewer) and gate_of.gates_rereads)
                                        """))
                               from shelf_entry gate_entry
                              where gate_entry.reader_id = \(viewer)
                                and gate_entry.work_id = \(work)), 0) end)
        """
    }

    /// SQL: how far the entry of a library in scope as `gate_entry` lets its reader be told, where `gatesRereads` says
    /// whether a book that is read again is gated; null where nothing was logged.
    static func shelved<S>(gatesRereads: SQL<S>) -> SQL<S> {
        """
        case when (gate_entry.times_read > 0 or gate_entry.status = 'read')
                                          and not (gate_entry.status in ('reading', 'paused')
                                                   and \(gatesRereads)) then \(end)
                                         else greatest(gate_entry.position, gate_entry.reached)::integer end
        """
    }

    /// SQL: whether `viewer` may see the post that is in scope as `post`, in the thread that is in scope as `thread`.
    ///
    /// **The** gate: every read, count, search, notification and push of a post or its thread's title has it in its
    /// `where`, or asks for it as a column and leaves out all but the placeholder where it does not hold. Never null.
    package static func opens<S>(viewer: SQL<S>) -> SQL<S> {
        opens(viewer: viewer, level: level(viewer: viewer, work: "thread.work_id"))
    }

    /// The same where how far the viewer may be told of the thread's work is known already: `level` is SQL for what the
    /// function of that name gives, computed once for many posts about one book.
    package static func opens<S>(viewer: SQL<S>, level known: SQL<S>) -> SQL<S> {
        """
        (post.scope = 0 and post.also_work_id is null
                or post.author_id = \(viewer)
                or (post.scope <= \(known)
                    and (post.also_work_id is null
                         or post.also_scope <= \(level(viewer: viewer, work: "post.also_work_id"))))
                or exists (select 1 from reveal gate_post
                            where gate_post.reader_id = \(viewer) and gate_post.post_id = post.id)
                or exists (select 1 from reveal gate_thread
                            where gate_thread.reader_id = \(viewer) and gate_thread.thread_id = thread.id))
        """
    }

    /// SQL: the scope of the post that is in scope as `post`, as it is told to a viewer, for whom `isOpen` is SQL:
    /// where it is shut to them and gives away a later book, too, all of its own. No position in that opens it by
    /// itself, and until its end its own scope may keep it shut. The same for all to whom it is shut, because
    /// placeholders on the stream are encoded once.
    static func told<S>(isOpen: SQL<S> = "false") -> SQL<S> {
        "case when \(isOpen) or post.also_work_id is null then post.scope else \(end) end::smallint"
    }

    /// SQL: whether inline spoilers in `post` (as in `opens`) are shown to `viewer`, once the post is open to them.
    package static func unveils<S>(viewer: SQL<S>) -> SQL<S> {
        unveils(viewer: viewer, level: level(viewer: viewer, work: "thread.work_id"))
    }

    /// The same with `level` as in `opens`.
    package static func unveils<S>(viewer: SQL<S>, level known: SQL<S>) -> SQL<S> {
        """
        (post.author_id = \(viewer)
                or \(known) = \(end)
                or exists (select 1 from reveal gate_post
                            where gate_post.reader_id = \(viewer) and gate_post.post_id = post.id))
        """
    }
}

// The gate of reviews in SQL.
extension Gate {
    /// SQL: whether `viewer` may see the review that is in scope as `review`: one that is not marked, their own, one of
    /// a book that they are through with, or one that they revealed. Null where there is no review.
    ///
    /// Stands wherever `opens` does for posts: in the `where`, or as a column without which nothing but the placeholder
    /// is given.
    package static func opensReview<S>(viewer: SQL<S>) -> SQL<S> {
        "(not review.spoilers or \(unveilsReview(viewer: viewer)))"
    }

    /// SQL: whether inline spoilers in the text of `review`, or in a reply to it, are shown to `viewer`.
    package static func unveilsReview<S>(viewer: SQL<S>) -> SQL<S> {
        """
        (review.reader_id = \(viewer)
                or \(level(viewer: viewer, work: "review.work_id")) = \(end)
                or exists (select 1 from reveal gate_review
                            where gate_review.reader_id = \(viewer) and gate_review.review_id = review.id))
        """
    }
}
