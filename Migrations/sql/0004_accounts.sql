-- Accounts, their sessions, and what was done to them. Written by Community/Accounts and Community/Moderation.

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
        constraint account_state_known check (state in ('active', 'limited', 'frozen', 'suspended', 'deleted')),
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
    invitation_id   bigint,
    created_at      timestamptz not null default now(),
    state_at        timestamptz not null default now(),
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
comment on column account.state is 'active; limited (seen by friends only); frozen (reads, does not write); suspended (shut out, unseen); deleted.';
comment on column account.state_before is 'What a suspended account is again when it is let in; null for all others.';
comment on column account.reach is 'The highest visibility level that anything of this account has: 3 public, 1 friends, -1 nobody. Read by the visibility predicate.';
comment on column account.approved_at is 'When the account was let in; null while it waits for approval. At once in every registration mode but approval.';
comment on column account.verified_at is 'When the address was proven, or counted as proven; null until then.';
comment on column account.is_demo is 'Made by `commonplace demo`, and removed by `demo --remove`.';
comment on column account.invitation_id is 'The invitation that was used at sign-up, if any.';
comment on column account.created_at is 'When the account signed up.';
comment on column account.state_at is 'When state last changed.';

create index account_waiting on account (created_at, id) where approved_at is null;
comment on index account_waiting is 'Sign-ups that wait for approval, oldest first.';
create index account_demo on account (id) where is_demo;
comment on index account_demo is 'Demonstration readers, which forbid a listen beyond loopback.';

create table retired_username (
    digest bytea       primary key constraint retired_username_digest_length check (octet_length(digest) = 32),
    until  timestamptz not null
);
comment on table retired_username is 'Names of deleted accounts, which nobody else may take for 90 days.';
comment on column retired_username.digest is 'HMAC of the name in lower case under the server''s secret: a dump of this table names nobody.';
comment on column retired_username.until is 'When the name is free again.';
create index retired_username_until on retired_username (until);
comment on index retired_username_until is 'For the daily sweep.';

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

alter table account
    add constraint account_invitation_fkey foreign key (invitation_id) references invitation (id) on delete set null;
create index account_invitation on account (invitation_id) where invitation_id is not null;
comment on index account_invitation is 'Serves the foreign key.';

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

create unlogged table auth_attempt (
    key           bytea       primary key,
    count         integer     not null,
    started_at    timestamptz not null,
    blocked_until timestamptz not null,
    expires_at    timestamptz not null
);
comment on table auth_attempt is 'Counters behind the throttles of log-in, sign-up and resend, and where accounts signed in lately. Unlogged: a crash of the database forgets them.';
comment on column auth_attempt.key is 'HMAC of what is counted (an address, a log-in name): a dump of this table names nobody.';
comment on column auth_attempt.count is 'Attempts since started_at.';
comment on column auth_attempt.started_at is 'When this window, or this row of failures, began.';
comment on column auth_attempt.blocked_until is 'No attempt before then.';
comment on column auth_attempt.expires_at is 'When the row means nothing any more.';
create index auth_attempt_expiry on auth_attempt (expires_at);
comment on index auth_attempt_expiry is 'For the sweep.';

create table block (
    blocker_id bigint      not null constraint block_blocker_fkey references account (id) on delete cascade,
    blocked_id bigint      not null constraint block_blocked_fkey references account (id) on delete cascade,
    at         timestamptz not null,
    primary key (blocker_id, blocked_id),
    constraint block_not_oneself check (blocker_id <> blocked_id)
);
comment on table block is 'Who wants nothing to do with whom. Works in both directions: to each other, the two do not exist.';
comment on column block.blocker_id is 'Who blocked.';
comment on column block.blocked_id is 'Who was blocked.';
comment on column block.at is 'Since when.';
create index block_list on block (blocker_id, at desc, blocked_id desc);
comment on index block_list is 'A reader''s own list of blocks, newest first.';
create index block_of_blocked on block (blocked_id);
comment on index block_of_blocked is 'Serves the foreign key.';

create table moderation_action (
    id           bigint      primary key,
    at           timestamptz not null,
    actor        text        not null constraint moderation_action_actor_form check (actor ~ '^(cli:.{1,100}|account:[0-9]{1,19}|system)$'),
    action       text        not null constraint moderation_action_action_form check (action ~ '^[a-z]+\.[a-z_]+$'),
    subject_kind text        not null,
    subject_id   bigint      not null,
    reason       text        not null constraint moderation_action_reason_length check (char_length(reason) between 1 and 500),
    before       jsonb       not null,
    after        jsonb       not null
);
comment on table moderation_action is 'What moderators and administrators did, for good: rows are added and never changed.';
comment on column moderation_action.id is 'Made by the application.';
comment on column moderation_action.at is 'When it was done.';
comment on column moderation_action.actor is 'Who did it: account:ID, cli:NAME (the operating system''s user) or system.';
comment on column moderation_action.action is 'What was done: account.suspend, account.role, …';
comment on column moderation_action.subject_kind is 'Kind of thing it was done to: account, …';
comment on column moderation_action.subject_id is 'Which one.';
comment on column moderation_action.reason is 'Why, in the actor''s words.';
comment on column moderation_action.before is 'What it was before.';
comment on column moderation_action.after is 'What it is since.';
create index moderation_action_of_subject on moderation_action (subject_kind, subject_id, id desc);
comment on index moderation_action_of_subject is 'What was done to one thing, newest first.';

create function moderation_action_is_final() returns trigger language plpgsql as $$
begin
    raise exception 'moderation_action is append-only' using errcode = 'insufficient_privilege';
end
$$;
comment on function moderation_action_is_final is 'Refuses every change of a moderation_action row.';
create trigger moderation_action_final
    before update or delete or truncate on moderation_action
    for each statement execute function moderation_action_is_final();

do $$
begin
    if exists (select from pg_roles where rolname = 'commonplace_app') then
        revoke update, delete, truncate on moderation_action from commonplace_app;
    end if;
end
$$;
