-- Messages show posts as cards, and keep their text as HTML. Read and written by Community/Messages.

alter table message
    add column html text constraint message_html_length check (octet_length(html) <= 262144),
    add column post_id bigint;
alter table message
    add constraint message_html_of_body check (html is null or body is not null),
    add constraint message_one_card check (post_id is null or (work_id is null and body is not null));
comment on column message.html is 'The text as safe HTML, made when it was written; null for a deleted message, and where it is rendered when it is read.';
comment on column message.post_id is 'The post that it shows as a card, to each of the two as they may see it. No foreign key: posts keep their rows, and a card of none shows none.';
