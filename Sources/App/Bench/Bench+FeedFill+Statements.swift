import Community
import Postgres

extension Bench {
    /// So many friends for one reader, evenly among the `readers` from 101 on.
    struct InsertHub: Statement {
        static let sql: SQL<Self> = """
            insert into friendship (reader_id, friend_id, since)
            select case when turned then friend else \(\.reader)::bigint end, case when turned then \(\.reader) else friend end, now()
              from generate_series(1, least(\(\.friends)::bigint, \(\.readers)::bigint - 200)) n
             cross join lateral (select 100 + n * ((\(\.readers) - 200) / least(\(\.friends), \(\.readers) - 200)) as friend) met
             cross join (values (false), (true)) sides (turned)
                on conflict (reader_id, friend_id) do nothing
            """
        let reader: Int, friends: Int, readers: Int
    }

    /// When made-up acts happened: within so many days, where `recency` is above 1 more of them lately.
    struct Moments: Sendable {
        var days = 390
        var recency = 1.0
    }

    /// SQL: when something happened, as `seed` and the statement's `moments` have it.
    private static func moment<S>(_ seed: Fragment, of moments: any KeyPath<S, Moments> & Sendable) -> SQL<S> {
        let moment: SQL<Moments> = """
            now() - interval '1 day' * \(\.days)::integer
                * power(((\(seed)) % 1000003) / 1000003.0::float8, \(\.recency)::float8)
            """
        return moment.of(moments)
    }

    /// A review with a text of about 300 bytes for each rated book in a library.
    struct InsertSpokenReviews: Statement {
        static let sql: SQL<Self> = """
            insert into review (id, reader_id, work_id, rating, body, counted, created_at)
            select id, reader_id, work_id, rating, said, true, \(moment("id * 7919", of: \.moments))
              from shelf_entry
              join \(Bench.texts(length: 200)) spoken on spoken.n = (id / 10 + reader_id) % 1000
             where rating is not null
             order by id
            """
        let moments: Moments
    }

    /// The acts of all libraries and reviews, in the order of time: each book was wanted, and came to where it stands;
    /// each review was rated and posted.
    struct InsertActs: Statement {
        static let sql: SQL<Self> = """
            insert into activity (id, reader_id, work_id, kind, at, subject, weight)
            select row_number() over (order by at, subject, kind), reader_id, work_id, kind, at, subject,
                   case kind when 'shelf.want' then 1
                             when 'shelf.reading' then 2
                             when 'shelf.paused' then 0
                             when 'shelf.stopped' then 0
                             else 3
                   end
              from (select reader_id, work_id, 'shelf.want' as kind, \(moment("id * 104729 + 15485863", of: \.moments)) as at,
                           id as subject
                      from shelf_entry
                     union all
                    select reader_id, work_id, 'shelf.' || status, 
                           \(moment("id * 15485863 + 7919", of: \.moments)), id
                      from shelf_entry
                     where status <> 'want'
                     union all
                    select reader_id, work_id, kind, created_at, id
                      from review
                     cross join (values ('book.rated'), ('review.posted')) said (kind)) acts
             order by at, subject, kind
            """
        let moments: Moments
    }
}
