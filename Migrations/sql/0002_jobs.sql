-- The durable queue: background work as rows, so that work which must happen because of a write commits together with it. Times
-- are the database's own: workers never compare their clocks with these. Written by Jobs.

create table job (
    id           bigint generated always as identity primary key,
    kind         text        not null constraint job_kind_length check (char_length(kind) between 1 and 100),
    queue        text        not null constraint job_queue_length check (char_length(queue) between 1 and 100),
    state        text        not null default 'ready'
                 constraint job_state_known check (state in ('ready', 'running', 'dead')),
    unique_key   text        constraint job_unique_key_length check (char_length(unique_key) between 1 and 500),
    payload      jsonb       not null,
    attempt      integer     not null default 0 constraint job_attempt_positive check (attempt >= 0),
    attempts     integer     not null constraint job_attempts_range check (attempts between 1 and 100),
    lease_token  bigint      not null default 0,
    lease_losses integer     not null default 0,
    lease_until  timestamptz,
    worker       text,
    due_at       timestamptz not null default now(),
    created_at   timestamptz not null default now(),
    ended_at     timestamptz,
    last_error   text,
    constraint job_lease_while_running check ((state = 'running') = (lease_until is not null)),
    constraint job_end_when_dead check ((state = 'dead') = (ended_at is not null))
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
comment on table job is 'Background work that is waiting, running or given up; a job that is done has no row any more.';
comment on column job.id is 'Order of arrival; has no meaning outside the queue.';
comment on column job.kind is 'Which handler runs it, such as mail.send.';
comment on column job.queue is 'Queues are worked on apart, so that a long one never holds up another.';
comment on column job.state is
    'ready (runs from due_at on), running (under a lease), dead (given up, never run again by itself).';
comment on column job.unique_key is 'At most one ready or running job of a kind has this key; null where any number may wait.';
comment on column job.payload is
    'What the handler needs, as the Codable form of the Swift type. Never a password or a raw session token.';
comment on column job.attempt is 'How often it was started, the present run included.';
comment on column job.attempts is 'After so many starts a failure is final.';
comment on column job.lease_token is
    'Grows by one with every lease; what a worker writes about a job names the token it was given, so a late one changes '
    'nothing.';
comment on column job.lease_losses is
    'How often a worker vanished while running it. From the first on it runs apart from others that have any, before the third '
    'run an hour passes, and at the third it is dead, because it may be what kills workers.';
comment on column job.lease_until is 'While running: from then on the worker counts as lost. Renewed by heartbeat.';
comment on column job.worker is 'While running: host, process and start of the worker, for people.';
comment on column job.due_at is 'Not before.';
comment on column job.created_at is 'When it was enqueued.';
comment on column job.ended_at is 'When it was given up; null unless dead.';
comment on column job.last_error is 'Why the last run failed, at most 1,000 characters.';
create index job_ready on job (queue, due_at, id) where state = 'ready';
comment on index job_ready is 'What is due in a queue, the longest due first: taking jobs, and how many wait.';
create index job_running on job (lease_until) where state = 'running';
comment on index job_running is 'Jobs whose lease has run out: their worker is lost.';
create index job_dead on job (queue, ended_at desc, id desc) where state = 'dead';
comment on index job_dead is 'The jobs of a queue that were given up, the last first; how many there are.';
create unique index job_unique on job (kind, unique_key) where state in ('ready', 'running') and unique_key is not null;
comment on index job_unique is 'At most one job of a kind and key waits or runs.';
create index job_suspect on job (queue, due_at, id) where state = 'ready' and lease_losses > 0;
comment on index job_suspect is
    'What is due in a queue of jobs whose worker was lost before, which are taken one at a time. Next to nothing is in it.';

-- One row for each time that a scheduled task was due and enqueued. The statement that inserts it enqueues the job: several
-- schedulers need no leader.
create table job_slot (
    task        text        not null constraint job_slot_task_length check (char_length(task) between 1 and 100),
    due_at      timestamptz not null,
    enqueued_at timestamptz not null default now(),
    primary key (task, due_at)
);
comment on table job_slot is
    'Times at which scheduled tasks were enqueued, exactly one row each; kept 30 days, the newest of a task for good.';
comment on column job_slot.task is 'Name of the schedule.';
comment on column job_slot.due_at is 'A multiple of the schedule''s interval since 1970, plus its offset.';
comment on column job_slot.enqueued_at is 'When a scheduler got to it.';
create index job_slot_age on job_slot (due_at);
comment on index job_slot_age is 'For the sweep: slots older than 30 days.';

create table job_pause (
    queue text        primary key constraint job_pause_queue_length check (char_length(queue) between 1 and 100),
    since timestamptz not null default now(),
    actor text        not null constraint job_pause_actor_length check (octet_length(actor) between 1 and 500)
);
comment on table job_pause is 'A row for each queue that is paused: no worker leases a job of it. What runs goes on.';
comment on column job_pause.queue is 'The queue.';
comment on column job_pause.since is 'When it was paused.';
comment on column job_pause.actor is 'Who paused it, as in moderation_action.';

create table job_worker (
    name       text        primary key constraint job_worker_name_length check (octet_length(name) between 1 and 400),
    queues     text[]      not null,
    started_at timestamptz not null default now(),
    seen_at    timestamptz not null default now()
) with (fillfactor = 50);
comment on table job_worker is
    'The workers that serve queues now: each renews its row with its leases and removes it when it ends.';
comment on column job_worker.name is 'Host, process and a random part, as in job.worker.';
comment on column job_worker.queues is 'The queues that it serves, in order.';
comment on column job_worker.started_at is 'When it began to serve.';
comment on column job_worker.seen_at is 'When it said so last; one that has been silent for an hour is forgotten.';
