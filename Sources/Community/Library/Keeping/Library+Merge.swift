import Postgres

extension Library {
    package static let workMerge = doublesMerge + entriesMerge

    /// Takes one work's place in every library and on every list over to another, in the transaction that merges them;
    /// the reviews have gone before, because shelves copy their ratings.
    ///
    /// Who has both keeps one entry, the one of `target`: the status that was chosen last, all finished and stopped
    /// readings, the narrower level. The counters are made anew.
    package static func worksMerge(
        _ merge: Merge<Catalog.Work>, of services: Services, in transaction: Transaction
    ) async throws {
        let (from, target) = (merge.from, merge.into)
        try await transaction.run(Statements.LockReadersOf(works: [from, target]))
        try await Gate.Store(services).foresee(from, into: target, in: transaction)
        let both = try await transaction.all(Statements.ReadersOfBoth(merge: merge))
        if !both.isEmpty {
            try await merge.run(doublesMerge, of: Self.self, in: transaction)
            try await transaction.run(Statements.DropTallies(readers: both))
            try await transaction.run(Statements.MakeTallies(readers: both))
        }
        try await merge.run(entriesMerge, of: Self.self, in: transaction)
        if let book = try await transaction.first(Statements.SortKeys(work: target)) {
            try await transaction.run(Statements.SortAnew(book: book))
        }
    }

    private static let doublesMerge: [MergeStep<Catalog.Work>] = [
        // An open reading without dates beside another status says nothing.
        MergeStep(
            "drop_open_doubles",
            """
            with \(doubles("\(\.from)", "\(\.into)"))
            delete from reading
             using doubles
             where reading.entry_id = doubles.loser
               and reading.outcome = 'open'
               and reading.started is null
            """),
        MergeStep(
            "stop_open_doubles",
            """
            with \(doubles("\(\.from)", "\(\.into)"))
            update reading
               set outcome = 'stopped',
                   ended_at = \(\.at)
              from doubles
             where reading.entry_id = doubles.loser
               and reading.outcome = 'open'
            """),
        // One act of a kind stands for an entry: that of the one that stays.
        MergeStep(
            "undo_double_acts",
            """
            with \(doubles("\(\.from)", "\(\.into)"))
            update activity
               set undone_at = \(\.at)
              from doubles
             where activity.subject = doubles.gone
               and activity.undone_at is null
               and exists (select 1 from activity own
                            where own.subject = doubles.kept
                              and own.kind = activity.kind
                              and own.undone_at is null)
            """),
        MergeStep(
            "move_acts",
            """
            with \(doubles("\(\.from)", "\(\.into)"))
            update activity
               set subject = doubles.kept
              from doubles
             where activity.subject = doubles.gone
               and activity.undone_at is null
            """),
        MergeStep(
            "join_entries",
            """
            with \(doubles("\(\.from)", "\(\.into)")), joined as (
                select doubles.kept, gone.edition_id, gone.status, gone.moved_at, gone.note, gone.times_read,
                       gone.position, gone.page, gone.pages, gone.position_at, gone.position_device, gone.position_version,
                       gone.reached, gone.ebook_id, gone.ebook_chapter, gone.ebook_start,
                       -- As journals end: with the highest id, which a clock that steps parts from the time.
                       coalesce(gone.position_at <> kept.position_at
                                and (select max(id) from progress where entry_id = gone.id)
                                    > (select max(id) from progress where entry_id = kept.id),
                                kept.position_at is null) as is_further,
                       gone.added_at, gone.counted, doubles.loser = doubles.kept as is_newer,
                       case when kept.visibility is not null or gone.visibility is not null
                            then least(coalesce(kept.visibility, usual), coalesce(gone.visibility, usual)) end as visibility,
                       least(coalesce(kept.visibility, usual), coalesce(gone.visibility, usual)) as level
                  from doubles
                  join shelf_entry kept on kept.id = doubles.kept
                  join shelf_entry gone on gone.id = doubles.gone
                 cross join lateral (select coalesce((select privacy.shelves from privacy
                                                       where privacy.reader_id = doubles.reader_id), 2)::smallint
                                         as usual) setting
            )
            update shelf_entry
               set status = case when joined.is_newer then joined.status else shelf_entry.status end,
                   moved_at = greatest(shelf_entry.moved_at, joined.moved_at),
                   edition_id = coalesce(shelf_entry.edition_id, joined.edition_id),
                   visibility = joined.visibility,
                   note = coalesce(shelf_entry.note, joined.note),
                   position = case when joined.is_further then coalesce(joined.position, shelf_entry.position)
                                   else shelf_entry.position end,
                   reached = case when joined.is_further then joined.reached else shelf_entry.reached end,
                   page = case when joined.is_further then joined.page else shelf_entry.page end,
                   pages = coalesce(shelf_entry.pages, joined.pages),
                   ebook_id = case when joined.is_further then joined.ebook_id else shelf_entry.ebook_id end,
                   ebook_chapter = case when joined.is_further then joined.ebook_chapter else shelf_entry.ebook_chapter end,
                   ebook_start = case when joined.is_further then joined.ebook_start else shelf_entry.ebook_start end,
                   position_at = greatest(shelf_entry.position_at, joined.position_at),
                   position_device = case when joined.is_further then joined.position_device
                                          else shelf_entry.position_device end,
                   position_version = shelf_entry.position_version + joined.position_version,
                   times_read = shelf_entry.times_read + joined.times_read,
                   added_at = least(shelf_entry.added_at, joined.added_at),
                   counted = (shelf_entry.counted or joined.counted) and joined.level >= 2,
                   version = shelf_entry.version + 1
              from joined
             where shelf_entry.id = joined.kept
            """),
        MergeStep(
            "move_readings",
            """
            with \(doubles("\(\.from)", "\(\.into)"))
            update reading set entry_id = doubles.kept from doubles where reading.entry_id = doubles.gone
            """),
        MergeStep(
            "move_journals",
            """
            with \(doubles("\(\.from)", "\(\.into)"))
            update progress set entry_id = doubles.kept from doubles where progress.entry_id = doubles.gone
            """),
        MergeStep(
            "drop_doubles",
            """
            with \(doubles("\(\.from)", "\(\.into)"))
            delete from shelf_entry using doubles where shelf_entry.id = doubles.gone
            """),
    ]

    private static let entriesMerge: [MergeStep<Catalog.Work>] = [
        MergeStep(
            "move_entries",
            """
            update shelf_entry set work_id = \(\.into), version = version + 1 where work_id = \(\.from)
            """),
        // The ratings that sort the entries of a work, from the reviews. Both are put together by their readers instead of
        // joined: they have just been moved, and for the few that the planner knows of it would look at all reviews for
        // each entry.
        MergeStep(
            "rate_anew",
            """
            update shelf_entry
               set rating = given.rating,
                   rating_level = given.level
              from (select max(said.entry_id) as id, max(said.rating) as rating, max(said.level) as level
                      from (select reader_id, id as entry_id, null::smallint as rating, null::smallint as level
                              from shelf_entry
                             where work_id = \(\.into)
                             union all
                            select reader_id, null, rating, case when rating is not null then visibility end
                              from review
                             where work_id = \(\.into)) said
                     group by said.reader_id
                    having max(said.entry_id) is not null) given
             where shelf_entry.id = given.id
               and (shelf_entry.rating, shelf_entry.rating_level) is distinct from (given.rating, given.level)
            """),
        MergeStep("drop_share", "delete from work_shelf where work_id = \(\.from)"),
        // The counters of one work from its counted entries.
        MergeStep(
            "make_share",
            """
            insert into work_shelf (work_id, want, reading, read)
            select \(\.into), count(*) filter (where status = 'want'), count(*) filter (where status in ('reading', 'paused')),
                   count(*) filter (where times_read > 0)
              from shelf_entry
             where work_id = \(\.into)
               and counted
                on conflict (work_id) do update
               set want = excluded.want, reading = excluded.reading, read = excluded.read
            """),
        // From lists that hold both works.
        MergeStep(
            "take_off_doubles",
            """
            with gone as (
                delete from book_list_item item
                 where item.work_id = \(\.from)
                   and exists (select 1 from book_list_item own where own.list_id = item.list_id and own.work_id = \(\.into))
                returning item.list_id
            )
            update book_list
               set books = books - 1,
                   version = version + 1
             where id in (select list_id from gone)
            """),
        MergeStep("move_items", "update book_list_item set work_id = \(\.into) where work_id = \(\.from)"),
    ]

    package static let editionMerge: [MergeStep<Catalog.Edition>] = [
        // Served by the index `shelf_entry_of_edition`.
        MergeStep(
            "move_edition",
            """
            update shelf_entry set edition_id = \(\.into), version = version + 1 where edition_id = \(\.from)
            """)
    ]

    /// Entries of readers who have both works: the one that stays, the one that goes, and the one whose status is given
    /// up.
    fileprivate static func doubles<S>(_ from: SQL<S>, _ into: SQL<S>) -> SQL<S> {
        """
        doubles as (
            select kept.id as kept, gone.id as gone, kept.reader_id,
                   case when gone.moved_at > kept.moved_at then kept.id else gone.id end as loser
              from shelf_entry kept
              join shelf_entry gone on gone.reader_id = kept.reader_id and gone.work_id = \(from)
             where kept.work_id = \(into)
        )
        """
    }
}

extension Library.Statements {
    struct ReadersOfBoth: Statement {
        static let sql: SQL<Self> =
            "with \(Library.doubles("\(\.merge.from)", "\(\.merge.into)")) select reader_id from doubles"
        let merge: Merge<Catalog.Work>
        typealias Output = ID<Accounts.Account>
    }
}
