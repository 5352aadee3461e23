-- The spoiler gate: what a reader chose about it, what was revealed, and what readers say of posts. Written by Community/Gate.

create table gate_setting (
    reader_id     bigint      primary key constraint gate_setting_reader_fkey references account (id),
    is_off        boolean     not null default false,
    gates_rereads boolean     not null default false,
    at            timestamptz not null
);
comment on table gate_setting is 'A reader''s choices about the spoiler gate; no row: on, and open for whatever was read once.';
comment on column gate_setting.reader_id is 'Whose.';
comment on column gate_setting.is_off is 'The gate is off everywhere for this reader.';
comment on column gate_setting.gates_rereads is 'A book that is read again is gated by its position, as if for the first time.';
comment on column gate_setting.at is 'When it changed last.';

create table reveal (
    id        bigint      primary key,
    reader_id bigint      not null constraint reveal_reader_fkey references account (id),
    post_id   bigint      constraint reveal_post_fkey references post (id),
    thread_id bigint      constraint reveal_thread_fkey references thread (id),
    work_id   bigint      constraint reveal_work_fkey references work (id),
    at        timestamptz not null,
    constraint reveal_of_one check (num_nonnulls(post_id, thread_id, work_id) = 1)
);
create unique index reveal_of_post on reveal (reader_id, post_id) where post_id is not null;
create unique index reveal_of_thread on reveal (reader_id, thread_id) where thread_id is not null;
create unique index reveal_of_work on reveal (reader_id, work_id) where work_id is not null;
create index reveal_of_reader on reveal (reader_id, id desc);
create index reveal_on_post on reveal (post_id) where post_id is not null;
create index reveal_on_thread on reveal (thread_id) where thread_id is not null;
create index reveal_on_work on reveal (work_id) where work_id is not null;

comment on table reveal is 'What a reader asked to see although it lies ahead: a post, a thread, or all of a book. Undone by deleting the row.';
comment on column reveal.id is 'Made by the application, ascending in time.';
comment on column reveal.reader_id is 'Whose.';
comment on column reveal.post_id is 'The post.';
comment on column reveal.thread_id is 'The thread.';
comment on column reveal.work_id is 'The book.';
comment on column reveal.at is 'When.';
comment on index reveal_of_post is 'Once for each; the gate asks by it.';
comment on index reveal_of_thread is 'Likewise.';
comment on index reveal_of_work is 'Likewise; merging works.';
comment on index reveal_of_reader is 'What a reader revealed, last first; the end of an account.';
comment on index reveal_on_post is 'What is revealed of a post.';
comment on index reveal_on_thread is 'What is revealed of a thread.';
comment on index reveal_on_work is 'Merging works.';

create table spoiler_mark (
    post_id   bigint      not null constraint spoiler_mark_post_fkey references post (id),
    reader_id bigint      not null constraint spoiler_mark_reader_fkey references account (id),
    position  smallint    not null constraint spoiler_mark_position check (position between 1 and 10000),
    by_moderator boolean  not null,
    at        timestamptz not null,
    primary key (post_id, reader_id)
);
create index spoiler_mark_of_reader on spoiler_mark (reader_id, at desc);

comment on table spoiler_mark is 'A reader who is past a point says that a post gives away more than its scope says.';
comment on column spoiler_mark.post_id is 'The post.';
comment on column spoiler_mark.reader_id is 'Who says so.';
comment on column spoiler_mark.position is 'Up to where it gives away, in ten-thousandths.';
comment on column spoiler_mark.by_moderator is 'Whether a moderator said it: one such mark is enough.';
comment on column spoiler_mark.at is 'When.';
comment on index spoiler_mark_of_reader is 'Marks of one reader, last first: their limit, and the end of an account.';

create index post_ahead on post (thread_id, scope, id)
    where scope > 0 and deleted_at is null and hidden_at is null;
comment on index post_ahead is 'What opens when a gate does.';
