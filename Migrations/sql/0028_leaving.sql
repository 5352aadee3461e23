-- Everything that is kept of a reader, as an archive that the reader may fetch. Written by Community/Leaving.

create table reader_export (
    id           bigint      primary key,
    account_id   bigint      not null constraint reader_export_account_fkey references account (id) on delete cascade,
    state        text        not null default 'waiting'
                 constraint reader_export_state_known check (state in ('waiting', 'ready', 'failed')),
    operation_id bigint,
    attempt      integer     not null default 0,
    done         integer     not null default 0,
    total        integer     not null default 0,
    size         bigint      constraint reader_export_size_range check (size > 0),
    created_at   timestamptz not null,
    finished_at  timestamptz,
    expires_at   timestamptz not null,
    constraint reader_export_of_account unique (account_id),
    constraint reader_export_progress check (done between 0 and total),
    constraint reader_export_ready check ((state = 'ready') = (size is not null))
);
comment on table reader_export is
    'Everything that is kept of a reader, as one archive that the reader may fetch. One for each reader: another replaces it.';
comment on column reader_export.id is 'Made by the application.';
comment on column reader_export.account_id is 'Whose it is, who alone may fetch it.';
comment on column reader_export.state is 'waiting until the job is done; ready; failed when it was given up.';
comment on column reader_export.operation_id is 'How far it is, in operation.';
comment on column reader_export.attempt is 'Runs of the job so far: what an earlier one wrote is not part of the archive.';
comment on column reader_export.done is 'Parts of the archive that are written: tables, and the files of pictures.';
comment on column reader_export.total is 'Parts that it will have; 0 before the job began.';
comment on column reader_export.size is 'Bytes of the archive; null until it is ready.';
comment on column reader_export.created_at is 'When the reader asked for it.';
comment on column reader_export.finished_at is 'When it was ready, or given up.';
comment on column reader_export.expires_at is 'When it is deleted.';
create index reader_export_expiry on reader_export (expires_at);
comment on index reader_export_expiry is 'For the hourly sweep.';

create table reader_export_part (
    export_id bigint  not null constraint reader_export_part_export_fkey references reader_export (id) on delete cascade,
    attempt   integer not null,
    place     integer not null constraint reader_export_part_place_range check (place >= 0),
    bytes     bytea   not null constraint reader_export_part_bytes_length check (octet_length(bytes) between 1 and 1048576),
    primary key (export_id, attempt, place)
);
comment on table reader_export_part is
    'The bytes of an archive, in pieces, so that every server can hand it out and a dump of the database has no files to miss.';
comment on column reader_export_part.export_id is 'Which archive.';
comment on column reader_export_part.attempt is 'Which run of the job wrote it.';
comment on column reader_export_part.place is 'Ascending from 0.';
comment on column reader_export_part.bytes is 'At most 1 MiB, compressed already.';
alter table reader_export_part alter column bytes set storage external;
