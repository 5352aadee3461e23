-- What was posted before 0038. In a file of its own: while it looks through the acts of each author, others are written.

insert into filling_review (at, id, reader_id)
select newest.at, newest.id, author.id
  from account author
 cross join lateral (
       select act.at, act.id
         from (select activity.at, activity.id, activity.subject
                 from activity
                where activity.reader_id = author.id
                  and activity.kind = 'review.posted'
                  and activity.undone_at is null
                order by activity.at desc, activity.id desc
                limit 1000) act
         join review on review.id = act.subject
        where review.visibility = 3
          and review.body is not null
        order by act.at desc, act.id desc
        limit 3) newest
    on conflict do nothing;
