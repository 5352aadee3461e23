-- The event log: what happened, in one order for the whole community. A write puts its event into `outbox` in its own
-- transaction. The relay moves committed rows into `event` and gives each the next `seq`: dense, ascending in the order in which
-- commits became visible. `event_topic` says whom an event concerns. Written by EventLog.

-- Every row is inserted and deleted within milliseconds: vacuum by count, not by share.
create table outbox (
    position     bigint generated always as identity primary key,
    id           bigint      not null,
    kind         text        not null
                 constraint outbox_kind_form check (kind ~ '^[a-z_]+([.][a-z_]+)+$' and char_length(kind) <= 60),
    version      smallint    not null default 1 constraint outbox_version_positive check (version > 0),
    topics       text[]      not null
                 constraint outbox_topics_count check (cardinality(topics) between 1 and 64),
    owner_id     bigint,
    subject_kind text,
    subject_id   bigint,
    at           timestamptz not null,
    data         jsonb       not null
                 constraint outbox_data_object check (jsonb_typeof(data) = 'object' and octet_length(data::text) <= 16384),
    constraint outbox_subject_whole check ((subject_kind is null) = (subject_id is null))
) with (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 10000
);
comment on table outbox is 'Events of committed transactions that wait for their place in the log; empty most of the time.';
comment on column outbox.position is
    'Given at the insert: an event whose transaction began after another''s commit has the higher position, whatever the clocks '
    'say.';
comment on column outbox.id is 'Identifier made by the application; names the event in every later table.';
comment on column outbox.kind is 'What happened: domain.fact in the past, as in review.posted.';
comment on column outbox.version is 'Version of the shape of data for this kind.';
comment on column outbox.topics is 'Whom it concerns: reader:9, book:42, inbox:9, control. 1 to 64, no repeats.';
comment on column outbox.owner_id is
    'The account whose thing it is about; null where nobody owns it. Read by the delivery check.';
comment on column outbox.subject_kind is 'What subject_id names: review, friend_request, …; null together with it.';
comment on column outbox.subject_id is 'The thing that a viewer must be allowed to see at the time of delivery.';
comment on column outbox.at is 'When the act took place, by the application''s clock.';
comment on column outbox.data is 'The public payload: an object of at most 16 KiB as text.';

create table event (
    seq          bigint      primary key,
    id           bigint      not null,
    kind         text        not null,
    version      smallint    not null,
    topics       text[]      not null,
    owner_id     bigint,
    subject_kind text,
    subject_id   bigint,
    at           timestamptz not null,
    data         jsonb       not null,
    logged_at    timestamptz not null default now()
);
comment on table event is
    'The log: kept for 30 days, then deleted from the old end. What must last longer has a table of its own.';
comment on column event.seq is 'Place in the one order of the community: 1, 2, 3, … without holes.';
comment on column event.id is 'As in outbox.';
comment on column event.kind is 'As in outbox.';
comment on column event.version is 'As in outbox.';
comment on column event.topics is 'As in outbox.';
comment on column event.owner_id is 'As in outbox.';
comment on column event.subject_kind is 'As in outbox.';
comment on column event.subject_id is 'As in outbox.';
comment on column event.at is 'As in outbox.';
comment on column event.data is 'As in outbox.';
comment on column event.logged_at is
    'When the relay gave the place, by the database''s clock; retention counts from here. Never descends with seq.';
create index event_of_owner on event (owner_id) where owner_id is not null;
comment on index event_of_owner is 'What a deleted account said is emptied; commonplace check looks for what was not.';

create table event_topic (
    topic text   not null collate "C",
    seq   bigint not null,
    prev  bigint not null,
    primary key (topic, seq) include (prev)
);
comment on table event_topic is 'Topic index of the log: one row for each topic of each event.';
comment on column event_topic.topic is 'One of event.topics.';
comment on column event_topic.seq is 'The event.';
comment on column event_topic.prev is
    'The seq before it on the same topic; 0 for the first, and for the first after all older ones have expired.';

create table event_head (
    singleton boolean primary key default true constraint event_head_single check (singleton),
    seq       bigint  not null default 0,
    oldest    bigint  not null default 1
) with (fillfactor = 50);
comment on table event_head is 'One row: where the log ends and begins. Its row lock is the relay''s fence.';
comment on column event_head.singleton is 'Always true: there is one row.';
comment on column event_head.seq is 'The seq of the newest event; 0 while the log is empty.';
comment on column event_head.oldest is 'The lowest seq that is still there; seq + 1 when all have expired.';
insert into event_head default values;

create table stream_state (
    topic      text        collate "C" primary key,
    version    bigint      not null constraint stream_state_version check (version > 0),
    data       jsonb       not null constraint stream_state_data_size check (octet_length(data::text) <= 16384),
    changed_at timestamptz not null
);
comment on table stream_state is
    'Topics of which only the latest counts. Servers hear of a change by an event on control and read it here.';
comment on column stream_state.topic is 'The topic''s name.';
comment on column stream_state.version is 'Rises by one with each change.';
comment on column stream_state.data is 'What clients are sent, at most 16 KiB.';
comment on column stream_state.changed_at is 'When it changed last.';
