-- What moderators look through: readers by address, state, role and name, and the record of acts.

create index account_of_email_domain on account (split_part(email_folded, '@', 2), id desc) where state <> 'deleted';
comment on index account_of_email_domain is 'Readers whose e-mail addresses have one domain, and what they said.';
create index account_in_state on account (state, id desc) where state not in ('active', 'deleted');
comment on index account_in_state is 'Readers whom moderators restricted, and those who leave, the last that signed up first.';
create index account_in_role on account (role, id desc) where role <> 'member';
comment on index account_in_role is 'Readers with a role, the last that signed up first.';
create index account_by_name on account (username_folded text_pattern_ops) where state <> 'deleted';
comment on index account_by_name is 'Readers whose usernames begin alike.';

create index moderation_action_of_actor on moderation_action (actor, id desc);
comment on index moderation_action_of_actor is 'What one moderator did, newest first.';
create index moderation_action_of_verb on moderation_action (split_part(action, '.', 2), id desc);
comment on index moderation_action_of_verb is 'One kind of acts on whatever kind of things, newest first.';
create index moderation_action_alone on moderation_action (id desc) where act is null;
comment on index moderation_action_alone is 'Acts on one thing, the last first, for the public log.';
