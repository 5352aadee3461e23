-- Books from other catalogues: where each came from, and which questions are not to be asked again soon. Written by
-- Community/Sources.

create table source_record (
    key           text collate "C" primary key,
    source        text        not null constraint source_record_source check (source in ('google', 'openlibrary')),
    edition_id    bigint      not null constraint source_record_edition_id_fkey references edition (id),
    page          text        not null,
    cover         text,
    fetched_at    timestamptz not null,
    refresh_at    timestamptz not null,
    misses        smallint    not null default 0 constraint source_record_misses check (misses >= 0),
    cover_done_at timestamptz
);
comment on table source_record is 'The records of other catalogues that this server asked for, and what they became here.';
comment on column source_record.key is 'As in edition_source: google:zyTCAlFPjgYC, ol:OL7353617M.';
comment on column source_record.source is 'Which catalogue: google or openlibrary.';
comment on column source_record.edition_id is 'The edition that it is: made from it, or found to be the same.';
comment on column source_record.page is 'The record''s page for people, made from the key.';
comment on column source_record.cover is
    'What the catalogue calls its cover: a number at Open Library, the volume''s identifier at Google Books. Null: it has none.';
comment on column source_record.fetched_at is 'When it was last read.';
comment on column source_record.refresh_at is 'When it is to be read again.';
comment on column source_record.misses is
    'How often in a row the catalogue did not have it any more. At 3 it is not asked for again; the book stays.';
comment on column source_record.cover_done_at is
    'When that cover was fetched, refused or found not to be there; null while it is still to be fetched.';
create index source_record_edition on source_record (edition_id);
comment on index source_record_edition is 'Where a book''s facts came from.';
create index source_record_due on source_record (source, refresh_at, key) where misses < 3;
comment on index source_record_due is 'What is to be read again, the longest overdue first.';

create table source_silence (
    question text collate "C" primary key constraint source_silence_length check (octet_length(question) <= 2500),
    until    timestamptz not null
);
comment on table source_silence is 'Questions that every catalogue answered with nothing: they are not asked again for a day.';
comment on column source_silence.question is 'isbn:9780441172719, or title: and the folded title, a bar, the folded author.';
comment on column source_silence.until is 'When it may be asked again.';
create index source_silence_until on source_silence (until);
comment on index source_silence_until is 'For the sweep: what is over, oldest first.';
