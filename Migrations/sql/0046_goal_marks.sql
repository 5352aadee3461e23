-- Goals are marked by whatever may concern them, also where they are marked already: so a look that has begun before does not take
-- the newer mark away.

create or replace function readings_changed() returns trigger language plpgsql as $$
begin
    update goal
       set stale_at = clock_timestamp()
      from (select distinct reader_id, extract(year from finished) as year from touched) reading
     where goal.reader_id = reading.reader_id
       and (goal.list_id is not null or goal.year = reading.year);
    return null;
end
$$;

create or replace function listed_books_changed() returns trigger language plpgsql as $$
begin
    update goal
       set stale_at = clock_timestamp()
      from (select distinct list_id from touched) item
     where goal.list_id = item.list_id;
    return null;
end
$$;
-- Merging books moves them from list to list.
create trigger listed_book_moved_from after update on book_list_item
    referencing old table as touched for each statement execute function listed_books_changed();
comment on trigger listed_book_moved_from on book_list_item is 'Keeps goal.stale_at.';
create trigger listed_book_moved_to after update on book_list_item
    referencing new table as touched for each statement execute function listed_books_changed();
comment on trigger listed_book_moved_to on book_list_item is 'Keeps goal.stale_at.';

-- The end of a list leaves its goal without it.
create function goal_lost_list() returns trigger language plpgsql as $$
begin
    new.stale_at := clock_timestamp();
    return new;
end
$$;
comment on function goal_lost_list() is 'Marks a goal.';
create trigger goal_lost_list before update on goal
    for each row when (new.list_id is null and old.list_id is not null) execute function goal_lost_list();
comment on trigger goal_lost_list on goal is 'Keeps goal.stale_at.';

comment on column goal.stale_at is
    'When something changed last since it was found out whether it is reached; null where nothing did.';
