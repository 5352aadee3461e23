-- Ratings and reviews, their counters, and what readers did.

create table review (
    id          bigint      primary key,
    reader_id   bigint      not null references account (id),
    work_id     bigint      not null references work (id),
    rating      smallint    constraint review_rating_range check (rating between 1 and 20),
    body        text        constraint review_body_length check (octet_length(body) between 1 and 20000),
    visibility  smallint    not null default 3 constraint review_visibility_level check (visibility between 0 and 3),
    counted     boolean     not null,
    version     integer     not null default 1,
    created_at  timestamptz not null,
    edited_at   timestamptz,
    constraint review_of_reader unique (reader_id, work_id),
    constraint review_not_empty check (rating is not null or body is not null)
);

comment on table review is 'What one reader says about one work: a rating, a text, or both. At most one a reader and work.';
comment on column review.id is 'Made by the application, ascending in time: the order of every list.';
comment on column review.reader_id is 'Whose it is.';
comment on column review.work_id is 'What it is about.';
comment on column review.rating is 'Quarters of a star, 1 to 20; null where the reader gave none.';
comment on column review.body is 'Plain text as the reader wrote it, at most 20,000 bytes; null where the reader wrote none.';
comment on column review.visibility is 'Who may see it: 0 private, 1 friends, 2 members, 3 public.';
comment on column review.counted is 'Whether it is part of work_rating: the account counted when this was last looked at, and level >= 2.';
comment on column review.version is 'Rises by one with every change; the ETag.';
comment on column review.created_at is 'When the reader first said something about the work.';
comment on column review.edited_at is 'When it last changed; null where it never did.';

create index review_of_work on review (work_id, id desc);
create index review_by_reader on review (reader_id, id desc);
create index review_not_counted on review (reader_id) where not counted;

comment on index review_of_work is 'The reviews of a book, newest first.';
comment on index review_by_reader is 'The reviews of a reader, newest first; deleting an account.';
comment on index review_not_counted is 'Finds readers whose reviews may have to be counted now.';

-- `by` more ratings of `quarters` in a histogram; unchanged where `quarters` is null.
create function rating_bump(histogram integer[], quarters smallint, by integer) returns integer[]
    language sql immutable parallel safe
    return case
        when quarters is null or by = 0 then histogram
        else histogram[1:quarters - 1] || (histogram[quarters] + by) || histogram[quarters + 1:20]
    end;

comment on function rating_bump is 'The histogram with "by" added at "quarters"; the same histogram where quarters is null.';

create table work_rating (
    work_id    bigint    primary key references work (id) on delete cascade,
    n          integer   not null default 0 constraint work_rating_n_range check (n >= 0),
    sum        bigint    not null default 0 constraint work_rating_sum_range check (sum between n and 20 * n::bigint),
    histogram  integer[] not null default array_fill(0, array[20])
               constraint work_rating_histogram_shape check (array_length(histogram, 1) = 20 and 0 <= all (histogram)),
    reviews    integer   not null default 0 constraint work_rating_reviews_range check (reviews >= 0)
);

comment on table work_rating is 'The counted ratings and reviews of each work, exact at every commit; `commonplace check` recounts them.';
comment on column work_rating.work_id is 'The work; a work that nobody rated or reviewed may have no row.';
comment on column work_rating.n is 'Counted ratings.';
comment on column work_rating.sum is 'Sum of the counted ratings in quarters of a star; the mean in stars is sum / n / 4.';
comment on column work_rating.histogram is 'Counted ratings of each quarter: element 1 is a quarter of a star, element 20 is five stars.';
comment on column work_rating.reviews is 'Counted reviews that have a text.';

-- What readers did: the home feed, rankings and statistics read it. One partition a month, kept 400 days.
create table activity (
    id         bigint      not null,
    reader_id  bigint      not null references account (id),
    work_id    bigint      references work (id),
    kind       text        not null constraint activity_kind_form check (kind ~ '^[a-z]+\.[a-z_]+$' and octet_length(kind) <= 40),
    at         timestamptz not null,
    undone_at  timestamptz,
    subject    bigint,
    primary key (at, id)
) partition by range (at);

comment on table activity is 'What readers did, one row an act, written in the act''s own transaction; partitioned by month, kept 400 days.';
comment on column activity.id is 'Made by the application, ascending in time.';
comment on column activity.reader_id is 'Who did it.';
comment on column activity.work_id is 'The work that it concerns; null where it concerns none.';
comment on column activity.kind is 'What was done: book.rated, review.posted, ….';
comment on column activity.at is 'When it was done.';
comment on column activity.undone_at is 'When it was taken back; such an act is shown to nobody and counts in nothing.';
comment on column activity.subject is 'The id of what was made (the review), looked up whenever the act is shown.';

create index activity_of_reader on activity (reader_id, at desc, id desc) where undone_at is null;
create index activity_of_work on activity (work_id, at desc) where undone_at is null;
create index activity_of_subject on activity (subject) where undone_at is null;

comment on index activity_of_reader is 'The acts of one friend, newest first: the home feed merges these.';
comment on index activity_of_work is 'What happened to a work lately: rankings.';
comment on index activity_of_subject is 'Takes acts back when their subject goes.';

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
    if exists (select 1 from pg_roles where rolname = 'commonplace_app') then
        grant execute on function activity_upkeep to commonplace_app;
    end if;
end $$;

select activity_upkeep(now() - interval '13 months', now() + interval '3 months', now() - interval '400 days');
