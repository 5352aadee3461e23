import Postgres

extension Feed {
    /// What `commonplace check` looks at.
    package static let recounts: [Recount] = [
        Recount(
            "orphans", "Every act that stands has its review, and the same reader and work.",
            """
            select 'act ' || activity.id || ' (' || activity.kind || ') has no such review'
              from activity
              left join review on review.id = activity.subject
                              and review.reader_id = activity.reader_id
                              and review.work_id = activity.work_id
             where activity.undone_at is null
               and activity.kind in ('book.rated', 'review.posted')
               and review.id is null
            """),
        Recount(
            "repeats", "A review stands in the feed at most once a kind of act.",
            """
            select 'review ' || subject || ' has ' || count(*) || ' acts ' || kind
              from activity
             where undone_at is null
               and kind in ('book.rated', 'review.posted')
             group by subject, kind
            having count(*) > 1
            """),
        Recount(
            "silent", "Every review of the last year has an act; one with a text, that of posting it.",
            """
            select 'review ' || review.id || ' has no act'
              from review
             where coalesce(review.edited_at, review.created_at) > now() - interval '365 days'
               and not exists (select 1 from activity
                                where activity.subject = review.id
                                  and activity.undone_at is null
                                  and (review.body is null or activity.kind = 'review.posted'
                                       or review.created_at < now() - interval '365 days'))
            """),
        Recount(
            "last_acts", "No act that stands is later than the last of its reader.",
            """
            select 'reader ' || last.reader_id || ' did something after ' || last.at
              from reader_last_act last
             where exists (select 1
                             from activity
                            where activity.reader_id = last.reader_id
                              and activity.undone_at is null
                              and activity.at > last.at)
            """),
        Recount(
            "filling", "The newest public reviews of each author fill feeds, and nothing else.",
            """
            (select 'act ' || filling.id || ' fills feeds and is of no public review'
               from filling_review filling
               left join activity act on act.at = filling.at and act.id = filling.id and act.undone_at is null
               left join review on review.id = act.subject and \(fills)
              where filling.at > now() - interval '365 days'
                and review.id is null
              limit 1000)
             union all
            (select 'act ' || newest.id || ' of a public review does not fill feeds'
               from account author
              cross join lateral (
                    select act.at, act.id
                      from (select activity.at, activity.id, activity.subject
                              from activity
                             where activity.reader_id = author.id
                               and activity.kind = 'review.posted'
                               and activity.undone_at is null
                             order by activity.at desc, activity.id desc
                             limit \(Limits.feed.refilledFrom)) act
                      join review on review.id = act.subject
                     where \(fills)
                     order by act.at desc, act.id desc
                     limit \(Limits.feed.ofEachAuthor)) newest
              where newest.at > now() - interval '365 days'
                and not exists (select 1 from filling_review filling
                                 where filling.at = newest.at and filling.id = newest.id)
              limit 1000)
            """),
    ]

    private static let fills: Fragment =
        "review.visibility = \(Visibility.public.rawValue) and review.body is not null"
}
