import Postgres

extension Suggestions.Statements {
    /// SQL: whether an entry says that its reader reads the work, in a way that counts. What members may not see of a
    /// rating changes nothing.
    private static let isRead: Fragment = """
        shelf_entry.counted
               and shelf_entry.status in \(shelves)
               and (shelf_entry.rating is null or shelf_entry.rating_level < \(Visibility.members.rawValue) or shelf_entry.rating >= \(Suggestions.Stars.fair))
        """

    /// The next listed works, in the order of their ids.
    struct Listed: Statement {
        static let sql: SQL<Self> = """
            select work_popularity.work_id
              from work_popularity
             where work_popularity.work_id > \(\.after)
               and work_popularity.listed
             order by work_popularity.work_id
             limit \(Limits.suggestions.pairsAtOnce)
            """
        let after: Int64
        typealias Output = Int64
    }

    /// The next pairs of a reader and a work, by reader: a reader with many comes in several parts. Index
    /// `shelf_entry_of_reader`.
    struct PairsOfReaders: Statement {
        static let sql: SQL<Self> = """
            select pair.reader_id, array_agg(pair.work_id order by pair.work_id) as works
              from (select shelf_entry.reader_id, shelf_entry.work_id
                      from shelf_entry
                     where (shelf_entry.reader_id, shelf_entry.work_id) > (\(\.reader), \(\.work))
                       and \(isRead)
                     order by shelf_entry.reader_id, shelf_entry.work_id
                     limit \(Limits.suggestions.pairsAtOnce)) pair
             group by pair.reader_id
             order by pair.reader_id
            """
        let reader: Int64, work: Int64

        static func decode(_ columns: inout Columns) throws -> (reader: Int64, works: [Int64]) {
            (try columns("reader_id"), try columns("works"))
        }
    }

    struct Begin: Statement {
        static let sql: SQL<Self> = "insert into related_generation (as_of) values (\(\.asOf)) returning id"
        let asOf: Timestamp
        typealias Output = Int64
    }

    /// Writes the neighbours of some works.
    struct PutRows: Statement {
        static let sql: SQL<Self> = """
            insert into related_work (generation_id, work_id, other_id, score, readers, rank)
            select \(\.generation), line.work_id, line.other_id, line.score, line.readers, line.rank
              from unnest(\(\.rows.works)::bigint[], \(\.rows.others)::bigint[], \(\.rows.scores)::real[], \(\.rows.readers)::integer[], \(\.rows.ranks)::smallint[])
                   as line (work_id, other_id, score, readers, rank)
            """
        let generation: Int64, rows: Suggestions.Rows
    }

    /// Shows a generation that is whole. Touches no row where another run took it away.
    struct Show: Statement {
        static let sql: SQL<Self> = """
            with whole as (
                update related_generation
                   set made_at = clock_timestamp(), readers = \(\.readers), row_count = \(\.rows)
                 where id = \(\.generation)
                returning id
            )
            insert into related_current (is_one, generation_id)
            select true, id from whole
                on conflict (is_one) do update set generation_id = excluded.generation_id
            """
        let generation: Int64, readers: Int, rows: Int
    }

    struct Current: Statement {
        static let sql: SQL<Self> = """
            select made.id, made.as_of, made.readers, made.row_count
              from related_current current
              join related_generation made on made.id = current.generation_id
            """

        static func decode(_ columns: inout Columns) throws -> Suggestions.Generation {
            Suggestions.Generation(
                id: try columns("id"), asOf: try columns("as_of"), readers: try columns("readers"),
                rows: try columns("row_count"))
        }
    }

    /// Before their rows: a run that still writes to one of them cannot show it any more.
    struct DropGenerations: Statement {
        static let sql: SQL<Self> = """
            delete from related_generation
             where not exists (select from related_current where related_current.generation_id = related_generation.id)
            """
    }

    /// Deletes some rows of generations that are not shown: those before it, and those behind it. The
    /// order has the primary key find them.
    struct DropRows: Statement {
        static let sql: SQL<Self> = """
            with shown as materialized (
                select coalesce((select generation_id from related_current), 0) as id
            )
            delete from related_work
             where ctid = any(array(
                   (select earlier.ctid
                      from related_work earlier
                     where earlier.generation_id < (select id from shown)
                     order by earlier.generation_id
                     limit \(Limits.suggestions.rowsAtOnce))
                   union all
                   (select later.ctid
                      from related_work later
                     where later.generation_id > (select id from shown)
                     order by later.generation_id
                     limit \(Limits.suggestions.rowsAtOnce))))
            """
    }
}
