-- Photographs that readers take of their books. Written by Community/Photos; the pictures themselves by Community/Media.

alter table privacy
    add column photos smallint not null default 1 constraint privacy_photos_level check (photos between 0 and 3);
comment on column privacy.photos is 'Level of photographs that have none of their own.';

alter table picture
    drop constraint picture_kind_known,
    drop constraint picture_owned,
    add constraint picture_kind_known check (kind in ('profile', 'cover', 'photo')),
    add constraint picture_owned check ((kind = 'cover') = (owner_id is null));
comment on column picture.kind is 'profile: a reader''s; cover: an edition''s; photo: a reader''s photograph.';
comment on column picture.width is 'Pixels of its largest file, as it is shown.';
comment on column picture.height is 'Pixels of its largest file, as it is shown.';

alter table picture_variant
    drop constraint picture_variant_width_range,
    add constraint picture_variant_width_range check (width >= 0);
comment on column picture_variant.width is
    'The fixed width in pixels that clients ask for; a smaller original is not blown up. 0: the master of a photograph, from which edits start.';

alter table media_tally
    alter column bytes set default 0,
    alter column pictures set default 0,
    add column photo_bytes bigint  not null default 0 constraint media_tally_photo_bytes_range check (photo_bytes >= 0),
    add column photos      integer not null default 0 constraint media_tally_photos_range check (photos >= 0);
comment on column media_tally.bytes is 'Sum of picture.size of what the reader owns beside photographs.';
comment on column media_tally.pictures is 'Pictures that the reader owns beside photographs.';
comment on column media_tally.photo_bytes is 'Sum of picture.size of the reader''s photographs.';
comment on column media_tally.photos is 'The reader''s photographs.';

create table photo (
    id           bigint      primary key,
    reader_id    bigint      not null constraint photo_reader_fkey references account (id),
    work_id      bigint      not null constraint photo_work_fkey references work (id),
    edition_id   bigint      constraint photo_edition_fkey references edition (id) on delete set null,
    picture_id   bigint      not null constraint photo_picture_fkey references picture (id) on delete cascade,
    page         integer     constraint photo_page check (page between 0 and 100000),
    position     smallint    constraint photo_position check (position between 0 and 10000),
    scope        smallint    not null constraint photo_scope check (scope between 0 and 10000),
    comment      text        constraint photo_comment_length check (octet_length(comment) between 1 and 2000),
    visibility   smallint    constraint photo_visibility check (visibility between 0 and 3),
    hidden_at    timestamptz,
    hidden_level smallint    constraint photo_hidden_level check (hidden_level between 0 and 3),
    rotate       smallint    not null default 0 constraint photo_rotate check (rotate in (0, 90, 180, 270)),
    crop_left    smallint    constraint photo_crop_left check (crop_left between 0 and 999),
    crop_top     smallint    constraint photo_crop_top check (crop_top between 0 and 999),
    crop_width   smallint    constraint photo_crop_width check (crop_width between 1 and 1000 - crop_left),
    crop_height  smallint    constraint photo_crop_height check (crop_height between 1 and 1000 - crop_top),
    words_state  text        not null default 'waiting'
                 constraint photo_words_state_known check (words_state in ('waiting', 'read', 'unreadable', 'corrected', 'off')),
    words        text        constraint photo_words_length check (octet_length(words) between 1 and 100000),
    confidence   smallint    constraint photo_confidence check (confidence between 0 and 100),
    version      integer     not null default 1 constraint photo_version check (version > 0),
    created_at   timestamptz not null,
    changed_at   timestamptz not null,
    constraint photo_of_picture unique (picture_id),
    constraint photo_crop_whole check (num_nulls(crop_left, crop_top, crop_width, crop_height) in (0, 4)),
    constraint photo_hidden check (case when hidden_at is null then hidden_level is null else visibility = 0 end is true)
);
comment on table photo is 'A photograph that a reader took of a book: of a page, a quotation, a moment.';
comment on column photo.id is 'Made by the application, ascending in time.';
comment on column photo.reader_id is 'Whose it is.';
comment on column photo.work_id is 'The book.';
comment on column photo.edition_id is 'The edition that the reader had in hand when it was given; null where the reader named none.';
comment on column photo.picture_id is 'The picture as it is shown now. Its words for those who do not see it stand there.';
comment on column photo.page is 'The page that the reader named; null where none was named.';
comment on column photo.position is 'Where it belongs, in ten-thousandths of the work; null where that is not known.';
comment on column photo.scope is 'How far one must be in the book to see it, as post.scope.';
comment on column photo.comment is 'What the reader says of it: plain text of at most 2,000 bytes; null: nothing.';
comment on column photo.visibility is 'Its own level: 0 private, 1 friends, 2 members, 3 public; null follows privacy.photos. 0 while it is hidden.';
comment on column photo.hidden_at is 'Since when a moderator hides it from all but its reader; null: nobody does.';
comment on column photo.hidden_level is
    'The level that it comes back with; null for a hidden one that follows privacy.photos, and for one that is not hidden.';
comment on column photo.rotate is 'Degrees by which the master is turned to the right before it is shown.';
comment on column photo.crop_left is 'What is shown of the turned picture: thousandths of its width, left of it. Null, as its like: all of it.';
comment on column photo.crop_top is 'Thousandths of the height of the turned picture, above what is shown.';
comment on column photo.crop_width is 'Thousandths of the width of the turned picture that are shown.';
comment on column photo.crop_height is 'Thousandths of the height of the turned picture that are shown.';
comment on column photo.words_state is
    'The words in it. waiting: to be read; read: by this server; unreadable: none were found; corrected: by the reader; off: not read here.';
comment on column photo.words is 'The words in it, for its reader alone: at most 100,000 bytes; null where there are none.';
comment on column photo.confidence is 'How sure of the words who read them is, in hundredths; null where that is not known.';
comment on column photo.version is 'Rises by one with every change; the ETag.';
comment on column photo.created_at is 'When it was given.';
comment on column photo.changed_at is 'When it last changed.';
create index photo_of_reader on photo (reader_id, id desc);
comment on index photo_of_reader is 'The photographs of a reader, newest first; the end of an account.';
create index photo_in_book on photo (reader_id, work_id, id desc);
comment on index photo_in_book is 'The photographs of a reader in one book, newest first: for its page; friends'' photographs.';
create index photo_of_work on photo (work_id, id desc);
comment on index photo_of_work is 'Everybody''s photographs of a book, newest first; merging works.';
create index photo_of_edition on photo (edition_id) where edition_id is not null;
comment on index photo_of_edition is 'Merging editions. Serves the foreign key.';
create index photo_unread on photo (id) where words_state in ('waiting', 'off');
comment on index photo_unread is 'Photographs whose words are to be read, and those of which they could not be.';
