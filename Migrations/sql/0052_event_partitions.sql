-- The log in partitions by seq, dropped whole once they are past keeping: forgetting costs the same however much there is to forget.
-- The tables that stand become the first partitions, with all their rows. Attaching reads each of them once, and the heads of
-- topics are made of the index of topics: the log stands still for about two seconds a million events.

-- Moves wait from here on, so that the first partitions end with the last event.
select seq from event_head for update;

alter table event rename to event_from_1;
alter index event_pkey rename to event_from_1_pkey;
alter index event_of_owner rename to event_from_1_owner_id_idx;
alter table event_topic rename to event_topic_from_1;
alter index event_topic_pkey rename to event_topic_from_1_pkey;

create table event (like event_from_1 including defaults including comments) partition by range (seq);
alter table event add primary key (seq);
comment on table event is
    'The log in partitions by seq: kept for 30 days and 10 million events, or as the owner chose, then dropped from the old end. '
    'What must last longer has a table of its own.';
create index event_of_owner on event (owner_id) where owner_id is not null;
comment on index event_of_owner is 'What a deleted account said is emptied; commonplace check looks for what was not.';
comment on column event.logged_at is
    'When the relay gave the place, by the database''s clock; keeping counts from here. Never descends with seq.';

create table event_topic (like event_topic_from_1 including comments) partition by range (seq);
alter table event_topic add primary key (topic, seq) include (prev);
comment on table event_topic is 'Topic index of the log: one row for each topic of each event, in the partitions of event.';

create table event_topic_head (
    topic text   collate "C" primary key,
    seq   bigint not null
) with (fillfactor = 70);
comment on table event_topic_head is
    'Where the chain of each topic ends: what comes next names it, without a look into each partition. Kept by the database.';
comment on column event_topic_head.topic is 'As in event_topic.';
comment on column event_topic_head.seq is
    'The newest event on the topic. Counts for nothing below event_head.oldest, and is deleted some time later.';
insert into event_topic_head (topic, seq) select topic, max(seq) from event_topic_from_1 group by topic;

create function event_topic_was_written() returns trigger language plpgsql as $$
begin
    insert into event_topic_head as head (topic, seq)
    select topic, max(seq)
      from places
     group by topic
     order by topic
        on conflict (topic) do update
       set seq = excluded.seq;
    return null;
end $$;
comment on function event_topic_was_written is 'Keeps event_topic_head.';
create trigger event_topic_written
    after insert on event_topic
    referencing new table as places
    for each statement execute function event_topic_was_written();
comment on trigger event_topic_written on event_topic is
    'Keeps event_topic_head, whichever version of the program moves events.';

create function event_parts() returns table (first bigint, ends bigint) language sql stable as $$
    select bounds[1]::bigint, bounds[2]::bigint
      from pg_inherits
      join pg_class part on part.oid = inhrelid
     cross join regexp_match(pg_get_expr(part.relpartbound, part.oid), 'FROM \(''(\d+)''\) TO \(''(\d+)''\)') bounds
     where inhparent = 'event'::regclass
$$;
comment on function event_parts is
    'The partitions of the log, event_from_FIRST and event_topic_from_FIRST: each holds the seqs from first to before ends.';

create function event_part(first bigint, ends bigint) returns void language plpgsql as $$
declare
    base text;
begin
    foreach base in array array['event', 'event_topic'] loop
        execute format('create table %I (like %I including all)', base || '_from_' || first, base);
        execute format('alter table %I attach partition %I for values from (%L) to (%L)',
                       base, base || '_from_' || first, first, ends);
        execute format('comment on table %I is %L', base || '_from_' || first, 'Part of ' || base || ', from that seq on.');
    end loop;
end $$;
comment on function event_part is 'Makes one partition of event and one of event_topic.';

-- A partition ends after a twentieth of `events`, or of the newest day (a thirtieth of `days`) where fewer happen in it: then it is
-- cut behind its last event, so that a quiet community's log is dropped as it ages, and there are about fifty at most. Gives the
-- number of partitions made and dropped. The application's role may not change tables, so this runs with the rights of its owner.
create function event_upkeep(days bigint, events bigint) returns integer
    language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '100ms'
as $$
declare
    size    bigint := greatest(events / 20, 1);
    age     interval := make_interval(days => days::integer);
    head    bigint := (select seq from event_head);
    next    bigint := (select max(part.ends) from event_parts() part);
    keep    bigint;
    cut     record;
    base    text;
    changed integer := 0;
begin
    if not pg_try_advisory_xact_lock(hashtextextended('event_upkeep', 0)) then
        return 0;
    end if;
    -- Attaching waits for nobody who reads or writes rows, and nobody waits for it.
    next := coalesce(next, head + 1);
    while next <= head + 2 * size loop
        perform event_part(next, next + size);
        next := next + size;
        changed := changed + 1;
    end loop;

    select max(part.ends) into keep
      from event_parts() part
     where part.ends <= head + 1
       and (part.ends <= head + 1 - events
            or (select event.logged_at from event where event.seq = part.ends - 1) < now() - age);
    select part.first, part.ends into cut
      from event_parts() part
     where part.first <= head
       and part.ends > head + 1
       and (select min(event.logged_at) from event where event.seq = part.first) < now() - age / 30;
    if keep is null and cut.first is null then
        return changed;
    end if;

    begin
        -- First, as every move does. Readers that find an event gone find this moved. Then event, then event_topic, as they do.
        update event_head set oldest = greatest(oldest, coalesce(keep, 1)) returning seq into head;
        if cut.ends > head + 1 then
            foreach base in array array['event', 'event_topic'] loop
                execute format('alter table %I detach partition %I', base, base || '_from_' || cut.first);
                execute format('alter table %I attach partition %I for values from (%L) to (%L)',
                               base, base || '_from_' || cut.first, cut.first, head + 1);
            end loop;
            perform event_part(head + 1, cut.ends);
            changed := changed + 1;
        end if;
        for next in select part.first from event_parts() part where part.ends <= keep loop
            execute format('drop table %I, %I', 'event_from_' || next, 'event_topic_from_' || next);
            changed := changed + 1;
        end loop;
    exception when lock_not_available then
        -- A backup or the end of an account holds the log: moves go on, and the next run tries again.
        null;
    end;
    return changed;
end $$;
comment on function event_upkeep is
    'Makes partitions of the log ahead, ends the newest after a day, and drops those past keeping; run every half minute.';
revoke execute on function event_part, event_upkeep from public;
do $$
begin
    if exists (select from pg_roles where rolname = 'commonplace_app') then
        grant execute on function event_upkeep to commonplace_app;
    end if;
end
$$;

do $$
declare
    head bigint := (select seq from event_head);
    base text;
begin
    foreach base in array array['event', 'event_topic'] loop
        if head > 0 then
            execute format('alter table %I attach partition %I for values from (1) to (%L)', base, base || '_from_1', head + 1);
            execute format('comment on table %I is %L', base || '_from_1', 'Part of ' || base || ', from that seq on.');
        else
            execute format('drop table %I', base || '_from_1');
        end if;
    end loop;
end
$$;
select event_upkeep(30, 10000000);
