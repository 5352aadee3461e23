-- Books whose new ratings are kept and not counted.

create table rating_hold (
    work_id bigint      primary key constraint rating_hold_work_fkey references work (id) on delete cascade,
    since   timestamptz not null
);
comment on table rating_hold is 'Books whose ratings are held against review bombing; who held them stands in moderation_action.';
comment on column rating_hold.work_id is 'The book.';
comment on column rating_hold.since is 'What was said of it from then on is kept and not counted.';
