-- The catalogue: works (a "book" in the API is a work), their editions, authors, series, genres and subjects, and where imported
-- facts came from. Every column but keys and counters may be null: sources leave anything out. Written by Community/Catalog.

create table author (
    id           bigint primary key,
    name         text constraint author_name_length check (octet_length(name) between 1 and 1000),
    folded       text        not null default '',
    aliases      text[]      not null default '{}',
    birth        text,
    death        text,
    about        text,
    locked       text[]      not null default '{}',
    version      integer     not null default 1,
    merged_into  bigint constraint author_merged_into_fkey references author (id),
    withdrawn_at timestamptz,
    created_at   timestamptz not null default now()
);
comment on table author is 'A person or body that wrote, drew, translated or edited works.';
comment on column author.id is 'Made by the application, ascending in time.';
comment on column author.name is 'As printed. Null while a work refers to an author whose record has not been imported.';
comment on column author.folded is 'Name and aliases folded for search: lower case, no diacritics, no punctuation.';
comment on column author.aliases is 'Other names and spellings, at most 20.';
comment on column author.birth is 'As the source says it: a date, a year or "about 1850".';
comment on column author.death is 'As the source says it.';
comment on column author.about is 'A short life, plain text.';
comment on column author.locked is 'Names of fields that people set: imports leave them as they are.';
comment on column author.version is 'Raised by every correction; part of its ETag.';
comment on column author.merged_into is 'The author that this one turned out to be. Works hang on that one.';
comment on column author.withdrawn_at is 'When the source deleted the record; not shown since.';
comment on column author.created_at is 'When the row was made.';
create index author_merged on author (merged_into) where merged_into is not null;
comment on index author_merged is 'What was merged into an author: the next merge, and removing it. Serves the foreign key.';
create index author_by_name on author ((left(folded, 200) collate "C")) where merged_into is null and withdrawn_at is null;
comment on index author_by_name is
    'Finds the author that a new book names. Of the beginning alone: name and aliases may be longer than an index takes.';

create table work (
    id           bigint primary key,
    kind         text        not null default 'book'
                 constraint work_kind check (kind in ('book', 'film', 'show', 'audiobook')),
    title        text constraint work_title_length check (octet_length(title) between 1 and 2000),
    subtitle     text,
    description  text constraint work_description_length check (octet_length(description) <= 65536),
    year         smallint,
    language     text,
    form         text constraint work_form check (form in ('fiction', 'nonfiction', 'poetry')),
    locked       text[]      not null default '{}',
    merged_into  bigint constraint work_merged_into_fkey references work (id),
    withdrawn_at timestamptz,
    version      integer     not null default 1,
    page         bytea,
    created_at   timestamptz not null default now()
) with (fillfactor = 90);
comment on table work is 'What readers read and talk about, whatever its editions: a book in the API.';
comment on column work.id is 'Made by the application, ascending in time.';
comment on column work.kind is 'What it is. Only books so far.';
comment on column work.title is 'Without the series. Null while an edition refers to a work whose record has not been imported.';
comment on column work.subtitle is 'What stands below the title.';
comment on column work.description is 'Plain text.';
comment on column work.year is 'Of first publication, negative before our era. Null: the earliest edition''s year is shown.';
comment on column work.language is 'BCP 47, of the original.';
comment on column work.form is 'fiction, nonfiction or poetry, as somebody said. Null: it is told from the genres.';
comment on column work.locked is 'Names of fields that people set: imports leave them as they are.';
comment on column work.merged_into is 'The work that this one turned out to be; its page answers instead.';
comment on column work.withdrawn_at is 'When the source deleted the record and no reader of ours hung on it; not shown since.';
comment on column work.version is 'Raised by every change that shows on the page; part of its ETag.';
comment on column work.page is
    'The page''s catalogue half as JSON without its closing brace, built by the first reader after a change; null: to be built.';
comment on column work.created_at is 'When the row was made.';
create index work_merged on work (merged_into) where merged_into is not null;
comment on index work_merged is
    'What was merged into a work: the next merge, removing it, and what its gate opens. Serves the foreign key.';

create table work_author (
    work_id   bigint   not null constraint work_author_work_id_fkey references work (id),
    position  smallint not null constraint work_author_position check (position between 1 and 100),
    author_id bigint   not null constraint work_author_author_id_fkey references author (id),
    primary key (work_id, position)
);
comment on table work_author is 'Who made a work, in the order of the title page.';
comment on column work_author.work_id is 'The work.';
comment on column work_author.position is '1 is first.';
comment on column work_author.author_id is 'The author.';
create index work_author_author on work_author (author_id, work_id);
comment on index work_author_author is 'The works of an author: indexing them anew, the feed of who follows the author, merging.';

create table series (
    id            bigint primary key,
    name          text not null,
    folded        text collate "C" not null,
    author_folded text collate "C" not null,
    constraint series_name_key unique (folded, author_folded)
);
comment on table series is 'Works that belong together in an order.';
comment on column series.id is 'Made by the application, ascending in time.';
comment on column series.name is 'As printed.';
comment on column series.folded is 'The name folded for search.';
comment on column series.author_folded is 'The first author''s folded name: different authors have series of one name.';

create table work_series (
    work_id   bigint   not null constraint work_series_work_id_fkey references work (id),
    place     smallint not null constraint work_series_place check (place between 1 and 20),
    series_id bigint   not null constraint work_series_series_id_fkey references series (id),
    position  text,
    ordinal   real,
    primary key (work_id, place)
);
comment on table work_series is 'Which series a work stands in.';
comment on column work_series.work_id is 'The work.';
comment on column work_series.place is '1 is the series that the title names first.';
comment on column work_series.series_id is 'The series.';
comment on column work_series.position is 'As printed: "1", "2.5", "1-3".';
comment on column work_series.ordinal is 'The first number in the position, to order by. Null: none.';
create index work_series_series on work_series (series_id, ordinal, work_id);
comment on index work_series_series is 'The works of a series for the feed of who follows it, in order. Serves the foreign key.';
create index work_series_order on work_series (series_id, coalesce(ordinal, 1e9::real), work_id);
comment on index work_series_order is 'The books of a series in order.';

create table genre (
    id         bigint primary key,
    slug       text collate "C" not null constraint genre_slug_key unique,
    name       text    not null,
    work_count integer not null default 0
);
comment on table genre is 'The few dozen genres by which readers browse.';
comment on column genre.id is 'Made by the application, ascending in time.';
comment on column genre.slug is 'Stable name in addresses: science-fiction.';
comment on column genre.name is 'For people, in English.';
comment on column genre.work_count is
    'Rows in work_genre. Kept by the statements that write those; commonplace check recounts it.';

create table work_genre (
    work_id  bigint not null constraint work_genre_work_id_fkey references work (id),
    genre_id bigint not null constraint work_genre_genre_id_fkey references genre (id),
    primary key (work_id, genre_id)
);
comment on table work_genre is 'Which genres a work belongs to.';
comment on column work_genre.work_id is 'The work.';
comment on column work_genre.genre_id is 'The genre.';
create index work_genre_genre on work_genre (genre_id, work_id);
comment on index work_genre_genre is 'The works of a genre: how many there are.';

create table subject (
    id     bigint primary key,
    kind   text not null constraint subject_kind check (kind in ('topic', 'place', 'person', 'time')),
    name   text not null,
    folded text collate "C" not null,
    constraint subject_name_key unique (folded, kind)
);
comment on table subject is 'What works are about: free headings of the sources.';
comment on column subject.id is 'Made by the application, ascending in time.';
comment on column subject.kind is 'topic, place, person or time.';
comment on column subject.name is 'As the first source wrote it, at most 200 bytes.';
comment on column subject.folded is 'Folded, so that spellings meet.';

create table work_subject (
    work_id    bigint not null constraint work_subject_work_id_fkey references work (id),
    subject_id bigint not null constraint work_subject_subject_id_fkey references subject (id),
    primary key (work_id, subject_id)
);
comment on table work_subject is 'What a work is about, at most 30 subjects.';
comment on column work_subject.work_id is 'The work.';
comment on column work_subject.subject_id is 'The subject.';
create index work_subject_subject on work_subject (subject_id, work_id);
comment on index work_subject_subject is 'The works of a subject. Serves the foreign key.';

create table edition (
    id           bigint primary key,
    work_id      bigint      not null constraint edition_work_id_fkey references work (id),
    title        text,
    subtitle     text,
    publisher    text,
    published    text,
    year         smallint,
    pages        integer constraint edition_pages check (pages between 1 and 100000),
    language     text,
    format       text,
    locked       text[]      not null default '{}',
    version      integer     not null default 1,
    merged_into  bigint constraint edition_merged_into_fkey references edition (id),
    withdrawn_at timestamptz,
    created_at   timestamptz not null default now()
);
comment on table edition is 'One printing or file of a work.';
comment on column edition.id is 'Made by the application, ascending in time.';
comment on column edition.work_id is 'The work.';
comment on column edition.title is 'As on this edition, in its language.';
comment on column edition.subtitle is 'What stands below the title.';
comment on column edition.publisher is 'The first that the source names.';
comment on column edition.published is 'The date as the source says it: "June 1995".';
comment on column edition.year is 'The year in that date.';
comment on column edition.pages is 'Pages, 1 to 100,000.';
comment on column edition.language is 'BCP 47.';
comment on column edition.format is 'As the source says it: "Paperback".';
comment on column edition.locked is 'Names of fields that people set: imports leave them as they are.';
comment on column edition.version is 'Raised by every correction; part of its ETag.';
comment on column edition.merged_into is
    'The edition that this one turned out to be; what asks for it is answered with that one.';
comment on column edition.withdrawn_at is 'When the source deleted or redirected the record; not shown since.';
comment on column edition.created_at is 'When the row was made.';
create index edition_work on edition (work_id, id);
comment on index edition_work is 'The editions of a work, in the order of their arrival.';
create index edition_merged on edition (merged_into) where merged_into is not null;
comment on index edition_merged is 'What was merged into an edition: the next merge. Serves the foreign key.';

create table edition_isbn (
    isbn       bigint not null constraint edition_isbn_range check (isbn between 9780000000000 and 9799999999999),
    edition_id bigint not null constraint edition_isbn_edition_id_fkey references edition (id),
    primary key (isbn, edition_id)
);
comment on table edition_isbn is
    'ISBNs of editions. Publishers reuse them and sources repeat editions: one ISBN may lead to several.';
comment on column edition_isbn.isbn is 'The 13 digits as a number; ISBN-10 and SBN are converted.';
comment on column edition_isbn.edition_id is 'The edition.';
create index edition_isbn_edition on edition_isbn (edition_id);
comment on index edition_isbn_edition is 'The ISBNs of an edition.';

-- Where facts came from. The key is the source's short name, a colon and the source's own identifier.
create table author_source (
    key       text collate "C" primary key,
    author_id bigint  not null constraint author_source_author_id_fkey references author (id),
    revision  integer,
    digest    bigint  not null default 0,
    is_alias  boolean not null default false
);
comment on table author_source is 'Which record of which source an author came from.';
comment on column author_source.key is 'ol:OL118077A; goodbooks:author:george orwell.';
comment on column author_source.author_id is 'The author.';
comment on column author_source.revision is
    'The source''s revision. Null: only referred to so far, or a source without revisions.';
comment on column author_source.digest is 'Of the imported content; 0: only referred to so far. The same digest changes nothing.';
comment on column author_source.is_alias is 'The source redirected this key to the author: a record under it is not taken in.';
create index author_source_author on author_source (author_id);
comment on index author_source_author is 'Which records an author came from; merging.';

create table work_source (
    key      text collate "C" primary key,
    work_id  bigint  not null constraint work_source_work_id_fkey references work (id),
    revision integer,
    digest   bigint  not null default 0,
    is_alias boolean not null default false
);
comment on table work_source is 'Which record of which source a work came from.';
comment on column work_source.key is
    'ol:OL1168007W, or ol:OL1017798M for the work of an edition that names none; goodbooks:153313.';
comment on column work_source.work_id is 'The work.';
comment on column work_source.revision is 'The source''s revision. Null: only referred to so far, or a source without revisions.';
comment on column work_source.digest is 'Of the imported content; 0: only referred to so far. The same digest changes nothing.';
comment on column work_source.is_alias is 'The source redirected this key to the work: a record under it is not taken in.';
create index work_source_work on work_source (work_id);
comment on index work_source_work is 'Which records a work came from; merging.';

create table edition_source (
    key        text collate "C" primary key,
    edition_id bigint  not null constraint edition_source_edition_id_fkey references edition (id),
    revision   integer,
    digest     bigint  not null default 0,
    is_alias   boolean not null default false
);
comment on table edition_source is 'Which record of which source an edition came from.';
comment on column edition_source.key is 'ol:OL1017798M; goodbooks:5470.';
comment on column edition_source.edition_id is 'The edition.';
comment on column edition_source.revision is 'The source''s revision. Null: a source without revisions.';
comment on column edition_source.digest is 'Of the imported content. The same digest changes nothing.';
comment on column edition_source.is_alias is 'The source redirected this key to the edition: a record under it is not taken in.';
create index edition_source_edition on edition_source (edition_id);
comment on index edition_source_edition is 'Which records an edition came from; merging.';

-- What a source said about records that are not here.
create table absent_record (
    key      text collate "C" primary key,
    target   text collate "C",
    revision integer
);
comment on table absent_record is
    'Records that their source deleted, or knows under another key by now, before this catalogue had them: so that the order of '
    'a dump''s lines does not matter.';
comment on column absent_record.key is 'As in author_source, work_source and edition_source; in none of them.';
comment on column absent_record.target is
    'The key that the source knows it under now, which is not here either; null where it was deleted.';
comment on column absent_record.revision is 'Of the deletion or redirect. A newer record of this key is taken in.';
create index absent_record_target on absent_record (target) where target is not null;
comment on index absent_record_target is 'What is waiting for a record that came.';

create table imported_rating (
    work_id bigint    not null constraint imported_rating_work_id_fkey references work (id),
    source  text      not null,
    stars   integer[] not null constraint imported_rating_stars check (array_length(stars, 1) = 5),
    count   bigint    not null,
    primary key (work_id, source)
);
comment on table imported_rating is 'Ratings that came with imported data. Never mixed with those of our own readers.';
comment on column imported_rating.work_id is 'The work.';
comment on column imported_rating.source is 'Short name of the source.';
comment on column imported_rating.stars is 'How many gave 1, 2, 3, 4 and 5 stars.';
comment on column imported_rating.count is 'Sum of stars.';

-- What lists are ordered by, narrow and apart from the wide work row, because it changes with every review. Popularity is readers
-- + 3 × recommends.
create table work_popularity (
    work_id    bigint primary key constraint work_popularity_work_id_fkey references work (id),
    readers    integer not null default 0 constraint work_popularity_readers check (readers >= 0),
    recommends integer not null default 0 constraint work_popularity_recommends check (recommends >= 0),
    imported   bigint  not null default 0,
    listed     boolean not null
);
comment on table work_popularity is 'How much read a work is, one row for each: the key of the list of books.';
comment on column work_popularity.work_id is 'The work.';
comment on column work_popularity.readers is
    'Readers of ours who rated or reviewed it. Kept by the write of the review; commonplace check recounts it.';
comment on column work_popularity.recommends is 'Readers of ours who recommend it.';
comment on column work_popularity.imported is 'Sum of imported_rating.count: breaks ties only.';
comment on column work_popularity.listed is 'It has a title and is neither merged nor withdrawn: lists and searches show it.';
create index work_popularity_score on work_popularity ((readers + 3 * recommends) desc, imported desc, work_id desc) where listed;
comment on index work_popularity_score is 'The list of books, most popular first.';

-- Imports, so that an interrupted one goes on where its last batch ended.
create table import_run (
    id            bigint primary key,
    format        text        not null,
    file_name     text        not null,
    size          bigint      not null,
    head          bytea       not null,
    position      bigint      not null default 0,
    line          bigint      not null default 0,
    accepted      bigint      not null default 0,
    rejected      bigint      not null default 0,
    rejects_bytes bigint      not null default 0,
    started_at    timestamptz not null,
    updated_at    timestamptz not null,
    finished_at   timestamptz,
    constraint import_run_file unique (format, size, head)
);
comment on table import_run is 'How far each file has been imported; written in the transaction of each batch.';
comment on column import_run.id is 'Made by the application, ascending in time.';
comment on column import_run.format is 'openlibrary, or csv: and the name of the mapping.';
comment on column import_run.file_name is 'The last path under which the file was read.';
comment on column import_run.size is 'Bytes of the file as it lies on disk.';
comment on column import_run.head is 'SHA-256 of its first 64 KiB.';
comment on column import_run.position is 'Bytes of the uncompressed content that are done.';
comment on column import_run.line is 'Lines that are done.';
comment on column import_run.accepted is 'Records taken in, those that changed nothing among them.';
comment on column import_run.rejected is 'Lines refused.';
comment on column import_run.rejects_bytes is 'Length of the file of rejected lines that belongs to what is done.';
comment on column import_run.started_at is 'When this pass over the file began.';
comment on column import_run.updated_at is 'When its last batch was committed.';
comment on column import_run.finished_at is 'When its end was reached. Null: it stands to be resumed.';
