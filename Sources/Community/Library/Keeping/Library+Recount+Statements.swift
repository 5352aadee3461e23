import Postgres

extension Library {
    /// What `commonplace check` looks at.
    package static let recounts: [Recount] = [
        Recount(
            "works", "The readers who have a work on a shelf are those whose entries are counted.",
            """
            select 'book ' || coalesce(work_shelf.work_id, counted.work_id) || ': stored '
                   || coalesce(row(work_shelf.want, work_shelf.reading, work_shelf.read)::text, 'nothing') || ', counted '
                   || coalesce(row(counted.want, counted.reading, counted.read)::text, 'nothing')
              from work_shelf
              full join (select work_id, count(*) filter (where status = 'want') as want,
                                count(*) filter (where status in ('reading', 'paused')) as reading,
                                count(*) filter (where times_read > 0) as read
                           from shelf_entry
                          where counted
                          group by work_id) counted
                on counted.work_id = work_shelf.work_id
             where (coalesce(work_shelf.want, 0), coalesce(work_shelf.reading, 0), coalesce(work_shelf.read, 0))
                   <> (coalesce(counted.want, 0), coalesce(counted.reading, 0), coalesce(counted.read, 0))
            """),
        Recount(
            "tallies", "The books on each shelf of a reader are as many as its tally says.",
            """
            with counted as (
                select reader_id, shelf, coalesce(visibility, -1)::smallint as level, count(*)::integer as n
                  from shelf_entry
                 cross join lateral (values ('all'), (status),
                                            (case when times_read > 0 and status <> 'read' then 'read' end)) stands (shelf)
                 where shelf is not null
                 group by 1, 2, 3
            )
            select 'reader ' || coalesce(shelf_tally.reader_id, counted.reader_id) || ', shelf '
                   || coalesce(shelf_tally.shelf, counted.shelf) || ', level ' || coalesce(shelf_tally.level, counted.level)
                   || ': stored ' || coalesce(shelf_tally.n, 0) || ', counted ' || coalesce(counted.n, 0)
              from shelf_tally
              full join counted on counted.reader_id = shelf_tally.reader_id
                               and counted.shelf = shelf_tally.shelf
                               and counted.level = shelf_tally.level
             where coalesce(shelf_tally.n, 0) <> coalesce(counted.n, 0)
            """),
        Recount(
            "times_read",
            "A book was read as often as it has finished readings; it has an open one while it is read or paused.",
            """
            select 'entry ' || shelf_entry.id || ' (' || shelf_entry.status || '): stored ' || shelf_entry.times_read
                   || ', finished ' || coalesce(counted.finished, 0) || ', open ' || coalesce(counted.open, 0)
              from shelf_entry
              left join (select entry_id, count(*) filter (where outcome = 'finished') as finished,
                                count(*) filter (where outcome = 'open') as open
                           from reading
                          group by entry_id) counted
                on counted.entry_id = shelf_entry.id
             where shelf_entry.times_read <> coalesce(counted.finished, 0)
                or coalesce(counted.open, 0) <> (shelf_entry.status in ('reading', 'paused'))::int
            """),
        Recount(
            "lists", "A list has as many books as it says.",
            """
            select 'list ' || book_list.id || ': stored ' || book_list.books || ', counted ' || coalesce(counted.books, 0)
              from book_list
              left join (select list_id, count(*) as books from book_list_item group by list_id) counted
                on counted.list_id = book_list.id
             where book_list.books <> coalesce(counted.books, 0)
            """),
        Recount(
            "ratings", "The rating that sorts a shelved book is that of its reader's review.",
            """
            select 'entry ' || shelf_entry.id || ': stored '
                   || coalesce(row(shelf_entry.rating, shelf_entry.rating_level)::text, 'nothing')
                   || ', given ' || coalesce(row(review.rating, review.visibility)::text, 'nothing')
              from shelf_entry
              left join review on review.reader_id = shelf_entry.reader_id
                              and review.work_id = shelf_entry.work_id
                              and review.rating is not null
             where row(shelf_entry.rating, shelf_entry.rating_level) is distinct from row(review.rating, review.visibility)
            """),
        Recount(
            "hidden", "What only its reader or friends may see is not counted.",
            """
            select 'entry ' || shelf_entry.id || ' is counted'
              from shelf_entry
              left join privacy on privacy.reader_id = shelf_entry.reader_id
             where shelf_entry.counted
               and coalesce(shelf_entry.visibility, privacy.shelves, 2) < 2
            """),
        Recount(
            "acts", "Every act of shelving that stands has its entry, once a kind, and the same reader and work.",
            """
            select 'entry ' || coalesce(activity.subject, 0) || ' has ' || count(*) || ' acts ' || activity.kind
              from activity
              left join shelf_entry on shelf_entry.id = activity.subject
                                   and shelf_entry.reader_id = activity.reader_id
                                   and shelf_entry.work_id = activity.work_id
             where activity.undone_at is null
               and activity.kind like 'shelf.%'
             group by activity.subject, activity.kind
            having count(*) > 1 or count(shelf_entry.id) = 0
            """),
    ]
}
