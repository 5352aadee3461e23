-- What readers are told of moderation, and where it was done.

alter table moderation_evidence
    alter column case_id drop not null,
    add column act_id bigint;
comment on column moderation_evidence.case_id is 'The case that it is evidence in; null for what an act took out of sight.';
comment on column moderation_evidence.act_id is 'The act (moderation_action.id) that took it out of sight; null for what was reported.';
comment on column moderation_evidence.erase_at is 'When it is erased: 180 days after the decision or the act; null while the case is open.';
create index moderation_evidence_of_act on moderation_evidence (act_id) where act_id is not null;
comment on index moderation_evidence_of_act is 'What an act took out of sight, for the reader concerned.';

alter table moderation_action
    add column group_id bigint;
comment on column moderation_action.group_id is 'The group in which it was done; null for none. The public log says nothing of private ones.';
create index moderation_action_of_group on moderation_action (group_id, id desc) where group_id is not null;
comment on index moderation_action_of_group is 'The log of one group, newest first.';

create index report_of_case on report (case_id, reporter_id);
comment on index report_of_case is 'Who reported one thing, to tell them of the decision; serves the foreign key.';
