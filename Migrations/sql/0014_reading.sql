-- What readers hold up (favourites, recommendations), how far they are in a book, and their bookmarks.

create table praise (
    id         bigint      primary key,
    reader_id  bigint      not null constraint praise_reader_fkey references account (id),
    work_id    bigint      not null constraint praise_work_fkey references work (id),
    kind       text        not null constraint praise_kind check (kind in ('favourite', 'recommendation')),
    place      bigint      not null,
    visibility smallint    constraint praise_visibility_level check (visibility between 0 and 3),
    counted    boolean     not null,
    created_at timestamptz not null,
    constraint praise_of_reader unique (reader_id, kind, work_id),
    constraint praise_counted_kind check (kind = 'recommendation' or not counted)
);
create index praise_in_order on praise (reader_id, kind, place, id);
create index praise_of_work on praise (work_id, kind, id desc);
create index praise_not_counted on praise (reader_id) where kind = 'recommendation' and not counted;

comment on table praise is 'A book that a reader holds up: a favourite, a recommendation, or one row for each.';
comment on column praise.id is 'Made by the application, ascending in time: who praised a book, last first.';
comment on column praise.reader_id is 'Whose it is.';
comment on column praise.work_id is 'The book.';
comment on column praise.kind is 'favourite or recommendation.';
comment on column praise.place is 'Orders the reader''s list. Only the order means anything: there are gaps, so that a book moves without touching the others.';
comment on column praise.visibility is 'Who may see it, as in review.visibility; null: as the reader''s setting for favourites, or for reviews, says.';
comment on column praise.counted is 'Whether it is part of work_popularity.recommends: the account counted when this was last looked at, and the level is >= 2.';
comment on column praise.created_at is 'When the reader said so.';
comment on index praise_in_order is 'A reader''s favourites or recommendations in their order.';
comment on index praise_of_work is 'Who praised a book, last first; merging works.';
comment on index praise_not_counted is 'Finds readers whose recommendations may have to be counted now.';

create index review_rated on review (work_id, id desc) where rating is not null;
comment on index review_rated is 'The ratings of a book, newest first.';

-- How far a reader is.

alter table shelf_entry
    add column page             integer constraint shelf_entry_page check (page between 0 and 100000),
    add column pages            integer constraint shelf_entry_pages check (pages between 1 and 100000),
    add column position_at      timestamptz,
    add column position_device  text constraint shelf_entry_position_device check (octet_length(position_device) between 1 and 64),
    add column position_version integer not null default 0;

comment on column shelf_entry.page is 'The page that the reader named with that position; null where none was named.';
comment on column shelf_entry.pages is 'Pages of the reader''s own copy, as the reader last said; null where never said.';
comment on column shelf_entry.position_at is 'When the position was logged: the place left off. Null where none was.';
comment on column shelf_entry.position_device is 'The device that logged it; null where the book was moved on the shelves.';
comment on column shelf_entry.position_version is 'Rows in progress for the entry so far: rises with every change of the position.';

create index shelf_entry_left_off on shelf_entry (reader_id, position_at desc, id desc)
    where status in ('reading', 'paused') and position_at is not null;
comment on index shelf_entry_left_off is 'Books that a reader is in, the one read last first.';

create table progress (
    id         bigint      primary key,
    entry_id   bigint      not null constraint progress_entry_fkey references shelf_entry (id) on delete cascade,
    position   smallint    not null constraint progress_position check (position between 0 and 10000),
    page       integer     constraint progress_page check (page between 0 and 100000),
    device     text        constraint progress_device check (octet_length(device) between 1 and 64),
    at         timestamptz not null
);
create index progress_of_entry on progress (entry_id, id desc);

comment on table progress is 'Every position that was logged, never changed: one row a step, by device.';
comment on column progress.id is 'Made by the application, ascending in time.';
comment on column progress.entry_id is 'The book in the reader''s library.';
comment on column progress.position is 'Ten-thousandths of the work.';
comment on column progress.page is 'The page that was named; null where none was.';
comment on column progress.device is 'The device, by the name that it gave; null where the book was moved on the shelves.';
comment on column progress.at is 'When it was logged.';
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
create index bookmark_in_book on bookmark (reader_id, work_id, position, id);
create index bookmark_of_reader on bookmark (reader_id, id desc);
create index bookmark_of_work on bookmark (work_id);

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
comment on index bookmark_in_book is 'The bookmarks in a book, from its beginning.';
comment on index bookmark_of_reader is 'The bookmarks of a reader, newest first.';
comment on index bookmark_of_work is 'Merging works.';

-- A link may open a whole library.

alter table share_link
    drop constraint share_link_shelf,
    add constraint share_link_shelf check (shelf in ('all', 'want', 'reading', 'paused', 'read', 'stopped'));
comment on column share_link.shelf is 'The shelf, or "all" for the whole library; null for a list.';
