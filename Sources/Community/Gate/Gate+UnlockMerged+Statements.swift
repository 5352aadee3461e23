import Postgres

extension Gate.Statements {
    static let merges: [any Statement.Type] = [MergeLevels.self, MergedWorks.self]

    /// Readers for whom posts of one of two works open when the two become one: who is further in the other than here,
    /// and has something ahead here that is not ahead there. With both gates. Indexes `shelf_entry_of_work`,
    /// `reveal_on_work`, `post_opening`.
    struct MergeLevels: Statement {
        static let name = "gate.merge_levels"
        static let sql = """
            with furthest as materialized (
                select \(furthest("$1")) as gone, \(furthest("$2")) as kept
            ), reader as (
                select reader_id from shelf_entry where work_id in ($1, $2)
                 union
                select reader_id from reveal where work_id in ($1, $2)
            ), standing as materialized (
                select reader.reader_id,
                       \(Gate.level(viewer: "reader.reader_id", work: "$1")) as gone,
                       \(Gate.level(viewer: "reader.reader_id", work: "$2")) as kept
                  from reader
                 where (select greatest(furthest.gone, furthest.kept) from furthest) > 0
            )
            select standing.reader_id, standing.gone, standing.kept
              from standing
             cross join furthest
             where standing.gone < standing.kept and furthest.gone > standing.gone
                or standing.kept < standing.gone and furthest.kept > standing.kept
             order by standing.reader_id
             limit $3
            """
        let from: ID<Catalog.Work>
        let into: ID<Catalog.Work>
        let limit: Int

        func bind(to parameters: inout Parameters) {
            parameters.append(from)
            parameters.append(into)
            parameters.append(limit)
        }

        static func decode(_ row: borrowing Row) throws -> Gate.UnlockMerged.Levels {
            Gate.UnlockMerged.Levels(
                reader: try row[0], gone: Int(try row[1] as Int32), kept: Int(try row[2] as Int32))
        }
    }

    /// SQL: how much the post gives away that gives away most of a work; 0 for none.
    private static func furthest(_ work: StaticString) -> String {
        """
        coalesce((select max(top.scope)
                                   from work origin
                                  cross join lateral (select post.scope
                                                        from post
                                                       where post.work_id = origin.id
                                                         and post.scope > 0
                                                         and post.deleted_at is null
                                                         and post.hidden_at is null
                                                       order by post.scope desc
                                                       limit 1) top
                                  where origin.id = \(work) or origin.merged_into = \(work)), 0)
        """
    }

    /// A work with all that was merged into it. Index `work_merged`.
    struct MergedWorks: Statement {
        static let name = "gate.merged_works"
        static let sql = "select id from work where id = $1 or merged_into = $1 order by id <> $1, id"
        let work: ID<Catalog.Work>

        func bind(to parameters: inout Parameters) { parameters.append(work) }
        static func decode(_ row: borrowing Row) throws -> ID<Catalog.Work> { try row[0] }
    }
}
