-- A post names the book that its thread was about, whoever writes it: also a server that is older than post.work_id and runs on beside
-- this schema. Kept for Community/Gate, which finds by it what opens.

create function post_names_work() returns trigger language plpgsql as $$
begin
    new.work_id := (select thread.work_id from thread where thread.id = new.thread_id);
    return new;
end $$;

comment on function post_names_work is 'Fills post.work_id.';

-- Whoever says the book pays nothing for it.
create trigger post_named_work
    before insert on post
    for each row when (new.work_id is null) execute function post_names_work();

comment on trigger post_named_work on post is 'Fills post.work_id where it is not said.';
