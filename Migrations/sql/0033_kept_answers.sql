-- Answers that are kept for repeated calls hold what their callers said; what others wrote is read anew. Messages are
-- cleaned as posts are. Read by Web/Server and Community/Messages.

comment on column idempotency_key.headers is 'Headers that the handler set, as an array of [name, value]; Location alone where the answer is read anew.';
comment on column idempotency_key.body is 'Body of the answer, byte for byte; sealed with the server''s secret where is_sealed. Empty where it shows what others wrote: that is read anew whenever the call is repeated.';
comment on column idempotency_key.fingerprint is 'Keyed hash of the body and, for an access token, of its scopes: the same key with another body or other scopes is refused.';
comment on column message.body is 'What it says, without control characters and what turns directions around; null for a deleted one. What an edit replaced is not kept.';
