-- What readers hold up: favourites and recommendations. Written by Community/Praise.

create table praise (
    id         bigint      primary key,
    reader_id  bigint      not null constraint praise_reader_fkey references account (id),
    work_id    bigint      not null constraint praise_work_fkey references work (id),
    kind       text        not null constraint praise_kind check (kind in ('favourite', 'recommendation')),
    place      bigint      not null,
    visibility smallint    constraint praise_visibility_level check (visibility between 0 and 3),
    counted    boolean     not null,
    created_at timestamptz not null,
    constraint praise_of_reader unique (reader_id, kind, work_id),
    constraint praise_counted_kind check (kind = 'recommendation' or not counted)
);
comment on table praise is 'A book that a reader holds up: a favourite, a recommendation, or one row for each.';
comment on column praise.id is 'Made by the application, ascending in time: who praised a book, last first.';
comment on column praise.reader_id is 'Whose it is.';
comment on column praise.work_id is 'The book.';
comment on column praise.kind is 'favourite or recommendation.';
comment on column praise.place is
    'Orders the reader''s list. Only the order means anything: there are gaps, so that a book moves without touching the others.';
comment on column praise.visibility is
    'Who may see it, as in review.visibility; null: as the reader''s setting for favourites, or for reviews, says.';
comment on column praise.counted is
    'Whether it is part of work_popularity.recommends: the account counted when this was last looked at, and the level is >= 2.';
comment on column praise.created_at is 'When the reader said so.';
create index praise_in_order on praise (reader_id, kind, place, id);
comment on index praise_in_order is 'A reader''s favourites or recommendations in their order.';
create index praise_of_work on praise (work_id, kind, id desc);
comment on index praise_of_work is 'Who praised a book, last first; merging works.';
create index praise_not_counted on praise (reader_id) where kind = 'recommendation' and not counted;
comment on index praise_not_counted is 'Finds readers whose recommendations may have to be counted now.';
