-- What is said in groups stands in the feeds of their members. Written by Community/Feed.

create index thread_of_group_newest on thread (group_id, created_at desc, id desc)
    where group_id is not null and hidden_at is null;
comment on index thread_of_group_newest is 'Threads of a member''s group, newest first: the home feed merges these.';

-- When each reader did something last: feeds pass over friends who have been idle. Kept by the database, because it must never be too
-- early, whatever writes an act; it may be too late, where an act was taken back. No row: it is not known.
create table reader_last_act (
    reader_id bigint      constraint reader_last_act_pkey primary key
              constraint reader_last_act_reader_fkey references account (id),
    at        timestamptz not null
) with (fillfactor = 80);

comment on table reader_last_act is 'When a reader did something last (activity), or later; no row where that is not known: then all of activity is looked at.';
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
