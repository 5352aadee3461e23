-- What readers did, and what of it stands in feeds. Written by Community/Feed and by the domains in which readers act.

-- What readers did: the home feed, rankings and statistics read it. One partition a month, kept 400 days.
create table activity (
    id         bigint      not null,
    reader_id  bigint      not null constraint activity_reader_id_fkey references account (id),
    work_id    bigint      constraint activity_work_id_fkey references work (id),
    kind       text        not null constraint activity_kind_form check (kind ~ '^[a-z]+\.[a-z_]+$' and octet_length(kind) <= 40),
    at         timestamptz not null,
    undone_at  timestamptz,
    subject    bigint,
    weight     smallint    not null default 0 constraint activity_weight check (weight between 0 and 3),
    left_out   smallint    constraint activity_left_out check (left_out is null or left_out between 1 and 3 and weight = 0),
    primary key (at, id)
) partition by range (at);
comment on table activity is
    'What readers did, one row an act, written in the act''s own transaction; partitioned by month, kept 400 days.';
comment on column activity.id is 'Made by the application, ascending in time.';
comment on column activity.reader_id is 'Who did it.';
comment on column activity.work_id is 'The work that it concerns; null where it concerns none.';
comment on column activity.kind is 'What was done: book.rated, review.posted, ….';
comment on column activity.at is 'When it was done.';
comment on column activity.undone_at is 'When it was taken back; such an act is shown to nobody and counts in nothing.';
comment on column activity.subject is 'The id of what was made (the review), looked up whenever the act is shown.';
comment on column activity.weight is
    'What the act counts in rankings, 1 to 3, decided when it was written; 0 where it counts nothing.';
comment on column activity.left_out is
    'Why an act of a kind that counts weighs nothing: 1 the reader says that it was long ago, 2 it is not new, 3 the reader did '
    'too much that day.';
create index activity_of_reader on activity (reader_id, at desc, id desc) where undone_at is null;
comment on index activity_of_reader is 'The acts of one friend, newest first: the home feed merges these.';
create index activity_of_work on activity (work_id, at desc) where undone_at is null;
comment on index activity_of_work is 'What happened to a work lately: rankings.';
create index activity_of_subject on activity (subject) where undone_at is null;
comment on index activity_of_subject is 'Takes acts back when their subject goes.';
create index activity_reviews_of_work on activity (work_id, at desc, id desc) where kind = 'review.posted' and undone_at is null;
comment on index activity_reviews_of_work is 'The reviews of a followed book, newest first.';
create index activity_reviews_of_reader on activity (reader_id, at desc, id desc)
    where kind = 'review.posted' and undone_at is null;
comment on index activity_reviews_of_reader is
    'The reviews of one author, newest first: from which filling_review is made anew, and what it is compared with.';
create index activity_weighed on activity (reader_id, at) include (work_id, weight) where weight > 0;
comment on index activity_weighed is
    'What a reader did lately that counts, taken back or not: an act is new once in 28 days, and 30 works count in a day.';
create index activity_undone on activity (work_id, at) where undone_at is not null;
comment on index activity_undone is
    'Acts on a work that were taken back: merges move them, and moderators are told how many there are.';
create index activity_dated on activity (reader_id, work_id, at) where left_out = 1 and undone_at is null;
comment on index activity_dated is 'Books of which a reader says that they were read long ago.';

create table activity_other partition of activity default;
comment on table activity_other is 'Acts of months that have no partition of their own yet; the monthly upkeep moves them.';

-- Makes the partitions of the months from `first` to `last` that are missing, moving there what the default partition holds of
-- them, and drops the partitions that ended at `keep` or before. Gives the number of partitions made and dropped. The
-- application's role may not change tables, so this runs with the rights of its owner.
create function activity_upkeep(first timestamptz, last timestamptz, keep timestamptz) returns integer
    language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC'
as $$
declare
    month   timestamptz := date_trunc('month', first);
    ends    timestamptz;
    name    text;
    changed integer := 0;
begin
    perform pg_advisory_xact_lock(hashtextextended('activity_upkeep', 0));
    while month <= last loop
        ends := month + interval '1 month';
        name := 'activity_' || to_char(month, 'YYYY_MM');
        if to_regclass(name) is null then
            execute format('create table %I (like activity including defaults including constraints)', name);
            execute format('with moved as (delete from activity_other where at >= %L and at < %L returning *) '
                           'insert into %I select * from moved', month, ends, name);
            execute format('alter table activity attach partition %I for values from (%L) to (%L)', name, month, ends);
            execute format('comment on table %I is %L', name, 'Acts of ' || to_char(month, 'YYYY-MM') || ', in UTC.');
            changed := changed + 1;
        end if;
        month := ends;
    end loop;
    for name in
        select part.relname
          from pg_inherits
          join pg_class part on part.oid = inhrelid
         where inhparent = 'activity'::regclass
           and part.relname ~ '^activity_[0-9]{4}_[0-9]{2}$'
           and to_timestamp(right(part.relname, 7), 'YYYY_MM') + interval '1 month' <= keep
    loop
        execute format('drop table %I', name);
        changed := changed + 1;
    end loop;
    delete from activity_other where at < keep;
    return changed;
end $$;
comment on function activity_upkeep is 'Makes missing monthly partitions of activity and drops those past keeping; run daily.';
revoke execute on function activity_upkeep from public;
do $$
begin
    if exists (select from pg_roles where rolname = 'commonplace_app') then
        grant execute on function activity_upkeep to commonplace_app;
    end if;
end
$$;

select activity_upkeep(now() - interval '13 months', now() + interval '3 months', now() - interval '400 days');

-- When each reader did something last: feeds pass over friends who have been idle. Kept by the database, because it must never be
-- too early, whatever writes an act; it may be too late, where an act was taken back. No row: it is not known.
create table reader_last_act (
    reader_id bigint      primary key constraint reader_last_act_reader_fkey references account (id),
    at        timestamptz not null
) with (fillfactor = 80);
comment on table reader_last_act is
    'When a reader did something last (activity), or later; no row where that is not known: then all of activity is looked at.';
comment on column reader_last_act.reader_id is 'Who.';
comment on column reader_last_act.at is 'The reader has no act that stands and is later than this.';

create function activity_was_written() returns trigger language plpgsql as $$
begin
    insert into reader_last_act as last (reader_id, at)
    select acts.reader_id, max(acts.at)
      from acts
     group by acts.reader_id
     order by acts.reader_id
        on conflict (reader_id) do update
       set at = excluded.at
     where last.at < excluded.at;
    return null;
end $$;
comment on function activity_was_written is 'Keeps reader_last_act.';
create trigger activity_written
    after insert on activity
    referencing new table as acts
    for each statement execute function activity_was_written();
comment on trigger activity_written on activity is 'Keeps reader_last_act.';

-- Which of the server's reviews fill feeds that hold little: of each author the newest few that are public and have a text. The
-- database keeps them, whatever writes acts and reviews: so a page reads nothing but what may stand in it, however much somebody
-- writes.
create table filling_review (
    at        timestamptz not null,
    id        bigint      not null,
    reader_id bigint      not null constraint filling_review_reader_fkey references account (id),
    primary key (at, id)
);
comment on table filling_review is
    'The acts of posting the newest three public reviews with a text of each author: they fill feeds that hold little.';
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

-- Of the newest thousand texts of each. An author who takes public ones back, and has kept a thousand later ones private, waits
-- for no more than that, and those that were there before stay.
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
comment on function review_was_changed is
    'Keeps filling_review: a review became public, or is so no longer, or has no text any more.';
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
comment on function review_was_removed is
    'Keeps filling_review: a public review is gone, and the next one of its author takes its place.';
create trigger review_removed
    after delete on review
    referencing old table as was
    for each statement execute function review_was_removed();
comment on trigger review_removed on review is 'Keeps filling_review.';
