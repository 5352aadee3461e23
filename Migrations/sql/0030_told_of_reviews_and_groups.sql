-- Readers are told of answers to reviews, and of groups; those who lead a group see whom it bans. Read by
-- Community/Notifications and Community/Groups.

create index review_reply_talking on review_reply (review_id, author_id);
comment on index review_reply_talking is 'Who has answered a review, in the order of their accounts: they are told of the next answer.';

create index group_ban_list on group_ban (group_id, at desc, reader_id desc);
comment on index group_ban_list is 'Whom a group bans, the newest first.';

comment on column notification.subject_id is 'What it is grouped by: the reader''s own post or review, another''s review, a thread, a book or a group, as the kind says; 0 where it is grouped by kind alone.';
comment on column notification.cause_id is 'The newest of what it tells of: a post, an answer to a review, a review, a request, or an identifier of the happening itself.';
comment on column notification_actor.cause_id is 'The newest that they did: a post, an answer to a review, a request, or an identifier of the happening itself, as the kind says; the review where they reacted to one. Whoever has been told of it is not told again.';
