-- What readers report, the cases that reports make, and what they were about.

create table moderation_case (
    id            bigint      primary key,
    subject_kind  text        not null constraint moderation_case_kind_form check (subject_kind ~ '^[a-z_]{1,30}$'),
    subject_id    bigint      not null,
    author_id     bigint      constraint moderation_case_author_fkey references account (id),
    group_id      bigint,
    state         text        not null constraint moderation_case_state_known check (state in ('open', 'acted', 'dismissed')),
    category      text        not null constraint moderation_case_category_known
                              check (category in ('legal', 'abuse', 'spam', 'spoiler', 'rule', 'other')),
    reports       integer     not null constraint moderation_case_reports check (reports >= 0),
    reporters     integer     not null constraint moderation_case_reporters check (reporters >= 0),
    trust         real        not null constraint moderation_case_trust check (trust >= 0),
    priority      integer     generated always as (round(100 * (1 + trust) * case category when 'legal' then 4 when 'abuse' then 3
                                                                                       when 'spam' then 2 else 1 end)::integer) stored,
    claimed_by    text,
    claimed_until timestamptz,
    version       integer     not null default 1 constraint moderation_case_version check (version > 0),
    opened_at     timestamptz not null,
    changed_at    timestamptz not null,
    decided_at    timestamptz,
    constraint moderation_case_of_subject unique (subject_kind, subject_id),
    constraint moderation_case_claim_whole check ((claimed_by is null) = (claimed_until is null)),
    constraint moderation_case_decided check ((decided_at is null) = (state = 'open'))
);
comment on table moderation_case is 'All that was reported about one thing. Reports that come after a decision open it again.';
comment on column moderation_case.id is 'Made by the application, ascending in time.';
comment on column moderation_case.subject_kind is 'Kind of thing that it is about: post, review, account, …';
comment on column moderation_case.subject_id is 'Which one. It may be gone: what it said stands in moderation_evidence.';
comment on column moderation_case.author_id is 'Whose it is; null where it is nobody''s.';
comment on column moderation_case.group_id is 'On the board of which group it stands; null for none. Moderators of the server see no more of a private one than was reported.';
comment on column moderation_case.state is 'open: it waits for a decision. acted: something was done. dismissed: nothing was done.';
comment on column moderation_case.category is 'The gravest of those that open reports name.';
comment on column moderation_case.reports is 'Reports since it was opened.';
comment on column moderation_case.reporters is 'Those of them by accounts that count.';
comment on column moderation_case.trust is 'Sum of report.trust of those: how much the readers who report have been right before.';
comment on column moderation_case.priority is 'What the queue is ordered by: 100 × gravity × (1 + trust). Gravity: legal 4, abuse 3, spam 2, else 1.';
comment on column moderation_case.claimed_by is 'Who looks at it, as in moderation_action.actor; null: nobody.';
comment on column moderation_case.claimed_until is 'Until when nobody else need look.';
comment on column moderation_case.version is 'Rises with each change: what a moderator saw is compared with it.';
comment on column moderation_case.opened_at is 'When it was opened last.';
comment on column moderation_case.changed_at is 'When it was changed last.';
comment on column moderation_case.decided_at is 'When it was decided; null while it is open.';
create index moderation_case_queue on moderation_case ((-priority), id) where state = 'open';
comment on index moderation_case_queue is 'The queue: open cases, the most urgent first, then the oldest.';
create index moderation_case_decided on moderation_case (decided_at, id) where state <> 'open';
comment on index moderation_case_decided is 'Decided cases, the last first.';
create index moderation_case_of_author on moderation_case (author_id) where author_id is not null;
comment on index moderation_case_of_author is 'The cases of one author, for the end of an account.';

create table report (
    id          bigint      primary key,
    case_id     bigint      not null constraint report_case_fkey references moderation_case (id),
    reporter_id bigint      not null constraint report_reporter_fkey references account (id),
    category    text        not null constraint report_category_known
                            check (category in ('legal', 'abuse', 'spam', 'spoiler', 'rule', 'other')),
    text        text        constraint report_text_length check (octet_length(text) between 1 and 8000),
    trust       real        constraint report_trust check (trust between 0 and 1),
    state       text        not null default 'open' constraint report_state_known check (state in ('open', 'acted', 'dismissed')),
    created_at  timestamptz not null,
    decided_at  timestamptz,
    constraint report_decided check ((decided_at is null) = (state = 'open'))
);
comment on table report is 'What one reader reported about one thing.';
comment on column report.id is 'Made by the application, ascending in time.';
comment on column report.case_id is 'The case that it is part of.';
comment on column report.reporter_id is 'Who reported it. Nobody but moderators learns that.';
comment on column report.category is 'Why, in one word.';
comment on column report.text is 'Why, in the reporter''s words, at most 8,000 bytes; null where nothing was said.';
comment on column report.trust is 'How often the reporter was right before, 0 to 1 (Moderation.trust); null where the account does not count.';
comment on column report.state is 'open; acted: something was done about it; dismissed: nothing was.';
comment on column report.created_at is 'When it was made.';
comment on column report.decided_at is 'When it was decided; null while it is open.';
create unique index report_once on report (case_id, reporter_id) where state = 'open';
comment on index report_once is 'One open report of one reader about one thing; all open reports of a case.';
create index report_of_reporter on report (reporter_id, id desc);
comment on index report_of_reporter is 'What one reader reported, newest first, and how often they were right.';

create table moderation_evidence (
    id         bigint      primary key,
    case_id    bigint      not null constraint moderation_evidence_case_fkey references moderation_case (id),
    report_id  bigint      constraint moderation_evidence_report_fkey references report (id) on delete set null,
    kind       text        not null constraint moderation_evidence_kind_form check (kind ~ '^[a-z_]{1,30}$'),
    thing_id   bigint      not null,
    author_id  bigint      constraint moderation_evidence_author_fkey references account (id),
    said       jsonb       not null,
    created_at timestamptz not null,
    erase_at   timestamptz
);
comment on table moderation_evidence is 'What things said when they were reported: their authors may change and delete them.';
comment on column moderation_evidence.id is 'Made by the application, ascending in time.';
comment on column moderation_evidence.case_id is 'The case that it is evidence in.';
comment on column moderation_evidence.report_id is 'The report that brought it; null once that is gone.';
comment on column moderation_evidence.kind is 'Kind of the thing.';
comment on column moderation_evidence.thing_id is 'Which one.';
comment on column moderation_evidence.author_id is 'Who said it; null where it is nobody''s.';
comment on column moderation_evidence.said is 'What it said, by the names of the API.';
comment on column moderation_evidence.created_at is 'When it was copied.';
comment on column moderation_evidence.erase_at is 'When it is erased: 180 days after the decision; null while the case is open.';
create index moderation_evidence_of_case on moderation_evidence (case_id, id);
comment on index moderation_evidence_of_case is 'The evidence in one case, oldest first.';
create index moderation_evidence_of_author on moderation_evidence (author_id, id) where author_id is not null;
comment on index moderation_evidence_of_author is 'What was kept of one author.';
create index moderation_evidence_due on moderation_evidence (erase_at) where erase_at is not null;
comment on index moderation_evidence_due is 'What is to be erased next.';

alter table moderation_action
    add column act        bigint,
    add column report     bigint,
    add column undoes     bigint,
    add column expires_at timestamptz,
    add column author_id  bigint,
    add column said       text constraint moderation_action_said_length check (char_length(said) between 1 and 500);
comment on column moderation_action.act is 'The act over many things that it is part of; null for one by itself.';
comment on column moderation_action.report is 'The case (moderation_case.id) that it decides or comes from.';
comment on column moderation_action.undoes is 'The act that it undoes.';
comment on column moderation_action.expires_at is 'When it ends by itself; null: never.';
comment on column moderation_action.author_id is 'Whose thing it was done to. It names nobody once that account is empty.';
comment on column moderation_action.said is 'What the public log says of it, in the actor''s words; null: nothing.';
create index moderation_action_of_author on moderation_action (author_id, id desc) where author_id is not null;
comment on index moderation_action_of_author is 'What was done to one reader and what they said, newest first.';
create index moderation_action_of_report on moderation_action (report, id) where report is not null;
comment on index moderation_action_of_report is 'What was done in one case, oldest first.';
