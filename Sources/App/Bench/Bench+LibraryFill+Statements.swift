import Community
import Postgres

extension Bench {
    /// How to take away and make again the foreign and unique keys of tables ($1) and the indexes behind no constraint: indexes first; and the
    /// marks of acts for rankings, which are summed from all acts afterwards.
    ///
    /// A plain text with its `$1`, and no `SQL`: `DirectConnection` runs it as the owner of the tables, and takes texts.
    static let definitions = """
        select 'drop index ' || indexrelid::regclass, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ')
          from pg_index
         where indrelid = any ($1::regclass[])
           and not exists (select 1 from pg_constraint where conindid = indexrelid)
         union all
        select format('alter table %s drop constraint %I', conrelid::regclass, conname),
               format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
          from pg_constraint
         where contype in ('f', 'u')
           and conrelid = any ($1::regclass[])
         union all
        select format('alter table %s disable trigger %I', tgrelid::regclass, tgname),
               format('alter table %s enable trigger %I', tgrelid::regclass, tgname)
          from pg_trigger
         where tgname like 'activity\\_marked\\_%'
           and tgrelid = any ($1::regclass[])
        """

    // MARK: Readers and books

    /// Readers 1 to `count`, who cannot sign in and have been there for long, each with the library that all have. Library 1
    /// is the server's.
    struct InsertReaders: Statement {
        static let sql: SQL<Self> = """
            with readers as (
                insert into account (id, username, username_folded, email, email_folded, password_hash, is_demo, verified_at, created_at)
                select n, 'bench_' || n, 'bench_' || n, 'bench_' || n || '@demo.invalid', 'bench_' || n || '@demo.invalid',
                       'nobody signs in with this', true, now() - interval '500 days', now() - interval '500 days'
                  from generate_series(1, \(\.count)::bigint) n
                returning id, created_at
            ), libraries as (
                insert into library (id, kind, reader_id, members, created_at, changed_at)
                select case when id = 1 then 1000000000 else id end, 'own', id, 1, created_at, created_at from readers
                returning id, reader_id, created_at
            )
            insert into library_member (library_id, reader_id, role, invited_at, joined_at)
            select id, reader_id, 'owner', created_at, created_at from libraries
            """
        let count: Int
    }

    /// Works with one author and one edition each, listed.
    struct InsertWorks: Statement {
        static let sql: SQL<Self> = """
            with number as (
                select n from generate_series(1, \(\.count)::bigint) n
            ), works as (
                insert into work (id, title, kind) select n, 'Title ' || n, case n % 20 when 0 then 'film' else 'book' end from number
            ), topics as (
                insert into subject (id, kind, name, folded)
                select n, 'topic', 'Topic ' || n, 'topic ' || n from number where n <= 100
            ), treating as (
                insert into work_subject (work_id, subject_id) select n, n % least(\(\.count), 100) + 1 from number
            ), authors as (
                insert into author (id, name) select n, 'Author ' || n from number where n <= 1000
            ), written as (
                insert into work_author (work_id, position, author_id, role)
                select n, 1, n % least(\(\.count), 1000) + 1, case n % 20 when 0 then 'director' end from number
            ), printed as (
                insert into edition (id, work_id, publisher, year, language)
                select n, n, 'Publisher ' || n % 200, 1900 + n % 124, case n % 10 when 0 then 'de' else 'en' end from number
            ), rated as (
                insert into imported_rating (work_id, source, stars, count)
                select n, 'bench', array[0, 0, 0, 0, n % 10007], n % 10007 from number where n % 10007 > 0
            )
            insert into work_popularity (work_id, imported, listed) select n, n % 10007, true from number
            """
        let count: Int
    }

    /// One more work, by the first author.
    struct InsertRatedWork: Statement {
        static let sql: SQL<Self> = """
            with works as (
                insert into work (id, title) values (\(\.work), 'The Rated One')
            ), written as (
                insert into work_author (work_id, position, author_id) values (\(\.work), 1, 1)
            )
            insert into work_popularity (work_id, listed) values (\(\.work), true)
            """
        let work: Int
    }

    // MARK: Libraries

    /// Books for every reader of a range, spread over the works: `shelf` wanted by the first reader, `each` on all shelves of the others.
    /// Every other one is among the first `favourites` works. What they are sorted by repeats.
    struct InsertEntries: Statement {
        static let sql: SQL<Self> = """
            insert into shelf_entry (id, reader_id, work_id, status, times_read, position, rating, rating_level, title_key, author_key,
                                     counted, added_at, moved_at)
            select reader * 20000 + n, reader,
                   case when \(\.favourites)::bigint > 0 and n % 2 = 1 then (reader * 7919 + n * 104729) % \(\.favourites) + 1
                        else \(\.favourites) + (reader * 7919 + n * 104729) % (\(\.works)::bigint - \(\.favourites)) + 1
                   end,
                   case when reader = 1 then 'want'
                        else (array['want', 'reading', 'paused', 'read', 'stopped'])[n % 5 + 1]
                   end,
                   (reader > 1 and n % 5 = 3)::integer, n * 7 % 10001,
                   case when reader = 1 or n % 10 = 3 then (reader + n) % 20 + 1 end,
                   case when reader = 1 or n % 10 = 3 then 3 end,
                   'title ' || n * 104729 % 9973, 'author ' || n * 7919 % 997, true, now(), now()
              from generate_series(\(\.from)::bigint, \(\.to)::bigint) reader
             cross join lateral generate_series(1, case when reader = 1 then \(\.shelf)::bigint else \(\.each)::bigint end) n
            """
        let from: Int, to: Int, each: Int, shelf: Int, works: Int
        var favourites = 0
    }

    /// The years of the first reader's books.
    struct DateEntries: Statement {
        static let sql: SQL<Self> = """
            update shelf_entry set year = edition.year from edition where edition.id = shelf_entry.work_id and reader_id = 1
            """
    }

    /// The same work read and rated by every reader of a range.
    struct InsertRaters: Statement {
        static let sql: SQL<Self> = """
            insert into shelf_entry (id, reader_id, work_id, status, times_read, position, rating, rating_level, title_key, author_key,
                                     counted, added_at, moved_at)
            select reader * 20000, reader, \(\.work)::bigint, 'read', 1, 10000, reader % 20 + 1, 3, 'the rated one', 'author 1', true, now(),
                   now()
              from generate_series(\(\.from)::bigint, \(\.to)::bigint) reader
            """
        let work: Int, from: Int, to: Int
    }

    /// One reading of each book that is read, was read, or is paused.
    struct InsertReadings: Statement {
        static let sql: SQL<Self> = """
            insert into reading (id, entry_id, reader_id, outcome, created_at, ended_at)
            select id, id, reader_id, case status when 'read' then 'finished' else 'open' end, added_at,
                   case when status = 'read' then added_at end
              from shelf_entry
             where status in ('reading', 'paused', 'read')
            """
    }

    /// The ratings beside shelved books, older than the acts that are kept.
    struct InsertReviews: Statement {
        static let sql: SQL<Self> = """
            insert into review (id, reader_id, work_id, rating, counted, created_at)
            select id, reader_id, work_id, rating, true, now() - interval '400 days' from shelf_entry where rating is not null
            """
    }

    /// `each` friends for every reader, half of them on either side.
    struct InsertFriends: Statement {
        static let sql: SQL<Self> = """
            insert into friendship (reader_id, friend_id, since)
            select reader, (reader - 1 + step + \(\.count)::bigint) % \(\.count) + 1, now()
              from generate_series(1, \(\.count)) reader, generate_series(- \(\.each)::bigint / 2, \(\.each) / 2) step
             where step <> 0
            """
        let count: Int, each: Int
    }

    /// Three for every reader, in books of theirs.
    struct InsertBookmarks: Statement {
        static let sql: SQL<Self> = """
            insert into bookmark (id, reader_id, work_id, position, label, created_at, changed_at)
            select reader * 10 + n, reader, (reader * 7919 + n * 104729) % \(\.works)::bigint + 1, n * 1000, 'Here ' || n, now(), now()
              from generate_series(1, \(\.count)::bigint) reader, generate_series(1, 3) n
            """
        let count: Int, works: Int
    }

    /// Three favourites for every reader.
    struct InsertMarks: Statement {
        static let sql: SQL<Self> = """
            insert into praise (id, reader_id, work_id, kind, place, counted, created_at)
            select reader * 10 + n, reader, (reader * 7919 + n * 104729) % \(\.works)::bigint + 1, 'favourite', n, false, now()
              from generate_series(1, \(\.count)::bigint) reader, generate_series(1, 3) n
            """
        let count: Int, works: Int
    }

    // MARK: Counters

    struct InsertRatings: Statement {
        static let sql: SQL<Self> = """
            insert into work_rating (work_id, n, sum, reviews, histogram)
            select work_id, sum(ratings), sum(rating * ratings), sum(bodies),
                   (select array_agg(coalesce(own.ratings, 0) order by step)
                      from generate_series(1, 20) step
                      left join unnest(array_agg(rating), array_agg(ratings)) own (rating, ratings) on own.rating = step)
              from (select work_id, rating, count(*)::integer as ratings, count(body)::integer as bodies
                      from review
                     group by work_id, rating) counted
             group by work_id
            """
    }

    struct UpdatePopularity: Statement {
        static let sql: SQL<Self> = """
            update work_popularity
               set readers = work_rating.n
              from work_rating
             where work_rating.work_id = work_popularity.work_id
            """
    }

    struct InsertTallies: Statement {
        static let sql: SQL<Self> = """
            insert into shelf_tally (reader_id, shelf, level, n)
            select reader_id, coalesce(status, 'all'), -1, count(*)
              from shelf_entry
             group by grouping sets ((reader_id, status), (reader_id))
            """
    }

    struct InsertWorkShelves: Statement {
        static let sql: SQL<Self> = """
            insert into work_shelf (work_id, want, reading, read)
            select work_id, count(*) filter (where status = 'want'), count(*) filter (where status in ('reading', 'paused')),
                   count(*) filter (where times_read > 0)
              from shelf_entry
             group by work_id
            """
    }

    struct InsertFriendTallies: Statement {
        static let sql: SQL<Self> = """
            insert into friend_tally (reader_id, friends)
            select reader_id, count(*) from friendship group by reader_id
            """
    }

    // MARK: Sessions

    /// Signs readers in, each with the token of this digest.
    struct InsertSessions: Statement {
        static let sql: SQL<Self> = """
            insert into session (id, account_id, token_hash, created_at, last_used_at, expires_at)
            select reader, reader, digest, now(), now(), now() + interval '1 day'
              from unnest(\(\.readers)::bigint[], \(\.digests)::bytea[]) line (reader, digest)
                on conflict (id) do update set token_hash = excluded.token_hash
            """
        let readers: [ID<Accounts.Account>], digests: [Bytes]
    }
}
