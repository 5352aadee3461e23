-- What moderators hide beside posts and threads: reviews, replies to them, lists, groups, readers' pictures.

alter table review
    add column hidden_at    timestamptz,
    add column hidden_level smallint constraint review_hidden_level check (hidden_level between 0 and 3),
    add constraint review_hidden check ((hidden_at is null) = (hidden_level is null) and (hidden_at is null or visibility = 0));
comment on column review.hidden_at is
    'Since when a moderator hides it; null: nobody does. Its visibility is 0 meanwhile, so that whatever asks for the level has '
    'asked whether it is hidden.';
comment on column review.hidden_level is 'The visibility that it comes back with; null while it is not hidden.';

alter table book_list
    add column hidden_at    timestamptz,
    add column hidden_level smallint constraint book_list_hidden_level check (hidden_level between 0 and 3),
    add constraint book_list_hidden check (case when hidden_at is null then hidden_level is null else visibility = 0 end is true);
comment on column book_list.hidden_at is
    'Since when a moderator hides it, from links to it, too; null: nobody does. Its visibility is 0 meanwhile.';
comment on column book_list.hidden_level is
    'The visibility that it comes back with; null for a hidden one that follows privacy.lists, and for one that is not hidden.';

alter table review_reply
    add column hidden_at timestamptz;
comment on column review_reply.hidden_at is
    'Since when a moderator hides it: its author alone sees it, and review.replies does not count it. Null: nobody does.';

alter table reading_group
    add column hidden_at timestamptz;
comment on column reading_group.hidden_at is
    'Since when a moderator hides it: there is none but for its owners. Null: nobody does.';

alter table picture
    add column hidden_at timestamptz;
comment on column picture.hidden_at is
    'Since when a moderator withholds it, a reader''s own: nothing shows it, its files are not served, and media_tally does not count '
    'it; 180 days later it is erased. Null: nobody does.';
