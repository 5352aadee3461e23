-- What HTTP itself remembers: the answers to unsafe calls that carried an Idempotency-Key. Written by Web/Server.

create table idempotency_key (
    digest      bytea       primary key constraint idempotency_key_digest check (octet_length(digest) = 32),
    account_id  bigint,
    fingerprint bytea       not null constraint idempotency_key_fingerprint check (octet_length(fingerprint) = 32),
    status      smallint    constraint idempotency_key_status check (status between 100 and 599),
    headers     jsonb,
    body        bytea,
    is_sealed   boolean     not null default false,
    created_at  timestamptz not null default now(),
    expires_at  timestamptz not null
);
comment on table idempotency_key is
    'One unsafe call that named itself with an Idempotency-Key, and its answer. Written in the transaction of the call''s own '
    'effect.';
comment on column idempotency_key.digest is
    'SHA-256 over who calls, method, path and key; for anonymous calls over the body too. The key itself is not kept.';
comment on column idempotency_key.account_id is 'Who called; null for anonymous. No foreign key: rows live a day.';
comment on column idempotency_key.fingerprint is
    'Keyed hash of the body and, for an access token, of its scopes: the same key with another body or other scopes is refused.';
comment on column idempotency_key.status is 'HTTP status of the answer; null only inside the transaction that makes it.';
comment on column idempotency_key.headers is
    'Headers that the handler set, as an array of [name, value]; Location alone where the answer is read anew.';
comment on column idempotency_key.body is
    'Body of the answer, byte for byte; sealed with the server''s secret where is_sealed. Empty where it shows what others '
    'wrote: that is read anew whenever the call is repeated.';
comment on column idempotency_key.is_sealed is 'The body carries a token and is encrypted.';
comment on column idempotency_key.created_at is 'When the call was first made.';
comment on column idempotency_key.expires_at is 'After this the row means nothing and is swept.';
create index idempotency_key_of_account on idempotency_key (account_id) where account_id is not null;
comment on index idempotency_key_of_account is 'The answers to a deleted account go with it.';
create index idempotency_key_expiry on idempotency_key (expires_at);
comment on index idempotency_key_expiry is 'For the sweep: what has expired, oldest first.';
