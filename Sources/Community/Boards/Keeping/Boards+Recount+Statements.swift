import Postgres

extension Boards {
    package static let recounts: [Recount] = [
        Recount(
            "threads", "The numbers of a thread are those of its posts, and its last post is the newest of them.",
            """
            select 'thread ' || thread.id || ': stored ' || thread.posts || ' posts, ' || thread.replies || ' replies, '
                   || thread.reactions || ' reactions, last ' || thread.last_post_id || '; counted ' || counted.posts
                   || ', ' || counted.replies || ', ' || counted.reactions || ', last ' || counted.last
              from thread
             cross join lateral (
                   select count(*) as posts,
                          count(*) filter (where number > 1 and deleted_at is null and hidden_at is null) as replies,
                          coalesce(max(reactions) filter (where number = 1), 0) as reactions,
                          coalesce(max(id), 0) as last
                     from post
                    where post.thread_id = thread.id) counted
             where (thread.posts, thread.replies, thread.reactions, thread.last_post_id)
                   <> (counted.posts, counted.replies, counted.reactions, counted.last)
            """),
        Recount(
            "posts", "The answers to a post are those that are there.",
            """
            select 'post ' || post.id || ': stored ' || post.replies || ' answers, counted ' || coalesce(answers.n, 0)
              from post
              left join (select parent_id, count(*) as n
                           from post
                          where parent_id is not null
                            and deleted_at is null
                            and hidden_at is null
                          group by parent_id) answers on answers.parent_id = post.id
             where post.replies <> coalesce(answers.n, 0)
            """),
        Recount(
            "scopes", "How many posts stand at a scope of a book's board is how many posts do.",
            """
            select 'board ' || coalesce(stored.work_id, counted.work_id) || ': stored ' || coalesce(stored.posts, 0)
                   || ' posts at ' || coalesce(stored.scope, counted.scope) || ', counted ' || coalesce(counted.posts, 0)
              from board_scope stored
              full join (select thread.work_id, post.scope, count(*) as posts
                           from post
                           join thread on thread.id = post.thread_id
                          where post.deleted_at is null
                            and post.hidden_at is null
                            and thread.hidden_at is null
                            and thread.group_id is null
                          group by thread.work_id, post.scope) counted
                on counted.work_id = stored.work_id and counted.scope = stored.scope
             where coalesce(stored.posts, 0) <> coalesce(counted.posts, 0)
            """),
        Recount(
            "numbers", "The posts of a thread are numbered from 1 without a gap.",
            """
            select 'thread ' || thread_id || ' has ' || count(*) || ' posts, numbered up to ' || max(number)
              from post
             group by thread_id
            having count(*) <> max(number)
            """),
        Recount(
            "trees",
            "A post stands one below what it answers, or beside it at the last depth, in the same thread, and its path says so.",
            """
            select 'post ' || post.id || ' at depth ' || post.depth || ' has the path ' || post.path
              from post
              left join post parent on parent.id = post.parent_id
              left join post answered on answered.id = post.answers_id
             where post.thread_id <> coalesce(parent.thread_id, post.thread_id)
                or post.depth <> coalesce(parent.depth + 1, 0)
                or post.path <> coalesce(parent.path, '') || lpad(to_hex(post.id), 16, '0')
                or post.number <= coalesce(parent.number, 0)
                or post.number <= coalesce(answered.number, 0)
                or answered.id <> post.parent_id and answered.parent_id is distinct from post.parent_id
            """),
        Recount(
            "texts", "The text of a post is its own, one that was deleted has none, and only first posts have titles.",
            """
            select 'post ' || post.id || ' has the text ' || text.id || ' of post ' || text.post_id
              from post
              join post_text text on text.id = post.text_id
             where text.post_id <> post.id
             union
            select 'post ' || post.id || ' is deleted and has the text ' || text.id
              from post
              join post_text text on text.post_id = post.id
             where post.deleted_at is not null
             union
            select 'post ' || post.id || ' has a title, or none, that its thread does not have'
              from post
              join thread on thread.id = post.thread_id
              join post_text text on text.id = post.text_id
             where text.title is distinct from case when post.number = 1 then thread.title end
            """),
        Recount(
            "markers", "Nobody has read a thread beyond its last post.",
            """
            select 'reader ' || thread_reader.reader_id || ' has read thread ' || thread.id || ' up to '
                   || thread_reader.read_number || ' of ' || thread.posts
              from thread_reader
              join thread on thread.id = thread_reader.thread_id
             where thread_reader.read_number > thread.posts
            """),
        Recount(
            "homes",
            "Only a thread that a merge moved was opened elsewhere: on the board of another book, and in no group.",
            """
            select 'thread ' || thread.id || ' on board ' || thread.board_id || ' was opened on ' || thread.home_id
              from thread
             where thread.home_id is not null
               and (thread.group_id is not null
                    or thread.home_id = thread.board_id
                    or not exists (select 1 from work where work.id = thread.home_id))
            """),
        Recount(
            "openings",
            "A thread is its first post's author's, and hidden where that is hidden, or nothing stands in it.",
            """
            select 'thread ' || thread.id || ' is not as its first post'
              from thread
              left join post opening on opening.thread_id = thread.id and opening.number = 1
             where opening.author_id is distinct from thread.author_id
                or thread.hidden_at is null and opening.hidden_at is not null
                or thread.hidden_at is null and opening.deleted_at is not null and thread.replies = 0
                or thread.hidden_at is not null and opening.hidden_at is null and opening.deleted_at is null
            """),
        Recount(
            "comments", "What a reader is said to have written on boards is what stands there.",
            """
            select 'reader ' || account.id || ': stored ' || coalesce(reader_tally.comments, 0) || ' comments, counted '
                   || coalesce(counted.n, 0)
              from account
              left join reader_tally on reader_tally.reader_id = account.id
              left join (select author_id, count(*) as n
                           from post
                          where deleted_at is null
                            and hidden_at is null
                          group by author_id) counted on counted.author_id = account.id
             where account.state <> 'deleted'
               and coalesce(reader_tally.comments, 0) <> coalesce(counted.n, 0)
            """),
        Recount(
            "remains", "Nothing that deleted accounts said on boards is left, but for what a job is about to take.",
            """
            with gone as (
                select id
                  from account
                 where state = 'deleted'
                   and not exists (select 1 from job
                                    where job.kind = \(literal: Boards.Forget.kind)
                                      and job.state <> 'dead'
                                      and job.payload ->> 'gone' = account.id::text)
            )
            select 'account ' || gone.id || ' is deleted and has a text in post ' || post.id
              from gone
              join post on post.author_id = gone.id
             where post.deleted_at is null
                or exists (select 1 from post_text where post_text.post_id = post.id)
             union
            select 'account ' || gone.id || ' is deleted and has thread ' || thread.id || ' with a title'
              from gone
              join thread on thread.author_id = gone.id
             where thread.title <> \(literal: Boards.noTitle)
             union
            select 'account ' || gone.id || ' is deleted and has a reaction to post ' || post_reaction.post_id
              from gone
              join post_reaction on post_reaction.reader_id = gone.id
            """),
        Recount(
            "words", "Each post that is not deleted has the words of its text for searching, and no other has any.",
            """
            select 'post ' || post.id || ' has the text ' || coalesce(post.text_id::text, 'none') || ', and words of '
                   || coalesce(post_search.text_id::text, 'none')
              from post
              left join post_search on post_search.post_id = post.id
             where post.text_id is distinct from post_search.text_id
            """),
        Recount(
            "word_places", "The words of a post are said to be in its thread, on its board, and nowhere else.",
            """
            select 'post ' || post.id || ' of thread ' || thread.id || ' on board ' || thread.board_id
                   || ' is searched elsewhere'
              from post_search
              join post on post.id = post_search.post_id
              join thread on thread.id = post.thread_id
             where (post_search.thread_id, post_search.board_id) <> (thread.id, thread.board_id)
                or not ts_match_vq(post_search.words,
                                   ('''#' || thread.id || ''' & ''#' || thread.board_id || '''')::tsquery)
                or ts_match_vq(ts_delete(post_search.words, array['#' || thread.id, '#' || thread.board_id]),
                               '''#'':*')
            """),
    ]
}
