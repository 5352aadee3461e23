-- What opens when a gate does, found by the book; and what moderators decided of marks. Written by Community/Boards and Community/Gate.

alter table post add column work_id bigint;
comment on column post.work_id is 'The book that its thread was about when it was written; null where that was about none. It stays when books are merged: that one leads to the other (work.merged_into).';

-- Boards are no older than the release that this belongs to: there is nothing yet that would take long.
update post
   set work_id = thread.work_id
  from thread
 where thread.id = post.thread_id
   and thread.work_id is not null;

create index post_opening on post (work_id, scope, id)
    where scope > 0 and deleted_at is null and hidden_at is null;
comment on index post_opening is 'What stands between two gates of a book, on its own board and on those of groups: what opens.';
drop index post_ahead;

alter table gate_setting add column opened_at timestamptz;
comment on column gate_setting.opened_at is 'When the library is looked through, or was last, for what this opened: not again within the hour. Null: never yet.';

alter table spoiler_mark add column settled_at timestamptz;
comment on column spoiler_mark.settled_at is 'When a moderator decided on the scope of the post: what was said before no longer counts. Null: it counts, also where it was said anew.';
