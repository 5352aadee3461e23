-- What readers browse by: the keys of every order of books. Written by Community/Catalog/Browse.

-- A scope is all books or those of one genre, subject, author, publisher, language or decade.
create table browse_scope (
    id      bigint  primary key,
    kind    text    not null
            constraint browse_scope_kind
            check (kind in ('all', 'genre', 'subject', 'author', 'publisher', 'language', 'decade')),
    key     text    collate "C" not null,
    members integer not null default 0 constraint browse_scope_members check (members >= 0),
    is_big  boolean not null default false,
    constraint browse_scope_key unique (kind, key)
);
comment on table browse_scope is 'Sets of books that readers browse.';
comment on column browse_scope.id is 'Made by the application; 0 for all books.';
comment on column browse_scope.kind is 'all, genre, subject, author, publisher, language or decade.';
comment on column browse_scope.key is 'A genre''s slug, an author''s id, a folded name, a language tag, a decade''s first year.';
comment on column browse_scope.members is 'Rows in browse_entry; commonplace check recounts it.';
comment on column browse_scope.is_big is
    'Its entries stand in the indexes of every order. A small one is sorted when it is read.';
insert into browse_scope (id, kind, key, is_big) values (0, 'all', '', true);

-- No reference to work: a book has eight entries and more, and asking for each whether there is such a book would cost a fifth of
-- making them. Deleting a book deletes them, and commonplace check finds what is left over.
create table browse_entry (
    scope_id   bigint   not null,
    work_id    bigint   not null,
    popularity bigint   not null,
    rating     bigint   not null,
    pages      integer  not null,
    year       smallint not null,
    title      text     collate "C" not null,
    author     text     collate "C" not null,
    big_scope  bigint,
    primary key (scope_id, work_id)
);
comment on table browse_entry is 'The keys of every order, for each listed book in each scope that it belongs to.';
comment on column browse_entry.scope_id is 'The scope.';
comment on column browse_entry.work_id is
    'The book; the order of arrival. No reference: the entry is derived, and commonplace check compares it with the book.';
comment on column browse_entry.popularity is '(readers + 3 × recommends) × 2^32 + imported ratings.';
comment on column browse_entry.rating is
    '(Σr − n·m) / (10 + n) in millionths of a quarter of a star: orders as (10·m + Σr) / (10 + n) does, and 0 without ratings '
    'whatever m is.';
comment on column browse_entry.pages is 'Of the edition of middle length; 2147483647 where no edition tells.';
comment on column browse_entry.year is 'Of first publication; −32768 where nobody knows.';
comment on column browse_entry.title is 'Folded, without a leading article, at most 60 bytes.';
comment on column browse_entry.author is
    'The first author folded, last name first, at most 60 bytes; U+10FFFF where there is none.';
comment on column browse_entry.big_scope is
    'The scope where it is a big one, else null: what the indexes of the orders stand on, so that no plan can mistake a big '
    'scope for a small one.';
create index browse_entry_work on browse_entry (work_id);
comment on index browse_entry_work is 'Rewrites the entries of a book.';
create index browse_entry_newest on browse_entry (big_scope, work_id) include (pages, year) where big_scope is not null;
comment on index browse_entry_newest is 'The books of a big scope, by their arrival.';
create index browse_entry_popularity on browse_entry (big_scope, popularity, work_id) include (pages, year)
    where big_scope is not null;
comment on index browse_entry_popularity is 'The books of a big scope, by popularity.';
create index browse_entry_rating on browse_entry (big_scope, rating, work_id) include (pages, year) where big_scope is not null;
comment on index browse_entry_rating is 'The books of a big scope, by rating.';
create index browse_entry_pages on browse_entry (big_scope, pages, work_id) include (year) where big_scope is not null;
comment on index browse_entry_pages is 'The books of a big scope, by length.';
create index browse_entry_title on browse_entry (big_scope, title, work_id) include (pages, year) where big_scope is not null;
comment on index browse_entry_title is 'The books of a big scope, by title.';
create index browse_entry_author on browse_entry (big_scope, author, work_id) include (pages, year) where big_scope is not null;
comment on index browse_entry_author is 'The books of a big scope, by author.';

create table browse_mark (
    id      bigint generated always as identity primary key,
    work_id bigint not null
);
comment on table browse_mark is
    'Books whose entries are to be rewritten, one row a change, put there in the transaction of the change.';
comment on column browse_mark.id is 'In the order of arrival.';
comment on column browse_mark.work_id is 'The book.';

create table browse_mean (
    id       boolean     primary key default true constraint browse_mean_one check (id),
    quarters float8      not null,
    at       timestamptz not null
);
comment on table browse_mean is
    'The server''s mean rating that the keys of the order by rating were made with: one row, fixed once a day.';
comment on column browse_mean.id is 'Always true.';
comment on column browse_mean.quarters is 'Quarters of a star.';
comment on column browse_mean.at is 'When it was fixed.';
