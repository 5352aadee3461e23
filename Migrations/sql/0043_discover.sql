-- What holds now of a topic, for sockets; boards that are hot; what readers like to read, and books that are new to the community.

create table stream_state (
    topic      text        collate "C" constraint stream_state_pkey primary key,
    version    bigint      not null constraint stream_state_version check (version > 0),
    data       jsonb       not null constraint stream_state_data_size check (octet_length(data::text) <= 16384),
    changed_at timestamptz not null
);
comment on table stream_state is 'Topics of which only the latest counts. Servers hear of a change by an event on control and read it here.';
comment on column stream_state.topic is 'The topic''s name.';
comment on column stream_state.version is 'Rises by one with each change.';
comment on column stream_state.data is 'What clients are sent, at most 16 KiB.';
comment on column stream_state.changed_at is 'When it changed last.';

create table hot_board (
    place   smallint constraint hot_board_pkey primary key constraint hot_board_place check (place > 0),
    work_id bigint   not null,
    writers integer  not null constraint hot_board_writers check (writers > 0)
);
comment on table hot_board is 'Books'' own boards on which most readers wrote lately; made anew by the job boards.cool.';
comment on column hot_board.place is 'From 1 on.';
comment on column hot_board.work_id is 'The book; it may be merged or gone since.';
comment on column hot_board.writers is 'Readers who wrote there in the last 7 days, whose posts stand and who are counted.';

create table reader_genre (
    reader_id bigint   not null constraint reader_genre_reader_fkey references account (id),
    place     smallint not null constraint reader_genre_place check (place between 1 and 20),
    genre_id  bigint   not null constraint reader_genre_genre_fkey references genre (id) on delete cascade,
    primary key (reader_id, place),
    constraint reader_genre_once unique (reader_id, genre_id)
);
create index reader_genre_of_genre on reader_genre (genre_id);
comment on table reader_genre is 'Genres of which a reader wants to hear, in their order.';
comment on column reader_genre.reader_id is 'Whose.';
comment on column reader_genre.place is 'From 1 on.';
comment on column reader_genre.genre_id is 'The genre.';
comment on index reader_genre_of_genre is 'The end of a genre.';

create table ranking_new (
    place   smallint constraint ranking_new_pkey primary key constraint ranking_new_place check (place > 0),
    work_id bigint   not null,
    readers integer  not null constraint ranking_new_readers check (readers > 0)
);
comment on table ranking_new is 'Works whose first counted act was lately, most read first; made anew with the lists of the month.';
comment on column ranking_new.place is 'From 1 on.';
comment on column ranking_new.work_id is 'The work; it may be merged or gone since.';
comment on column ranking_new.readers is 'Readers since then.';

create table work_begun (
    work_id bigint constraint work_begun_pkey primary key,
    day     date   not null
);
insert into work_begun (work_id, day) select work_id, min(day) from work_bucket group by work_id;
comment on table work_begun is 'The first day on which somebody''s act counted for a work. It stays when the act is taken back or grows old: a book is new once.';
comment on column work_begun.work_id is 'The work; it may be gone since.';
comment on column work_begun.day is 'The day in UTC.';

create index activity_undone on activity (work_id, at) where undone_at is not null;
comment on index activity_undone is 'Acts on a work that were taken back: merges move them, and moderators are told how many there are.';
create index activity_dated on activity (reader_id, work_id, at) where left_out = 1 and undone_at is null;
comment on index activity_dated is 'Books of which a reader says that they were read long ago.';
