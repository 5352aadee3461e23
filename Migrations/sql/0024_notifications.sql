-- What a reader is told of. Written by Community/Notifications.

create table notification (
    id         bigint      primary key,
    reader_id  bigint      not null constraint notification_reader_fkey references account (id),
    kind       text        not null constraint notification_kind_form check (kind ~ '^[a-z]+\.[a-z]+$'),
    subject_id bigint      not null,
    cause_id   bigint      not null,
    actors     integer     not null default 0 constraint notification_actors_range check (actors between 0 and 100),
    at         timestamptz not null,
    seen_at    timestamptz,
    read_at    timestamptz,
    mail_at    timestamptz,
    mailed_at  timestamptz,
    constraint notification_read_is_seen check (read_at is null or seen_at is not null),
    constraint notification_read_is_not_mailed check (read_at is null or mail_at is null)
);
comment on table notification is
    'What readers are told of: one row for a kind and a subject while it is unread, however many did it. No texts: '
    'the program looks them up when it is read.';
comment on column notification.id is 'Made by the application.';
comment on column notification.reader_id is 'Who is told.';
comment on column notification.kind is 'What happened, as in the API: post.reply, friend.requested, …';
comment on column notification.subject_id is
    'What it is grouped by: the reader''s own post or review, another''s review, a thread, a book or a group, as the kind says; '
    '0 where it is grouped by kind alone.';
comment on column notification.cause_id is
    'The newest of what it tells of: a post, an answer to a review, a review, a request, or an identifier of the happening '
    'itself.';
comment on column notification.actors is
    'Rows of notification_actor; 0 where nobody is named. More than 100 are not kept: the one longest ago makes room.';
comment on column notification.at is 'When the newest happened: the order of the list.';
comment on column notification.seen_at is 'When the reader saw the list with it; null again when something is added.';
comment on column notification.read_at is
    'When the reader read it; what happens then begins a new row. Rows without it are reader_tally.unread_notifications.';
comment on column notification.mail_at is 'When a mail may tell of it; null where none is to, or once one did.';
comment on column notification.mailed_at is 'When one did.';
create index notification_list on notification (reader_id, at desc, id desc);
comment on index notification_list is 'A reader''s notifications, newest first; serves the foreign key and the daily sweep.';
create unique index notification_unread on notification (reader_id, kind, subject_id) where read_at is null;
comment on index notification_unread is 'Where the next of the same is added.';
create index notification_subject on notification (reader_id, kind, subject_id, cause_id desc);
comment on index notification_subject is 'Whether a reader has been told of something before.';
create index notification_mail on notification (mail_at, reader_id) where mail_at is not null;
comment on index notification_mail is 'Who is to get a mail next.';

create table notification_actor (
    notification_id bigint      not null
                    constraint notification_actor_notification_fkey references notification (id) on delete cascade,
    actor_id        bigint      not null constraint notification_actor_actor_fkey references account (id),
    cause_id        bigint      not null,
    at              timestamptz not null,
    primary key (notification_id, actor_id)
);
comment on table notification_actor is 'Who did what a notification tells of, each once; at most 100.';
comment on column notification_actor.notification_id is 'Which notification.';
comment on column notification_actor.actor_id is 'Who.';
comment on column notification_actor.cause_id is
    'The newest that they did: a post, an answer to a review, a request, or an identifier of the happening itself, as the kind '
    'says; the review where they reacted to one. A reader who has been told of it is not told again.';
comment on column notification_actor.at is 'When.';
create index notification_actor_of on notification_actor (actor_id, notification_id);
comment on index notification_actor_of is 'Where somebody is named; serves the foreign key and the end of an account.';

create table notification_setting (
    reader_id bigint  not null constraint notification_setting_reader_fkey references account (id),
    kind      text    not null constraint notification_setting_kind_form check (kind ~ '^[a-z]+\.[a-z]+$'),
    inbox     boolean not null,
    mail      boolean not null,
    primary key (reader_id, kind)
);
comment on table notification_setting is 'What readers want to be told of, kind by kind. No row: as is usual for the kind.';
comment on column notification_setting.reader_id is 'Whose.';
comment on column notification_setting.kind is 'As in notification.';
comment on column notification_setting.inbox is 'Whether it is told at all.';
comment on column notification_setting.mail is 'Whether also by mail, while it is unread.';
