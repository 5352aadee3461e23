-- Acts of moderators on many things at once.

create table moderation_bulk (
    id         bigint      primary key,
    state      text        not null constraint moderation_bulk_state_known check (state in ('frozen', 'running', 'done', 'cancelled')),
    verb       text        not null constraint moderation_bulk_verb_form check (verb ~ '^[a-z_]{1,30}$'),
    actor      text        not null constraint moderation_bulk_actor_form check (actor ~ '^(cli:.{1,100}|account:[0-9]{1,19}|system)$'),
    role       text        constraint moderation_bulk_role_known check (role in ('moderator', 'admin', 'owner')),
    token_id   bigint,
    reason     text        not null constraint moderation_bulk_reason_length check (char_length(reason) between 1 and 500),
    said       text        constraint moderation_bulk_said_length check (char_length(said) between 1 and 500),
    report     bigint,
    expires_at timestamptz,
    undoes     bigint,
    asked      jsonb       not null,
    total      integer     not null constraint moderation_bulk_total check (total >= 0),
    done       integer     not null default 0 constraint moderation_bulk_done check (done between 0 and total),
    made_at    timestamptz not null,
    ended_at   timestamptz,
    constraint moderation_bulk_ended check ((ended_at is null) = (state in ('frozen', 'running')))
);
comment on table moderation_bulk is 'Acts on many things: the list of them is frozen when it is made, and a job does it.';
comment on column moderation_bulk.id is 'The act, as in moderation_action.act. Made by the application.';
comment on column moderation_bulk.state is 'frozen: made and not begun; running: the job is at it; done; cancelled: what was done stays.';
comment on column moderation_bulk.verb is 'What is done to each; of one that undoes acts: undo.';
comment on column moderation_bulk.actor is 'Who does it, as in moderation_action.';
comment on column moderation_bulk.role is 'The role that they had when they gave the order; null: somebody at the server''s own terminal.';
comment on column moderation_bulk.token_id is 'The access token with which they gave it; null: none.';
comment on column moderation_bulk.reason is 'Why, in the actor''s words.';
comment on column moderation_bulk.said is 'What the public log says of it; null: nothing.';
comment on column moderation_bulk.report is 'The case (moderation_case.id) that it comes from.';
comment on column moderation_bulk.expires_at is 'When it ends by itself; null: never.';
comment on column moderation_bulk.undoes is 'The act that it undoes.';
comment on column moderation_bulk.asked is 'The query that found the list, and what each thing is to be.';
comment on column moderation_bulk.total is 'Things on the list.';
comment on column moderation_bulk.done is 'Of these, how many the act was done to.';
comment on column moderation_bulk.made_at is 'When the list was frozen.';
comment on column moderation_bulk.ended_at is 'When it was done or cancelled.';
create index moderation_bulk_made on moderation_bulk (made_at) where state = 'frozen';
comment on index moderation_bulk_made is 'Lists that nobody began, for the sweep.';

create table moderation_target (
    bulk_id  bigint  not null constraint moderation_target_bulk_fkey references moderation_bulk (id) on delete cascade,
    place    integer not null constraint moderation_target_place check (place > 0),
    beside   bigint  not null,
    kind     text    not null constraint moderation_target_kind_form check (kind ~ '^[a-z_]{1,30}$'),
    thing_id bigint  not null,
    undoes   bigint,
    outcome  text    constraint moderation_target_outcome_known check (outcome in ('done', 'same', 'refused', 'changed')),
    code     text,
    primary key (bulk_id, place)
);
comment on table moderation_target is 'The things of an act on many, and what became of each.';
comment on column moderation_target.bulk_id is 'The act.';
comment on column moderation_target.place is 'From 1, in the order in which the job takes them.';
comment on column moderation_target.beside is 'Those with the same number are done in one transaction: the thread of posts, else the author or the thing itself.';
comment on column moderation_target.kind is 'Kind of thing, as in moderation_action.';
comment on column moderation_target.thing_id is 'Which one.';
comment on column moderation_target.undoes is 'The one act (moderation_action.id) that is undone.';
comment on column moderation_target.outcome is 'done; same: it was so already; refused: see code; changed: not as the act that is undone left it; null: to be done.';
comment on column moderation_target.code is 'Why it was refused, by the codes of the API.';
create index moderation_target_waiting on moderation_target (bulk_id, place) where outcome is null;
comment on index moderation_target_waiting is 'What the job has still to do.';

alter table moderation_action drop constraint moderation_action_action_form;
alter table moderation_action add constraint moderation_action_action_form check (action ~ '^[a-z_]+\.[a-z_]+$');
alter table moderation_action
    add column token_id bigint;
comment on column moderation_action.token_id is 'The access token with which it was done; null: none.';
create index moderation_action_of_act on moderation_action (act, id) where act is not null;
comment on index moderation_action_of_act is 'What an act on many things did, for who undoes it.';
create index moderation_action_undone on moderation_action (undoes) where undoes is not null;
comment on index moderation_action_undone is 'Whether an act was undone.';
