-- Whose readings are and when they ended, for statistics; and what readers set out to read in a year.

alter table reading
    add column reader_id bigint constraint reading_reader_fkey references account (id),
    add column ended_at  timestamptz;
-- Few rows: nothing was released before this file.
update reading
   set reader_id = shelf_entry.reader_id,
       ended_at = case when reading.outcome <> 'open' then reading.created_at end
  from shelf_entry
 where shelf_entry.id = reading.entry_id;
alter table reading
    alter column reader_id set not null,
    add constraint reading_ended_whole check ((ended_at is null) = (outcome = 'open'));
comment on column reading.reader_id is 'Whose it is: that of its entry.';
comment on column reading.ended_at is
    'When the server heard that it is over, whatever day its reader gives; null while it lasts.';
create index reading_ended on reading (reader_id, finished) include (outcome, entry_id) where outcome <> 'open';
comment on index reading_ended is 'What a reader read in a year, those without a date last; the years of a reader. Serves the foreign key.';

create table goal (
    id           bigint      primary key,
    reader_id    bigint      not null constraint goal_reader_fkey references account (id),
    year         smallint    not null constraint goal_year_known check (year between 1000 and 9999),
    books        integer     constraint goal_books_known check (books between 1 and 10000),
    pages        integer     constraint goal_pages_known check (pages between 1 and 10000000),
    list_id      bigint      constraint goal_list_fkey references book_list (id) on delete set null,
    is_announced boolean     not null default false,
    reached_at   timestamptz,
    stale_at     timestamptz,
    created_at   timestamptz not null,
    constraint goal_of_year unique (reader_id, year)
);
comment on table goal is 'What a reader set out to read in a year. One without books, pages and list is as good as none: its list is gone.';
comment on column goal.id is 'Made by the application, ascending in time.';
comment on column goal.reader_id is 'Whose it is.';
comment on column goal.year is 'The year, by the reader''s own calendar.';
comment on column goal.books is 'Finished readings; null where none are set out.';
comment on column goal.pages is 'Pages of finished readings; null where none are set out.';
comment on column goal.list_id is 'The reader''s list, all books of which are to be read; null where none is set out.';
comment on column goal.is_announced is 'Whether friends read in their feeds that it is reached.';
comment on column goal.reached_at is 'When all of it was found reached; null while something is missing.';
comment on column goal.stale_at is
    'When a reading or its list changed since it was last found out whether it is reached; null where nothing did.';
comment on column goal.created_at is 'When it was first set.';
create index goal_of_list on goal (list_id) where list_id is not null;
comment on index goal_of_list is 'The end of a list. Serves the foreign key.';
create index goal_stale on goal (stale_at) where stale_at is not null;
comment on index goal_stale is 'What is to be looked at again.';

-- Where somebody ends, dates, moves or deletes a reading, its reader's goals are looked at again.
create function readings_changed() returns trigger language plpgsql as $$
begin
    update goal
       set stale_at = clock_timestamp()
      from (select distinct reader_id, extract(year from finished) as year from touched) reading
     where goal.reader_id = reading.reader_id
       and goal.stale_at is null
       and (goal.list_id is not null or goal.year = reading.year);
    return null;
end
$$;
comment on function readings_changed() is 'Marks the goals that readings may concern.';
create trigger reading_came after insert on reading
    referencing new table as touched for each statement execute function readings_changed();
comment on trigger reading_came on reading is 'Keeps goal.stale_at.';
create trigger reading_changed_from after update on reading
    referencing old table as touched for each statement execute function readings_changed();
comment on trigger reading_changed_from on reading is 'Keeps goal.stale_at.';
create trigger reading_changed_to after update on reading
    referencing new table as touched for each statement execute function readings_changed();
comment on trigger reading_changed_to on reading is 'Keeps goal.stale_at.';
create trigger reading_went after delete on reading
    referencing old table as touched for each statement execute function readings_changed();
comment on trigger reading_went on reading is 'Keeps goal.stale_at.';

-- So are the goals of a list whose books change.
create function listed_books_changed() returns trigger language plpgsql as $$
begin
    update goal
       set stale_at = clock_timestamp()
      from (select distinct list_id from touched) item
     where goal.list_id = item.list_id
       and goal.stale_at is null;
    return null;
end
$$;
comment on function listed_books_changed() is 'Marks the goals of a list.';
create trigger listed_book_came after insert on book_list_item
    referencing new table as touched for each statement execute function listed_books_changed();
comment on trigger listed_book_came on book_list_item is 'Keeps goal.stale_at.';
create trigger listed_book_went after delete on book_list_item
    referencing old table as touched for each statement execute function listed_books_changed();
comment on trigger listed_book_went on book_list_item is 'Keeps goal.stale_at.';
