-- no transaction
-- What a reader read last, for Community/Suggestions.
drop index concurrently if exists shelf_entry_lately;
create index concurrently shelf_entry_lately on shelf_entry (reader_id, moved_at desc, id desc)
    where status in ('read', 'reading', 'paused');
comment on index shelf_entry_lately is 'The books that a reader read, is reading or has paused, last moved first.';
