-- Which of the server's reviews fill feeds that hold little: of each author the newest few that are public and have a text. Kept by the
-- database, whatever writes acts and reviews: so a page reads nothing but what may stand in it, however much somebody writes. Written by
-- Community/Feed.

create table filling_review (
    at        timestamptz not null,
    id        bigint      not null,
    reader_id bigint      not null constraint filling_review_reader_fkey references account (id),
    constraint filling_review_pkey primary key (at, id)
);

comment on table filling_review is 'The acts of posting the newest three public reviews with a text of each author: they fill feeds that hold little.';
comment on column filling_review.at is 'When the act was done (activity.at).';
comment on column filling_review.id is 'The act (activity.id).';
comment on column filling_review.reader_id is 'Whose review it is.';

create index filling_review_of_reader on filling_review (reader_id, at desc, id desc);
comment on index filling_review_of_reader is 'Those of one author, newest first: which of them are the newest three.';

create function trim_filling_reviews(readers bigint[]) returns void language plpgsql as $$
begin
    delete from filling_review
     where (at, id) in (select ranked.at, ranked.id
                          from (select filling.at, filling.id,
                                       row_number() over (partition by filling.reader_id
                                                          order by filling.at desc, filling.id desc) as place
                                  from filling_review filling
                                 where filling.reader_id = any (readers)) ranked
                         where ranked.place > 3);
end $$;

comment on function trim_filling_reviews is 'Leaves of filling_review the newest three of each of some readers.';

-- Of the newest thousand texts of each: somebody who takes public ones back, and has kept a thousand later ones to themselves, waits for
-- no more than that, and those that were there before stay.
create function refill_reviews(readers bigint[]) returns void language plpgsql as $$
begin
    delete from filling_review filling
     where filling.reader_id = any (readers)
       and not exists (select 1
                         from activity act
                         join review on review.id = act.subject
                        where act.at = filling.at
                          and act.id = filling.id
                          and act.undone_at is null
                          and review.visibility = 3
                          and review.body is not null);
    insert into filling_review (at, id, reader_id)
    select newest.at, newest.id, author.id
      from unnest(readers) author (id)
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
     order by author.id, newest.at, newest.id
        on conflict do nothing;
    perform trim_filling_reviews(readers);
end $$;

comment on function refill_reviews is 'Makes filling_review anew for some readers, from what they have posted.';

create function review_was_posted() returns trigger language plpgsql as $$
begin
    insert into filling_review (at, id, reader_id)
    select acts.at, acts.id, acts.reader_id
      from acts
      join review on review.id = acts.subject
     where acts.kind = 'review.posted'
       and acts.undone_at is null
       and review.visibility = 3
       and review.body is not null
     order by acts.reader_id, acts.at, acts.id
        on conflict do nothing;
    if found then
        perform trim_filling_reviews(array(select distinct acts.reader_id from acts where acts.kind = 'review.posted'));
    end if;
    return null;
end $$;

comment on function review_was_posted is 'Keeps filling_review: a public review with a text was posted.';

create trigger review_posted
    after insert on activity
    referencing new table as acts
    for each statement execute function review_was_posted();

comment on trigger review_posted on activity is 'Keeps filling_review.';

-- Each row of the one stands in the other too: no join, which would be planned for one row and done for thousands.
create function review_was_changed() returns trigger language plpgsql as $$
declare
    readers bigint[];
begin
    select array_agg(distinct changed.reader_id) into readers
      from (select both_of.reader_id
              from (select id, reader_id, visibility = 3 and body is not null as fills from was
                     union all
                    select id, reader_id, visibility = 3 and body is not null from became) both_of
             group by both_of.id, both_of.reader_id
            having bool_or(both_of.fills) and not bool_and(both_of.fills)) changed;
    if readers is not null then
        perform refill_reviews(readers);
    end if;
    return null;
end $$;

comment on function review_was_changed is 'Keeps filling_review: a review became public, or is so no longer, or has no text any more.';

create trigger review_changed
    after update on review
    referencing old table as was new table as became
    for each statement execute function review_was_changed();

comment on trigger review_changed on review is 'Keeps filling_review.';

create function review_was_removed() returns trigger language plpgsql as $$
declare
    readers bigint[];
begin
    select array_agg(distinct was.reader_id) into readers from was where was.visibility = 3 and was.body is not null;
    if readers is not null then
        perform refill_reviews(readers);
    end if;
    return null;
end $$;

comment on function review_was_removed is 'Keeps filling_review: a public review is gone, and the next one of its author takes its place.';

create trigger review_removed
    after delete on review
    referencing old table as was
    for each statement execute function review_was_removed();

comment on trigger review_removed on review is 'Keeps filling_review.';
