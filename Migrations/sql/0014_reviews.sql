-- Ratings and reviews: their texts with history, their counters, and what others answer and feel. Written by Community/Reviews.

create table review (
    id            bigint      primary key,
    reader_id     bigint      not null constraint review_reader_id_fkey references account (id),
    work_id       bigint      not null constraint review_work_id_fkey references work (id),
    rating        smallint    constraint review_rating_range check (rating between 1 and 20),
    body          text        constraint review_body_length check (octet_length(body) between 1 and 20000),
    text_id       bigint,
    spoilers      boolean     not null default false,
    visibility    smallint    not null default 3 constraint review_visibility_level check (visibility between 0 and 3),
    level_is_own  boolean     not null default false,
    counted       boolean     not null,
    reply_numbers integer     not null default 0 constraint review_reply_numbers check (reply_numbers >= 0),
    replies       integer     not null default 0 constraint review_replies check (replies >= 0),
    reactions     integer     not null default 0 constraint review_reactions check (reactions >= 0),
    version       integer     not null default 1,
    created_at    timestamptz not null,
    edited_at     timestamptz,
    constraint review_of_reader unique (reader_id, work_id),
    constraint review_not_empty check (rating is not null or body is not null)
);
comment on table review is 'What one reader says about one work: a rating, a text, or both. At most one a reader and work.';
comment on column review.id is 'Made by the application, ascending in time: the order of every list.';
comment on column review.reader_id is 'Whose it is.';
comment on column review.work_id is 'What it is about.';
comment on column review.rating is 'Quarters of a star, 1 to 20; null where the reader gave none.';
comment on column review.body is
    'As written: the Markdown of Community/Markdown, at most 20,000 bytes; null where the reader wrote none.';
comment on column review.text_id is
    'The row of review_text that holds body rendered; null without a text, and where body was not rendered: then it is rendered '
    'when it is read. An event about the review names the text that it told, and is delivered only while that is this.';
comment on column review.spoilers is
    'Marked by its reader as giving the end away: for those who have finished the book. Never without a text.';
comment on column review.visibility is
    'Who may see it: 0 private, 1 friends, 2 members, 3 public; its own level, or privacy.reviews.';
comment on column review.level_is_own is 'Whether the reader chose visibility for this review; else it follows privacy.reviews.';
comment on column review.counted is
    'Whether it is part of work_rating: the account counted when this was last looked at, and level >= 2.';
comment on column review.reply_numbers is 'Numbers given to replies so far, taken back ones among them: the last number.';
comment on column review.replies is 'Replies that stand.';
comment on column review.reactions is 'Reactions to it, of all names.';
comment on column review.version is 'Rises by one with every change; the ETag.';
comment on column review.created_at is 'When the reader first said something about the work.';
comment on column review.edited_at is 'When it last changed; null where it never did.';
create index review_of_work on review (work_id, id desc);
comment on index review_of_work is 'The reviews of a book, newest first.';
create index review_by_reader on review (reader_id, id desc);
comment on index review_by_reader is 'The reviews of a reader, newest first; deleting an account.';
create index review_not_counted on review (reader_id) where not counted;
comment on index review_not_counted is 'Finds readers whose reviews may have to be counted now.';
create index review_rated on review (work_id, id desc) where rating is not null;
comment on index review_rated is 'The ratings of a book, newest first.';
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
comment on table review_text is 'Every text that a review has had. The review names the one that holds.';
comment on column review_text.id is 'Made by the application, ascending in time.';
comment on column review_text.review_id is 'Whose text.';
comment on column review_text.body is 'As written: the Markdown of Community/Markdown.';
comment on column review_text.html is 'The same, rendered and safe.';
comment on column review_text.veiled_body is 'The source without the words of its inline spoilers; null where it has none.';
comment on column review_text.veiled_html is 'The rendering without them.';
comment on column review_text.spoilers is
    'Whether the review was marked when another text took the place of this one: what gave the end away then stays so. False '
    'for the text that holds.';
comment on column review_text.at is 'When it was written.';
create index review_text_of_review on review_text (review_id, id desc);
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
comment on table review_reply is
    'What somebody answered to a review. Flat: one that is taken back is gone, and its number is not given again.';
comment on column review_reply.id is 'Made by the application, ascending in time.';
comment on column review_reply.review_id is 'To what.';
comment on column review_reply.number is '1, 2, … in the order of commits: the order of the list.';
comment on column review_reply.author_id is 'Who wrote it.';
comment on column review_reply.spoilers is
    'The review was marked as giving the end away when this was written: it stays so, whatever becomes of that mark.';
comment on column review_reply.text_id is
    'What its text is called, another after every edit: an event about it is delivered only while this is the text that it told.';
comment on column review_reply.body is 'As written: the Markdown of Community/Markdown.';
comment on column review_reply.html is 'The same, rendered and safe.';
comment on column review_reply.veiled_body is 'The source without the words of its inline spoilers; null where it has none.';
comment on column review_reply.veiled_html is 'The rendering without them.';
comment on column review_reply.version is 'Rises with every change; the ETag.';
comment on column review_reply.created_at is 'When it was written.';
comment on column review_reply.edited_at is 'When it was changed last; null where it never was.';
create unique index review_reply_by_text on review_reply (text_id);
comment on index review_reply_by_text is 'Whose text an event tells.';
create index review_reply_of_author on review_reply (author_id, id desc);
comment on index review_reply_of_author is 'Replies of one reader, last first: their limits, and the end of an account.';
create index review_reply_talking on review_reply (review_id, author_id);
comment on index review_reply_talking is
    'Who has answered a review, in the order of their accounts: they are told of the next answer.';

create table review_reaction (
    review_id bigint      not null constraint review_reaction_review_fkey references review (id) on delete cascade,
    reader_id bigint      not null constraint review_reaction_reader_fkey references account (id),
    name      text        not null
              constraint review_reaction_name check (name in ('like', 'love', 'laugh', 'wow', 'sad', 'think')),
    at        timestamptz not null,
    primary key (review_id, reader_id, name)
);
comment on table review_reaction is 'A reader''s reaction to a review: any of six, each once.';
comment on column review_reaction.review_id is 'To what.';
comment on column review_reaction.reader_id is 'Whose.';
comment on column review_reaction.name is 'like, love, laugh, wow, sad or think.';
comment on column review_reaction.at is 'When.';
create index review_reaction_of_reader on review_reaction (reader_id, review_id);
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

-- `by` more ratings of `quarters` in a histogram; unchanged where `quarters` is null.
create function rating_bump(histogram integer[], quarters smallint, by integer) returns integer[]
    language sql immutable parallel safe
    return case
        when quarters is null or by = 0 then histogram
        else histogram[1:quarters - 1] || (histogram[quarters] + by) || histogram[quarters + 1:20]
    end;
comment on function rating_bump is 'The histogram with "by" added at "quarters"; the same histogram where quarters is null.';

create table work_rating (
    work_id    bigint    primary key constraint work_rating_work_id_fkey references work (id) on delete cascade,
    n          integer   not null default 0 constraint work_rating_n_range check (n >= 0),
    sum        bigint    not null default 0 constraint work_rating_sum_range check (sum between n and 20 * n::bigint),
    histogram  integer[] not null default array_fill(0, array[20])
               constraint work_rating_histogram_shape check (array_length(histogram, 1) = 20 and 0 <= all (histogram)),
    reviews    integer   not null default 0 constraint work_rating_reviews_range check (reviews >= 0)
);
comment on table work_rating is
    'The counted ratings and reviews of each work, exact at every commit; `commonplace check` recounts them.';
comment on column work_rating.work_id is 'The work; a work that nobody rated or reviewed may have no row.';
comment on column work_rating.n is 'Counted ratings.';
comment on column work_rating.sum is 'Sum of the counted ratings in quarters of a star; the mean in stars is sum / n / 4.';
comment on column work_rating.histogram is
    'Counted ratings of each quarter: element 1 is a quarter of a star, element 20 is five stars.';
comment on column work_rating.reviews is 'Counted reviews that have a text.';
