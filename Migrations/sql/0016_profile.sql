-- Profiles: who sees what of a reader, kind by kind; counters that profiles show.

create table privacy (
    reader_id   bigint   primary key constraint privacy_reader_fkey references account (id),
    name        smallint not null default 2 constraint privacy_name_level check (name between 0 and 3),
    bio         smallint not null default 2 constraint privacy_bio_level check (bio between 0 and 3),
    reviews     smallint not null default 3 constraint privacy_reviews_level check (reviews between 0 and 3),
    discussions smallint not null default 3 constraint privacy_discussions_level check (discussions between 0 and 3),
    shelves     smallint not null default 2 constraint privacy_shelves_level check (shelves between 0 and 3),
    lists       smallint not null default 2 constraint privacy_lists_level check (lists between 0 and 3),
    favourites  smallint not null default 2 constraint privacy_favourites_level check (favourites between 0 and 3),
    activity    smallint not null default 1 constraint privacy_activity_level check (activity between 0 and 3),
    position    smallint not null default 1 constraint privacy_position_level check (position between 0 and 3),
    library     smallint not null default 1 constraint privacy_library_level check (library between 0 and 3),
    statistics  smallint not null default 1 constraint privacy_statistics_level check (statistics between 0 and 3),
    notes       smallint not null default 0 constraint privacy_notes_level check (notes between 0 and 3),
    searches    smallint not null default 0 constraint privacy_searches_level check (searches between 0 and 3)
);

comment on table privacy is 'Who sees what of a reader where a thing has no level of its own: 0 private, 1 friends, 2 members, 3 public. No row: the defaults of its columns.';
comment on column privacy.reader_id is 'Whose it is.';
comment on column privacy.name is 'Level of the name shown beside the username, and of the picture.';
comment on column privacy.bio is 'Level of what the reader says about themselves.';
comment on column privacy.reviews is 'Level of ratings and reviews that have none of their own.';
comment on column privacy.discussions is 'Level of what the reader says on boards.';
comment on column privacy.shelves is 'Level of shelf entries that have none of their own.';
comment on column privacy.lists is 'Level of lists that have none of their own.';
comment on column privacy.favourites is 'Level of the list of favourites.';
comment on column privacy.activity is 'The most that is told of a move when it happens: an act or event is seen at the lower of this and the entry''s level.';
comment on column privacy.position is 'Level of how far the reader is in a book.';
comment on column privacy.library is 'Level of the books that the reader owns, and of loans.';
comment on column privacy.statistics is 'Level of the reader''s statistics.';
comment on column privacy.notes is 'Level of notes that have none of their own.';
comment on column privacy.searches is 'Level of the reader''s recent searches.';

-- What 0009 kept of it. Both files come in one release: no server that was ever released reads the old table.
insert into privacy (reader_id, shelves, lists, activity)
select reader_id, shelves, lists, activity from library_setting;
drop table library_setting;
