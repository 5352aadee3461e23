-- Direct messages between two readers. Written by Community/Messages.

create table conversation (
    id         bigint      primary key,
    opener_id  bigint      constraint conversation_opener_fkey references account (id),
    partner_id bigint      constraint conversation_partner_fkey references account (id),
    created_at timestamptz not null,
    last_seq   bigint      not null default 0 constraint conversation_last_seq_range check (last_seq >= 0),
    is_hidden  boolean     not null default false,
    constraint conversation_not_oneself check (opener_id <> partner_id)
);
comment on table conversation is 'What two readers write to each other: one for each pair.';
comment on column conversation.id is 'Made by the application.';
comment on column conversation.opener_id is 'Who opened it; null once that account is deleted.';
comment on column conversation.partner_id is
    'The other of the two; null once that account is deleted. A conversation without either is removed.';
comment on column conversation.created_at is 'When it was opened: new ones of one account in a day are limited.';
comment on column conversation.last_seq is
    'Place of the newest message, deleted ones included; 0 before the first. Changed under the lock of this row.';
comment on column conversation.is_hidden is
    'True while one of the two blocks the other: neither sees it, and nothing in it counts as unread for them. Changed with the '
    'block.';
create unique index conversation_of_pair on conversation (least(opener_id, partner_id), greatest(opener_id, partner_id))
    where opener_id is not null and partner_id is not null;
comment on index conversation_of_pair is 'One conversation for each pair, whichever of the two opened it.';
create index conversation_opened on conversation (opener_id, created_at);
comment on index conversation_opened is 'How many a reader opened in a day; serves the foreign key.';
create index conversation_joined on conversation (partner_id);
comment on index conversation_joined is 'Serves the foreign key.';

create table conversation_reader (
    conversation_id bigint      not null constraint conversation_reader_conversation_fkey references conversation (id),
    reader_id       bigint      not null constraint conversation_reader_reader_fkey references account (id),
    read_seq        bigint      not null default 0 constraint conversation_reader_read_seq_range check (read_seq >= 0),
    unread          integer     not null default 0 constraint conversation_reader_unread_range check (unread >= 0),
    is_archived     boolean     not null default false,
    is_muted        boolean     not null default false,
    active_at       timestamptz not null,
    primary key (conversation_id, reader_id)
);
comment on table conversation_reader is
    'What a conversation is to one of its two readers: two rows for each, one once an account is deleted.';
comment on column conversation_reader.conversation_id is 'Which conversation.';
comment on column conversation_reader.reader_id is 'Whose side of it.';
comment on column conversation_reader.read_seq is 'Place of the last message that the reader has read; never goes back.';
comment on column conversation_reader.unread is
    'Messages of the other beyond read_seq that were not deleted. Their sum over a reader''s conversations that are not hidden '
    'is reader_tally.unread_messages.';
comment on column conversation_reader.is_archived is
    'Out of the reader''s list; a new message brings it back unless it is muted.';
comment on column conversation_reader.is_muted is 'Nothing of it goes to the reader''s inbox; it counts as unread all the same.';
comment on column conversation_reader.active_at is
    'When the newest message was sent, or it was opened: the order of the list. The same in both rows.';
create index conversation_reader_list on conversation_reader (reader_id, is_archived, active_at desc, conversation_id desc);
comment on index conversation_reader_list is 'A reader''s conversations, last active first; serves the foreign key.';

create table message (
    id              bigint      primary key,
    conversation_id bigint      not null constraint message_conversation_fkey references conversation (id),
    seq             bigint      not null constraint message_seq_range check (seq > 0),
    sender_id       bigint      constraint message_sender_fkey references account (id),
    text_id         bigint      not null,
    body            text        constraint message_body_length check (octet_length(body) between 1 and 16000),
    html            text        constraint message_html_length check (octet_length(html) <= 262144),
    reply_to        bigint,
    reply_seq       bigint,
    work_id         bigint      constraint message_work_fkey references work (id),
    post_id         bigint,
    version         integer     not null default 1 constraint message_version_positive check (version > 0),
    created_at      timestamptz not null,
    edited_at       timestamptz,
    deleted_at      timestamptz,
    constraint message_seq_key unique (conversation_id, seq),
    constraint message_text_key unique (text_id),
    constraint message_reply_whole check ((reply_to is null) = (reply_seq is null)),
    constraint message_reply_earlier check (reply_seq < seq),
    constraint message_tombstone_empty
        check ((body is null) = (deleted_at is not null) and (work_id is null or body is not null)),
    constraint message_html_of_body check (html is null or body is not null),
    constraint message_one_card check (post_id is null or (work_id is null and body is not null))
);
comment on table message is 'Messages. A deleted one keeps its row, empty: places in a conversation are dense.';
comment on column message.id is 'Made by the application.';
comment on column message.conversation_id is 'Where it stands.';
comment on column message.seq is 'Its place there: 1, 2, 3, … without holes, given under the lock of the conversation.';
comment on column message.sender_id is 'Who wrote it; null once that account is deleted.';
comment on column message.text_id is
    'Names what it says now: another with every edit and with the deletion. An event that carries an older text is delivered to '
    'nobody.';
comment on column message.body is
    'What it says, without control characters and what turns directions around; null for a deleted one. What an edit replaced '
    'is not kept.';
comment on column message.html is
    'The text as safe HTML, made when it was written; null for a deleted message, and where it is rendered when it is read.';
comment on column message.reply_to is
    'The message of the same conversation that it answers. No foreign key: messages are only removed with the whole '
    'conversation.';
comment on column message.reply_seq is 'That one''s place.';
comment on column message.work_id is 'The book that it shows as a card.';
comment on column message.post_id is
    'The post that it shows as a card, to each of the two as they may see it. No foreign key: posts keep their rows, and a card '
    'of none shows none.';
comment on column message.version is '1, 2, …: rises with every edit and with the deletion.';
comment on column message.created_at is 'When it was sent.';
comment on column message.edited_at is 'When it was last edited.';
comment on column message.deleted_at is 'When it was deleted.';
comment on index message_seq_key is 'Pages of a conversation, in both directions.';
comment on index message_text_key is 'Who may be told of a text: asked at each delivery.';
create index message_of_sender on message (sender_id, created_at);
comment on index message_of_sender is 'How many a reader sent in a minute; serves the foreign key and the end of an account.';
create index message_of_work on message (work_id) where work_id is not null;
comment on index message_of_work is 'Serves merges and the foreign key.';

create table message_setting (
    reader_id     bigint  primary key constraint message_setting_reader_fkey references account (id),
    read_receipts boolean not null default true
);
comment on table message_setting is 'What a reader wants of messages. No row: the defaults of its columns.';
comment on column message_setting.reader_id is 'Whose.';
comment on column message_setting.read_receipts is
    'Whether others see how far the reader has read, and the reader sees it of them.';
