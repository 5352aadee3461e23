-- Helping hands for the catalogue: what members propose and librarians change, with its history, and the keys by which books are browsed.

alter table work add column form text constraint work_form check (form in ('fiction', 'nonfiction', 'poetry'));
alter table work add column locked text[] not null default '{}';
alter table edition add column locked text[] not null default '{}';
alter table edition add column version integer not null default 1;
alter table edition add column merged_into bigint references edition (id);
alter table author add column locked text[] not null default '{}';
alter table author add column version integer not null default 1;

comment on column work.form is 'fiction, nonfiction or poetry, as somebody said. Null: it is told from the genres.';
comment on column work.locked is 'Names of fields that people set: imports leave them as they are.';
comment on column edition.locked is 'Names of fields that people set: imports leave them as they are.';
comment on column edition.version is 'Raised by every correction; part of its ETag.';
comment on column edition.merged_into is 'The edition that this one turned out to be; what asks for it is answered with that one.';
comment on column author.locked is 'Names of fields that people set: imports leave them as they are.';
comment on column author.version is 'Raised by every correction; part of its ETag.';

create index edition_merged on edition (merged_into) where merged_into is not null;
create index author_by_name on author ((left(folded, 200) collate "C")) where merged_into is null and withdrawn_at is null;
comment on index author_by_name is 'Finds the author that a new book names. Of the beginning alone: name and aliases may be longer than an index takes.';

-- What a source said about records that are not here.

create table absent_record (
    key      text collate "C" primary key,
    target   text collate "C",
    revision integer
);
create index absent_record_target on absent_record (target) where target is not null;

comment on table absent_record is 'Records that their source deleted, or knows under another key by now, before this catalogue had them: so that the order of a dump''s lines does not matter.';
comment on column absent_record.key is 'As in author_source, work_source and edition_source; in none of them.';
comment on column absent_record.target is 'The key that the source knows it under now, which is not here either; null where it was deleted.';
comment on column absent_record.revision is 'Of the deletion or redirect. A newer record of this key is taken in.';
comment on index absent_record_target is 'What is waiting for a record that came.';

-- Who changed what.

create table catalog_revision (
    id           bigint      primary key,
    at           timestamptz not null,
    actor        text        not null,
    account_id   bigint      references account (id),
    action       text        not null constraint catalog_revision_action check (action in ('create', 'edit', 'merge', 'undo')),
    subject_kind text        not null constraint catalog_revision_kind check (subject_kind in ('book', 'edition', 'author')),
    subject_id   bigint      not null,
    reason       text        not null constraint catalog_revision_reason check (octet_length(reason) <= 2000),
    before       jsonb       not null,
    after        jsonb       not null,
    proposal_id  bigint,
    undoes       bigint      constraint catalog_revision_undone_once unique references catalog_revision (id)
);
create index catalog_revision_of_subject on catalog_revision (subject_kind, subject_id, id desc);
create index catalog_revision_by_account on catalog_revision (account_id, id desc) where account_id is not null;

comment on table catalog_revision is 'Every change that people made to books, editions and authors. Rows are added and never changed, but for who leaves: name and words go.';
comment on column catalog_revision.id is 'Made by the application, ascending in time.';
comment on column catalog_revision.at is 'When.';
comment on column catalog_revision.actor is 'Who decided it: account:42, cli:NAME, or import:ol for a redirect in a source''s dump.';
comment on column catalog_revision.account_id is 'Whose change it is: the member whose proposal was accepted, else who made it. Null: somebody at the terminal, or who has left.';
comment on column catalog_revision.action is 'create, edit, merge or undo.';
comment on column catalog_revision.subject_kind is 'book, edition or author.';
comment on column catalog_revision.subject_id is 'What was changed; for a merge what was merged away.';
comment on column catalog_revision.reason is 'Why, as they said; may be empty.';
comment on column catalog_revision.before is 'The changed fields as they were.';
comment on column catalog_revision.after is 'The changed fields as they became; for a merge {"into": "ID"}.';
comment on column catalog_revision.proposal_id is 'The proposal that it carries out.';
comment on column catalog_revision.undoes is 'The revision that it takes back.';
comment on index catalog_revision_of_subject is 'The history of one thing, newest first.';
comment on index catalog_revision_by_account is 'How much somebody added lately.';

create table catalog_proposal (
    id           bigint      primary key,
    at           timestamptz not null,
    account_id   bigint      not null references account (id),
    subject_kind text        not null constraint catalog_proposal_kind check (subject_kind in ('book', 'edition', 'author')),
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
create index catalog_proposal_open on catalog_proposal (id) where state = 'open';
create index catalog_proposal_of_account on catalog_proposal (account_id, id desc);
create index catalog_proposal_open_of_account on catalog_proposal (account_id) where state = 'open';
create index catalog_proposal_of_subject on catalog_proposal (subject_kind, subject_id) where state = 'open';

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
comment on column catalog_proposal.decided_by is 'Who decided: account:42, cli:NAME.';
comment on column catalog_proposal.answer is 'What they said to it.';
comment on index catalog_proposal_open is 'The queue, oldest first.';
comment on index catalog_proposal_of_account is 'What one member proposed, newest first.';
comment on index catalog_proposal_open_of_account is 'How many proposals of one member wait.';
comment on index catalog_proposal_of_subject is 'Follows a merge.';

create table catalog_proposal_cover (
    proposal_id bigint primary key constraint catalog_proposal_cover_proposal_fkey references catalog_proposal (id) on delete cascade,
    picture_id  bigint not null constraint catalog_proposal_cover_picture_fkey references picture (id) on delete cascade,
    constraint catalog_proposal_cover_once unique (picture_id)
);
comment on table catalog_proposal_cover is 'The pictures that members propose as covers. One that is declined or withdrawn is gone.';
comment on column catalog_proposal_cover.proposal_id is 'The proposal, whose field cover names the picture.';
comment on column catalog_proposal_cover.picture_id is 'The picture.';

-- Popularity is readers + 3 × recommends.

alter table work_popularity add column recommends integer not null default 0
    constraint work_popularity_recommends check (recommends >= 0);
comment on column work_popularity.recommends is 'Readers of ours who recommend it.';
create index work_popularity_score on work_popularity ((readers + 3 * recommends) desc, imported desc, work_id desc) where listed;
comment on index work_popularity_score is 'The list of books, most popular first. work_popularity_top, which the release before reads, goes with the next one.';

-- What readers browse by. A scope is all books or those of one genre, subject, author, publisher, language or decade.

create table browse_scope (
    id      bigint  primary key,
    kind    text    not null
            constraint browse_scope_kind check (kind in ('all', 'genre', 'subject', 'author', 'publisher', 'language', 'decade')),
    key     text    collate "C" not null,
    members integer not null default 0 constraint browse_scope_members check (members >= 0),
    is_big  boolean not null default false,
    constraint browse_scope_key unique (kind, key)
);
insert into browse_scope (id, kind, key, is_big) values (0, 'all', '', true);

comment on table browse_scope is 'Sets of books that readers browse.';
comment on column browse_scope.id is 'Made by the application; 0 for all books.';
comment on column browse_scope.kind is 'all, genre, subject, author, publisher, language or decade.';
comment on column browse_scope.key is 'A genre''s slug, an author''s id, a folded name, a language tag, a decade''s first year.';
comment on column browse_scope.members is 'Rows in browse_entry; commonplace check recounts it.';
comment on column browse_scope.is_big is 'Its entries stand in the indexes of every order. A small one is sorted when it is read.';

create table browse_entry (
    scope_id   bigint   not null,
    work_id    bigint   not null references work (id),
    popularity bigint   not null,
    rating     bigint   not null,
    pages      integer  not null,
    year       smallint not null,
    title      text     collate "C" not null,
    author     text     collate "C" not null,
    big_scope  bigint,
    primary key (scope_id, work_id)
);
create index browse_entry_work on browse_entry (work_id);
create index browse_entry_newest on browse_entry (big_scope, work_id) include (pages, year) where big_scope is not null;
create index browse_entry_popularity on browse_entry (big_scope, popularity, work_id) include (pages, year) where big_scope is not null;
create index browse_entry_rating on browse_entry (big_scope, rating, work_id) include (pages, year) where big_scope is not null;
create index browse_entry_pages on browse_entry (big_scope, pages, work_id) include (year) where big_scope is not null;
create index browse_entry_title on browse_entry (big_scope, title, work_id) include (pages, year) where big_scope is not null;
create index browse_entry_author on browse_entry (big_scope, author, work_id) include (pages, year) where big_scope is not null;

comment on table browse_entry is 'The keys of every order, for each listed book in each scope that it belongs to.';
comment on column browse_entry.scope_id is 'The scope.';
comment on column browse_entry.work_id is 'The book; the order of arrival.';
comment on column browse_entry.popularity is '(readers + 3 × recommends) × 2^32 + imported ratings.';
comment on column browse_entry.rating is '(Σr − n·m) / (10 + n) in millionths of a quarter of a star: orders as (10·m + Σr) / (10 + n) does, and 0 without ratings whatever m is.';
comment on column browse_entry.pages is 'Of the edition of middle length; 2147483647 where no edition tells.';
comment on column browse_entry.year is 'Of first publication; −32768 where nobody knows.';
comment on column browse_entry.title is 'Folded, without a leading article, at most 60 bytes.';
comment on column browse_entry.author is 'The first author folded, last name first, at most 60 bytes; U+10FFFF where there is none.';
comment on column browse_entry.big_scope is 'The scope where it is a big one, else null: what the indexes of the orders stand on, so that no plan can mistake a big scope for a small one.';
comment on index browse_entry_work is 'Rewrites the entries of a book.';

create table browse_mark (
    id      bigint generated always as identity primary key,
    work_id bigint not null
);

comment on table browse_mark is 'Books whose entries are to be rewritten, one row a change, put there in the transaction of the change.';
comment on column browse_mark.id is 'In the order of arrival.';
comment on column browse_mark.work_id is 'The book.';

create table browse_mean (
    id       boolean     primary key default true constraint browse_mean_one check (id),
    quarters float8      not null,
    at       timestamptz not null
);

comment on table browse_mean is 'The server''s mean rating that the keys of the order by rating were made with: one row, fixed once a day.';
comment on column browse_mean.id is 'Always true.';
comment on column browse_mean.quarters is 'Quarters of a star.';
comment on column browse_mean.at is 'When it was fixed.';

-- Series are read in their order, books without a number last. A number too large for its place is none.
update work_series set ordinal = null where ordinal >= 1e9;
create index work_series_order on work_series (series_id, coalesce(ordinal, 1e9::real), work_id);
comment on index work_series_order is 'The books of a series in order.';

-- Stored pages tell neither form nor cover yet: each is built anew when it is read next.
update work set page = null, version = version + 1 where page is not null;

-- Books that are there already are given their keys by the job that keeps them.
insert into browse_mark (work_id) select work_id from work_popularity where listed order by work_id;

-- A billion is the place of books without a number.
update work_series set ordinal = null where ordinal >= 1e9;
