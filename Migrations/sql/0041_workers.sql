-- Queues that can be paused, and the workers that serve them: so that somebody is told where work is due and nobody does it.

create table job_pause (
    queue  text        constraint job_pause_pkey primary key
           constraint job_pause_queue_length check (char_length(queue) between 1 and 100),
    since  timestamptz not null default now(),
    actor  text        not null constraint job_pause_actor_length check (octet_length(actor) between 1 and 500)
);

comment on table job_pause is 'A row for each queue that is paused: no worker leases a job of it. What runs goes on.';
comment on column job_pause.queue is 'The queue.';
comment on column job_pause.since is 'When it was paused.';
comment on column job_pause.actor is 'Who paused it, as in moderation_action.';

create table job_worker (
    name       text        constraint job_worker_pkey primary key
               constraint job_worker_name_length check (octet_length(name) between 1 and 400),
    queues     text[]      not null,
    started_at timestamptz not null default now(),
    seen_at    timestamptz not null default now()
) with (fillfactor = 50);

comment on table job_worker is 'The workers that serve queues now: each renews its row with its leases and removes it when it ends.';
comment on column job_worker.name is 'Host, process and a random part, as in job.worker.';
comment on column job_worker.queues is 'The queues that it serves, in order.';
comment on column job_worker.started_at is 'When it began to serve.';
comment on column job_worker.seen_at is 'When it said so last; one that has been silent for an hour is forgotten.';

-- Long work that a reader waits for. A job that is done has no row any more; this has one, for a while.
create table operation (
    id          bigint      constraint operation_pkey primary key,
    reader_id   bigint      not null constraint operation_reader_fkey references account (id),
    kind        text        not null constraint operation_kind_form check (kind ~ '^[a-z]+\.[a-z_]+$' and octet_length(kind) <= 40),
    state       text        not null default 'waiting' constraint operation_state check (state in ('waiting', 'running', 'done', 'failed')),
    done_count  bigint      not null default 0 constraint operation_done_count check (done_count >= 0),
    total_count bigint      constraint operation_total_count check (total_count >= done_count),
    created_at  timestamptz not null default clock_timestamp(),
    told_at     timestamptz
);

create index operation_of_reader on operation (reader_id, id desc);
create index operation_told on operation (greatest(told_at, created_at));

comment on table operation is 'How far the long work is that a reader asked for; kept 7 days after it was told of last.';
comment on column operation.id is 'Made by the application.';
comment on column operation.reader_id is 'Who asked for it, and alone may see it.';
comment on column operation.kind is 'What is done: leaving.export, ….';
comment on column operation.state is 'waiting for its job, running, done, or failed for good.';
comment on column operation.done_count is 'Parts that are done, of total_count.';
comment on column operation.total_count is 'Null until it is known.';
comment on column operation.created_at is 'When it was asked for, by the database''s clock.';
comment on column operation.told_at is 'When its reader was told of it last, likewise: once a second at most. Null before.';
comment on index operation_of_reader is 'What an account has asked for: its end removes that.';
comment on index operation_told is 'For the daily sweep.';

alter table reader_export add operation_id bigint;
comment on column reader_export.operation_id is 'How far it is, in operation; null for those that were asked for before there were any.';
