-- E-books and the pages in them. Written by Community/Ebooks; the files themselves by Community/Media, the columns of bookmark and
-- shelf_entry by Community/Places.

alter table media_file
    drop constraint media_file_size_range,
    drop constraint media_file_type_known,
    add constraint media_file_size_range check (size between 1 and 67108864),
    add constraint media_file_type_known check (type in ('image/jpeg', 'image/png', 'application/epub+zip', 'text/plain'));
comment on table media_file is 'One stored file: made by this server of a picture, or an e-book as it was sent. Several things may share it.';

create table ebook_file (
    id         bigint      primary key,
    hash       bytea       not null constraint ebook_file_file_fkey references media_file (hash),
    title      text        not null constraint ebook_file_title_length check (octet_length(title) <= 1000),
    creators   text[]      not null default '{}' constraint ebook_file_creators check (cardinality(creators) <= 20),
    language   text        constraint ebook_file_language_length check (octet_length(language) between 1 and 35),
    direction  text        not null constraint ebook_file_direction_known check (direction in ('ltr', 'rtl')),
    writing    text        not null constraint ebook_file_writing_known check (writing in ('horizontal', 'vertical')),
    pages      integer     not null constraint ebook_file_pages check (pages between 1 and 100000),
    length     integer     not null constraint ebook_file_length check (length >= 0),
    contents   jsonb       not null constraint ebook_file_contents_size check (octet_length(contents::text) <= 524288),
    weight     bigint      not null default 0 constraint ebook_file_weight check (weight >= 0),
    drawn      bigint      not null default 0 constraint ebook_file_drawn check (drawn >= 0),
    cover      integer     constraint ebook_file_cover check (cover >= 0),
    layout     integer     not null default 1 constraint ebook_file_layout check (layout > 0),
    splitter   integer     not null constraint ebook_file_splitter check (splitter >= 0),
    created_at timestamptz not null,
    constraint ebook_file_of_hash unique (hash)
);
comment on table ebook_file is 'What is in the bytes of an e-book: read once, however many readers keep the same.';
comment on column ebook_file.id is 'Made by the application, ascending in time.';
comment on column ebook_file.hash is 'SHA-256 of its bytes.';
comment on column ebook_file.title is 'As the file says it; empty where it says none.';
comment on column ebook_file.creators is 'Who wrote it, as the file says it.';
comment on column ebook_file.language is 'BCP 47, as the file says it; null where it says none.';
comment on column ebook_file.direction is 'Which way its pages are turned: ltr, rtl.';
comment on column ebook_file.writing is 'How its lines run: horizontal, vertical.';
comment on column ebook_file.pages is 'Pages of the present layout, 1 to 100,000.';
comment on column ebook_file.length is 'Unicode scalars of its text.';
comment on column ebook_file.contents is 'The table of contents: an array of {title, depth, page} in the order of the file.';
comment on column ebook_file.weight is 'Bytes of its pages: their HTML and their text.';
comment on column ebook_file.drawn is 'Bytes of what was made of its pictures.';
comment on column ebook_file.cover is 'The number of the picture that is its cover; null where it has none.';
comment on column ebook_file.layout is 'Counts the times that its pages were laid out; an address names it.';
comment on column ebook_file.splitter is 'The version of the rules by which its pages were cut: a newer one lays them out anew.';
comment on column ebook_file.created_at is 'When it was read.';

create table ebook (
    id         bigint      primary key,
    file_id    bigint      not null constraint ebook_file_fkey references ebook_file (id),
    work_id    bigint      not null constraint ebook_work_fkey references work (id),
    edition_id bigint      not null constraint ebook_edition_fkey references edition (id),
    reader_id  bigint      constraint ebook_reader_fkey references account (id),
    audience   text        not null constraint ebook_audience_known check (audience in ('me', 'everybody', 'members', 'on_loan')),
    rights     text        not null
               constraint ebook_rights_known check (rights in ('public_domain', 'open_licence', 'own_copy', 'granted')),
    added_by   bigint      constraint ebook_added_by_fkey references account (id),
    version    integer     not null default 1 constraint ebook_version check (version > 0),
    created_at timestamptz not null,
    changed_at timestamptz not null,
    constraint ebook_owned check ((audience = 'me') = (reader_id is not null)),
    constraint ebook_own_copy_is_private check (rights <> 'own_copy' or audience = 'me')
);
comment on table ebook is 'An e-book at an edition: of one reader, or given by librarians for others to read.';
comment on column ebook.id is 'Made by the application, ascending in time.';
comment on column ebook.file_id is 'What is in it.';
comment on column ebook.work_id is 'The book.';
comment on column ebook.edition_id is 'The edition.';
comment on column ebook.reader_id is 'Whose own it is; null for one that librarians gave.';
comment on column ebook.audience is
    'Who reads it: me (its reader), everybody, members, on_loan (who has a copy from the server''s library).';
comment on column ebook.rights is
    'What was said at its upload: public_domain, open_licence, own_copy (bought; it stays its reader''s alone), granted.';
comment on column ebook.added_by is 'Who gave it to others; null for a reader''s own, for one given at the terminal, and where that account is gone.';
comment on column ebook.version is 'Rises by one with every change; the ETag.';
comment on column ebook.created_at is 'When it was given.';
comment on column ebook.changed_at is 'When it last changed.';
create index ebook_of_reader on ebook (reader_id, id desc) where reader_id is not null;
comment on index ebook_of_reader is 'The e-books of a reader, newest first; the end of an account.';
create index ebook_of_work on ebook (work_id, id);
comment on index ebook_of_work is 'The e-books of a book; merging works.';
create index ebook_of_edition on ebook (edition_id);
comment on index ebook_of_edition is 'The e-books of an edition; merging editions.';
create index ebook_of_file on ebook (file_id);
comment on index ebook_of_file is 'Whether anybody keeps a file.';
create index ebook_added on ebook (added_by) where added_by is not null;
comment on index ebook_added is 'The end of an account. Serves the foreign key.';

create function edition_was_moved() returns trigger language plpgsql as $$
begin
    update ebook set work_id = new.work_id where edition_id = new.id;
    return null;
end
$$;
comment on function edition_was_moved is 'Keeps ebook.work_id: an edition went over to another work, by a correction, an import or a merge.';
create trigger edition_moved after update of work_id on edition
    for each row when (old.work_id is distinct from new.work_id) execute function edition_was_moved();
comment on trigger edition_moved on edition is 'Keeps ebook.work_id.';

create table ebook_chapter (
    file_id bigint   not null constraint ebook_chapter_file_fkey references ebook_file (id) on delete cascade,
    number  integer  not null constraint ebook_chapter_number check (number >= 0),
    title   text     constraint ebook_chapter_title_length check (octet_length(title) between 1 and 1000),
    page    integer  not null constraint ebook_chapter_page check (page > 0),
    primary key (file_id, number)
);
comment on table ebook_chapter is 'A part of an e-book that is a document of its own in the file, in the order of reading.';
comment on column ebook_chapter.file_id is 'The e-book''s file.';
comment on column ebook_chapter.number is 'Counted from 0.';
comment on column ebook_chapter.title is 'As the table of contents has it; null where that names none.';
comment on column ebook_chapter.page is 'The page that it begins on.';

create table ebook_page (
    file_id  bigint   not null constraint ebook_page_file_fkey references ebook_file (id) on delete cascade,
    number   integer  not null constraint ebook_page_number check (number > 0),
    chapter  integer  not null,
    start    integer  not null constraint ebook_page_start check (start >= 0),
    position smallint not null constraint ebook_page_position check (position between 0 and 10000),
    printed  text     constraint ebook_page_printed_length check (octet_length(printed) between 1 and 100),
    html     text     not null,
    body     text     not null,
    primary key (file_id, number)
);
comment on table ebook_page is 'A page of an e-book, ready to be shown.';
comment on column ebook_page.file_id is 'The e-book''s file.';
comment on column ebook_page.number is 'Counted from 1.';
comment on column ebook_page.chapter is 'The chapter that it belongs to.';
comment on column ebook_page.start is 'Unicode scalars of the chapter''s text before it: with the chapter, a place that no other layout moves.';
comment on column ebook_page.position is 'Where it ends, in ten-thousandths of the work.';
comment on column ebook_page.printed is 'The page of the printed edition that it stands on, where the file says so.';
comment on column ebook_page.html is 'Safe HTML. U+0001 stands for the address of the e-book.';
comment on column ebook_page.body is 'Its text.';
create index ebook_page_at on ebook_page (file_id, chapter, start);
comment on index ebook_page_at is 'The page of a place.';
create index ebook_page_position on ebook_page (file_id, position);
comment on index ebook_page_position is 'The page of a position.';

create table ebook_words (
    file_id bigint   not null constraint ebook_words_file_fkey references ebook_file (id) on delete cascade,
    page    integer  not null,
    words   tsvector not null,
    primary key (file_id, page)
);
-- Searching looks through all of a book's: beside the row they would be fetched piece by piece.
alter table ebook_words alter column words set storage main;
comment on table ebook_words is 'The words of a page, folded, for searching in one e-book: beside the pages, so that looking through them is short.';
comment on column ebook_words.file_id is 'The e-book''s file.';
comment on column ebook_words.page is 'The page.';
comment on column ebook_words.words is 'With their places.';

create table ebook_picture (
    file_id bigint  not null constraint ebook_picture_file_fkey references ebook_file (id) on delete cascade,
    number  integer not null constraint ebook_picture_number check (number >= 0),
    name    text    not null,
    type    text    not null,
    hash    bytea   constraint ebook_picture_made_fkey references media_file (hash),
    refused text,
    primary key (file_id, number)
);
comment on table ebook_picture is 'A picture in an e-book. It is converted when somebody first asks for it.';
comment on column ebook_picture.file_id is 'The e-book''s file.';
comment on column ebook_picture.number is 'Counted from 0, as pages name it.';
comment on column ebook_picture.name is 'Its path in the file.';
comment on column ebook_picture.type is 'Its media type, as the file says it.';
comment on column ebook_picture.hash is 'What was made of it; null where nobody asked for it yet, or where it cannot be shown.';
comment on column ebook_picture.refused is 'Why it cannot be shown; null where it can, or where nobody asked yet.';
create index ebook_picture_made on ebook_picture (hash) where hash is not null;
comment on index ebook_picture_made is 'Whether a file is used.';

create table ebook_former_page (
    file_id bigint  not null constraint ebook_former_page_file_fkey references ebook_file (id) on delete cascade,
    layout  integer not null,
    number  integer not null,
    chapter integer not null,
    start   integer not null,
    primary key (file_id, layout, number)
);
comment on table ebook_former_page is 'Where the pages of former layouts began, so that their numbers lead to the pages of the present one.';
comment on column ebook_former_page.file_id is 'The e-book''s file.';
comment on column ebook_former_page.layout is 'A former layout.';
comment on column ebook_former_page.number is 'A page in it.';
comment on column ebook_former_page.chapter is 'The chapter that it belonged to.';
comment on column ebook_former_page.start is 'As ebook_page.start.';

alter table shelf_entry
    add column ebook_id      bigint constraint shelf_entry_ebook_fkey references ebook (id) on delete set null,
    add column ebook_chapter integer,
    add column ebook_start   integer,
    add constraint shelf_entry_ebook_place check (num_nulls(ebook_chapter, ebook_start) in (0, 2));
comment on column shelf_entry.ebook_id is 'The e-book that the position was logged in; null where it was said otherwise.';
comment on column shelf_entry.ebook_chapter is 'The chapter that the page belongs to; null where the position was said otherwise.';
comment on column shelf_entry.ebook_start is 'As ebook_page.start; null where the position was said otherwise.';
create index shelf_entry_ebook on shelf_entry (ebook_id) where ebook_id is not null;
comment on index shelf_entry_ebook is 'The end of an e-book. Serves the foreign key.';

alter table shelf_entry
    add column reached smallint constraint shelf_entry_reached check (reached between 0 and 10000);
comment on column shelf_entry.reached is
    'How far its reader was in this reading before they turned back: the gate stays there. Null where position is the furthest.';

alter table bookmark
    add column ebook_id      bigint constraint bookmark_ebook_fkey references ebook (id) on delete set null,
    add column ebook_chapter integer,
    add column ebook_start   integer,
    add column ebook_words   text constraint bookmark_ebook_words_length check (octet_length(ebook_words) between 1 and 1000),
    add constraint bookmark_ebook_place check (num_nulls(ebook_chapter, ebook_start) in (0, 2));
comment on column bookmark.ebook_id is 'The e-book that it was made in; null where it was made otherwise, or where that e-book is gone.';
comment on column bookmark.ebook_chapter is 'The chapter that the page belongs to; null where it was made otherwise.';
comment on column bookmark.ebook_start is 'As ebook_page.start; null where it was made otherwise.';
comment on column bookmark.ebook_words is 'How the page begins, to find the place in another file; null where it was made otherwise.';
create index bookmark_ebook on bookmark (ebook_id) where ebook_id is not null;
comment on index bookmark_ebook is 'The end of an e-book. Serves the foreign key.';
