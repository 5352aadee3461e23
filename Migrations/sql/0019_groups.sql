-- Groups: readers who talk among themselves, on boards of their own. Written by Community/Groups.

create table reading_group (
    id         bigint      primary key,
    name       text        not null constraint reading_group_name_length check (char_length(name) between 1 and 80),
    folded     text        collate "C" not null,
    about      text        constraint reading_group_about_length check (octet_length(about) between 1 and 8000),
    html       text,
    joining    text        not null constraint reading_group_joining check (joining in ('open', 'request', 'invitation')),
    visibility text        not null constraint reading_group_visibility check (visibility in ('public', 'private')),
    members    integer     not null default 0 constraint reading_group_members check (members >= 0),
    maker_id   bigint      constraint reading_group_maker_fkey references account (id),
    work_id    bigint      constraint reading_group_work_fkey references work (id),
    version    integer     not null default 1 constraint reading_group_version check (version > 0),
    active_at  timestamptz not null,
    created_at timestamptz not null,
    closed_at  timestamptz,
    constraint reading_group_about_whole check ((about is null) = (html is null))
);
comment on table reading_group is 'Readers who talk among themselves, on a board of their own (thread.group_id).';
comment on column reading_group.id is 'Made by the application, ascending in time.';
comment on column reading_group.name is '1 to 80 characters; several groups may have the same.';
comment on column reading_group.folded is 'The name as it is looked for: lower case.';
comment on column reading_group.about is
    'What it is about, as written: the Markdown of Community/Markdown. Null: nothing is said.';
comment on column reading_group.html is 'The same, rendered and safe.';
comment on column reading_group.joining is 'How readers come in: open, by request, or by invitation alone.';
comment on column reading_group.visibility is
    'public: everybody reads it; private: there is none but for members and who is invited. Chosen once.';
comment on column reading_group.members is 'Rows of group_member; changed under the lock of this row.';
comment on column reading_group.maker_id is 'Who made it, for the limit; null once that account is deleted.';
comment on column reading_group.work_id is 'The book that it reads now.';
comment on column reading_group.version is 'Rises with every change of what is said about it.';
comment on column reading_group.active_at is 'When something was last written in it, to the minute.';
comment on column reading_group.created_at is 'When it was made.';
comment on column reading_group.closed_at is
    'When it was closed: it has no members then, and nobody sees it. What was written stays its authors''.';
create index reading_group_newest on reading_group (id desc) where visibility = 'public' and closed_at is null;
comment on index reading_group_newest is 'The directory, newest first.';
create index reading_group_biggest on reading_group (members desc, id desc) where visibility = 'public' and closed_at is null;
comment on index reading_group_biggest is 'The directory, most members first.';
create index reading_group_active on reading_group (active_at desc, id desc) where visibility = 'public' and closed_at is null;
comment on index reading_group_active is 'The directory, last active first.';
create index reading_group_named on reading_group (folded, id) where visibility = 'public' and closed_at is null;
comment on index reading_group_named is 'The directory by name, and what begins with some letters.';
create index reading_group_made on reading_group (maker_id) where maker_id is not null;
comment on index reading_group_made is 'Groups that one reader made: their limit, and the end of an account.';
create index reading_group_of_work on reading_group (work_id) where work_id is not null;
comment on index reading_group_of_work is 'Merging works.';

create table group_member (
    group_id  bigint      not null constraint group_member_group_fkey references reading_group (id),
    reader_id bigint      not null constraint group_member_reader_fkey references account (id),
    role      text        not null constraint group_member_role check (role in ('owner', 'moderator', 'member')),
    watching  text        constraint group_member_watching check (watching in ('followed', 'muted')),
    joined_at timestamptz not null,
    primary key (group_id, reader_id)
);
comment on table group_member is 'Who is in a group. An open group has an owner among them.';
comment on column group_member.group_id is 'The group.';
comment on column group_member.reader_id is 'Who.';
comment on column group_member.role is 'owner, moderator or member.';
comment on column group_member.watching is
    'Whether they follow its board (are told of new threads) or mute it; null where neither. Followers are found by the key: a '
    'group has 5,000 members at most.';
comment on column group_member.joined_at is 'Since when.';
create index group_member_list on group_member (group_id, joined_at, reader_id) include (role);
comment on index group_member_list is 'Members, those who joined first first.';
create index group_member_leading on group_member (group_id, role) where role <> 'member';
comment on index group_member_leading is 'Owners and moderators: who is told, and who inherits.';
create index group_member_of_reader on group_member (reader_id, group_id desc);
comment on index group_member_of_reader is 'A reader''s groups, the newest group first; the end of an account.';

create table group_request (
    group_id  bigint      not null constraint group_request_group_fkey references reading_group (id),
    reader_id bigint      not null constraint group_request_reader_fkey references account (id),
    at        timestamptz not null,
    primary key (group_id, reader_id)
);
comment on table group_request is 'Who waits to be let into a group. The row goes with the answer.';
comment on column group_request.group_id is 'Into which.';
comment on column group_request.reader_id is 'Who.';
comment on column group_request.at is 'Since when.';
create index group_request_list on group_request (group_id, at, reader_id);
comment on index group_request_list is 'What waits for an answer, oldest first.';
create index group_request_of_reader on group_request (reader_id, group_id);
comment on index group_request_of_reader is 'Requests of one reader: their limit, and the end of an account.';

create table group_invitation (
    group_id   bigint      not null constraint group_invitation_group_fkey references reading_group (id),
    reader_id  bigint      not null constraint group_invitation_reader_fkey references account (id),
    inviter_id bigint      not null constraint group_invitation_inviter_fkey references account (id),
    at         timestamptz not null,
    ended_at   timestamptz,
    primary key (group_id, reader_id),
    constraint group_invitation_not_oneself check (reader_id <> inviter_id)
);
comment on table group_invitation is
    'A friend''s invitation into a group: it lets in, however readers join otherwise. The row goes when it was followed.';
comment on column group_invitation.group_id is 'Into which.';
comment on column group_invitation.reader_id is 'Who is invited.';
comment on column group_invitation.inviter_id is 'By whom.';
comment on column group_invitation.at is 'When: those of one reader in a day are limited.';
comment on column group_invitation.ended_at is 'When it was declined or taken back.';
create index group_invitation_waiting on group_invitation (reader_id, group_id desc) where ended_at is null;
comment on index group_invitation_waiting is 'A reader''s invitations, the newest group first.';
create index group_invitation_of_reader on group_invitation (reader_id);
comment on index group_invitation_of_reader is 'Serves the foreign key; the end of an account.';
create index group_invitation_of_inviter on group_invitation (inviter_id, at);
comment on index group_invitation_of_inviter is 'How many a reader sent in a day; the end of an account.';

create table group_ban (
    group_id  bigint      not null constraint group_ban_group_fkey references reading_group (id),
    reader_id bigint      not null constraint group_ban_reader_fkey references account (id),
    at        timestamptz not null,
    primary key (group_id, reader_id)
);
comment on table group_ban is 'Who may not come into a group, until one of its moderators invites them.';
comment on column group_ban.group_id is 'Out of which.';
comment on column group_ban.reader_id is 'Who.';
comment on column group_ban.at is 'Since when.';
create index group_ban_of_reader on group_ban (reader_id, group_id);
comment on index group_ban_of_reader is 'The end of an account.';
create index group_ban_list on group_ban (group_id, at desc, reader_id desc);
comment on index group_ban_list is 'Whom a group bans, the newest first.';
