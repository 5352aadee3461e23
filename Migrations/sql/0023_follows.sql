-- What readers follow. Written by Community/Follows.

create table follow (
    id        bigint      primary key,
    reader_id bigint      not null constraint follow_reader_fkey references account (id) on delete cascade,
    kind      text        not null constraint follow_kind_known check (kind in ('book', 'author', 'series', 'list')),
    work_id   bigint      constraint follow_work_fkey references work (id),
    author_id bigint      constraint follow_author_fkey references author (id),
    series_id bigint      constraint follow_series_fkey references series (id) on delete cascade,
    list_id   bigint      constraint follow_list_fkey references book_list (id) on delete cascade,
    at        timestamptz not null,
    constraint follow_of_its_kind check (
        num_nonnulls(work_id, author_id, series_id, list_id) = 1
        and case kind when 'book' then work_id when 'author' then author_id when 'series' then series_id
                      else list_id end is not null)
);
comment on table follow is
    'Books, authors, series and lists that readers follow: what is said of them stands in the feed. Readers are befriended, not '
    'followed.';
comment on column follow.id is 'Made by the application, ascending in time: the order of the list.';
comment on column follow.reader_id is 'Who follows.';
comment on column follow.kind is 'What is followed: book, author, series, list; says which of the next four columns is not null.';
comment on column follow.work_id is 'The book; a merge moves it.';
comment on column follow.author_id is 'The author; a merge moves it.';
comment on column follow.series_id is 'The series.';
comment on column follow.list_id is 'The list; the follow goes with it.';
comment on column follow.at is 'Since when.';
create index follow_newest on follow (reader_id, id desc);
comment on index follow_newest is 'What a reader follows, newest first.';
create index follow_newest_of_kind on follow (reader_id, kind, id desc);
comment on index follow_newest_of_kind is 'The same of one kind.';
create unique index follow_work_key on follow (work_id, reader_id) where work_id is not null;
comment on index follow_work_key is 'A book is followed once; merges find who follows it.';
create unique index follow_author_key on follow (author_id, reader_id) where author_id is not null;
comment on index follow_author_key is 'An author is followed once; merges find who follows them.';
create unique index follow_series_key on follow (series_id, reader_id) where series_id is not null;
comment on index follow_series_key is 'A series is followed once; serves the foreign key.';
create unique index follow_list_key on follow (list_id, reader_id) where list_id is not null;
comment on index follow_list_key is 'A list is followed once; serves the foreign key.';
