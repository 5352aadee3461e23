-- no transaction
-- Years and lengths of all books without their rows, for filtered shelves: Community/Library.
drop index concurrently if exists browse_entry_measures;
create index concurrently browse_entry_measures on browse_entry (work_id) include (year, pages) where scope_id = 0;
comment on index browse_entry_measures is 'The year and the length of each listed book.';
