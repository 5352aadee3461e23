import Community
import Postgres

extension Bench {
    static let feedStatements: [any Statement.Type] = [
        InsertHub.self, InsertSpokenReviews.self, InsertActs.self,
    ]

    /// So many friends for one reader, evenly among the `readers` from 101 on.
    struct InsertHub: Statement {
        static let name = "bench.insert_hub"
        static let sql = """
            insert into friendship (reader_id, friend_id, since)
            select case when turned then friend else $1::bigint end, case when turned then $1 else friend end, now()
              from generate_series(1, least($2::bigint, $3::bigint - 200)) n
             cross join lateral (select 100 + n * (($3 - 200) / least($2, $3 - 200)) as friend) met
             cross join (values (false), (true)) sides (turned)
                on conflict (reader_id, friend_id) do nothing
            """
        let reader: Int
        let friends: Int
        let readers: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(friends)
            parameters.append(readers)
        }
    }

    /// When made-up acts happened: within so many days, where `recency` is above 1 more of them lately.
    struct Moments: Sendable {
        var days = 390
        var recency = 1.0
        func bind(to parameters: inout Parameters) {
            parameters.append(days)
            parameters.append(recency)
        }
    }

    /// SQL: when something happened, as `seed` and `Moments` ($1, $2) have it.
    private static func moment(_ seed: StaticString) -> String {
        "now() - interval '1 day' * $1::integer * power(((\(seed)) % 1000003) / 1000003.0::float8, $2::float8)"
    }

    /// A review with a text of about 300 bytes for each rated book in a library.
    struct InsertSpokenReviews: Statement {
        static let name = "bench.insert_spoken_reviews"
        static let sql = """
            insert into review (id, reader_id, work_id, rating, body, counted, created_at)
            select id, reader_id, work_id, rating, said, true, \(moment("id * 7919"))
              from shelf_entry
              join \(texts(length: 200)) spoken on spoken.n = (id / 10 + reader_id) % 1000
             where rating is not null
             order by id
            """
        let moments: Moments
        func bind(to parameters: inout Parameters) { moments.bind(to: &parameters) }
    }

    /// The acts of all libraries and reviews, in the order of time: each book was wanted, and came to where it stands;
    /// each review was rated and posted.
    struct InsertActs: Statement {
        static let name = "bench.insert_acts"
        static let sql = """
            insert into activity (id, reader_id, work_id, kind, at, subject, weight)
            select row_number() over (order by at, subject, kind), reader_id, work_id, kind, at, subject,
                   case kind when 'shelf.want' then 1
                             when 'shelf.reading' then 2
                             when 'shelf.paused' then 0
                             when 'shelf.stopped' then 0
                             else 3
                   end
              from (select reader_id, work_id, 'shelf.want' as kind, \(moment("id * 104729 + 15485863")) as at,
                           id as subject
                      from shelf_entry
                     union all
                    select reader_id, work_id, 'shelf.' || status, \(moment("id * 15485863 + 7919")), id
                      from shelf_entry
                     where status <> 'want'
                     union all
                    select reader_id, work_id, kind, created_at, id
                      from review
                     cross join (values ('book.rated'), ('review.posted')) said (kind)) acts
             order by at, subject, kind
            """
        let moments: Moments
        func bind(to parameters: inout Parameters) { moments.bind(to: &parameters) }
    }
}
