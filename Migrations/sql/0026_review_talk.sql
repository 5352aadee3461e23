-- Reviews that cannot spoil, their history, and what others answer and feel. Written by Community/Reviews.

alter table review
    add column spoilers      boolean not null default false,
    add column text_id       bigint,
    add column reply_numbers integer not null default 0 constraint review_reply_numbers check (reply_numbers >= 0),
    add column replies       integer not null default 0 constraint review_replies check (replies >= 0),
    add column reactions     integer not null default 0 constraint review_reactions check (reactions >= 0);

comment on column review.spoilers is 'Marked by its reader as giving the end away: for those who have finished the book. Never without a text.';
comment on column review.text_id is 'The row of review_text that holds body rendered; null without a text, and until a text from before those rows is next written. An event about the review names the text that it told, and is delivered only while that is this.';
comment on column review.reply_numbers is 'Numbers given to replies so far, taken back ones among them: the last number.';
comment on column review.replies is 'Replies that stand.';
comment on column review.reactions is 'Reactions to it, of all names.';
comment on column review.body is 'As written: the Markdown of Community/Markdown, at most 20,000 bytes; null where the reader wrote none.';

create index review_reacted on review (work_id, reactions desc, id desc);
comment on index review_reacted is 'The reviews of a book, most reactions first, then the newest.';

create table review_text (
    id          bigint      primary key,
    review_id   bigint      not null constraint review_text_review_fkey references review (id) on delete cascade,
    body        text        not null constraint review_text_body_length check (octet_length(body) between 1 and 20000),
    html        text        not null,
    veiled_body text,
    veiled_html text,
    spoilers    boolean     not null default false,
    at          timestamptz not null,
    constraint review_text_veiled_whole check ((veiled_body is null) = (veiled_html is null))
);
create index review_text_of_review on review_text (review_id, id desc);

comment on table review_text is 'Every text that a review has had. The review names the one that holds.';
comment on column review_text.id is 'Made by the application, ascending in time.';
comment on column review_text.review_id is 'Whose text.';
comment on column review_text.body is 'As written: the Markdown of Community/Markdown.';
comment on column review_text.html is 'The same, rendered and safe.';
comment on column review_text.veiled_body is 'The source without the words of its inline spoilers; null where it has none.';
comment on column review_text.veiled_html is 'The rendering without them.';
comment on column review_text.spoilers is 'Whether the review was marked when another text took the place of this one: what gave the end away then stays so. False for the text that holds.';
comment on column review_text.at is 'When it was written.';
comment on index review_text_of_review is 'The history of a review, last first.';

create table review_reply (
    id          bigint      primary key,
    review_id   bigint      not null constraint review_reply_review_fkey references review (id) on delete cascade,
    number      integer     not null constraint review_reply_number check (number >= 1),
    author_id   bigint      not null constraint review_reply_author_fkey references account (id),
    spoilers    boolean     not null,
    text_id     bigint      not null,
    body        text        not null constraint review_reply_body_length check (octet_length(body) between 1 and 40000),
    html        text        not null,
    veiled_body text,
    veiled_html text,
    version     integer     not null default 1,
    created_at  timestamptz not null,
    edited_at   timestamptz,
    constraint review_reply_in_review unique (review_id, number),
    constraint review_reply_veiled_whole check ((veiled_body is null) = (veiled_html is null))
);
create unique index review_reply_by_text on review_reply (text_id);
create index review_reply_of_author on review_reply (author_id, id desc);

comment on table review_reply is 'What somebody answered to a review. Flat: one that is taken back is gone, and its number is not given again.';
comment on column review_reply.id is 'Made by the application, ascending in time.';
comment on column review_reply.review_id is 'To what.';
comment on column review_reply.number is '1, 2, … in the order of commits: the order of the list.';
comment on column review_reply.author_id is 'Who wrote it.';
comment on column review_reply.spoilers is 'The review was marked as giving the end away when this was written: it stays so, whatever becomes of that mark.';
comment on column review_reply.text_id is 'What its text is called, another after every edit: an event about it is delivered only while this is the text that it told.';
comment on column review_reply.body is 'As written: the Markdown of Community/Markdown.';
comment on column review_reply.html is 'The same, rendered and safe.';
comment on column review_reply.veiled_body is 'The source without the words of its inline spoilers; null where it has none.';
comment on column review_reply.veiled_html is 'The rendering without them.';
comment on column review_reply.version is 'Rises with every change; the ETag.';
comment on column review_reply.created_at is 'When it was written.';
comment on column review_reply.edited_at is 'When it was changed last; null where it never was.';
comment on index review_reply_by_text is 'Whose text an event tells.';
comment on index review_reply_of_author is 'Replies of one reader, last first: their limits, and the end of an account.';

create table review_reaction (
    review_id bigint      not null constraint review_reaction_review_fkey references review (id) on delete cascade,
    reader_id bigint      not null constraint review_reaction_reader_fkey references account (id),
    name      text        not null
              constraint review_reaction_name check (name in ('like', 'love', 'laugh', 'wow', 'sad', 'think')),
    at        timestamptz not null,
    primary key (review_id, reader_id, name)
);
create index review_reaction_of_reader on review_reaction (reader_id, review_id);

comment on table review_reaction is 'A reader''s reaction to a review: any of six, each once.';
comment on column review_reaction.review_id is 'To what.';
comment on column review_reaction.reader_id is 'Whose.';
comment on column review_reaction.name is 'like, love, laugh, wow, sad or think.';
comment on column review_reaction.at is 'When.';
comment on index review_reaction_of_reader is 'The end of an account.';

create table review_reaction_tally (
    review_id bigint  not null constraint review_reaction_tally_review_fkey references review (id) on delete cascade,
    name      text    not null,
    n         integer not null constraint review_reaction_tally_n check (n >= 0),
    primary key (review_id, name)
);
comment on table review_reaction_tally is 'How many reacted to a review, by name.';
comment on column review_reaction_tally.review_id is 'The review.';
comment on column review_reaction_tally.name is 'The reaction.';
comment on column review_reaction_tally.n is 'How many readers; kept with review_reaction.';

alter table reveal
    add column review_id bigint constraint reveal_review_fkey references review (id) on delete cascade,
    drop constraint reveal_of_one,
    add constraint reveal_of_one check (num_nonnulls(post_id, thread_id, work_id, review_id) = 1);
create unique index reveal_of_review on reveal (reader_id, review_id) where review_id is not null;
create index reveal_on_review on reveal (review_id) where review_id is not null;

comment on table reveal is 'What a reader asked to see although it lies ahead: a post, a thread, a review, or all of a book. Undone by deleting the row.';
comment on column reveal.review_id is 'The review.';
comment on index reveal_of_review is 'Once for each; the gate asks by it.';
comment on index reveal_on_review is 'What is revealed of a review.';
