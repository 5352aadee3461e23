-- The search index: what each work is found by, the words that occur with how often they do, which works changed since they were
-- indexed, and what readers searched for. Written by Community/Search.

-- Groups of three letters, by which misspelt words are found.
create extension if not exists pg_trgm;

-- No reference to work: asking for each row whether there is such a book would cost a good part of making it. Deleting a book
-- deletes its row, and commonplace check finds what is left over.
create table work_search (
    work_id    bigint   primary key,
    title      text     collate "C" not null,
    author     text     not null,
    words      tsvector not null,
    popularity real     not null default 0,
    digest     bigint   not null default 0
);
comment on table work_search is
    'What searches look at, one row for each listed work; written by the search alone (Search.index).';
comment on column work_search.work_id is
    'The work. No reference: the row is derived, and commonplace check compares it with the work.';
comment on column work_search.title is 'The title folded, without a leading article, at most 500 bytes.';
comment on column work_search.author is 'Authors'' names folded, in the order of the title page, at most 500 bytes.';
comment on column work_search.words is
    'Folded words: titles of the work and its editions and subtitles (weight A), authors with aliases (B), series (C), genres '
    'and subjects (D); p/… publishers, g/… genres.';
comment on column work_search.popularity is
    'Readers + 3 × recommendations + editions / 3 + ln(1 + imported ratings); brought up to date daily and whenever the work is '
    'indexed.';
comment on column work_search.digest is
    'Of everything that the row was made of: another one in the catalogue means that the row is stale.';
-- New words wait in a list and are sorted into the index together: a word that ten thousand works hold is written once instead of
-- ten thousand times. search_tidy sorts them in after each indexing, so that no search reads the list.
create index work_search_words on work_search using gin (words) with (fastupdate = on);
comment on index work_search_words is 'Works that hold the words of a search.';
create index work_search_title on work_search (title, work_id);
comment on index work_search_title is
    'Works whose title is, or begins with, what was asked for; the same book under another record.';
create index work_search_popular on work_search (popularity desc, work_id desc);
comment on index work_search_popular is 'The most popular works that match words of which there are very many.';

-- The index belongs to the owner of the schema; who indexes is the application.
create function search_tidy() returns bigint
    language sql security definer set search_path = pg_catalog, pg_temp
as $$ select pg_catalog.gin_clean_pending_list('public.work_search_words'::pg_catalog.regclass) $$;
comment on function search_tidy is
    'Sorts the words that wait into work_search_words, so that no search has to look through them. Called after indexing; gives '
    'the pages that were waiting.';
revoke execute on function search_tidy from public;
do $$
begin
    if exists (select from pg_roles where rolname = 'commonplace_app') then
        grant execute on function search_tidy to commonplace_app;
    end if;
end
$$;

create table search_word (
    word text collate "C" primary key,
    ndoc integer not null constraint search_word_ndoc check (ndoc >= 0)
);
comment on table search_word is
    'Every word of work_search.words, with the number of works that hold it: decides how a search is run and what a misspelt '
    'word may have been.';
comment on column search_word.word is 'The word; ^/ and one to three letters: how often words begin with these.';
comment on column search_word.ndoc is
    'Works that hold it when it was last counted; 1 for a word that came since. Counted daily and after imports.';
create index search_word_similar on search_word using gin (word gin_trgm_ops);
comment on index search_word_similar is 'Long words that differ from a misspelt one by two letters.';

-- Words of about the same letters and length as `meant`. A function because the index asks for the least similarity in a setting.
create function search_similar(meant text) returns table (word text, ndoc integer)
    language sql stable set pg_trgm.similarity_threshold = '0.2'
as $$
    select search_word.word, search_word.ndoc
      from search_word
     where search_word.word % meant
       and search_word.ndoc > 0
       and char_length(search_word.word) between char_length(meant) - 2 and char_length(meant) + 2
     limit 1000
$$;
comment on function search_similar is
    'Words that may be within two edits of a misspelt one: a fifth of the groups of three letters in common.';

create table search_word_count (
    word text collate "C" primary key,
    ndoc integer not null
);
comment on table search_word_count is 'The counting of words that is under way; empty when none is.';
comment on column search_word_count.word is 'The word.';
comment on column search_word_count.ndoc is 'Works that hold it.';

create table search_stale (
    work_id bigint primary key,
    marks   integer not null default 1
) with (fillfactor = 70);
comment on table search_stale is
    'Works that changed since they were indexed: a job indexes them within seconds. No reference to work: a deleted one is '
    'marked too.';
comment on column search_stale.work_id is 'The work.';
comment on column search_stale.marks is
    'How often it was marked: marking locks the row, so that a mark is never lost to the indexing under way.';

create table search_state (
    id               smallint    primary key default 1 constraint search_state_one check (id = 1),
    format           integer     not null default 0,
    top_popularity   real        not null default 100,
    words_counted_at timestamptz
);
comment on table search_state is 'One row: what holds for the whole index.';
comment on column search_state.id is 'There is one row.';
comment on column search_state.format is
    'Of the rows of work_search. The program indexes everything anew where its own is newer.';
comment on column search_state.top_popularity is
    'The popularity of the most popular work, daily: what popularity is measured against.';
comment on column search_state.words_counted_at is 'When search_word was last counted.';
insert into search_state (format) values (1);

create table recent_search (
    id        bigint primary key,
    reader_id bigint      not null constraint recent_search_reader_id_fkey references account (id),
    folded    text collate "C" not null,
    query     text        not null constraint recent_search_query_length check (octet_length(query) between 1 and 1000),
    at        timestamptz not null,
    constraint recent_search_of_reader unique (reader_id, folded)
);
comment on table recent_search is 'What readers searched for, each for their own eyes alone; the latest 50 of each.';
comment on column recent_search.id is 'Made by the application, ascending in time.';
comment on column recent_search.reader_id is 'Whose it is.';
comment on column recent_search.folded is 'The query folded: the same search is kept once.';
comment on column recent_search.query is 'As it was typed the last time.';
comment on column recent_search.at is 'When it was searched for last.';
create index recent_search_newest on recent_search (reader_id, at desc, id desc);
comment on index recent_search_newest is 'A reader''s recent searches, latest first.';
