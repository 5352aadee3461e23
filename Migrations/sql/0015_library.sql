-- The library of each reader: which books stand on which shelf, how often each was read, lists of books, and the counters of all
-- that. Written by Community/Library.

create table shelf_entry (
    id               bigint      primary key,
    reader_id        bigint      not null constraint shelf_entry_reader_fkey references account (id),
    work_id          bigint      not null constraint shelf_entry_work_fkey references work (id),
    edition_id       bigint      constraint shelf_entry_edition_fkey references edition (id),
    status           text        not null
                     constraint shelf_entry_status check (status in ('want', 'reading', 'paused', 'read', 'stopped')),
    visibility       smallint    constraint shelf_entry_visibility_level check (visibility between 0 and 3),
    note             text        constraint shelf_entry_note_length check (octet_length(note) between 1 and 2000),
    times_read       integer     not null default 0 constraint shelf_entry_times_read check (times_read >= 0),
    position         smallint    constraint shelf_entry_position check (position between 0 and 10000),
    page             integer     constraint shelf_entry_page check (page between 0 and 100000),
    pages            integer     constraint shelf_entry_pages check (pages between 1 and 100000),
    position_at      timestamptz,
    position_device  text        constraint shelf_entry_position_device check (octet_length(position_device) between 1 and 64),
    position_version integer     not null default 0,
    rating           smallint    constraint shelf_entry_rating check (rating between 1 and 20),
    rating_level     smallint    constraint shelf_entry_rating_level check (rating_level between 0 and 3),
    title_key        text        collate "C" not null constraint shelf_entry_title_key check (octet_length(title_key) <= 80),
    author_key       text        collate "C" not null constraint shelf_entry_author_key check (octet_length(author_key) <= 80),
    counted          boolean     not null,
    version          integer     not null default 1,
    added_at         timestamptz not null,
    moved_at         timestamptz not null,
    constraint shelf_entry_of_reader unique (reader_id, work_id),
    constraint shelf_entry_read_at_least_once check (status <> 'read' or times_read > 0),
    constraint shelf_entry_rating_whole check ((rating is null) = (rating_level is null))
);
comment on table shelf_entry is
    'One book in one reader''s library, with its one status. It stands on the shelf of its status, and on "read" once it was '
    'read.';
comment on column shelf_entry.id is 'Made by the application, ascending in time: the order of "date added".';
comment on column shelf_entry.reader_id is 'Whose library.';
comment on column shelf_entry.work_id is 'Which book.';
comment on column shelf_entry.edition_id is 'The edition that the reader has in hand; null where the reader named none.';
comment on column shelf_entry.status is 'want, reading, paused, read or stopped (given up).';
comment on column shelf_entry.visibility is 'Who may see it, as in review.visibility; null: as library_setting.shelves says.';
comment on column shelf_entry.note is 'Why, for the reader alone: at most 2,000 bytes.';
comment on column shelf_entry.times_read is
    'Finished readings; kept by the statements that write readings. The book stands on the shelf "read" where it is not 0.';
comment on column shelf_entry.position is 'How far the reader is, in ten-thousandths of the work; null where none was logged.';
comment on column shelf_entry.page is 'The page that the reader named with that position; null where none was named.';
comment on column shelf_entry.pages is 'Pages of the reader''s own copy, as the reader last said; null where never said.';
comment on column shelf_entry.position_at is 'When the position was logged: the place left off. Null where none was.';
comment on column shelf_entry.position_device is 'The device that logged it; null where the book was moved on the shelves.';
comment on column shelf_entry.position_version is
    'Rows in progress for the entry so far: rises with every change of the position.';
comment on column shelf_entry.rating is
    'The rating in the reader''s review of the work, in quarters of a star: sorts the shelf. Kept by the write of the review.';
comment on column shelf_entry.rating_level is 'Who may see that rating.';
comment on column shelf_entry.title_key is
    'The work''s title folded, cut at 80 bytes: sorts the shelf. As it was when the entry was last written.';
comment on column shelf_entry.author_key is 'The first author''s name, likewise.';
comment on column shelf_entry.counted is
    'Whether it is part of work_shelf: the account counted when this was last looked at, and the level is >= 2.';
comment on column shelf_entry.version is 'Rises by one with every change by the reader.';
comment on column shelf_entry.added_at is 'When the book came into the library.';
comment on column shelf_entry.moved_at is 'When it came to its status.';
create index shelf_entry_added on shelf_entry (reader_id, status, id desc);
comment on index shelf_entry_added is 'A shelf, last added first.';
create index shelf_entry_title on shelf_entry (reader_id, status, title_key, id);
comment on index shelf_entry_title is 'A shelf by title.';
create index shelf_entry_author on shelf_entry (reader_id, status, author_key, title_key, id);
comment on index shelf_entry_author is 'A shelf by author, then title.';
create index shelf_entry_rated on shelf_entry (reader_id, status, coalesce(rating, 0::smallint) desc, id desc);
comment on index shelf_entry_rated is 'The reader''s own shelf by rating, best first, unrated last.';
create index shelf_entry_open_rated
    on shelf_entry (reader_id, status, (case when rating_level = 3 then rating else 0::smallint end) desc, id desc);
comment on index shelf_entry_open_rated is
    'The same for others: ratings that not everybody may see count as none, so that the order gives nothing away.';
create index shelf_entry_progress on shelf_entry (reader_id, status, coalesce(position, -1::smallint) desc, id desc);
comment on index shelf_entry_progress is 'The reader''s own shelf by how far the reader is, furthest first.';
create index shelf_entry_again on shelf_entry (reader_id, id desc) where times_read > 0 and status <> 'read';
comment on index shelf_entry_again is 'What stands on "read" beside the shelf of its status: few.';
create index shelf_entry_of_work on shelf_entry (work_id);
comment on index shelf_entry_of_work is 'Whether anybody has a work in a library; merging works.';
create index shelf_entry_of_edition on shelf_entry (edition_id) where edition_id is not null;
comment on index shelf_entry_of_edition is 'Whether anybody has an edition in a library.';
create index shelf_entry_not_counted on shelf_entry (reader_id) where not counted;
comment on index shelf_entry_not_counted is 'Finds readers whose entries may have to be counted now.';
create index shelf_entry_left_off on shelf_entry (reader_id, position_at desc, id desc)
    where status in ('reading', 'paused') and position_at is not null;
comment on index shelf_entry_left_off is 'Books that a reader is in, the one read last first.';

create table reading (
    id            bigint      primary key,
    entry_id      bigint      not null constraint reading_entry_fkey references shelf_entry (id) on delete cascade,
    outcome       text        not null constraint reading_outcome check (outcome in ('open', 'finished', 'stopped')),
    started       date,
    started_unit  text        constraint reading_started_unit check (started_unit in ('year', 'month', 'day')),
    finished      date,
    finished_unit text        constraint reading_finished_unit check (finished_unit in ('year', 'month', 'day')),
    created_at    timestamptz not null,
    constraint reading_started_whole check ((started is null) = (started_unit is null)),
    constraint reading_finished_whole check ((finished is null) = (finished_unit is null)),
    constraint reading_finished_after check (outcome <> 'open' or finished is null)
);
comment on table reading is 'Each time a reader read a book, or began to: a book that is read again has several.';
comment on column reading.id is 'Made by the application, ascending in time.';
comment on column reading.entry_id is 'The book in the reader''s library.';
comment on column reading.outcome is 'open while it lasts, finished, or stopped (given up).';
comment on column reading.started is
    'The day on which it began, or the first day of the month or year; null where the reader did not say.';
comment on column reading.started_unit is 'How exactly: year, month or day. Nothing is made up.';
comment on column reading.finished is 'When it ended, likewise.';
comment on column reading.finished_unit is 'How exactly.';
comment on column reading.created_at is 'When the row was made.';
create index reading_of_entry on reading (entry_id, id desc);
comment on index reading_of_entry is 'The readings of a book, last first.';
create unique index reading_open on reading (entry_id) where outcome = 'open';
comment on index reading_open is 'One reading at a time.';

create table shelf_tally (
    reader_id bigint   not null constraint shelf_tally_reader_fkey references account (id),
    shelf     text     not null
              constraint shelf_tally_shelf check (shelf in ('all', 'want', 'reading', 'paused', 'read', 'stopped')),
    level     smallint not null constraint shelf_tally_level check (level between -1 and 3),
    n         integer  not null constraint shelf_tally_n check (n >= 0),
    primary key (reader_id, shelf, level)
);
comment on table shelf_tally is 'How many books stand on each shelf, exact at every commit; `commonplace check` recounts them.';
comment on column shelf_tally.reader_id is 'Whose shelf.';
comment on column shelf_tally.shelf is
    'The shelf; "all" is every book in the library. A book that is read again is counted on two shelves.';
comment on column shelf_tally.level is 'Who may see those: -1 as library_setting.shelves says, else as shelf_entry.visibility.';
comment on column shelf_tally.n is 'Books.';

create table work_shelf (
    work_id bigint  primary key constraint work_shelf_work_fkey references work (id) on delete cascade,
    want    integer not null default 0 constraint work_shelf_want check (want >= 0),
    reading integer not null default 0 constraint work_shelf_reading check (reading >= 0),
    read    integer not null default 0 constraint work_shelf_read check (read >= 0)
);
comment on table work_shelf is
    'How many readers have a work on which shelf: counted entries only, exact at every commit; `commonplace check` recounts '
    'them.';
comment on column work_shelf.work_id is 'The work; one that nobody shelved may have no row.';
comment on column work_shelf.want is 'Readers who want to read it.';
comment on column work_shelf.reading is 'Readers who are reading it, those who paused among them.';
comment on column work_shelf.read is 'Readers who have read it, each once, however often they did.';

create table book_list (
    id          bigint      primary key,
    reader_id   bigint      not null constraint book_list_reader_fkey references account (id),
    title       text        not null constraint book_list_title_length check (octet_length(title) between 1 and 200),
    description text        constraint book_list_description_length check (octet_length(description) between 1 and 5000),
    visibility  smallint    constraint book_list_visibility_level check (visibility between 0 and 3),
    books       integer     not null default 0 constraint book_list_books check (books >= 0),
    version     integer     not null default 1,
    created_at  timestamptz not null,
    changed_at  timestamptz not null
);
comment on table book_list is 'A list of books that a reader made: a title, an order, and books from the whole catalogue.';
comment on column book_list.id is 'Made by the application, ascending in time: the order of lists.';
comment on column book_list.reader_id is 'Whose it is.';
comment on column book_list.title is 'At most 200 bytes.';
comment on column book_list.description is 'Plain text, at most 5,000 bytes; null: none.';
comment on column book_list.visibility is 'Who may see it; null: as library_setting.lists says.';
comment on column book_list.books is
    'Rows in book_list_item; kept by the statements that write those, `commonplace check` recounts it.';
comment on column book_list.version is 'Rises by one with every change, of its books too.';
comment on column book_list.created_at is 'When it was made.';
comment on column book_list.changed_at is 'When it last changed.';
create index book_list_of_reader on book_list (reader_id, id desc);
comment on index book_list_of_reader is 'The lists of a reader, newest first.';

create table book_list_item (
    list_id  bigint      not null constraint book_list_item_list_fkey references book_list (id) on delete cascade,
    work_id  bigint      not null constraint book_list_item_work_fkey references work (id),
    place    bigint      not null,
    note     text        constraint book_list_item_note_length check (octet_length(note) between 1 and 2000),
    added_at timestamptz not null,
    primary key (list_id, work_id)
);
comment on table book_list_item is 'A book on a list.';
comment on column book_list_item.list_id is 'The list.';
comment on column book_list_item.work_id is 'The book; on one list once.';
comment on column book_list_item.place is
    'Orders the list. Only the order means anything: there are gaps, so that a book moves without touching the others.';
comment on column book_list_item.note is 'What the reader says about it here, for those who see the list; at most 2,000 bytes.';
comment on column book_list_item.added_at is 'When it came onto the list.';
create index book_list_item_place on book_list_item (list_id, place, work_id);
comment on index book_list_item_place is 'The books of a list in its order.';
create index book_list_item_of_work on book_list_item (work_id);
comment on index book_list_item_of_work is 'Which lists a work is on; merging works.';

create table share_link (
    id         bigint      primary key,
    reader_id  bigint      not null constraint share_link_reader_fkey references account (id),
    digest     bytea       not null constraint share_link_digest_key unique
               constraint share_link_digest_length check (octet_length(digest) = 32),
    shelf      text        constraint share_link_shelf check (shelf in ('all', 'want', 'reading', 'paused', 'read', 'stopped')),
    list_id    bigint      constraint share_link_list_fkey references book_list (id) on delete cascade,
    created_at timestamptz not null,
    constraint share_link_subject check ((shelf is null) <> (list_id is null)),
    constraint share_link_of_shelf unique (reader_id, shelf),
    constraint share_link_of_list unique (list_id)
);
comment on table share_link is 'A link by which anybody reads one shelf or list; gone once it is revoked. At most one for each.';
comment on column share_link.id is 'Made by the application.';
comment on column share_link.reader_id is 'Whose shelf or list.';
comment on column share_link.digest is 'SHA-256 of the 256-bit token in the link; the token itself is told once and not kept.';
comment on column share_link.shelf is 'The shelf, or "all" for the whole library; null for a list.';
comment on column share_link.list_id is 'The list; null for a shelf.';
comment on column share_link.created_at is 'When the link was made.';
