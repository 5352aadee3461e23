-- Keys to an account (resets, changes of the address, personal access tokens), and how a reader leaves: export, grace, farewell.
-- Written by Community/Accounts and Community/Leaving.

create table password_reset (
    token_hash bytea       primary key constraint password_reset_token_hash_length check (octet_length(token_hash) = 32),
    account_id bigint      not null constraint password_reset_account_fkey references account (id) on delete cascade,
    created_at timestamptz not null,
    expires_at timestamptz not null
);
comment on table password_reset is 'Codes that were mailed and let their receiver set a new password. Using one deletes all of the account.';
comment on column password_reset.token_hash is 'SHA-256 of the code; the code itself is in the mail alone.';
comment on column password_reset.account_id is 'Whose password it sets.';
comment on column password_reset.created_at is 'When it was mailed.';
comment on column password_reset.expires_at is 'When it stops working, one hour later.';
create index password_reset_of_account on password_reset (account_id);
comment on index password_reset_of_account is 'What an account has open; serves the foreign key.';
create index password_reset_expiry on password_reset (expires_at);
comment on index password_reset_expiry is 'For the daily sweep.';

create table email_change (
    account_id bigint      primary key constraint email_change_account_fkey references account (id) on delete cascade,
    token_hash bytea       not null constraint email_change_token_hash_length check (octet_length(token_hash) = 32),
    email      text        not null constraint email_change_email_length check (octet_length(email) between 3 and 254),
    created_at timestamptz not null,
    expires_at timestamptz not null,
    constraint email_change_token_key unique (token_hash)
);
comment on table email_change is 'Addresses that readers want and have yet to prove. One for each account: another wish replaces it.';
comment on column email_change.account_id is 'Whose address it will be.';
comment on column email_change.token_hash is 'SHA-256 of the code that was mailed to the new address.';
comment on column email_change.email is 'The new address as it was typed. Not yet anybody''s: who proves it first has it.';
comment on column email_change.created_at is 'When it was asked for.';
comment on column email_change.expires_at is 'When the code stops working, 24 hours later.';
create index email_change_expiry on email_change (expires_at);
comment on index email_change_expiry is 'For the daily sweep.';

create table access_token (
    id           bigint      primary key,
    account_id   bigint      not null constraint access_token_account_fkey references account (id) on delete cascade,
    name         text        not null constraint access_token_name_length check (char_length(name) between 1 and 100),
    token_hash   bytea       not null constraint access_token_token_hash_length check (octet_length(token_hash) = 32),
    scopes       text[]      not null constraint access_token_scopes_count check (cardinality(scopes) between 1 and 100),
    created_at   timestamptz not null,
    expires_at   timestamptz not null,
    last_used_at timestamptz,
    constraint access_token_token_key unique (token_hash)
);
comment on table access_token is 'Personal access tokens: what a reader hands to a program. Deleting the row is what revokes it.';
comment on column access_token.id is 'Made by the application. Names the token''s sockets as session.id names those of a session.';
comment on column access_token.account_id is 'Whose it is.';
comment on column access_token.name is 'What the reader calls it.';
comment on column access_token.token_hash is 'SHA-256 of the token; the token itself is shown once and stored nowhere.';
comment on column access_token.scopes is 'What it may do: read:library, write:reviews, …';
comment on column access_token.created_at is 'When it was made.';
comment on column access_token.expires_at is 'When it stops working.';
comment on column access_token.last_used_at is 'The last use, written at most every ten minutes; null before the first.';
create index access_token_of_account on access_token (account_id, id desc);
comment on index access_token_of_account is 'An account''s tokens, newest first.';
create index access_token_expiry on access_token (expires_at);
comment on index access_token_expiry is 'For the daily sweep.';

-- An account whose owner has left: nothing of it is seen and nobody is signed in, until the owner signs in again or the grace ends.
alter table account drop constraint account_state_known;
alter table account add constraint account_state_known
    check (state in ('active', 'limited', 'frozen', 'suspended', 'leaving', 'deleted'));
comment on column account.state is
    'active; limited (seen by friends only); frozen (reads, does not write); suspended (shut out, unseen); leaving (deleted when its grace ends, unseen); deleted.';
comment on column account.state_before is
    'What a suspended or leaving account is again when it is let in or comes back; null for all others.';

create table departure (
    account_id bigint      primary key constraint departure_account_fkey references account (id) on delete cascade,
    asked_at   timestamptz not null,
    due_at     timestamptz not null
);
comment on table departure is 'Accounts that are leaving. The row goes when the owner comes back, or with the account''s things.';
comment on column departure.account_id is 'Who leaves.';
comment on column departure.asked_at is 'When the owner asked for it.';
comment on column departure.due_at is 'When the account is deleted, 30 days later.';
create index departure_due on departure (due_at, account_id);
comment on index departure_due is 'Whose grace has ended, longest first.';

create table reader_export (
    id          bigint      primary key,
    account_id  bigint      not null constraint reader_export_account_fkey references account (id) on delete cascade,
    state       text        not null default 'waiting'
                constraint reader_export_state_known check (state in ('waiting', 'ready', 'failed')),
    attempt     integer     not null default 0,
    done        integer     not null default 0,
    total       integer     not null default 0,
    size        bigint      constraint reader_export_size_range check (size > 0),
    created_at  timestamptz not null,
    finished_at timestamptz,
    expires_at  timestamptz not null,
    constraint reader_export_of_account unique (account_id),
    constraint reader_export_progress check (done between 0 and total),
    constraint reader_export_ready check ((state = 'ready') = (size is not null))
);
comment on table reader_export is 'Everything that is kept of a reader, as one archive that the reader may fetch. One for each reader: another replaces it.';
comment on column reader_export.id is 'Made by the application.';
comment on column reader_export.account_id is 'Whose it is, who alone may fetch it.';
comment on column reader_export.state is 'waiting until the job is done; ready; failed when it was given up.';
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
alter table reader_export_part alter column bytes set storage external;
comment on table reader_export_part is 'The bytes of an archive, in pieces, so that every server can hand it out and a dump of the database has no files to miss.';
comment on column reader_export_part.export_id is 'Which archive.';
comment on column reader_export_part.attempt is 'Which run of the job wrote it.';
comment on column reader_export_part.place is 'Ascending from 0.';
comment on column reader_export_part.bytes is 'At most 1 MiB, compressed already.';
