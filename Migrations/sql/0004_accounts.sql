-- Accounts, the keys to them (sessions, codes that were mailed, access tokens), and those that are leaving. Written by
-- Community/Accounts.

create table invitation (
    id         bigint      primary key,
    code_hash  bytea       not null constraint invitation_code_hash_length check (octet_length(code_hash) = 32),
    uses       integer     not null default 0,
    max_uses   integer     not null constraint invitation_max_uses_range check (max_uses between 1 and 10000),
    made_by    text        not null constraint invitation_made_by_length check (octet_length(made_by) between 1 and 200),
    created_at timestamptz not null,
    expires_at timestamptz not null,
    constraint invitation_code_key unique (code_hash),
    constraint invitation_uses_range check (uses between 0 and max_uses)
);
comment on table invitation is 'Codes that let somebody sign up where registration is by invitation.';
comment on column invitation.id is 'Made by the application.';
comment on column invitation.code_hash is 'SHA-256 of the code; the code itself is shown once and not stored.';
comment on column invitation.uses is 'Accounts that signed up with it.';
comment on column invitation.max_uses is 'Accounts that may.';
comment on column invitation.made_by is 'Who made it: account:ID or cli:NAME.';
comment on column invitation.created_at is 'When it was made.';
comment on column invitation.expires_at is 'When it stops working.';

create table account (
    id              bigint      primary key,
    username        text        constraint account_username_form check (username ~ '^[A-Za-z0-9_]{3,30}$'),
    username_folded text        constraint account_username_folded_form check (username_folded ~ '^[a-z0-9_]{3,30}$'),
    email           text        constraint account_email_length check (octet_length(email) between 3 and 254),
    email_folded    text        constraint account_email_folded_length check (octet_length(email_folded) between 3 and 254),
    password_hash   text        constraint account_password_hash_length check (octet_length(password_hash) between 20 and 200),
    name            text        constraint account_name_length check (char_length(name) between 1 and 50),
    bio             text        constraint account_bio_length check (char_length(bio) <= 500),
    role            text        not null default 'member'
        constraint account_role_known check (role in ('member', 'librarian', 'moderator', 'admin', 'owner')),
    state           text        not null default 'active'
        constraint account_state_known check (state in ('active', 'limited', 'frozen', 'suspended', 'leaving', 'deleted')),
    reach           smallint    not null generated always as (
        case
            when approved_at is null then -1
            when state in ('active', 'frozen') then 3
            when state = 'limited' then 1
            else -1
        end) stored,
    state_before    text        constraint account_state_before_known check (state_before in ('active', 'limited', 'frozen')),
    approved_at     timestamptz default now(),
    verified_at     timestamptz,
    is_demo         boolean     not null default false,
    invitation_id   bigint      constraint account_invitation_fkey references invitation (id) on delete set null,
    created_at      timestamptz not null default now(),
    state_at        timestamptz not null default now(),
    renamed_at      timestamptz,
    constraint account_username_key unique (username_folded),
    constraint account_email_key unique (email_folded),
    constraint account_whole_until_deleted check (
        case when state = 'deleted'
             then username is null and username_folded is null and email is null and email_folded is null
                  and password_hash is null and name is null and bio is null
             else username is not null and username_folded is not null and email is not null
                  and email_folded is not null and password_hash is not null
        end)
);
comment on table account is 'One person''s membership. The row outlives the membership, empty of everything personal.';
comment on column account.id is 'Made by the application, ascending in time.';
comment on column account.username is 'As written at sign-up: 3 to 30 ASCII letters, digits and underscores. Null once deleted.';
comment on column account.username_folded is 'The username in lower case: what is unique and what look-ups compare.';
comment on column account.email is 'As written at sign-up; where mail goes.';
comment on column account.email_folded is 'The address in lower case: what is unique.';
comment on column account.password_hash is 'argon2id in PHC string format, with its own salt and costs.';
comment on column account.name is 'Shown beside the username; null where the reader gave none.';
comment on column account.bio is 'What the reader says about themselves.';
comment on column account.role is 'What the account may do beyond its own things.';
comment on column account.state is
    'active; limited (seen by friends only); frozen (reads, does not write); suspended (shut out, unseen); leaving (deleted '
    'when its grace ends, unseen); deleted.';
comment on column account.reach is
    'The highest visibility level that anything of this account has: 3 public, 1 friends, -1 nobody. Read by the visibility '
    'predicate.';
comment on column account.state_before is
    'What a suspended or leaving account is again when it is let in or comes back; null for all others.';
comment on column account.approved_at is
    'When the account was let in; null while it waits for approval. At once in every registration mode but approval.';
comment on column account.verified_at is 'When the address was proven, or counted as proven; null until then.';
comment on column account.is_demo is 'Made by `commonplace demo`, and removed by `demo --remove`.';
comment on column account.invitation_id is 'The invitation that was used at sign-up, if any.';
comment on column account.created_at is 'When the account signed up.';
comment on column account.state_at is 'When state last changed.';
comment on column account.renamed_at is
    'When the username last changed, but for its letters'' case; null where it never did, and once deleted.';
create index account_waiting on account (created_at, id) where approved_at is null;
comment on index account_waiting is 'Sign-ups that wait for approval, oldest first.';
create index account_demo on account (id) where is_demo;
comment on index account_demo is 'Demonstration readers, which forbid a listen beyond loopback.';
create index account_invitation on account (invitation_id) where invitation_id is not null;
comment on index account_invitation is 'Serves the foreign key.';

create table retired_username (
    digest bytea       primary key constraint retired_username_digest_length check (octet_length(digest) = 32),
    until  timestamptz not null
);
comment on table retired_username is 'Names that accounts gave up, by ending or for another, which nobody may take for 90 days.';
comment on column retired_username.digest is
    'HMAC of the name in lower case under the server''s secret: a dump of this table names nobody.';
comment on column retired_username.until is 'When the name is free again.';
create index retired_username_until on retired_username (until);
comment on index retired_username_until is 'For the daily sweep.';

create table session (
    id           bigint      primary key,
    account_id   bigint      not null constraint session_account_fkey references account (id) on delete cascade,
    token_hash   bytea       not null constraint session_token_hash_length check (octet_length(token_hash) = 32),
    created_at   timestamptz not null,
    last_used_at timestamptz not null,
    expires_at   timestamptz not null,
    device       text        constraint session_device_length check (char_length(device) <= 200),
    network      text        constraint session_network_length check (char_length(network) <= 50),
    constraint session_token_key unique (token_hash)
);
comment on table session is 'One sign-in on one device. Deleting the row is what ends it.';
comment on column session.id is 'Made by the application; what the reader sees and names to end it.';
comment on column session.account_id is 'Whose it is.';
comment on column session.token_hash is 'SHA-256 of the token; the token itself is nowhere.';
comment on column session.created_at is 'When the reader signed in.';
comment on column session.last_used_at is 'The last use, written at most once a minute. Over after 30 days without any.';
comment on column session.expires_at is 'Over then in any case, 180 days after it began.';
comment on column session.device is 'What the client called itself (User-Agent), cut at 200 characters.';
comment on column session.network is 'Where it signed in from: the IPv4 /24 or IPv6 /64, never the whole address.';
create index session_of_account on session (account_id, last_used_at desc, id desc);
comment on index session_of_account is 'An account''s sessions, the last used first: the list, and the cut at 20.';
create index session_expiry on session (expires_at);
comment on index session_expiry is 'For the daily sweep.';
create index session_idle on session (last_used_at);
comment on index session_idle is 'For the daily sweep.';

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
comment on column access_token.id is
    'Made by the application. Names the token''s sockets as session.id names those of a session.';
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

create table email_verification (
    token_hash   bytea       primary key constraint email_verification_token_hash_length check (octet_length(token_hash) = 32),
    account_id   bigint      not null constraint email_verification_account_fkey references account (id) on delete cascade,
    email_folded text        not null,
    created_at   timestamptz not null,
    expires_at   timestamptz not null
);
comment on table email_verification is 'Links that were mailed and not yet used. Using one deletes it.';
comment on column email_verification.token_hash is 'SHA-256 of the token in the link.';
comment on column email_verification.account_id is 'Whose address it proves.';
comment on column email_verification.email_folded is 'The address that it was mailed to; proves nothing for another.';
comment on column email_verification.created_at is 'When it was mailed.';
comment on column email_verification.expires_at is 'When it stops working, 24 hours later.';
create index email_verification_of_account on email_verification (account_id, created_at desc);
comment on index email_verification_of_account is 'What an account has open.';
create index email_verification_expiry on email_verification (expires_at);
comment on index email_verification_expiry is 'For the daily sweep.';

create table email_change (
    account_id bigint      primary key constraint email_change_account_fkey references account (id) on delete cascade,
    token_hash bytea       not null constraint email_change_token_hash_length check (octet_length(token_hash) = 32),
    email      text        not null constraint email_change_email_length check (octet_length(email) between 3 and 254),
    created_at timestamptz not null,
    expires_at timestamptz not null,
    constraint email_change_token_key unique (token_hash)
);
comment on table email_change is
    'Addresses that readers want and have yet to prove. One for each account: another wish replaces it.';
comment on column email_change.account_id is 'Whose address it will be.';
comment on column email_change.token_hash is 'SHA-256 of the code that was mailed to the new address.';
comment on column email_change.email is 'The new address as it was typed. Not yet anybody''s: who proves it first has it.';
comment on column email_change.created_at is 'When it was asked for.';
comment on column email_change.expires_at is 'When the code stops working, 24 hours later.';
create index email_change_expiry on email_change (expires_at);
comment on index email_change_expiry is 'For the daily sweep.';

create table password_reset (
    token_hash bytea       primary key constraint password_reset_token_hash_length check (octet_length(token_hash) = 32),
    account_id bigint      not null constraint password_reset_account_fkey references account (id) on delete cascade,
    created_at timestamptz not null,
    expires_at timestamptz not null
);
comment on table password_reset is
    'Codes that were mailed and let their receiver set a new password. Using one deletes all of the account.';
comment on column password_reset.token_hash is 'SHA-256 of the code; the code itself is in the mail alone.';
comment on column password_reset.account_id is 'Whose password it sets.';
comment on column password_reset.created_at is 'When it was mailed.';
comment on column password_reset.expires_at is 'When it stops working, one hour later.';
create index password_reset_of_account on password_reset (account_id);
comment on index password_reset_of_account is 'What an account has open; serves the foreign key.';
create index password_reset_expiry on password_reset (expires_at);
comment on index password_reset_expiry is 'For the daily sweep.';

create unlogged table auth_attempt (
    key           bytea       primary key,
    count         integer     not null,
    started_at    timestamptz not null,
    blocked_until timestamptz not null,
    expires_at    timestamptz not null
);
comment on table auth_attempt is
    'Counters behind the throttles of log-in, sign-up and resend, and where accounts signed in lately. Unlogged: a crash of the '
    'database forgets them.';
comment on column auth_attempt.key is 'HMAC of what is counted (an address, a log-in name): a dump of this table names nobody.';
comment on column auth_attempt.count is 'Attempts since started_at.';
comment on column auth_attempt.started_at is 'When this window, or this row of failures, began.';
comment on column auth_attempt.blocked_until is 'No attempt before then.';
comment on column auth_attempt.expires_at is 'When the row means nothing any more.';
create index auth_attempt_expiry on auth_attempt (expires_at);
comment on index auth_attempt_expiry is 'For the sweep.';

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
