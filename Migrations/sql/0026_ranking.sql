-- What the community reads now: sums of acts by work and day, the lists that are made of them, boards that are hot, what readers
-- like to read, and books that are new to the community. Written by Community/Ranking.

-- No key and no index: writers of one book do not wait for each other, and the fold reads all of it.
create table ranking_mark (
    work_id bigint not null,
    day     date   not null
) with (autovacuum_vacuum_scale_factor = 0.05);
comment on table ranking_mark is
    'Sums that may be wrong: an act of that work and day came, went, moved, or its subject is counted otherwise. Left in the '
    'transaction that did it.';
comment on column ranking_mark.work_id is 'The work; it may be gone since.';
comment on column ranking_mark.day is 'The day in UTC.';

-- Trace what changes acts. Each of these is one statement of the transaction that does it.
create function acts_came() returns trigger language plpgsql as $$
begin
    insert into ranking_mark (work_id, day)
    select distinct acts.work_id, (acts.at at time zone 'UTC')::date
      from acts
     where acts.weight > 0
       and acts.work_id is not null;
    return null;
end $$;
comment on function acts_came is 'Leaves marks for acts that were written or deleted.';

create function acts_changed() returns trigger language plpgsql as $$
begin
    insert into ranking_mark (work_id, day)
    select acts.work_id, (acts.at at time zone 'UTC')::date
      from (select work_id, at from was where weight > 0 union select work_id, at from became where weight > 0) acts
     where acts.work_id is not null
     group by 1, 2;
    return null;
end $$;
comment on function acts_changed is 'Leaves marks for acts that were taken back or moved, at both places.';

create trigger activity_marked_written after insert on activity
    referencing new table as acts for each statement execute function acts_came();
comment on trigger activity_marked_written on activity is 'Leaves marks for rankings.';
create trigger activity_marked_deleted after delete on activity
    referencing old table as acts for each statement execute function acts_came();
comment on trigger activity_marked_deleted on activity is 'Leaves marks for rankings.';
create trigger activity_marked_changed after update on activity
    referencing old table as was new table as became for each statement execute function acts_changed();
comment on trigger activity_marked_changed on activity is 'Leaves marks for rankings.';

-- Fires for rows whose `counted` turns and for no other: a write that leaves it as it is pays for a comparison.
create function counted_turned() returns trigger language plpgsql as $$
begin
    insert into ranking_mark (work_id, day)
    select distinct act.work_id, (act.at at time zone 'UTC')::date
      from activity act
     where act.subject = new.id
       and act.undone_at is null
       and act.weight > 0
       and act.work_id is not null;
    return null;
end $$;
comment on function counted_turned is 'Leaves marks for the acts of what is counted now or no longer.';

create trigger review_counted_turned after update of counted on review
    for each row when (old.counted is distinct from new.counted) execute function counted_turned();
comment on trigger review_counted_turned on review is 'Leaves marks for rankings.';
create trigger shelf_entry_counted_turned after update of counted on shelf_entry
    for each row when (old.counted is distinct from new.counted) execute function counted_turned();
comment on trigger shelf_entry_counted_turned on shelf_entry is 'Leaves marks for rankings.';
create trigger praise_counted_turned after update of counted on praise
    for each row when (old.counted is distinct from new.counted) execute function counted_turned();
comment on trigger praise_counted_turned on praise is 'Leaves marks for rankings.';

create table work_bucket (
    work_id bigint  not null,
    day     date    not null,
    units   integer not null constraint work_bucket_units check (units > 0),
    readers integer not null constraint work_bucket_readers check (readers between 1 and units),
    primary key (work_id, day) include (units, readers)
) with (fillfactor = 90);
comment on table work_bucket is
    'What readers did with a work on a day, kept 400 days: one unit a reader. Made of activity alone; `commonplace check` '
    'compares them.';
comment on column work_bucket.work_id is 'The work.';
comment on column work_bucket.day is 'The day in UTC.';
comment on column work_bucket.units is
    'For each reader the largest weight of the acts of that day that stand and are counted, summed.';
comment on column work_bucket.readers is 'Those readers.';
create index work_bucket_of_day on work_bucket (day) include (work_id, units, readers);
comment on index work_bucket_of_day is 'The works of the last days, and what all of them sum up to.';

create table work_bucket_hour (
    work_id bigint      not null,
    hour    timestamptz not null,
    units   integer     not null constraint work_bucket_hour_units check (units > 0),
    readers integer     not null constraint work_bucket_hour_readers check (readers between 1 and units),
    primary key (work_id, hour)
) with (fillfactor = 90);
comment on table work_bucket_hour is
    'The same by hours, of the last days: each reader''s unit stands in the hour of the day''s first act of its weight.';
comment on column work_bucket_hour.work_id is 'The work.';
comment on column work_bucket_hour.hour is 'When the hour began.';
comment on column work_bucket_hour.units is 'As in work_bucket.';
comment on column work_bucket_hour.readers is 'Likewise.';
create index work_bucket_hour_age on work_bucket_hour (hour) include (work_id, units);
comment on index work_bucket_hour_age is 'What all works sum up to, and what is too old.';

create table site_bucket (
    day        date        primary key,
    units      bigint      not null constraint site_bucket_units check (units >= 0),
    is_stale   boolean     not null,
    changed_at timestamptz not null default clock_timestamp()
);
comment on table site_bucket is 'What all works of a day sum up to.';
comment on column site_bucket.day is 'The day in UTC.';
comment on column site_bucket.units is 'Sum of work_bucket.units of that day, when it was last summed.';
comment on column site_bucket.is_stale is 'A bucket of that day has changed since.';
comment on column site_bucket.changed_at is 'When a bucket of that day was last made.';

create table work_begun (
    work_id bigint primary key,
    day     date   not null
);
comment on table work_begun is
    'The first day on which somebody''s act counted for a work. It stays when the act is taken back or grows old: a book is new '
    'once.';
comment on column work_begun.work_id is 'The work; it may be gone since.';
comment on column work_begun.day is 'The day in UTC.';

create table ranking_generation (
    id         bigint      generated always as identity primary key,
    span       text        not null constraint ranking_generation_span check (span in ('day', 'week', 'month')),
    as_of      timestamptz not null,
    made_at    timestamptz not null default clock_timestamp(),
    fast       float8      not null,
    slow       float8      not null,
    minimum    integer     not null
);
comment on table ranking_generation is
    'One making of the lists of a span. Kept for an hour after it was replaced, the first of each day for two days.';
comment on column ranking_generation.id is 'Ascending in time; page cursors name it.';
comment on column ranking_generation.span is 'day, week or month.';
comment on column ranking_generation.as_of is 'The moment for which it was made.';
comment on column ranking_generation.made_at is 'When it was made, by the database''s clock.';
comment on column ranking_generation.fast is
    'The decayed sum of all works over the short time (sum F); with the next what all had in common (G).';
comment on column ranking_generation.slow is 'The same over the long time (sum B).';
comment on column ranking_generation.minimum is 'Readers that a work needed to be in a list.';
create index ranking_generation_of_span on ranking_generation (span, id desc);
comment on index ranking_generation_of_span is 'The newest of a span, and the old ones.';

create table ranking_current (
    span          text        primary key,
    generation_id bigint      not null,
    checked_at    timestamptz not null default clock_timestamp()
);
comment on table ranking_current is 'Which generation of each span is shown: lists are swapped by changing one row.';
comment on column ranking_current.span is 'As in ranking_generation.';
comment on column ranking_current.generation_id is 'The generation that is shown.';
comment on column ranking_current.checked_at is 'When its lists were last made and found right.';

create table ranking_entry (
    generation_id bigint   not null constraint ranking_entry_generation_fkey references ranking_generation (id) on delete cascade,
    genre_id      bigint   not null,
    place         smallint not null constraint ranking_entry_place check (place > 0),
    work_id       bigint   not null,
    readers       integer  not null constraint ranking_entry_readers check (readers >= 0),
    usual         integer  not null constraint ranking_entry_usual check (usual >= 0),
    moved         smallint,
    is_popular    boolean  not null,
    primary key (generation_id, genre_id, place)
);
comment on table ranking_entry is 'The lists of a generation.';
comment on column ranking_entry.generation_id is 'The generation.';
comment on column ranking_entry.genre_id is 'The genre; 0 for all books.';
comment on column ranking_entry.place is 'From 1 on.';
comment on column ranking_entry.work_id is 'The work; it may be merged or gone since.';
comment on column ranking_entry.readers is 'Readers of the work in the span.';
comment on column ranking_entry.usual is 'As many as would be usual.';
comment on column ranking_entry.moved is
    'Places risen since the list a day ago, negative where it fell; null where it was not in it.';
comment on column ranking_entry.is_popular is 'Too little is unusual: it stands here for its readers of this week.';

create table ranking_new (
    place   smallint primary key constraint ranking_new_place check (place > 0),
    work_id bigint   not null,
    readers integer  not null constraint ranking_new_readers check (readers > 0)
);
comment on table ranking_new is
    'Works whose first counted act was lately, most read first; made anew with the lists of the month.';
comment on column ranking_new.place is 'From 1 on.';
comment on column ranking_new.work_id is 'The work; it may be merged or gone since.';
comment on column ranking_new.readers is 'Readers since then.';

create table ranking_hold (
    work_id bigint      primary key constraint ranking_hold_work_fkey references work (id) on delete cascade,
    reason  text        not null constraint ranking_hold_reason_length check (octet_length(reason) between 1 and 2000),
    until   timestamptz not null,
    actor   text        not null constraint ranking_hold_actor_length check (octet_length(actor) between 1 and 500),
    held_at timestamptz not null
);
comment on table ranking_hold is
    'Books that moderators keep out of all rankings for a while; what they did stands in moderation_action.';
comment on column ranking_hold.work_id is 'The work.';
comment on column ranking_hold.reason is 'Why, at most 2,000 bytes.';
comment on column ranking_hold.until is 'Until when.';
comment on column ranking_hold.actor is 'Who, as in moderation_action.';
comment on column ranking_hold.held_at is 'When.';

create table hot_board (
    place   smallint primary key constraint hot_board_place check (place > 0),
    work_id bigint   not null,
    writers integer  not null constraint hot_board_writers check (writers > 0)
);
comment on table hot_board is 'Books'' own boards on which most readers wrote lately; made anew by the job boards.cool.';
comment on column hot_board.place is 'From 1 on.';
comment on column hot_board.work_id is 'The book; it may be merged or gone since.';
comment on column hot_board.writers is 'Readers who wrote there in the last 7 days, whose posts stand and who are counted.';

create table reader_genre (
    reader_id bigint   not null constraint reader_genre_reader_fkey references account (id),
    place     smallint not null constraint reader_genre_place check (place between 1 and 20),
    genre_id  bigint   not null constraint reader_genre_genre_fkey references genre (id) on delete cascade,
    primary key (reader_id, place),
    constraint reader_genre_once unique (reader_id, genre_id)
);
comment on table reader_genre is 'Genres of which a reader wants to hear, in their order.';
comment on column reader_genre.reader_id is 'Whose.';
comment on column reader_genre.place is 'From 1 on.';
comment on column reader_genre.genre_id is 'The genre.';
create index reader_genre_of_genre on reader_genre (genre_id);
comment on index reader_genre_of_genre is 'The end of a genre.';
