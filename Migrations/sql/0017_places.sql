-- How readers came to where they are in a book, their bookmarks, and where chapters begin. Written by Community/Places.

-- shelf_entry says how far a reader is now (position, page, pages); this says how they came there.
create table progress (
    id         bigint      primary key,
    entry_id   bigint      not null constraint progress_entry_fkey references shelf_entry (id) on delete cascade,
    position   smallint    not null constraint progress_position check (position between 0 and 10000),
    page       integer     constraint progress_page check (page between 0 and 100000),
    device     text        constraint progress_device check (octet_length(device) between 1 and 64),
    at         timestamptz not null
);
comment on table progress is 'Every position that was logged, never changed: one row a step, by device.';
comment on column progress.id is 'Made by the application, ascending in time.';
comment on column progress.entry_id is 'The book in the reader''s library.';
comment on column progress.position is 'Ten-thousandths of the work.';
comment on column progress.page is 'The page that was named; null where none was.';
comment on column progress.device is 'The device, by the name that it gave; null where the book was moved on the shelves.';
comment on column progress.at is 'When it was logged.';
create index progress_of_entry on progress (entry_id, id desc);
comment on index progress_of_entry is 'The journal of a book, last first.';

create table edition_chapter (
    edition_id bigint   not null constraint edition_chapter_edition_fkey references edition (id) on delete cascade,
    number     smallint not null constraint edition_chapter_number check (number between 1 and 2000),
    title      text     constraint edition_chapter_title check (octet_length(title) between 1 and 500),
    position   smallint not null constraint edition_chapter_position check (position between 0 and 10000),
    primary key (edition_id, number)
);
comment on table edition_chapter is 'Where the chapters of an edition begin.';
comment on column edition_chapter.edition_id is 'The edition.';
comment on column edition_chapter.number is '1, 2, …, without a gap.';
comment on column edition_chapter.title is 'As printed; null where it has none.';
comment on column edition_chapter.position is 'Where it begins, in ten-thousandths; it ends where the next begins.';

create table bookmark (
    id         bigint      primary key,
    reader_id  bigint      not null constraint bookmark_reader_fkey references account (id),
    work_id    bigint      not null constraint bookmark_work_fkey references work (id),
    position   smallint    not null constraint bookmark_position check (position between 0 and 10000),
    page       integer     constraint bookmark_page check (page between 0 and 100000),
    label      text        constraint bookmark_label_length check (octet_length(label) between 1 and 500),
    version    integer     not null default 1,
    created_at timestamptz not null,
    changed_at timestamptz not null
);
comment on table bookmark is 'A place in a book that its reader marked; seen by the reader alone.';
comment on column bookmark.id is 'Made by the application, ascending in time.';
comment on column bookmark.reader_id is 'Whose it is.';
comment on column bookmark.work_id is 'The book.';
comment on column bookmark.position is 'Ten-thousandths of the work.';
comment on column bookmark.page is 'The page that the reader named; null where none was named.';
comment on column bookmark.label is 'What the reader calls it: at most 500 bytes; null: nothing.';
comment on column bookmark.version is 'Rises by one with every change; the ETag.';
comment on column bookmark.created_at is 'When it was made.';
comment on column bookmark.changed_at is 'When it last changed.';
create index bookmark_in_book on bookmark (reader_id, work_id, position, id);
comment on index bookmark_in_book is 'The bookmarks in a book, from its beginning.';
create index bookmark_of_reader on bookmark (reader_id, id desc);
comment on index bookmark_of_reader is 'The bookmarks of a reader, newest first.';
create index bookmark_of_work on bookmark (work_id);
comment on index bookmark_of_work is 'Merging works.';
