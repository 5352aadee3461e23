-- Long work that a reader waits for. A job that is done has no row any more; this has one, for a while. Written by
-- Community/Operations.

create table operation (
    id          bigint      primary key,
    reader_id   bigint      not null constraint operation_reader_fkey references account (id),
    kind        text        not null
                constraint operation_kind_form check (kind ~ '^[a-z]+\.[a-z_]+$' and octet_length(kind) <= 40),
    state       text        not null default 'waiting'
                constraint operation_state check (state in ('waiting', 'running', 'done', 'failed')),
    done_count  bigint      not null default 0 constraint operation_done_count check (done_count >= 0),
    total_count bigint      constraint operation_total_count check (total_count >= done_count),
    created_at  timestamptz not null default clock_timestamp(),
    told_at     timestamptz
);
comment on table operation is 'How far the long work is that a reader asked for; kept 7 days after it was told of last.';
comment on column operation.id is 'Made by the application.';
comment on column operation.reader_id is 'Who asked for it, and alone may see it.';
comment on column operation.kind is 'What is done: leaving.export, ….';
comment on column operation.state is 'waiting for its job, running, done, or failed for good.';
comment on column operation.done_count is 'Parts that are done, of total_count.';
comment on column operation.total_count is 'Null until it is known.';
comment on column operation.created_at is 'When it was asked for, by the database''s clock.';
comment on column operation.told_at is 'When its reader was told of it last, likewise: once a second at most. Null before.';
create index operation_of_reader on operation (reader_id, id desc);
comment on index operation_of_reader is 'What an account has asked for: its end removes that.';
create index operation_told on operation (greatest(told_at, created_at));
comment on index operation_told is 'For the daily sweep.';
