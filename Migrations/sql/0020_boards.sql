-- Boards: threads of posts about a book or in a group, what readers have read of them, and their words. Written by
-- Community/Boards.

create table thread (
    id           bigint           primary key,
    work_id      bigint           constraint thread_work_fkey references work (id),
    group_id     bigint           constraint thread_group_fkey references reading_group (id),
    board_id     bigint           not null generated always as (coalesce(group_id, work_id)) stored,
    home_id      bigint,
    author_id    bigint           not null constraint thread_author_fkey references account (id),
    kind         text             not null
                 constraint thread_kind check (kind in ('discussion', 'question', 'quote', 'announcement')),
    title        text             not null constraint thread_title_length check (char_length(title) between 1 and 200),
    posts        integer          not null default 1 constraint thread_posts check (posts >= 1),
    replies      integer          not null default 0 constraint thread_replies check (replies >= 0),
    reactions    integer          not null default 0 constraint thread_reactions check (reactions >= 0),
    hot          double precision not null default 0,
    last_post_id bigint           not null,
    last_post_at timestamptz      not null,
    version      integer          not null default 1,
    created_at   timestamptz      not null,
    locked_at    timestamptz,
    pinned_at    timestamptz,
    hidden_at    timestamptz,
    constraint thread_on_a_board check (work_id is not null or group_id is not null)
);
comment on table thread is
    'One conversation on a board. A board is a book''s or a group''s and has no row of its own. The first post opens the thread.';
comment on column thread.id is 'Made by the application, ascending in time.';
comment on column thread.work_id is
    'The book that it is about, by whose gate its posts open; null only on a group''s board, for what is about no book.';
comment on column thread.group_id is 'The group on whose board it stands; null: on the book''s own.';
comment on column thread.board_id is 'The board: the group, else the book. Identifiers are unique across both.';
comment on column thread.home_id is
    'The board on which it was opened, where that has been merged into another since: markers of boards go by it. Null: where '
    'it stands.';
comment on column thread.author_id is 'Who opened it.';
comment on column thread.kind is 'discussion, question, quote, or announcement, which moderators make.';
comment on column thread.title is '1 to 200 characters; gated as the first post is.';
comment on column thread.posts is
    'Numbers given to its posts so far, the first one and deleted ones among them: the last number.';
comment on column thread.replies is 'Posts that stand, without the first one.';
comment on column thread.reactions is 'Reactions to its first post.';
comment on column thread.hot is
    'How hot it is, as it was when last computed: log10 of what was said and felt, over the age; 0 once it is cold.';
comment on column thread.last_post_id is 'The newest post, whether it stands or not: the order of "active".';
comment on column thread.last_post_at is 'When that was written.';
comment on column thread.version is 'Rises with every change of its title, lock or pin.';
comment on column thread.created_at is 'When it was opened.';
comment on column thread.locked_at is 'Set by a moderator: no new posts, and nothing is edited.';
comment on column thread.pinned_at is 'Set by a moderator: stands first on its board.';
comment on column thread.hidden_at is 'Taken away by its author before anybody replied, or by moderation.';
create index thread_newest on thread (board_id, id desc) where hidden_at is null;
comment on index thread_newest is 'A board, newest or oldest first.';
create index thread_active on thread (board_id, last_post_id desc) where hidden_at is null;
comment on index thread_active is 'A board, last written in first.';
create index thread_hot on thread (board_id, hot desc, id desc) where hidden_at is null;
comment on index thread_hot is 'A board, hottest first.';
create index thread_reacted on thread (board_id, reactions desc, id desc) where hidden_at is null;
comment on index thread_reacted is 'A board, most reactions first.';
create index thread_pinned on thread (board_id, pinned_at desc) where pinned_at is not null and hidden_at is null;
comment on index thread_pinned is 'What stands first on a board.';
create index thread_cooling on thread (id) where hot > 0;
comment on index thread_cooling is 'Threads whose heat is computed anew.';
create index thread_of_work on thread (work_id);
comment on index thread_of_work is 'Merging works.';
create index thread_of_author on thread (author_id, id desc);
comment on index thread_of_author is 'Threads of one reader; the end of an account.';
create index thread_of_group on thread (group_id, id) where group_id is not null;
comment on index thread_of_group is 'Threads of a group that is closed; serves the foreign key.';
create index thread_of_group_newest on thread (group_id, created_at desc, id desc)
    where group_id is not null and hidden_at is null;
comment on index thread_of_group_newest is 'Threads of a member''s group, newest first: the home feed merges these.';
create index thread_kind_newest on thread (board_id, kind, id desc) where hidden_at is null and kind <> 'discussion';
comment on index thread_kind_newest is
    'A board''s questions, quotes or announcements, newest or oldest first. Discussions, the most of nearly all boards, are '
    'found in thread_newest.';
create index thread_kind_active on thread (board_id, kind, last_post_id desc) where hidden_at is null and kind <> 'discussion';
comment on index thread_kind_active is 'Likewise, last written in first.';
create index thread_kind_hot on thread (board_id, kind, hot desc, id desc) where hidden_at is null and kind <> 'discussion';
comment on index thread_kind_hot is 'Likewise, hottest first.';
create index thread_kind_reacted on thread (board_id, kind, reactions desc, id desc)
    where hidden_at is null and kind <> 'discussion';
comment on index thread_kind_reacted is 'Likewise, most reactions first.';

create table post (
    id           bigint      primary key,
    thread_id    bigint      not null constraint post_thread_fkey references thread (id),
    work_id      bigint,
    number       integer     not null constraint post_number check (number >= 1),
    author_id    bigint      not null constraint post_author_fkey references account (id),
    parent_id    bigint      constraint post_parent_fkey references post (id),
    answers_id   bigint      constraint post_answers_fkey references post (id),
    depth        smallint    not null constraint post_depth check (depth between 0 and 6),
    path         text        collate "C" not null constraint post_path check (octet_length(path) between 16 and 112),
    quoted_id    bigint      constraint post_quoted_fkey references post (id),
    scope        smallint    not null constraint post_scope check (scope between 0 and 10000),
    also_work_id bigint      constraint post_also_work_fkey references work (id),
    also_scope   smallint    constraint post_also_scope check (also_scope between 1 and 10000),
    text_id      bigint,
    replies      integer     not null default 0 constraint post_replies check (replies >= 0),
    reactions    integer     not null default 0 constraint post_reactions check (reactions >= 0),
    version      integer     not null default 1,
    created_at   timestamptz not null,
    edited_at    timestamptz,
    deleted_at   timestamptz,
    hidden_at    timestamptz,
    constraint post_in_thread unique (thread_id, number),
    constraint post_answers_at_last_depth check (answers_id is null or depth = 6),
    constraint post_also_whole check ((also_work_id is null) = (also_scope is null)),
    constraint post_text_until_deleted check ((text_id is null) = (deleted_at is not null))
);
comment on table post is 'What somebody wrote in a thread. The row stays when it is deleted, so that the tree keeps its shape.';
comment on column post.id is 'Made by the application, ascending in time.';
comment on column post.thread_id is 'Where it stands.';
comment on column post.work_id is
    'The book that its thread was about when it was written; null where that was about none. It stays when books are merged: '
    'that one leads to the other (work.merged_into).';
comment on column post.number is
    '1 for the post that opens the thread, then dense in the order of commits: read markers and pages go by it.';
comment on column post.author_id is 'Who wrote it.';
comment on column post.parent_id is 'What it answers; null for the first post and for answers to the thread as a whole.';
comment on column post.answers_id is
    'What a post at depth 6 answers: its parent or one of its siblings. Null above, where that is the parent, and where it is '
    'not known.';
comment on column post.depth is
    '0 without a parent, else one more than the parent, at most 6: an answer to a post at 6 is its sibling.';
comment on column post.path is 'The identifiers from the top of the tree down to it, 16 hexadecimal digits each: its order.';
comment on column post.quoted_id is 'The post that it quotes.';
comment on column post.scope is 'What it gives away of the work: 0 nothing, P up to that ten-thousandth, 10000 the end.';
comment on column post.also_work_id is 'A later work of the series that it gives away, too.';
comment on column post.also_scope is 'How much of that.';
comment on column post.text_id is
    'Its text as it is now; null once deleted. An event about the post names the text that it told, and is delivered only while '
    'that is this.';
comment on column post.replies is 'Direct answers that stand.';
comment on column post.reactions is 'Reactions to it, of all names.';
comment on column post.version is 'Rises with every change by its author or a moderator.';
comment on column post.created_at is 'When it was written.';
comment on column post.edited_at is 'When its text was changed last; null where it never was.';
comment on column post.deleted_at is 'When its author took it away; texts are gone with it.';
comment on column post.hidden_at is 'When moderation took it out of sight; texts stay for the record.';
create index post_tree on post (thread_id, path);
comment on index post_tree is 'A thread as a tree.';
create index post_reacted on post (thread_id, reactions desc, number desc);
comment on index post_reacted is 'A thread, most reactions first, then the newest.';
create index post_of_author on post (author_id, id desc);
comment on index post_of_author is 'Posts of one reader, last first; the end of an account.';
create index post_of_parent on post (parent_id, number) where parent_id is not null;
comment on index post_of_parent is 'Direct answers, oldest first.';
create index post_quoting on post (quoted_id) where quoted_id is not null;
comment on index post_quoting is 'Who quotes a post.';
create index post_also_of_work on post (also_work_id, also_scope) where also_work_id is not null;
comment on index post_also_of_work is 'What opens with the gate of another work; merging works.';
create index post_of_text on post (text_id) where text_id is not null;
comment on index post_of_text is 'Whose text it is: asked wherever one is deleted.';
create index post_opening on post (work_id, scope, id) where scope > 0 and deleted_at is null and hidden_at is null;
comment on index post_opening is 'What stands between two gates of a book, on its own board and on those of groups: what opens.';
create index post_answering on post (answers_id) where answers_id is not null;
comment on index post_answering is 'Answers at the last depth: what is raised with a post.';

create table post_text (
    id          bigint      primary key,
    post_id     bigint      not null constraint post_text_post_fkey references post (id),
    title       text        constraint post_text_title_length check (char_length(title) between 1 and 200),
    body        text        not null constraint post_text_body_length check (octet_length(body) between 1 and 40000),
    html        text        not null,
    veiled_body text,
    veiled_html text,
    scope       smallint    constraint post_text_scope check (scope between 0 and 10000),
    at          timestamptz not null,
    constraint post_text_veiled_whole check ((veiled_body is null) = (veiled_html is null))
);
comment on table post_text is 'Every text that a post has had. The post names the one that holds.';
comment on column post_text.id is 'Made by the application, ascending in time.';
comment on column post_text.post_id is 'Whose text.';
comment on column post_text.title is 'The thread''s title with it, where the post opens a thread.';
comment on column post_text.body is 'As written: the Markdown of Community/Markdown.';
comment on column post_text.html is 'The same, rendered and safe.';
comment on column post_text.veiled_body is 'The source without the words of its inline spoilers; null where it has none.';
comment on column post_text.veiled_html is 'The rendering without them.';
comment on column post_text.scope is
    'The scope that the post had when another text took the place of this one: what was too much then stays so, whatever the '
    'post''s scope becomes. Null for the text that holds.';
comment on column post_text.at is 'When it was written.';
create index post_text_of_post on post_text (post_id, id desc);
comment on index post_text_of_post is 'The history of a post, last first.';

-- The two refer to each other: a post names the text that holds, a text the post that it is of.
alter table post add constraint post_text_fkey foreign key (text_id) references post_text (id) deferrable initially deferred;

create table post_reaction (
    post_id   bigint      not null constraint post_reaction_post_fkey references post (id),
    reader_id bigint      not null constraint post_reaction_reader_fkey references account (id),
    name      text        not null
              constraint post_reaction_name check (name in ('like', 'love', 'laugh', 'wow', 'sad', 'think')),
    at        timestamptz not null,
    primary key (post_id, reader_id, name)
);
comment on table post_reaction is 'A reader''s reaction to a post: any of six, each once.';
comment on column post_reaction.post_id is 'To what.';
comment on column post_reaction.reader_id is 'Whose.';
comment on column post_reaction.name is 'like, love, laugh, wow, sad or think.';
comment on column post_reaction.at is 'When.';
create index post_reaction_of_reader on post_reaction (reader_id, post_id);
comment on index post_reaction_of_reader is 'The end of an account.';

create table post_reaction_tally (
    post_id bigint  not null constraint post_reaction_tally_post_fkey references post (id),
    name    text    not null,
    n       integer not null constraint post_reaction_tally_n check (n >= 0),
    primary key (post_id, name)
);
comment on table post_reaction_tally is 'How many reacted to a post, by name.';
comment on column post_reaction_tally.post_id is 'The post.';
comment on column post_reaction_tally.name is 'The reaction.';
comment on column post_reaction_tally.n is 'How many readers; kept with post_reaction.';

create table board_scope (
    work_id bigint   not null constraint board_scope_work_fkey references work (id),
    scope   smallint not null constraint board_scope_scope check (scope between 0 and 10000),
    posts   integer  not null constraint board_scope_posts check (posts >= 0),
    primary key (work_id, scope)
);
comment on table board_scope is
    'How many posts stand on a book''s own board at each scope: what lies ahead of a reader is a sum over a part of the key.';
comment on column board_scope.work_id is 'The book.';
comment on column board_scope.scope is 'As in post.scope.';
comment on column board_scope.posts is
    'Posts neither deleted nor hidden, in threads that are not hidden; kept with every change of a post.';

create table thread_reader (
    reader_id   bigint      not null constraint thread_reader_reader_fkey references account (id),
    thread_id   bigint      not null constraint thread_reader_thread_fkey references thread (id),
    read_number integer     not null default 0 constraint thread_reader_read_number check (read_number >= 0),
    unmarked    integer     constraint thread_reader_unmarked check (unmarked >= 1),
    watching    text        constraint thread_reader_watching check (watching in ('followed', 'muted')),
    at          timestamptz not null,
    primary key (reader_id, thread_id)
);
comment on table thread_reader is 'What a thread is to a reader: how far read, and whether followed or muted.';
comment on column thread_reader.reader_id is 'Whose.';
comment on column thread_reader.thread_id is 'The thread.';
comment on column thread_reader.read_number is 'The highest post.number read; never goes back.';
comment on column thread_reader.unmarked is
    'board_read.marks when the reader said that they have read nothing of the thread: only later marks of the board hold for '
    'it. Null where none was there.';
comment on column thread_reader.watching is 'followed (chosen, or by writing in it), muted, or null.';
comment on column thread_reader.at is 'When it changed last.';
create index thread_reader_watched on thread_reader (reader_id, watching, thread_id) where watching is not null;
comment on index thread_reader_watched is 'Threads that a reader follows, and how many are followed or muted.';
create index thread_reader_of_thread on thread_reader (thread_id, reader_id) where watching is not null;
comment on index thread_reader_of_thread is 'Who is told of a post in it.';

create table board_reader (
    reader_id bigint      not null constraint board_reader_reader_fkey references account (id),
    work_id   bigint      not null constraint board_reader_work_fkey references work (id),
    watching  text        not null constraint board_reader_watching check (watching in ('followed', 'muted')),
    at        timestamptz not null,
    primary key (reader_id, work_id)
);
comment on table board_reader is 'A book''s board that a reader follows (is told of new threads) or mutes.';
comment on column board_reader.reader_id is 'Whose.';
comment on column board_reader.work_id is 'The book.';
comment on column board_reader.watching is 'followed or muted.';
comment on column board_reader.at is 'Since when.';
create index board_reader_of_work on board_reader (work_id, reader_id);
comment on index board_reader_of_work is 'Who is told of a thread on it; merging works.';

create table board_read (
    reader_id bigint      not null constraint board_read_reader_fkey references account (id),
    board_id  bigint      not null,
    upto_id   bigint      not null,
    marks     integer     not null default 1 constraint board_read_marks check (marks >= 1),
    at        timestamptz not null,
    primary key (reader_id, board_id)
);
comment on table board_read is
    'How far a reader has read all threads of a board at once. What was written shortly before it was marked stands in '
    'thread_reader.';
comment on column board_read.reader_id is 'Whose.';
comment on column board_read.board_id is
    'The board: the group, else the book, also one that has been merged into another since. Identifiers are unique across both.';
comment on column board_read.upto_id is 'Posts up to this one are read. None of them was still being written when it was marked.';
comment on column board_read.marks is 'How often it was marked: what thread_reader.unmarked is compared with.';
comment on column board_read.at is 'When it was marked last.';

create table post_search (
    post_id   bigint   primary key constraint post_search_post_fkey references post (id),
    thread_id bigint   not null constraint post_search_thread_fkey references thread (id),
    board_id  bigint   not null,
    text_id   bigint   not null,
    words     tsvector not null
);
comment on table post_search is
    'The words of the text that a post has now: a row for each post that is not deleted, beside the row of the post, which '
    'changes often.';
comment on column post_search.post_id is 'Whose words.';
comment on column post_search.thread_id is 'As of the post.';
comment on column post_search.board_id is 'As of its thread: the group, else the book.';
comment on column post_search.text_id is 'The text that the words are of: post.text_id.';
comment on column post_search.words is
    'The title of a first post at weight A and the words outside of inline spoilers, folded by Search.Normaliser; and #N for '
    'the thread and the board that it stands on, so that the index finds words within them.';
create index post_search_of_thread on post_search (thread_id, post_id desc);
comment on index post_search_of_thread is 'Posts of a thread, newest first: where a common word is looked for.';
create index post_search_of_board on post_search (board_id, post_id desc);
comment on index post_search_of_board is 'Posts of a board, newest first: likewise; merging works.';
create index post_search_words on post_search using gin (words) with (gin_pending_list_limit = 256);
comment on index post_search_words is
    'Where a rare word is looked for. Of new words so many kB wait to be indexed together: every search reads those, and '
    'the writer of the last of them waits for all.';
