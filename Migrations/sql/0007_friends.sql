-- Friendships and requests, suggestions that were dismissed, and whom readers block and mute. Written by Community/Friends.

create table friendship (
    reader_id bigint      not null constraint friendship_reader_fkey references account (id) on delete cascade,
    friend_id bigint      not null constraint friendship_friend_fkey references account (id) on delete cascade,
    since     timestamptz not null,
    primary key (reader_id, friend_id),
    constraint friendship_not_oneself check (reader_id <> friend_id)
);
comment on table friendship is 'Two rows for each friendship, one in each direction: reading never needs an "or".';
comment on column friendship.reader_id is 'Whose friend.';
comment on column friendship.friend_id is 'The friend.';
comment on column friendship.since is 'When the request was accepted; the same in both rows.';
create index friendship_list on friendship (reader_id, since desc, friend_id desc);
comment on index friendship_list is 'A reader''s friends, newest first.';
create index friendship_of_friend on friendship (friend_id);
comment on index friendship_of_friend is 'Serves the foreign key.';

create table friend_tally (
    reader_id bigint  primary key constraint friend_tally_reader_fkey references account (id) on delete cascade,
    friends   integer not null constraint friend_tally_range check (friends >= 0)
);
comment on table friend_tally is 'How many friends a reader has, kept in the transaction that changes friendship. No row: none.';
comment on column friend_tally.reader_id is 'Whose.';
comment on column friend_tally.friends is 'Rows of friendship with this reader_id.';

create table friend_request (
    id           bigint      primary key,
    sender_id    bigint      not null constraint friend_request_sender_fkey references account (id) on delete cascade,
    recipient_id bigint      not null constraint friend_request_recipient_fkey references account (id) on delete cascade,
    state        text        not null default 'pending'
        constraint friend_request_state_known check (state in ('pending', 'accepted', 'declined', 'withdrawn', 'dropped')),
    created_at   timestamptz not null,
    decided_at   timestamptz,
    constraint friend_request_not_oneself check (sender_id <> recipient_id),
    constraint friend_request_decided check ((state = 'pending') = (decided_at is null))
);
comment on table friend_request is
    'Requests for friendship. Decided ones stay for 30 days: they count against the sender''s limit, and a declined one does '
    'not reach the recipient again.';
comment on column friend_request.id is 'Made by the application.';
comment on column friend_request.sender_id is 'Who asks.';
comment on column friend_request.recipient_id is 'Who is asked.';
comment on column friend_request.state is
    'pending; accepted; declined (looks pending to the sender); withdrawn (by the sender or a block); dropped (declined, then '
    'withdrawn).';
comment on column friend_request.created_at is 'When it was sent.';
comment on column friend_request.decided_at is 'When it stopped being pending.';
create unique index friend_request_pending_key on friend_request (sender_id, recipient_id) where state in ('pending', 'declined');
comment on index friend_request_pending_key is 'At most one request that is or looks open in each direction.';
create index friend_request_in on friend_request (recipient_id, id desc) where state = 'pending';
comment on index friend_request_in is 'Requests that wait for a reader, newest first.';
create index friend_request_out on friend_request (sender_id, id desc) where state in ('pending', 'declined');
comment on index friend_request_out is 'Requests that a reader has open, or believes to, newest first.';
create index friend_request_sent on friend_request (sender_id, created_at);
comment on index friend_request_sent is 'How many a reader sent in a day; serves the foreign key.';
create index friend_request_declined on friend_request (recipient_id, sender_id, decided_at);
comment on index friend_request_declined is 'Whether one was declined before; serves the foreign key.';
create index friend_request_decided on friend_request (decided_at) where state <> 'pending';
comment on index friend_request_decided is 'For the daily sweep.';

create table dismissed_suggestion (
    reader_id    bigint      not null constraint dismissed_suggestion_reader_fkey references account (id) on delete cascade,
    dismissed_id bigint      not null constraint dismissed_suggestion_dismissed_fkey references account (id) on delete cascade,
    at           timestamptz not null,
    primary key (reader_id, dismissed_id),
    constraint dismissed_suggestion_not_oneself check (reader_id <> dismissed_id)
);
comment on table dismissed_suggestion is 'Readers who are not suggested to another reader any more.';
comment on column dismissed_suggestion.reader_id is 'Who does not want the suggestion.';
comment on column dismissed_suggestion.dismissed_id is 'Who is not suggested.';
comment on column dismissed_suggestion.at is 'When it was dismissed.';
create index dismissed_suggestion_of_dismissed on dismissed_suggestion (dismissed_id);
comment on index dismissed_suggestion_of_dismissed is 'Serves the foreign key, and the end of an account.';

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

create table mute (
    reader_id bigint      not null constraint mute_reader_fkey references account (id) on delete cascade,
    muted_id  bigint      not null constraint mute_muted_fkey references account (id) on delete cascade,
    at        timestamptz not null,
    primary key (reader_id, muted_id),
    constraint mute_not_oneself check (reader_id <> muted_id)
);
comment on table mute is 'Readers muted by another reader, who alone knows it.';
comment on column mute.reader_id is 'Who muted.';
comment on column mute.muted_id is 'Who is muted.';
comment on column mute.at is 'Since when.';
create index mute_list on mute (reader_id, at desc, muted_id desc);
comment on index mute_list is 'Whom a reader has muted, newest first.';
create index mute_of_muted on mute (muted_id);
comment on index mute_of_muted is 'Serves the foreign key, and the end of an account.';
