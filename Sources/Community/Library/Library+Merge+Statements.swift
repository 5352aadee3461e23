import Postgres

extension Library.Statements {
    /// Entries of readers who have both works: the one that stays, the one that goes, and the one whose status is given
    /// up.
    private static func doubles<S>(_ from: SQL<S>, _ into: SQL<S>) -> SQL<S> {
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

    /// In the order of their ids, as everybody who locks several accounts.
    struct LockReadersOf: Statement {
        static let sql: SQL<Self> = """
            select id
              from account
             where id in (select reader_id from shelf_entry where work_id = any(\(\.works)))
             order by id
               for no key update
            """
        let works: [ID<Catalog.Work>]
    }

    struct ReadersOfBoth: Statement {
        static let sql: SQL<Self> = "with \(doubles("\(\.from)", "\(\.into)")) select reader_id from doubles"
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
        typealias Output = ID<Accounts.Account>
    }

    /// An open reading without dates beside another status says nothing.
    struct DropOpenDoubles: Statement {
        static let sql: SQL<Self> = """
            with \(doubles("\(\.from)", "\(\.into)"))
            delete from reading
             using doubles
             where reading.entry_id = doubles.loser
               and reading.outcome = 'open'
               and reading.started is null
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    struct StopOpenDoubles: Statement {
        static let sql: SQL<Self> = """
            with \(doubles("\(\.from)", "\(\.into)"))
            update reading
               set outcome = 'stopped'
              from doubles
             where reading.entry_id = doubles.loser
               and reading.outcome = 'open'
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    /// One act of a kind stands for an entry: that of the one that stays.
    struct UndoDoubleActs: Statement {
        static let sql: SQL<Self> = """
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
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>, at: Timestamp
    }

    struct MoveActs: Statement {
        static let sql: SQL<Self> = """
            with \(doubles("\(\.from)", "\(\.into)"))
            update activity
               set subject = doubles.kept
              from doubles
             where activity.subject = doubles.gone
               and activity.undone_at is null
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    struct JoinEntries: Statement {
        static let sql: SQL<Self> = """
            with \(doubles("\(\.from)", "\(\.into)")), joined as (
                select doubles.kept, gone.edition_id, gone.status, gone.moved_at, gone.note, gone.times_read,
                       gone.position, gone.page, gone.pages, gone.position_at, gone.position_device, gone.position_version,
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
                   page = case when joined.is_further then joined.page else shelf_entry.page end,
                   pages = coalesce(shelf_entry.pages, joined.pages),
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
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    struct MoveReadings: Statement {
        static let sql: SQL<Self> = """
            with \(doubles("\(\.from)", "\(\.into)"))
            update reading set entry_id = doubles.kept from doubles where reading.entry_id = doubles.gone
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    struct MoveJournals: Statement {
        static let sql: SQL<Self> = """
            with \(doubles("\(\.from)", "\(\.into)"))
            update progress set entry_id = doubles.kept from doubles where progress.entry_id = doubles.gone
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    struct DropDoubles: Statement {
        static let sql: SQL<Self> = """
            with \(doubles("\(\.from)", "\(\.into)"))
            delete from shelf_entry using doubles where shelf_entry.id = doubles.gone
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    struct DropTallies: Statement {
        static let sql: SQL<Self> = "delete from shelf_tally where reader_id = any(\(\.readers))"
        let readers: [ID<Accounts.Account>]
    }

    struct MakeTallies: Statement {
        static let sql: SQL<Self> = """
            insert into shelf_tally (reader_id, shelf, level, n)
            select reader_id, shelf, coalesce(visibility, -1), count(*)
              from shelf_entry
             cross join lateral (values ('all'), (status),
                                        (case when times_read > 0 and status <> 'read' then 'read' end)) stands (shelf)
             where reader_id = any(\(\.readers))
               and shelf is not null
             group by reader_id, shelf, coalesce(visibility, -1)
            """
        let readers: [ID<Accounts.Account>]
    }

    struct MoveEntries: Statement {
        static let sql: SQL<Self> = """
            update shelf_entry set work_id = \(\.into), version = version + 1 where work_id = \(\.from)
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    /// The ratings that sort the entries of a work, from the reviews. Both are put together by their readers instead of
    /// joined: they have just been moved, and for the few that the planner knows of it would look at all reviews for
    /// each entry.
    struct RateAnew: Statement {
        static let sql: SQL<Self> = """
            update shelf_entry
               set rating = given.rating,
                   rating_level = given.level
              from (select max(said.entry_id) as id, max(said.rating) as rating, max(said.level) as level
                      from (select reader_id, id as entry_id, null::smallint as rating, null::smallint as level
                              from shelf_entry
                             where work_id = \(\.work)
                             union all
                            select reader_id, null, rating, case when rating is not null then visibility end
                              from review
                             where work_id = \(\.work)) said
                     group by said.reader_id
                    having max(said.entry_id) is not null) given
             where shelf_entry.id = given.id
               and (shelf_entry.rating, shelf_entry.rating_level) is distinct from (given.rating, given.level)
            """
        let work: ID<Catalog.Work>
    }

    struct DropShare: Statement {
        static let sql: SQL<Self> = "delete from work_shelf where work_id = \(\.work)"
        let work: ID<Catalog.Work>
    }

    /// The counters of one work from its counted entries.
    struct MakeShare: Statement {
        static let sql: SQL<Self> = """
            insert into work_shelf (work_id, want, reading, read)
            select \(\.work), count(*) filter (where status = 'want'), count(*) filter (where status in ('reading', 'paused')),
                   count(*) filter (where times_read > 0)
              from shelf_entry
             where work_id = \(\.work)
               and counted
                on conflict (work_id) do update
               set want = excluded.want, reading = excluded.reading, read = excluded.read
            """
        let work: ID<Catalog.Work>
    }

    /// From lists that hold both works.
    struct TakeOffDoubles: Statement {
        static let sql: SQL<Self> = """
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
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    struct MoveItems: Statement {
        static let sql: SQL<Self> = "update book_list_item set work_id = \(\.into) where work_id = \(\.from)"
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>
    }

    /// Served by the index `shelf_entry_of_edition`.
    struct MoveEdition: Statement {
        static let sql: SQL<Self> = """
            update shelf_entry set edition_id = \(\.into), version = version + 1 where edition_id = \(\.from)
            """
        let from: ID<Catalog.Edition>, into: ID<Catalog.Edition>
    }
}
