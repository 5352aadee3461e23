-- What opens the stream once: pages in browsers, whose sockets send no `Authorization`, ask for it.

create table stream_ticket (
    id              bigint      primary key,
    account_id      bigint      not null constraint stream_ticket_account_fkey references account (id) on delete cascade,
    session_id      bigint      constraint stream_ticket_session_fkey references session (id) on delete cascade,
    access_token_id bigint      constraint stream_ticket_access_token_fkey references access_token (id) on delete cascade,
    token_hash      bytea       not null constraint stream_ticket_token_hash_length check (octet_length(token_hash) = 32),
    origin          text        constraint stream_ticket_origin_length check (char_length(origin) between 1 and 300),
    expires_at      timestamptz not null,
    constraint stream_ticket_token_key unique (token_hash),
    constraint stream_ticket_proof check (num_nonnulls(session_id, access_token_id) = 1)
);
comment on table stream_ticket is 'Tickets that were not used yet. Using one deletes it; the end of what asked for it does, too.';
comment on column stream_ticket.id is 'Made by the application; the larger, the newer.';
comment on column stream_ticket.account_id is 'Whose stream it opens.';
comment on column stream_ticket.session_id is 'The session that asked for it; null where an access token did.';
comment on column stream_ticket.access_token_id is
    'The access token that asked for it, whose scopes the stream has; null where a session did.';
comment on column stream_ticket.token_hash is 'SHA-256 of the ticket; the ticket itself is nowhere.';
comment on column stream_ticket.origin is
    'The page that asked for it, as scheme://host[:port] in lower case: only this one opens the stream with it. '
    'Null where a program asked that is no browser.';
comment on column stream_ticket.expires_at is 'When it stops working, 30 seconds after it was made.';
create index stream_ticket_of_account on stream_ticket (account_id, id desc);
comment on index stream_ticket_of_account is 'What an account has open: the cut at 10 for each session.';
create index stream_ticket_of_session on stream_ticket (session_id) where session_id is not null;
comment on index stream_ticket_of_session is 'For the end of a session.';
create index stream_ticket_of_access_token on stream_ticket (access_token_id) where access_token_id is not null;
comment on index stream_ticket_of_access_token is 'For the end of an access token.';
create index stream_ticket_expiry on stream_ticket (expires_at);
comment on index stream_ticket_expiry is 'For the daily sweep.';
