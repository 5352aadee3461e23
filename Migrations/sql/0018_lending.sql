-- Shared libraries: who belongs to them, which copies they hold, and who has what. Written by Community/Lending.

create table library (
    id          bigint      primary key,
    kind        text        not null constraint library_kind check (kind in ('own', 'group', 'server')),
    reader_id   bigint      constraint library_reader_fkey references account (id)
                constraint library_reader_key unique,
    name        text        constraint library_name_length check (octet_length(name) between 1 and 200),
    description text        constraint library_description_length check (octet_length(description) between 1 and 5000),
    visibility  smallint    constraint library_visibility_level check (visibility between 0 and 3),
    loan_days   smallint    constraint library_loan_days check (loan_days between 1 and 365),
    members     integer     not null default 0 constraint library_members check (members >= 0),
    copies      integer     not null default 0 constraint library_copies check (copies >= 0),
    version     integer     not null default 1,
    created_at  timestamptz not null,
    changed_at  timestamptz not null,
    constraint library_of_somebody check ((kind = 'own') = (reader_id is not null)),
    constraint library_named check (kind = 'own' or name is not null and visibility is not null),
    constraint library_of_the_server check (kind <> 'server' or id = 1 and visibility >= 2)
);
comment on table library is 'A library: the one that each reader has, those of households, classes and clubs, and the server''s.';
comment on column library.id is 'Made by the application; that of the server''s library is 1.';
comment on column library.kind is
    'own: of one reader, from the start; group: made by a reader for several; server: the one of all readers here.';
comment on column library.reader_id is 'Whose own library it is; null for the others, whose owners stand in library_member.';
comment on column library.name is
    'At most 200 bytes. Null for an own library that its reader gave no name: it goes by the reader''s.';
comment on column library.description is 'Plain text, at most 5,000 bytes; null: none.';
comment on column library.visibility is
    'Who sees it beside its members: 0 nobody, 1 friends of its owners, 2 members of the server, 3 everybody; null, of an own '
    'library alone: as its reader''s level for libraries says.';
comment on column library.loan_days is 'Days until a copy that is checked out is due; null: it is never due.';
comment on column library.members is 'Rows of library_member that joined; `commonplace check` recounts it.';
comment on column library.copies is 'Rows of copy; `commonplace check` recounts it.';
comment on column library.version is 'Rises by one with every change of name, description, level or days.';
comment on column library.created_at is 'When it was made.';
comment on column library.changed_at is 'When one of those last changed.';
insert into library (id, kind, name, visibility, loan_days, created_at, changed_at)
values (1, 'server', 'Library', 3, 21, now(), now());
create unique index library_server on library (kind) where kind = 'server';
comment on index library_server is 'There is one.';

create table library_member (
    library_id bigint      not null constraint library_member_library_fkey references library (id) on delete cascade,
    reader_id  bigint      not null constraint library_member_reader_fkey references account (id),
    role       text        not null constraint library_member_role check (role in ('reader', 'contributor', 'owner')),
    invited_by bigint      constraint library_member_invited_by_fkey references account (id),
    invited_at timestamptz not null,
    joined_at  timestamptz,
    primary key (library_id, reader_id)
);
comment on table library_member is
    'Who belongs to a library or is invited to. Everybody with an account belongs to the server''s, which has no rows here.';
comment on column library_member.library_id is 'The library.';
comment on column library_member.reader_id is 'The member.';
comment on column library_member.role is 'reader: checks out; contributor: adds copies too; owner: does everything.';
comment on column library_member.invited_by is
    'The owner who invited; null for who made the library, and where that account is gone.';
comment on column library_member.invited_at is 'When the row was made.';
comment on column library_member.joined_at is 'When the reader joined; null while that is an invitation.';
create index library_member_of_reader on library_member (reader_id, library_id);
comment on index library_member_of_reader is 'The libraries of a reader.';
create index library_member_invited_by on library_member (invited_by, invited_at) where invited_by is not null;
comment on index library_member_invited_by is 'How many a reader invited lately; the end of an account.';

create table library_link (
    library_id bigint      primary key constraint library_link_library_fkey references library (id) on delete cascade,
    reader_id  bigint      not null constraint library_link_reader_fkey references account (id),
    digest     bytea       not null constraint library_link_digest_key unique
               constraint library_link_digest_length check (octet_length(digest) = 32),
    created_at timestamptz not null
);
comment on table library_link is
    'A link by which anybody sees what a library holds; gone once it is revoked. At most one for each library.';
comment on column library_link.library_id is 'The library.';
comment on column library_link.reader_id is 'The owner who made it: it opens nothing to whom that reader may not be seen by.';
comment on column library_link.digest is 'SHA-256 of the 256-bit token in the link; the token itself is told once and not kept.';
comment on column library_link.created_at is 'When it was made.';
create index library_link_reader on library_link (reader_id);
comment on index library_link_reader is 'The end of an account or of its membership.';

create table copy (
    id         bigint      primary key,
    library_id bigint      not null constraint copy_library_fkey references library (id) on delete cascade,
    work_id    bigint      not null constraint copy_work_fkey references work (id),
    edition_id bigint      constraint copy_edition_fkey references edition (id),
    label      text        constraint copy_label_length check (octet_length(label) between 1 and 200),
    added_by   bigint      constraint copy_added_by_fkey references account (id),
    holder_id  bigint      constraint copy_holder_fkey references account (id),
    title_key  text        collate "C" not null constraint copy_title_key check (octet_length(title_key) <= 80),
    author_key text        collate "C" not null constraint copy_author_key check (octet_length(author_key) <= 80),
    added_at   timestamptz not null
);
comment on table copy is 'One copy of a book in a library: one reader at a time has it.';
comment on column copy.id is 'Made by the application, ascending in time: the order of "date added".';
comment on column copy.library_id is 'Whose it is; the copies of a library go with it.';
comment on column copy.work_id is 'The book.';
comment on column copy.edition_id is 'Which edition it is; null where nobody said.';
comment on column copy.label is 'Shelf mark, room, condition: at most 200 bytes; null: none.';
comment on column copy.added_by is 'Who added it; null where that account is gone.';
comment on column copy.holder_id is 'Who has it: the reader of its open checkout; null while it is in.';
comment on column copy.title_key is
    'The work''s title folded, cut at 80 bytes: sorts the library. A job keeps it as the work''s title is.';
comment on column copy.author_key is 'The first author''s name, likewise.';
comment on column copy.added_at is 'When it was added.';
create index copy_added on copy (library_id, id desc);
comment on index copy_added is 'A library, last added first.';
create index copy_title on copy (library_id, title_key, id);
comment on index copy_title is 'A library by title.';
create index copy_author on copy (library_id, author_key, title_key, id);
comment on index copy_author is 'A library by author, then title.';
create index copy_of_work on copy (library_id, work_id, id);
comment on index copy_of_work is 'The copies of a book in a library.';
create index copy_work on copy (work_id);
comment on index copy_work is 'Whether there are copies of a work; merging works.';
create index copy_edition on copy (edition_id) where edition_id is not null;
comment on index copy_edition is 'Merging editions.';
create index copy_added_by on copy (added_by) where added_by is not null;
comment on index copy_added_by is 'The end of an account.';
create index copy_holder on copy (holder_id) where holder_id is not null;
comment on index copy_holder is 'The end of an account.';

create table checkout (
    id          bigint      primary key,
    library_id  bigint      constraint checkout_library_fkey references library (id) on delete set null,
    work_id     bigint      not null constraint checkout_work_fkey references work (id),
    copy_id     bigint      constraint checkout_copy_fkey references copy (id) on delete set null,
    reader_id   bigint      not null constraint checkout_reader_fkey references account (id),
    day         date        not null,
    out_at      timestamptz not null,
    due_at      timestamptz,
    returned_at timestamptz,
    renewals    smallint    not null default 0 constraint checkout_renewals check (renewals >= 0),
    notice      smallint    not null default 0 constraint checkout_notice check (notice between 0 and 2),
    title_key   text        collate "C" not null constraint checkout_title_key check (octet_length(title_key) <= 80)
);
comment on table checkout is 'A book that a reader took from a library, until it is returned and after.';
comment on column checkout.id is 'Made by the application, ascending in time.';
comment on column checkout.library_id is 'From where; null where that library is gone.';
comment on column checkout.work_id is 'The book.';
comment on column checkout.copy_id is
    'The copy; null where the library has recorded none of this book, and where the copy is gone.';
comment on column checkout.reader_id is 'Who has or had it.';
comment on column checkout.day is 'The day of out_at in UTC: one for each reader, work and day is counted.';
comment on column checkout.out_at is 'When it was taken.';
comment on column checkout.due_at is 'When it is to be back; null: never.';
comment on column checkout.returned_at is 'When it came back; null while it is out.';
comment on column checkout.renewals is 'How often the reader renewed it.';
comment on column checkout.notice is
    'What the reader was told of the due date: 0 nothing, 1 that it comes, 2 that it has passed.';
comment on column checkout.title_key is 'As copy.title_key.';
create index checkout_of_library on checkout (library_id, title_key, id) where returned_at is null;
comment on index checkout_of_library is 'What is out of a library, by title.';
create index checkout_in_library on checkout (library_id) where library_id is not null;
comment on index checkout_in_library is 'The end of a library.';
create index checkout_of_reader on checkout (reader_id, title_key, id) where returned_at is null;
comment on index checkout_of_reader is 'What a reader has borrowed, by title.';
create index checkout_day on checkout (reader_id, work_id, day);
comment on index checkout_day is 'Whether this reader took this book that day already; the end of an account.';
create index checkout_work on checkout (work_id);
comment on index checkout_work is 'Whether a work was ever taken; merging and recounting works.';
create unique index checkout_of_copy on checkout (copy_id) where returned_at is null and copy_id is not null;
comment on index checkout_of_copy is 'One reader at a time.';
create index checkout_copy on checkout (copy_id) where copy_id is not null;
comment on index checkout_copy is 'The end of a copy.';
create index checkout_due on checkout (due_at) where returned_at is null and due_at is not null and notice < 2;
comment on index checkout_due is 'Whom to tell.';

create table work_checkout (
    work_id bigint  primary key constraint work_checkout_work_fkey references work (id) on delete cascade,
    n       integer not null constraint work_checkout_n check (n >= 0)
);
comment on table work_checkout is 'How often a work was checked out, exact at every commit; `commonplace check` recounts it.';
comment on column work_checkout.work_id is 'The work; one that nobody took may have no row.';
comment on column work_checkout.n is 'Checkouts, of those of one reader on one day only one.';

create table loan (
    id          bigint      primary key,
    copy_id     bigint      constraint loan_copy_fkey references copy (id) on delete set null,
    work_id     bigint      not null constraint loan_work_fkey references work (id),
    lender_id   bigint      not null constraint loan_lender_fkey references account (id),
    borrower_id bigint      not null constraint loan_borrower_fkey references account (id),
    state       text        not null
                constraint loan_state check (state in ('asked', 'agreed', 'out', 'declined', 'withdrawn', 'returned')),
    due         date,
    checkout_id bigint      constraint loan_checkout_fkey references checkout (id) on delete set null,
    asked_at    timestamptz not null,
    changed_at  timestamptz not null,
    constraint loan_not_oneself check (lender_id <> borrower_id)
);
comment on table loan is 'A friend asks for a copy out of a reader''s own library, and what became of it.';
comment on column loan.id is 'Made by the application, ascending in time.';
comment on column loan.copy_id is 'The copy; null where it is gone.';
comment on column loan.work_id is 'The book.';
comment on column loan.lender_id is 'Whose copy.';
comment on column loan.borrower_id is 'Who asked.';
comment on column loan.state is
    'asked, agreed, out (handed over), declined, withdrawn (by the borrower, or by the end of the friendship), returned.';
comment on column loan.due is 'When the lender wants it back; null: the lender did not say.';
comment on column loan.checkout_id is 'Since it was handed over: the checkout that it is.';
comment on column loan.asked_at is 'When the borrower asked.';
comment on column loan.changed_at is 'When the state last changed.';
create unique index loan_open on loan (copy_id, borrower_id) where state in ('asked', 'agreed', 'out');
comment on index loan_open is 'One question at a time.';
create index loan_of_lender on loan (lender_id, id desc);
comment on index loan_of_lender is 'What a reader is asked for, newest first.';
create index loan_of_borrower on loan (borrower_id, id desc);
comment on index loan_of_borrower is 'What a reader asked for, newest first.';
create index loan_copy on loan (copy_id) where copy_id is not null;
comment on index loan_copy is 'The end of a copy.';
create index loan_checkout on loan (checkout_id) where checkout_id is not null;
comment on index loan_checkout is 'Returning.';
create index loan_work on loan (work_id);
comment on index loan_work is 'Merging works.';
