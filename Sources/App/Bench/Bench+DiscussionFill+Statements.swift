import Community
import Postgres

extension Bench {
    /// SQL of a table: 1,000 texts (`said`), numbered (`n`) from 0, of `length` to twice as many bytes.
    static func texts(length: Int) -> Fragment {
        """
        (select n, substr('The chapter in the harbour was the first that I read twice, because nothing in it is as it \
        seems once one knows who wrote the letters. I thought that the sister had gone with the last ship, and then \
        there is the lamp in her window, and nobody says a word about it for a hundred pages. What did you make of \
        the old man and his maps? He knows more than he says, and he says more than he should. My copy has a note in \
        the margin, by whoever had it before me, and it is wrong about the bridge but right about the winter. I like \
        how the town grows smaller with every visit, until there is only the square, the well and the two trees. The \
        ending has been called cold; to me it is the only warm page of the book, and the one that I would keep if I \
        could keep no more than one. Somebody here said that the second half drags. It does, and it has to: they \
        wait, and so do we, and when the door opens at last it is hardly a surprise any more. Has anybody read it in \
        the other translation, where the songs rhyme and the jokes do not? I would like to know whether the dog has a \
        name there, since in mine it is only ever called the dog, and that cannot be by chance in a book in which \
        every boat has a name.',
                          1 + n * 37 % 900, \(length) + n % \(length)) as said
                     from generate_series(0, 999) n
                    limit 1000)
        """
    }

    // MARK: The gate

    /// Ten books in the library of each of the readers 1 to `count`, the discussed one (1) among them: read by the
    /// first reader, half read by the second and by the 100 from 101 on, in all states for the others. `works`: the
    /// books beyond it.
    struct InsertShelved: Statement {
        static let sql: SQL<Self> = """
            insert into shelf_entry (id, reader_id, work_id, status, times_read, position, title_key, author_key,
                                     counted, added_at, moved_at)
            select reader * 20000 + n, reader, work, status, (status = 'read')::integer,
                   case status when 'read' then 10000 when 'want' then null
                               else case when is_half then 5000 else (reader * 37 + n * 1009) % 10001 end end,
                   'title ' || work, 'author ' || work % 1000, true, now(), now()
              from generate_series(1, \(\.count)::bigint) reader
             cross join generate_series(1, 10) n
             cross join lateral (select case when n = 1 then 1 else 2 + (reader * 7919 + n) % \(\.works)::bigint end as work,
                                        n = 1 and (reader = 2 or reader between 101 and 200) as is_half) book
             cross join lateral (select case when is_half then 'reading'
                                             when reader = 1 and n = 1 then 'read'
                                             else (array['want', 'reading', 'read'])[(reader + n) % 3 + 1]
                                        end as status) as stands
            """
        let count: Int, works: Int
    }

    /// What some of the readers 1 to `count` chose: a quarter who may read what, and beyond the first 200 a tenth whom
    /// they block, a twentieth that the gate is open, a tenth which book beyond the discussed one to reveal.
    struct InsertChoices: Statement {
        static let sql: SQL<Self> = """
            with told as (
                insert into privacy (reader_id) select n from generate_series(4, \(\.count)::bigint, 4) n
            ), blocked as (
                insert into block (blocker_id, blocked_id, at)
                select n, (n + \(\.count) / 2) % \(\.count) + 1, now()
                  from generate_series(210, \(\.count), 10) n
                 where (n + \(\.count) / 2) % \(\.count) + 1 > 200
            ), opened as (
                insert into gate_setting (reader_id, is_off, at)
                select n, true, now() from generate_series(220, \(\.count), 20) n
            )
            insert into reveal (id, reader_id, work_id, at)
            select n, n, 2 + n % 10, now() from generate_series(210, \(\.count), 10) n
            """
        let count: Int
    }

    // MARK: Boards

    /// `posts` posts in threads, `onOne` of them on the board of book 1: a thread of a tenth of these, nine of a
    /// twentieth, and the rest in threads of ten, as on the other books. Written in the order of time, so that the
    /// posts of a thread lie among those of others.
    ///
    /// After the first post they come by six: one that answers the thread, the second answers the first, the third the
    /// second, the fourth the first, the fifth the fourth, the sixth the fifth. Three in ten give nothing away, three
    /// in twenty everything.
    struct InsertPosts: Statement {
        static let sql: SQL<Self> = """
            with sized as (
                select thread,
                       case when thread = 1 then \(\.onOne)::bigint / 10 + 1
                            when thread <= 10 then \(\.onOne) / 20 + 1
                            else 10 end as size,
                       case when thread <= 10 then 0
                            when thread <= small + 10 then 0.95 * (thread - 10) / small
                            else 0.95 * (thread - small - 10) / greatest((\(\.posts) - \(\.onOne)) / 10, 1) end::float8 as start,
                       case when thread <= 10 then 1 else 0.05 end::float8 as span
                  from (values ((\(\.onOne) - \(\.onOne) / 10 - 9 * (\(\.onOne) / 20) - 10) / 10)) threads (small)
                 cross join lateral generate_series(1, 10 + small + (\(\.posts)::bigint - \(\.onOne)) / 10) thread
            ), placed as (
                select thread, size, number, start + span * (number - 1) / size as moment,
                       row_number() over (order by start + span * (number - 1) / size, thread, number) as id
                  from sized
                 cross join lateral generate_series(1, size) number
            ), told as (
                select placed.*, case when number = 1 then 0 else (number - 2) % 6 end as turn,
                       lag(id, 1) over own as one, lag(id, 2) over own as two, lag(id, 3) over own as three,
                       lag(id, 4) over own as four, lag(id, 5) over own as five,
                       case when thread > 10 and thread % 4 = 0 then thread * 7919 % 10001 else 0 end as opening,
                       ((number - 2) / 6 * 104729 + thread * 31) % 100 as lot
                  from placed
                window own as (partition by thread order by number)
            )
            insert into post (id, thread_id, number, author_id, parent_id, depth, path, scope, text_id, replies,
                              reactions, created_at, work_id)
            select id, thread, number, id * 7919 % \(\.readers)::bigint + 1,
                   case turn when 1 then one when 2 then one when 3 then three when 4 then one when 5 then one end,
                   (array[0, 1, 2, 1, 2, 3])[turn + 1],
                   (select string_agg(lpad(to_hex(step), 16, '0'), '' order by place)
                      from unnest(case turn when 0 then array[id]
                                            when 1 then array[one, id]
                                            when 2 then array[two, one, id]
                                            when 3 then array[three, id]
                                            when 4 then array[four, one, id]
                                            else array[five, two, one, id] end) with ordinality steps (step, place)),
                   case when number = 1 then opening
                        else greatest(opening,
                                      least(10000,
                                            (turn = 5)::integer * 250
                                            + case when lot < 30 then 0
                                                   when lot < 45 then 10000
                                                   else 1 + ((number - 2) / 6 * 7919 + thread * 104729) % 9999 end))
                   end,
                   id,
                   case when number = 1 then 0
                        else (turn in (0, 1, 3, 4) and number < size)::integer
                             + (turn = 0 and number + 3 <= size)::integer end,
                   case when number = 1 then thread * 7919 % 12 when id % 4 = 0 then 1 + id / 4 % 8 else 0 end,
                   now() - interval '180 days' * (1 - least(moment, 1)),
                   \(bookOf("thread", onOne: "\(\.threads)", works: "\(\.works)"))
              from told
             order by id
            """
        let posts: Int, onOne: Int, readers: Int
        /// As `bookOf` takes them.
        let threads: Int, works: Int
    }

    /// The book of a thread: the first `onOne` are on book 1, the others on `works` books from 2 on.
    private static func bookOf<S>(_ thread: SQL<S>, onOne: SQL<S>, works: SQL<S>) -> SQL<S> {
        "case when \(thread) <= \(onOne)::bigint then 1 else 2 + \(thread) % \(works)::bigint end"
    }

    /// The threads of these posts, on the books of `bookOf`. Two are pinned.
    struct InsertThreads: Statement {
        static let sql: SQL<Self> = """
            insert into thread (id, work_id, author_id, kind, title, posts, replies, reactions, hot, last_post_id,
                                last_post_at, created_at, pinned_at)
            select thread_id, \(bookOf("thread_id", onOne: "\(\.onOne)", works: "\(\.works)")), author,
                   (array['discussion', 'question', 'quote'])[thread_id % 3 + 1],
                   'What they said in thread ' || thread_id,
                   posts, posts - 1, reactions,
                   log(posts + reactions)::float8 / power(extract(epoch from now() - began)::float8 / 3600 + 2, 1.8),
                   last, ended, began, case when thread_id in (11, 12) then now() end
              from (select thread_id, count(*) as posts, max(id) as last, max(created_at) as ended,
                           min(created_at) as began,
                           max(author_id) filter (where number = 1) as author,
                           max(reactions) filter (where number = 1) as reactions
                      from post
                     group by thread_id) counted
             order by thread_id
            """
        let onOne: Int, works: Int
    }

    /// Texts of about 300 bytes, inline spoilers in one of ten.
    struct InsertTexts: Statement {
        static let sql: SQL<Self> = """
            insert into post_text (id, post_id, title, body, html, veiled_body, veiled_html, at)
            select post.id, post.id, case when number = 1 then 'What they said in thread ' || thread_id end,
                   said || case when hides then '>!it was the dog!<' else '' end,
                   '<p>' || said || case when hides then '<span class="spoiler">it was the dog</span>' else '' end
                   || '</p>',
                   case when hides then said || '>!…!<' end,
                   case when hides then '<p>' || said || '<span class="spoiler">…</span></p>' end, created_at
              from post
              join \(Bench.texts(length: 200)) spoken on spoken.n = post.id % 1000
             cross join lateral (select post.id % 10 = 0 as hides) veil
             order by post.id
            """
    }

    /// The words of those texts, as a search looks at them.
    struct InsertWords: Statement {
        static let sql: SQL<Self> = """
            insert into post_search (post_id, thread_id, board_id, text_id, words)
            select post.id, post.thread_id, thread.board_id, post.text_id,
                   array_to_tsvector(array['#' || thread.id, '#' || thread.board_id])
                   || to_tsvector('simple', concat_ws(' ', text.title, coalesce(text.veiled_body, text.body)))
              from post
              join thread on thread.id = post.thread_id
              join post_text text on text.id = post.text_id
             order by post.id
            """
    }

    struct InsertReactions: Statement {
        static let sql: SQL<Self> = """
            insert into post_reaction (post_id, reader_id, name, at)
            select id, (id * 31 + n * 7919) % \(\.readers)::bigint + 1,
                   (array['like', 'love', 'laugh', 'wow', 'sad', 'think'])[(id + n) % 6 + 1], created_at
              from post
             cross join lateral generate_series(1, reactions) n
             where reactions > 0
            """
        let readers: Int
    }

    // MARK: Counters

    struct InsertReactionTallies: Statement {
        static let sql: SQL<Self> = """
            insert into post_reaction_tally (post_id, name, n)
            select post_id, name, count(*) from post_reaction group by post_id, name
            """
    }

    struct InsertScopes: Statement {
        static let sql: SQL<Self> = """
            insert into board_scope (work_id, scope, posts)
            select thread.work_id, post.scope, count(*)
              from post
              join thread on thread.id = post.thread_id
             group by thread.work_id, post.scope
            """
    }

    struct InsertComments: Statement {
        static let sql: SQL<Self> = """
            insert into reader_tally (reader_id, comments) select author_id, count(*) from post group by author_id
            """
    }

    /// A reader who wrote in a thread follows it.
    struct InsertMarkers: Statement {
        static let sql: SQL<Self> = """
            insert into thread_reader (reader_id, thread_id, read_number, watching, at)
            select author_id, thread_id, max(number), 'followed', max(created_at)
              from post
             group by author_id, thread_id
            """
    }

    /// The two who read have read half of what is on book 1.
    struct InsertReadMarkers: Statement {
        static let sql: SQL<Self> = """
            insert into thread_reader (reader_id, thread_id, read_number, at)
            select reader, thread.id, (thread.posts + 1) / 2, now()
              from thread
             cross join generate_series(1, 2) reader
             where thread.work_id = 1
                on conflict (reader_id, thread_id) do nothing
            """
    }

    // MARK: Checking

    /// Posts of a thread that were not there when it was filled.
    struct WrittenSince: Statement {
        static let sql: SQL<Self> = "select count(*) from post where thread_id = \(\.thread) and id > 1000000000000"
        let thread: ID<Boards.Thread>
        typealias Output = Int64
    }
}
