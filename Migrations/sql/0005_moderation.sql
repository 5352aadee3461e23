-- What moderators and administrators did. Written by Community/Moderation.

create table moderation_action (
    id           bigint      primary key,
    at           timestamptz not null,
    actor        text        not null
                 constraint moderation_action_actor_form check (actor ~ '^(cli:.{1,100}|account:[0-9]{1,19}|system)$'),
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
comment on trigger moderation_action_final on moderation_action is 'Refuses every change.';

do $$
begin
    if exists (select from pg_roles where rolname = 'commonplace_app') then
        revoke update, delete, truncate on moderation_action from commonplace_app;
    end if;
end
$$;
