-- Shelves are filtered by year without a look at each book: Community/Library.
alter table shelf_entry add column year smallint;
comment on column shelf_entry.year is 'When the book was first published, as its page says; kept in step as the keys are. Null where nobody knows.';
update shelf_entry
   set year = dated.year
  from (select work.id,
               coalesce(work.year, (select min(edition.year) from edition
                                     where edition.work_id = work.id and edition.withdrawn_at is null)) as year
          from work) dated
 where dated.id = shelf_entry.work_id
   and dated.year is not null;
