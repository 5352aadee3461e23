-- Who sees what of a reader, kind by kind, and the counters that profiles show. Written by Community/Profiles.

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
comment on table privacy is
    'Who sees what of a reader where a thing has no level of its own: 0 private, 1 friends, 2 members, 3 public. No row: the '
    'defaults of its columns.';
comment on column privacy.reader_id is 'Whose it is.';
comment on column privacy.name is 'Level of the name shown beside the username, and of the picture.';
comment on column privacy.bio is 'Level of what the reader says about themselves.';
comment on column privacy.reviews is 'Level of ratings and reviews that have none of their own.';
comment on column privacy.discussions is 'Level of what the reader says on boards.';
comment on column privacy.shelves is 'Level of shelf entries that have none of their own.';
comment on column privacy.lists is 'Level of lists that have none of their own.';
comment on column privacy.favourites is 'Level of the list of favourites.';
comment on column privacy.activity is
    'The most that is told of a move when it happens: an act or event is seen at the lower of this and the entry''s level.';
comment on column privacy.position is 'Level of how far the reader is in a book.';
comment on column privacy.library is 'Level of the books that the reader owns, and of loans.';
comment on column privacy.statistics is 'Level of the reader''s statistics.';
comment on column privacy.notes is 'Level of notes that have none of their own.';
comment on column privacy.searches is 'Level of the reader''s recent searches.';

create table reader_tally (
    reader_id            bigint  primary key constraint reader_tally_reader_fkey references account (id),
    comments             integer not null default 0 constraint reader_tally_comments check (comments >= 0),
    groups               integer not null default 0 constraint reader_tally_groups check (groups >= 0),
    unread_messages      integer not null default 0 constraint reader_tally_unread_messages check (unread_messages >= 0),
    unread_notifications integer not null default 0 constraint reader_tally_unread_notifications check (unread_notifications >= 0)
);
comment on table reader_tally is
    'Counters of a reader that other domains keep, exact at every commit; `commonplace check` recounts them. No row: all are 0. '
    'Friends are counted in friend_tally.';
comment on column reader_tally.reader_id is 'Whose.';
comment on column reader_tally.comments is 'What the reader said on boards and still stands.';
comment on column reader_tally.groups is 'Groups that the reader is in.';
comment on column reader_tally.unread_messages is 'Messages to the reader that were not read.';
comment on column reader_tally.unread_notifications is 'Notifications that were not read.';
