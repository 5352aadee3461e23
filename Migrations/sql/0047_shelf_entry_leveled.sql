-- no transaction
-- Which books of a reader have a level of their own, for Community/Statistics.
drop index concurrently if exists shelf_entry_leveled;
create index concurrently shelf_entry_leveled on shelf_entry (reader_id) include (visibility, id) where visibility is not null;
comment on index shelf_entry_leveled is 'The entries whose level is not the usual one of their reader.';
