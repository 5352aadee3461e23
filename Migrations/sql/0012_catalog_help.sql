-- Helping hands for the catalogue: what members propose and librarians change, with its history. Written by
-- Community/Catalog/Help.

-- Who changed what.
create table catalog_revision (
    id           bigint      primary key,
    at           timestamptz not null,
    actor        text        not null,
    account_id   bigint      constraint catalog_revision_account_id_fkey references account (id),
    action       text        not null
                 constraint catalog_revision_action check (action in ('create', 'edit', 'merge', 'undo')),
    subject_kind text        not null
                 constraint catalog_revision_kind check (subject_kind in ('book', 'edition', 'author')),
    subject_id   bigint      not null,
    reason       text        not null constraint catalog_revision_reason check (octet_length(reason) <= 2000),
    before       jsonb       not null,
    after        jsonb       not null,
    proposal_id  bigint,
    undoes       bigint      constraint catalog_revision_undone_once unique
                 constraint catalog_revision_undoes_fkey references catalog_revision (id)
);
comment on table catalog_revision is
    'Every change that people made to books, editions and authors. Rows are added and never changed, but for who leaves: name '
    'and words go.';
comment on column catalog_revision.id is 'Made by the application, ascending in time.';
comment on column catalog_revision.at is 'When.';
comment on column catalog_revision.actor is
    'Who decided it: account:42, account for somebody who has left, cli:NAME, or import:ol for a redirect in a source''s dump.';
comment on column catalog_revision.account_id is
    'Whose change it is: the member whose proposal was accepted, else who made it. Null: somebody at the terminal, or who has '
    'left.';
comment on column catalog_revision.action is 'create, edit, merge or undo.';
comment on column catalog_revision.subject_kind is 'book, edition or author.';
comment on column catalog_revision.subject_id is 'What was changed; for a merge what was merged away.';
comment on column catalog_revision.reason is 'Why, as they said; may be empty.';
comment on column catalog_revision.before is 'The changed fields as they were.';
comment on column catalog_revision.after is 'The changed fields as they became; for a merge {"into": "ID"}.';
comment on column catalog_revision.proposal_id is 'The proposal that it carries out.';
comment on column catalog_revision.undoes is 'The revision that it takes back.';
create index catalog_revision_of_subject on catalog_revision (subject_kind, subject_id, id desc);
comment on index catalog_revision_of_subject is 'The history of one thing, newest first.';
create index catalog_revision_by_account on catalog_revision (account_id, id desc) where account_id is not null;
comment on index catalog_revision_by_account is 'How much somebody added lately.';
create index catalog_revision_by_actor on catalog_revision (actor) where actor like 'account:%';
comment on index catalog_revision_by_actor is 'What somebody who leaves decided (ForgetDecider).';

create table catalog_proposal (
    id           bigint      primary key,
    at           timestamptz not null,
    account_id   bigint      not null constraint catalog_proposal_account_id_fkey references account (id),
    subject_kind text        not null
                 constraint catalog_proposal_kind check (subject_kind in ('book', 'edition', 'author')),
    subject_id   bigint      not null,
    before       jsonb       not null,
    changes      jsonb       not null,
    reason       text        not null constraint catalog_proposal_reason check (octet_length(reason) <= 2000),
    state        text        not null default 'open'
                 constraint catalog_proposal_state check (state in ('open', 'accepted', 'declined', 'withdrawn')),
    decided_at   timestamptz,
    decided_by   text,
    answer       text        constraint catalog_proposal_answer check (octet_length(answer) <= 2000),
    constraint catalog_proposal_decided check ((state = 'open') = (decided_at is null))
);
comment on table catalog_proposal is 'Corrections that members propose, for librarians to decide.';
comment on column catalog_proposal.id is 'Made by the application, ascending in time.';
comment on column catalog_proposal.at is 'When it was proposed.';
comment on column catalog_proposal.account_id is 'Who proposes.';
comment on column catalog_proposal.subject_kind is 'book, edition or author.';
comment on column catalog_proposal.subject_id is 'What is to be changed.';
comment on column catalog_proposal.before is 'The fields in question as they were then; {} for what was merged since.';
comment on column catalog_proposal.changes is 'Fields and what they should become, as PATCH takes them.';
comment on column catalog_proposal.reason is 'Why, as they said; may be empty.';
comment on column catalog_proposal.state is 'open, accepted, declined or withdrawn.';
comment on column catalog_proposal.decided_at is 'When it stopped being open.';
comment on column catalog_proposal.decided_by is 'Who decided: account:42, account for somebody who has left, cli:NAME.';
comment on column catalog_proposal.answer is 'What they said to it.';
create index catalog_proposal_open on catalog_proposal (id) where state = 'open';
comment on index catalog_proposal_open is 'The queue, oldest first.';
create index catalog_proposal_of_account on catalog_proposal (account_id, id desc);
comment on index catalog_proposal_of_account is 'What one member proposed, newest first.';
create index catalog_proposal_open_of_account on catalog_proposal (account_id) where state = 'open';
comment on index catalog_proposal_open_of_account is 'How many proposals of one member wait.';
create index catalog_proposal_of_subject on catalog_proposal (subject_kind, subject_id) where state = 'open';
comment on index catalog_proposal_of_subject is 'Follows a merge.';
create index catalog_proposal_by_decider on catalog_proposal (decided_by) where decided_by like 'account:%';
comment on index catalog_proposal_by_decider is 'The same among proposals.';

create table catalog_proposal_cover (
    proposal_id bigint primary key
                constraint catalog_proposal_cover_proposal_fkey references catalog_proposal (id) on delete cascade,
    picture_id  bigint not null constraint catalog_proposal_cover_picture_fkey references picture (id) on delete cascade,
    constraint catalog_proposal_cover_once unique (picture_id)
);
comment on table catalog_proposal_cover is
    'The pictures that members propose as covers. One that is declined or withdrawn is gone.';
comment on column catalog_proposal_cover.proposal_id is 'The proposal, whose field cover names the picture.';
comment on column catalog_proposal_cover.picture_id is 'The picture.';
