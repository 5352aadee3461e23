import Postgres

extension Ranking.Statements {
    /// Books for a reader with their reasons, best first. The sources take turns, and the first that names a book gives
    /// its reason.
    struct Discover: Statement {
        static let sql: SQL<Self> = """
            with mine as materialized (
                select genre.id, genre.slug, genre.name, reader_genre.place
                  from reader_genre
                  join genre on genre.id = reader_genre.genre_id
                 where reader_genre.reader_id = \(\.viewer)
            ), source (kind, turn, work_id, readers, usual, moved, is_popular, slug, name) as (
                select 1, row_number() over (order by entry.place, mine.place), entry.work_id, entry.readers, entry.usual,
                       entry.moved, entry.is_popular, mine.slug, mine.name
                  from mine
                  join ranking_entry entry
                    on entry.generation_id = \(\.generation) and entry.genre_id = mine.id and entry.place <= \(Limits.ranking.perSource)
                union all
                select 2, entry.place, entry.work_id, entry.readers, entry.usual, entry.moved, entry.is_popular, null, null
                  from ranking_entry entry
                 where entry.generation_id = \(\.generation)
                   and entry.genre_id = 0
                   and entry.place <= \(Limits.ranking.perSource)
                union all
                select 3, place, work_id, writers, null, null, false, null, null
                  from hot_board
                 where place <= \(Limits.ranking.perSource)
                union all
                select 4, place, work_id, readers, null, null, false, null, null
                  from ranking_new
                 where place <= \(Limits.ranking.perSource)
                union all
                select 5, \(Limits.ranking.suggestions) + row_number() over (), work_id, 0, null, null, false, null, null
                  from (select work_id
                          from work_popularity
                         where listed
                         order by readers + 3 * recommends desc, imported desc, work_id desc
                         limit \(Limits.ranking.perSource)) popular
            ), once as (
                select distinct on (source.work_id) source.*
                  from source
                  join work_popularity on work_popularity.work_id = source.work_id and work_popularity.listed
                 where not exists (select from ranking_hold held where held.work_id = source.work_id and held.until > \(\.now))
                 order by source.work_id, source.turn, source.kind
            ), placed as (
                -- Before those on the reader's shelves go: shelving a book of one page leaves the next page as it was.
                select once.*, row_number() over (order by turn, kind, work_id) as place from once
            )
            select place, work_id, kind, readers, usual, moved, is_popular, slug, name
              from placed
             where not exists (select from shelf_entry mine where mine.reader_id = \(\.viewer) and mine.work_id = placed.work_id)
               and not exists (select from dismissed_book gone where gone.reader_id = \(\.viewer) and gone.work_id = placed.work_id)
             order by place
             limit \(Limits.ranking.suggestions)
            """
        let viewer: Viewer, generation: Int64, now: Timestamp

        static func decode(_ columns: inout Columns) throws -> Ranking.Lead {
            let (place, work): (Int, ID<Catalog.Work>) = (try columns("place"), try columns("work_id"))
            let (kind, readers): (Int, Int) = (try columns("kind"), try columns("readers"))
            guard kind <= 2 else {
                try columns.skip(through: "name")
                let isBoard = kind == 3
                return Ranking.Lead(
                    place: place, work: work,
                    reason: isBoard ? .board(writers: readers) : kind == 4 ? .new(readers: readers) : .popular)
            }
            let entry = Ranking.Entry(
                place: 0, work: work, readers: readers, usual: try columns("usual"), moved: try columns("moved"),
                isPopular: try columns("is_popular"))
            let genre = try columns.part(through: "name") {
                Ranking.Genre(slug: try $0("slug"), name: try $0("name"))
            }
            return Ranking.Lead(
                place: place, work: work, reason: genre.map { .genre($0, entry) } ?? .trending(entry))
        }
    }

    /// Replaces the list of books that the community began to read lately (`work_begun`), most readers first, then the
    /// later ones.
    struct MakeNew: Statement {
        static let sql: SQL<Self> = made.of(\.moment)
        private static let made: SQL<Ranking.Moment> = """
            with lately as materialized (
                select begun.work_id, begun.day as since, sum(bucket.readers) as reader_days
                  from work_begun begun
                  join work_bucket bucket on bucket.work_id = begun.work_id and bucket.day between \(\.newFrom, "newFrom")::date and \(\.decay.today)::date
                 where begun.day between \(\.newFrom, "newFrom")::date and \(\.decay.today)::date
                   and not exists (select from ranking_hold held where held.work_id = begun.work_id and held.until > \(\.now)::timestamptz)
                 group by begun.work_id, begun.day
            ), likely as materialized (
                select lately.*
                  from lately
                  join work_popularity on work_popularity.work_id = lately.work_id and work_popularity.listed
                 order by lately.reader_days desc, lately.since desc, lately.work_id
                 limit \(3 * Limits.ranking.perSource)
            ), counted as materialized (
                select likely.*, \(readers(of: "likely.work_id", since: "\(\.newFrom, "newFrom")::date::timestamp at time zone 'UTC'")) as readers
                  from likely
            ), listed as materialized (
                select row_number() over (order by readers desc, since desc, work_id) as place, work_id, readers
                  from counted
                 where readers > 0
                 order by place
                 limit \(Limits.ranking.perSource)
            ), put as (
                insert into ranking_new (place, work_id, readers) select place, work_id, readers from listed
                    on conflict (place) do update set work_id = excluded.work_id, readers = excluded.readers
            )
            delete from ranking_new where place > (select count(*) from listed)
            """
        let moment: Ranking.Moment
    }

    /// The generations that are shown.
    struct Current: Statement {
        static let sql: SQL<Self> = """
            select made.id, made.span, made.as_of, current.checked_at
              from ranking_current current
              join ranking_generation made on made.id = current.generation_id
            """

        static func decode(_ columns: inout Columns) throws -> Ranking.Generation {
            Ranking.Generation(
                id: try columns("id"), span: try columns("span"), asOf: try columns("as_of"),
                checkedAt: try columns("checked_at"))
        }
    }
}
