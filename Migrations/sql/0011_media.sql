-- Pictures: what is stored, whose it is, and where it is shown. The bytes lie in files named by their hash. Written by
-- Community/Media.

create table media_file (
    hash       bytea       primary key constraint media_file_hash_length check (octet_length(hash) = 32),
    size       integer     not null constraint media_file_size_range check (size between 1 and 16777216),
    type       text        not null constraint media_file_type_known check (type in ('image/jpeg', 'image/png')),
    created_at timestamptz not null,
    missing_at timestamptz
);
comment on table media_file is 'One stored file, made by this server. Several pictures may share it.';
comment on column media_file.hash is 'SHA-256 of its bytes: its name in the media folder.';
comment on column media_file.size is 'Bytes.';
comment on column media_file.type is 'Its media type.';
comment on column media_file.created_at is 'When it was first stored.';
comment on column media_file.missing_at is
    'Since when the sweep has not found it in the folder; null while it is there. Not served meanwhile.';
create index media_file_missing on media_file (hash) where missing_at is not null;
comment on index media_file_missing is 'The files to look for again.';

create table picture (
    id         bigint      primary key,
    kind       text        not null constraint picture_kind_known check (kind in ('profile', 'cover')),
    owner_id   bigint      constraint picture_owner_fkey references account (id) on delete cascade,
    added_by   bigint      constraint picture_added_by_fkey references account (id) on delete set null,
    alt        text        constraint picture_alt_length check (octet_length(alt) between 1 and 1000),
    width      integer     not null constraint picture_width_range check (width > 0),
    height     integer     not null constraint picture_height_range check (height > 0),
    size       integer     not null constraint picture_size_range check (size > 0),
    created_at timestamptz not null,
    constraint picture_owned check ((kind = 'profile') = (owner_id is not null))
);
comment on table picture is 'A picture that somebody gave: one image in several widths.';
comment on column picture.id is 'Made by the application, ascending in time.';
comment on column picture.kind is 'profile: a reader''s; cover: an edition''s.';
comment on column picture.owner_id is 'Whose it is and whose quota it fills; null for what belongs to the catalogue.';
comment on column picture.added_by is 'Who gave it; null once that account has ended.';
comment on column picture.alt is 'What it shows, in words, at most 1,000 bytes; null where nobody said.';
comment on column picture.width is 'Pixels of its largest file.';
comment on column picture.height is 'Pixels of its largest file.';
comment on column picture.size is 'Bytes of its files, each width counted.';
comment on column picture.created_at is 'When it was given.';
create index picture_of_owner on picture (owner_id, id) where owner_id is not null;
comment on index picture_of_owner is 'What a reader has stored; deleting an account.';
create index picture_added on picture (added_by) where added_by is not null;
comment on index picture_added is 'What an account gave to the catalogue: forgotten when it ends. Serves the foreign key.';

create table picture_variant (
    picture_id bigint   not null constraint picture_variant_picture_fkey references picture (id) on delete cascade,
    width      smallint not null constraint picture_variant_width_range check (width > 0),
    hash       bytea    not null constraint picture_variant_file_fkey references media_file (hash),
    primary key (picture_id, width)
);
comment on table picture_variant is 'The file of a picture in one of the fixed widths.';
comment on column picture_variant.picture_id is 'The picture.';
comment on column picture_variant.width is 'The fixed width in pixels that clients ask for; a smaller original is not blown up.';
comment on column picture_variant.hash is 'The file.';
create index picture_variant_of_file on picture_variant (hash);
comment on index picture_variant_of_file is 'Whether a file is still used; serving it.';

create table account_picture (
    account_id bigint primary key constraint account_picture_account_fkey references account (id) on delete cascade,
    picture_id bigint not null constraint account_picture_picture_fkey references picture (id) on delete cascade,
    constraint account_picture_once unique (picture_id)
);
comment on table account_picture is 'The picture that a reader shows.';
comment on column account_picture.account_id is 'The reader.';
comment on column account_picture.picture_id is 'The picture.';

create table edition_cover (
    edition_id bigint primary key constraint edition_cover_edition_fkey references edition (id) on delete cascade,
    picture_id bigint not null constraint edition_cover_picture_fkey references picture (id) on delete cascade,
    constraint edition_cover_once unique (picture_id)
);
comment on table edition_cover is 'The cover of an edition. An edition without one has a cover drawn from title and author.';
comment on column edition_cover.edition_id is 'The edition.';
comment on column edition_cover.picture_id is 'The picture.';

create table media_tally (
    account_id bigint primary key constraint media_tally_account_fkey references account (id) on delete cascade,
    bytes      bigint  not null constraint media_tally_bytes_range check (bytes >= 0),
    pictures   integer not null constraint media_tally_pictures_range check (pictures >= 0)
);
comment on table media_tally is 'What each reader has stored, exact at every commit; `commonplace check` recounts it.';
comment on column media_tally.account_id is 'The reader. Who never stored anything has no row.';
comment on column media_tally.bytes is 'Sum of picture.size of what the reader owns.';
comment on column media_tally.pictures is 'Pictures that the reader owns.';
