-- Readers who moderate the board of one book.

create table board_moderator (
    work_id   bigint      not null constraint board_moderator_work_fkey references work (id),
    reader_id bigint      not null constraint board_moderator_reader_fkey references account (id),
    since     timestamptz not null,
    primary key (work_id, reader_id)
);
comment on table board_moderator is 'Who moderates the board of a book; who made them so stands in moderation_action.';
comment on column board_moderator.work_id is 'The book.';
comment on column board_moderator.reader_id is 'Who.';
comment on column board_moderator.since is 'Since when.';
create index board_moderator_of_reader on board_moderator (reader_id);
comment on index board_moderator_of_reader is 'What a reader moderates, for the end of their account.';
