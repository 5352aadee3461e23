-- Words of posts, for searching boards. Written by Community/Boards.

create table post_search (
    post_id   bigint   primary key constraint post_search_post_fkey references post (id),
    thread_id bigint   not null constraint post_search_thread_fkey references thread (id),
    board_id  bigint   not null,
    text_id   bigint   not null,
    words     tsvector not null
);
create index post_search_of_thread on post_search (thread_id, post_id desc);
create index post_search_of_board on post_search (board_id, post_id desc);
create index post_search_words on post_search using gin (words) with (gin_pending_list_limit = 256);

comment on table post_search is 'The words of the text that a post has now: a row for each post that is not deleted, beside the row of the post, which changes often.';
comment on column post_search.post_id is 'Whose words.';
comment on column post_search.thread_id is 'As of the post.';
comment on column post_search.board_id is 'As of its thread: the group, else the book.';
comment on column post_search.text_id is 'The text that the words are of: post.text_id.';
comment on column post_search.words is 'The title of a first post at weight A and the words outside of inline spoilers, folded by Search.Normaliser; and #N for the thread and the board that it stands on, so that the index finds words within them.';
comment on index post_search_of_thread is 'Posts of a thread, newest first: where a common word is looked for.';
comment on index post_search_of_board is 'Posts of a board, newest first: likewise; merging works.';
comment on index post_search_words is 'Where a rare word is looked for. Of new words so many kB wait to be indexed together: every search reads those, and whoever writes the last of them waits for all.';
