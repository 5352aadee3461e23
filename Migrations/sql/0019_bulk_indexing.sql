-- Indexing a million works: words wait in a list and are sorted into the index of words together, which writes a word that ten thousand works
-- hold once instead of ten thousand times.

alter index work_search_words set (fastupdate = on);

-- The index belongs to the owner of the schema; who indexes is the application.
create function search_tidy() returns bigint
    language sql security definer set search_path = pg_catalog, pg_temp
as $$ select pg_catalog.gin_clean_pending_list('public.work_search_words'::pg_catalog.regclass) $$;
comment on function search_tidy is 'Sorts the words that wait into work_search_words, so that no search has to look through them. Called after indexing; gives the pages that were waiting.';
revoke execute on function search_tidy from public;
do $$
begin
    if exists (select 1 from pg_roles where rolname = 'commonplace_app') then
        grant execute on function search_tidy to commonplace_app;
    end if;
end $$;

-- Read by the release before 0012 alone; every new work wrote to it.
drop index work_popularity_top;

-- Rows of the search and entries of browsing are made from the catalogue alone, eight entries for a book and more: asking for each whether there is
-- such a book cost a fifth of making them. Who deletes a book deletes them with it, and commonplace check finds what is left over.
alter table work_search drop constraint work_search_work_id_fkey;
comment on column work_search.work_id is 'The work. No reference: the row is derived, and commonplace check compares it with the work.';
alter table browse_entry drop constraint browse_entry_work_id_fkey;
comment on column browse_entry.work_id is 'The book; the order of arrival. No reference: the entry is derived, and commonplace check compares it with the book.';
