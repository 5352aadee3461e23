import Community
import Postgres

extension Bench {
    /// 32 genres, and in up to two of them two of three works.
    struct InsertGenres: Statement {
        static let sql: SQL<Self> = """
            with genres as (
                insert into genre (id, slug, name)
                select n, 'bench-' || n, 'Bench ' || n from generate_series(1, 32) n
                    on conflict do nothing
            )
            insert into work_genre (work_id, genre_id)
            select distinct n, place from generate_series(1, \(\.works)::bigint) n cross join lateral (values (n % 32 + 1), (n / 32 % 32 + 1)) sorts (place)
             where n % 3 > 0
            """
        let works: Int
    }

    /// `count` readers have just read the book of their library whose number is `place`.
    struct InsertNewActs: Statement {
        static let sql: SQL<Self> = """
            insert into activity (id, reader_id, work_id, kind, at, subject, weight)
            select 1000000000000 + id, reader_id, work_id, 'shelf.read', now(), id, 3
              from (select number * 20000 + \(\.place)::bigint as id from generate_series(101, 100 + \(\.count)::bigint) number) named
              join shelf_entry using (id)
            """
        let count: Int, place: Int
    }

    /// As many marks as acts: each was written in a transaction of its own.
    struct MarkNewActs: Statement {
        static let sql: SQL<Self> = """
            with together as (delete from ranking_mark)
            insert into ranking_mark (work_id, day)
            select work_id, (at at time zone 'UTC')::date
              from activity
             where at > now() - interval '10 minutes'
               and id > 1000000000000
               and subject % 20000 = \(\.place)::bigint
            """
        let place: Int
    }

    /// Takes every other sum away: making them anew has as many to write.
    struct LoseSums: Statement {
        static let sql: SQL<Self> = """
            with hours as (delete from work_bucket_hour where work_id % 2 = 0)
            delete from work_bucket where work_id % 2 = 0
            """
    }
}
