-- The words of what readers keep for themselves, so that they find it again. Written by Community/Kernel/Things/OwnWords.swift.

create table own_words (
    kind      text     not null
              constraint own_words_kind_known check (kind in ('note', 'text', 'quote', 'photo', 'bookmark')),
    id        bigint   not null,
    reader_id bigint   not null constraint own_words_reader_fkey references account (id),
    work_id   bigint   not null constraint own_words_work_fkey references work (id),
    words     tsvector not null,
    primary key (kind, id)
);
comment on table own_words is
    'The words of a note, of a part of one, of a photograph or of a bookmark, for its owner alone. A row for each that has words.';
comment on column own_words.kind is 'What says them: note (its title), text and quote (parts of a note), photo, bookmark.';
comment on column own_words.id is 'Its id.';
comment on column own_words.reader_id is 'Whose it is.';
comment on column own_words.work_id is 'The book that it is about.';
comment on column own_words.words is
    'Folded by Normaliser, what stands for a title at weight A; and #N for the reader, so that the index finds words of one reader.';
create index own_words_words on own_words using gin (words) with (gin_pending_list_limit = 256);
comment on index own_words_words is 'Where words are looked for. Every search reads the new ones that wait to be sorted in.';
create index own_words_in_order on own_words (reader_id, id desc, kind desc);
comment on index own_words_in_order is 'What a reader can find, newest first: where a common word is looked for. The end of an account.';
create index own_words_of_work on own_words (work_id);
comment on index own_words_of_work is 'Merging works.';

-- Bookmarks that were labelled before. Accents are folded when a label changes.
insert into own_words (kind, id, reader_id, work_id, words)
select 'bookmark', id, reader_id, work_id, to_tsvector('simple', label) || ('''#' || reader_id || '''')::tsvector
  from bookmark
 where label is not null;
