import Community
import Postgres

extension Bench {
    /// Every statement of the benchmarks; a test prepares each one on the migrated database, so that none is found
    /// broken after half an hour of filling.
    static let statements: [any Statement.Type] = [
        Goodbooks.self, ThereThere.self, BrowsePlaces.self, Titles.self, Names.self, SubjectIDs.self,
        InsertReaders.self, InsertWorks.self, InsertEntries.self, InsertFriends.self, InsertTallies.self,
    ]

    // MARK: Catalogue

    /// The books of goodbooks-10k, as queries are made of them.
    struct Goodbooks: Statement {
        static let name = "bench.goodbooks"
        static let sql = """
            select work.id, work.title,
                   array(select author.name from work_author join author on author.id = work_author.author_id
                          where work_author.work_id = work.id and author.name is not null order by work_author.position),
                   array(select edition_isbn.isbn from edition join edition_isbn on edition_isbn.edition_id = edition.id
                          where edition.work_id = work.id order by edition_isbn.isbn)
              from work_source
              join work on work.id = work_source.work_id and work.title is not null
             where work_source.key like 'goodreads:%'
             order by work.id
            """
        static func decode(_ row: borrowing Row) throws -> CatalogueQueries.Book {
            let id: ID<Catalog.Work> = try row[0]
            return CatalogueQueries.Book(id: id.text, title: try row[1], authors: try row[2], isbns: try row[3])
        }
    }

    /// The book that `catalogue-fill` adds under `BenchCatalogueFill.thereThere`.
    struct ThereThere: Statement {
        static let name = "bench.there_there"
        static let sql = "select work_id from work_source where key = 'bench:there-there'"
        static func decode(_ row: borrowing Row) throws -> ID<Catalog.Work> { try row[0] }
    }

    /// The keys of 200 books anywhere in the catalogue.
    struct BrowsePlaces: Statement {
        static let name = "bench.browse_places"
        static let sql = """
            select work_id, popularity, rating, pages, title, author
              from browse_entry
             where scope_id = 0
             order by hashint8(work_id)
             limit 200
            """
        static func decode(_ row: borrowing Row) throws -> BenchCatalogue.BrowseKeys {
            BenchCatalogue.BrowseKeys(
                work: try row[0], popularity: try row[1], rating: try row[2], pages: try row[3], title: try row[4],
                author: try row[5])
        }
    }

    // MARK: Filling the catalogue

    struct Titles: Statement {
        static let name = "bench.titles"
        static let sql = "select title from work where title is not null order by id limit 30000"
        static func decode(_ row: borrowing Row) throws -> String { try row[0] }
    }

    struct Names: Statement {
        static let name = "bench.names"
        static let sql = "select name from author where name is not null order by id limit 30000"
        static func decode(_ row: borrowing Row) throws -> String { try row[0] }
    }

    struct SubjectIDs: Statement {
        static let name = "bench.subjects"
        static let sql = "select id from subject order by id limit 5000"
        static func decode(_ row: borrowing Row) throws -> ID<Catalog.Subject> { try row[0] }
    }

    // MARK: Filling libraries

    /// Readers 1 to `count`, who cannot sign in.
    struct InsertReaders: Statement {
        static let name = "bench.insert_readers"
        static let sql = """
            insert into account (id, username, username_folded, email, email_folded, password_hash, is_demo)
            select n, 'bench_' || n, 'bench_' || n, 'bench_' || n || '@demo.invalid', 'bench_' || n || '@demo.invalid',
                   'nobody signs in with this', true
              from generate_series(1, $1::bigint) n
            """
        let count: Int
        func bind(to parameters: inout Parameters) { parameters.append(count) }
    }

    /// Works with one author and one edition each, listed.
    struct InsertWorks: Statement {
        static let name = "bench.insert_works"
        static let sql = """
            with number as (
                select n from generate_series(1, $1::bigint) n
            ), works as (
                insert into work (id, title) select n, 'Title ' || n from number
            ), authors as (
                insert into author (id, name) select n, 'Author ' || n from number where n <= 1000
            ), written as (
                insert into work_author (work_id, position, author_id) select n, 1, n % least($1, 1000) + 1 from number
            ), printed as (
                insert into edition (id, work_id) select n, n from number
            )
            insert into work_popularity (work_id, readers, listed) select n, n % 10007, true from number
            """
        let count: Int
        func bind(to parameters: inout Parameters) { parameters.append(count) }
    }

    /// `each` books for every reader of a range, spread over the works: wanted by the first reader, on all shelves of the others; what they
    /// are sorted by repeats.
    struct InsertEntries: Statement {
        static let name = "bench.insert_entries"
        static let sql = """
            insert into shelf_entry (id, reader_id, work_id, status, times_read, position, rating, rating_level, title_key, author_key,
                                     counted, added_at, moved_at)
            select reader * 20000 + n, reader, (reader * 7919 + n * 104729) % $4::bigint + 1,
                   case when reader = 1 then 'want'
                        else (array['want', 'reading', 'paused', 'read', 'stopped'])[n % 5 + 1]
                   end,
                   (reader > 1 and n % 5 = 3)::integer, n * 7 % 10001, n % 20 + 1, 3, 'title ' || n * 104729 % 9973, 'author ' || n * 7919 % 997, true, now(), now()
              from generate_series($1::bigint, $2::bigint) reader, generate_series(1, $3::bigint) n
            """
        let from: Int
        let to: Int
        let each: Int
        let works: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(from)
            parameters.append(to)
            parameters.append(each)
            parameters.append(works)
        }
    }

    /// `each` friends for every reader.
    struct InsertFriends: Statement {
        static let name = "bench.insert_friends"
        static let sql = """
            with pair as (
                select reader, (reader - 1 + step) % $1::bigint + 1 as friend
                  from generate_series(1, $1::bigint) reader, generate_series(1, $2::bigint / 2) step
            ), friends as (
                insert into friendship (reader_id, friend_id, since)
                select reader, friend, now() from pair union select friend, reader, now() from pair
                returning reader_id
            )
            insert into friend_tally (reader_id, friends) select reader_id, count(*) from friends group by reader_id
            """
        let count: Int
        let each: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(count)
            parameters.append(each)
        }
    }

    /// What is counted of all the entries.
    struct InsertTallies: Statement {
        static let name = "bench.insert_tallies"
        static let sql = """
            insert into shelf_tally (reader_id, shelf, level, n)
            select reader_id, shelf, -1, count(*)
              from shelf_entry, lateral (values ('all'), (status)) stands (shelf)
             group by reader_id, shelf
            """
    }
}
