-- Boards: reading all of one, what is answered at the last depth, and lists that are cheap where little of them is seen. Written by
-- Community/Boards.

create table board_read (
    reader_id bigint      not null constraint board_read_reader_fkey references account (id),
    board_id  bigint      not null,
    upto_id   bigint      not null,
    marks     integer     not null default 1 constraint board_read_marks check (marks >= 1),
    at        timestamptz not null,
    constraint board_read_pkey primary key (reader_id, board_id)
);
comment on table board_read is 'How far a reader has read all threads of a board at once. What was written shortly before it was marked stands in thread_reader.';
comment on column board_read.reader_id is 'Whose.';
comment on column board_read.board_id is 'The board: the group, else the book, also one that has been merged into another since. Identifiers are unique across both.';
comment on column board_read.upto_id is 'Posts up to this one are read. None of them was still being written when it was marked.';
comment on column board_read.marks is 'How often it was marked: what thread_reader.unmarked is compared with.';
comment on column board_read.at is 'When it was marked last.';

alter table thread_reader add column unmarked integer constraint thread_reader_unmarked check (unmarked >= 1);
comment on column thread_reader.unmarked is 'board_read.marks when the reader said that they have read nothing of the thread: only later marks of the board hold for it. Null where none was there.';

drop index thread_reader_watched;
create index thread_reader_watched on thread_reader (reader_id, watching, thread_id) where watching is not null;
comment on index thread_reader_watched is 'Threads that a reader follows, and how many are followed or muted.';

alter table thread add column home_id bigint;
comment on column thread.home_id is 'The board on which it was opened, where that has been merged into another since: markers of boards go by it. Null: where it stands.';

alter table post
    add column answers_id bigint constraint post_answers_fkey references post (id),
    add constraint post_answers_at_last_depth check (answers_id is null or depth = 6);
create index post_answering on post (answers_id) where answers_id is not null;
comment on column post.answers_id is 'What a post at depth 6 answers: its parent or one of its siblings. Null above, where that is the parent, and where it is not known.';
comment on index post_answering is 'Answers at the last depth: what is raised with a post.';

create index thread_kind_newest on thread (board_id, kind, id desc) where hidden_at is null and kind <> 'discussion';
create index thread_kind_active on thread (board_id, kind, last_post_id desc) where hidden_at is null and kind <> 'discussion';
create index thread_kind_hot on thread (board_id, kind, hot desc, id desc) where hidden_at is null and kind <> 'discussion';
create index thread_kind_reacted on thread (board_id, kind, reactions desc, id desc)
    where hidden_at is null and kind <> 'discussion';
comment on index thread_kind_newest is 'A board''s questions, quotes or announcements, newest or oldest first. Discussions, the most of nearly all boards, are found in thread_newest.';
comment on index thread_kind_active is 'Likewise, last written in first.';
comment on index thread_kind_hot is 'Likewise, hottest first.';
comment on index thread_kind_reacted is 'Likewise, most reactions first.';
