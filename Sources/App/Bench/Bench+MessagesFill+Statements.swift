import Community
import Postgres

extension Bench {
    /// Conversations 1 to `count`: one of `longest` messages between the readers 1 and 2, 500 of the first reader with
    /// others, and the rest between others of the `readers`; 100 messages in each but the first.
    struct InsertConversations: Statement {
        static let sql: SQL<Self> = """
            insert into conversation (id, opener_id, partner_id, created_at, last_seq)
            select n, case when n <= 501 then 1 else 3 + (n - 502) % others end,
                   case when n <= 501 then n + 1
                        else 3 + ((n - 502) % others + 1 + (n - 502) / others) % others end,
                   now() - interval '1 year', case when n = 1 then \(\.longest)::bigint else 100 end
              from generate_series(1, \(\.count)::bigint) n
             cross join lateral (select \(\.readers)::bigint - 2 as others) more
            """
        let count: Int, readers: Int, longest: Int
    }

    /// Friendships of all who have a conversation.
    struct InsertPartners: Statement {
        static let sql: SQL<Self> = """
            insert into friendship (reader_id, friend_id, since)
            select opener_id, partner_id, created_at from conversation
             union all
            select partner_id, opener_id, created_at from conversation
            """
    }

    /// Both sides of every conversation, all read but for half of the first one by reader 1, and the last ten messages
    /// by every fifth partner and every seventh opener. `count`: conversations.
    struct InsertSides: Statement {
        static let sql: SQL<Self> = """
            insert into conversation_reader (conversation_id, reader_id, read_seq, unread, active_at)
            select id, reader, last_seq - behind, case when id = 1 then behind / 2 else (behind + 1) / 2 end,
                   now() - interval '1 year' * (1 - id::float8 / \(\.count)::bigint) / 100
              from conversation
             cross join lateral (values (opener_id, case when id = 1 then last_seq / 2
                                                         when id % 7 = 0 then 10
                                                         else 0 end),
                                        (partner_id, case when id > 1 and id % 5 = 0 then 10 else 0 end)
                                ) side (reader, behind)
            """
        let count: Int
    }

    /// Messages of the hundredths `from` to `to` of every conversation, in turns, in the order of time; about 100 bytes
    /// each. `longest` and `count` as in `InsertConversations`.
    struct InsertMessages: Statement {
        static let sql: SQL<Self> = """
            with line as (
                select conversation, part, part as seq, conversation::float8 / \(\.count)::bigint as moment
                  from generate_series(\(\.from)::bigint, \(\.to)::bigint) part
                 cross join generate_series(2, \(\.count)) conversation
                 union all
                select 1, part, (part - 1) * (\(\.longest)::bigint / 100) + step, step * 100.0 / \(\.longest)
                  from generate_series(\(\.from), \(\.to)) part
                 cross join lateral generate_series(1, \(\.longest) / 100) step
            ), told as (
                select line.*,
                       (\(\.from) - 1) * (\(\.count) - 1 + \(\.longest) / 100)
                       + row_number() over (order by part, moment, conversation, seq) as id
                  from line
            )
            insert into message (id, conversation_id, seq, sender_id, text_id, body, created_at)
            select told.id, conversation, seq, case when seq % 2 = 1 then opener_id else partner_id end, told.id, said,
                   now() - interval '1 year' * (100 - (part - 1 + moment)) / 100
              from told
              join conversation whole on whole.id = told.conversation
              join \(Bench.texts(length: 67)) spoken on spoken.n = told.id % 1000
             order by told.id
            """
        let from: Int, to: Int, count: Int, longest: Int
    }

    struct InsertUnread: Statement {
        static let sql: SQL<Self> = """
            insert into reader_tally (reader_id, unread_messages)
            select reader_id, sum(unread) from conversation_reader group by reader_id
            """
    }
}
