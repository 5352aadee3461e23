-- The spoiler gate: what a reader chose about it, what was revealed, and what readers say of posts. Written by Community/Gate.

create table gate_setting (
    reader_id     bigint      primary key constraint gate_setting_reader_fkey references account (id),
    is_off        boolean     not null default false,
    gates_rereads boolean     not null default false,
    opened_at     timestamptz,
    at            timestamptz not null
);
comment on table gate_setting is 'A reader''s choices about the spoiler gate; no row: on, and open for whatever was read once.';
comment on column gate_setting.reader_id is 'Whose.';
comment on column gate_setting.is_off is 'The gate is off everywhere for this reader.';
comment on column gate_setting.gates_rereads is 'A book that is read again is gated by its position, as if for the first time.';
comment on column gate_setting.opened_at is
    'When the library is looked through, or was last, for what this opened: not again within the hour. Null: never yet.';
comment on column gate_setting.at is 'When it changed last.';

create table reveal (
    id        bigint      primary key,
    reader_id bigint      not null constraint reveal_reader_fkey references account (id),
    post_id   bigint      constraint reveal_post_fkey references post (id),
    thread_id bigint      constraint reveal_thread_fkey references thread (id),
    work_id   bigint      constraint reveal_work_fkey references work (id),
    review_id bigint      constraint reveal_review_fkey references review (id) on delete cascade,
    at        timestamptz not null,
    constraint reveal_of_one check (num_nonnulls(post_id, thread_id, work_id, review_id) = 1)
);
comment on table reveal is
    'What a reader asked to see although it lies ahead: a post, a thread, a review, or all of a book. Undone by deleting the '
    'row.';
comment on column reveal.id is 'Made by the application, ascending in time.';
comment on column reveal.reader_id is 'Whose.';
comment on column reveal.post_id is 'The post.';
comment on column reveal.thread_id is 'The thread.';
comment on column reveal.work_id is 'The book.';
comment on column reveal.review_id is 'The review.';
comment on column reveal.at is 'When.';
create unique index reveal_of_post on reveal (reader_id, post_id) where post_id is not null;
comment on index reveal_of_post is 'Once for each; the gate asks by it.';
create unique index reveal_of_thread on reveal (reader_id, thread_id) where thread_id is not null;
comment on index reveal_of_thread is 'Likewise.';
create unique index reveal_of_work on reveal (reader_id, work_id) where work_id is not null;
comment on index reveal_of_work is 'Likewise; merging works.';
create index reveal_of_reader on reveal (reader_id, id desc);
comment on index reveal_of_reader is 'What a reader revealed, last first; the end of an account.';
create index reveal_on_post on reveal (post_id) where post_id is not null;
comment on index reveal_on_post is 'What is revealed of a post.';
create index reveal_on_thread on reveal (thread_id) where thread_id is not null;
comment on index reveal_on_thread is 'What is revealed of a thread.';
create index reveal_on_work on reveal (work_id) where work_id is not null;
comment on index reveal_on_work is 'Merging works.';
create unique index reveal_of_review on reveal (reader_id, review_id) where review_id is not null;
comment on index reveal_of_review is 'Once for each; the gate asks by it.';
create index reveal_on_review on reveal (review_id) where review_id is not null;
comment on index reveal_on_review is 'What is revealed of a review.';

create table spoiler_mark (
    post_id      bigint      not null constraint spoiler_mark_post_fkey references post (id),
    reader_id    bigint      not null constraint spoiler_mark_reader_fkey references account (id),
    position     smallint    not null constraint spoiler_mark_position check (position between 1 and 10000),
    by_moderator boolean     not null,
    settled_at   timestamptz,
    at           timestamptz not null,
    primary key (post_id, reader_id)
);
comment on table spoiler_mark is 'A reader who is past a point says that a post gives away more than its scope says.';
comment on column spoiler_mark.post_id is 'The post.';
comment on column spoiler_mark.reader_id is 'Who says so.';
comment on column spoiler_mark.position is 'Up to where it gives away, in ten-thousandths.';
comment on column spoiler_mark.by_moderator is 'Whether a moderator said it: one such mark is enough.';
comment on column spoiler_mark.settled_at is
    'When a moderator decided on the scope of the post: what was said before no longer counts. Null: it counts, also where it '
    'was said anew.';
comment on column spoiler_mark.at is 'When.';
create index spoiler_mark_of_reader on spoiler_mark (reader_id, at desc);
comment on index spoiler_mark_of_reader is 'Marks of one reader, last first: their limit, and the end of an account.';
