import Postgres

extension Gate.Statements {
    static let merges: [any Statement.Type] = [
        FurthestOf.self, ReadersOf.self, MergeLevels.self, MergedWorks.self, BookOf.self,
    ]

    /// How much the post gives away that gives away most of each of two works; 0 for none. Index `post_opening`.
    struct FurthestOf: Statement {
        static let name = "gate.furthest_of"
        static let sql = "select \(furthest("$1")), \(furthest("$2"))"
        let from: ID<Catalog.Work>
        let into: ID<Catalog.Work>

        func bind(to parameters: inout Parameters) {
            parameters.append(from)
            parameters.append(into)
        }

        static func decode(_ row: borrowing Row) throws -> (gone: Int, kept: Int) {
            (Int(try row[0] as Int32), Int(try row[1] as Int32))
        }
    }

    /// Whose gate for one of two works may be anything: who has it in their library, or has revealed all of it; the
    /// first so many by their ids. The merge locks or moves all of them anyhow. Indexes `shelf_entry_of_work`,
    /// `reveal_on_work`.
    struct ReadersOf: Statement {
        static let name = "gate.readers_of"
        static let sql = """
            select reader_id
              from (select reader_id from shelf_entry where work_id in ($1, $2)
                     union
                    select reader_id from reveal where work_id in ($1, $2)) reader
             order by reader_id
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

        static func decode(_ row: borrowing Row) throws -> ID<Accounts.Account> { try row[0] }
    }

    /// The gates of some readers for two works. Indexes `shelf_entry_of_reader`, `reveal_of_work`.
    struct MergeLevels: Statement {
        static let name = "gate.merge_levels"
        static let sql = """
            select reader.id,
                   \(Gate.level(viewer: "reader.id", work: "$1")),
                   \(Gate.level(viewer: "reader.id", work: "$2"))
              from unnest($3::bigint[]) reader (id)
             order by reader.id
            """
        let from: ID<Catalog.Work>
        let into: ID<Catalog.Work>
        let readers: [ID<Accounts.Account>]

        func bind(to parameters: inout Parameters) {
            parameters.append(from)
            parameters.append(into)
            parameters.append(readers)
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

    /// A work with all that was merged into it, itself first. Index `work_merged`.
    struct MergedWorks: Statement {
        static let name = "gate.merged_works"
        static let sql = "select id from work where id = $1 or merged_into = $1 order by id <> $1, id"
        let work: ID<Catalog.Work>

        func bind(to parameters: inout Parameters) { parameters.append(work) }
        static func decode(_ row: borrowing Row) throws -> ID<Catalog.Work> { try row[0] }
    }

    /// What a work was merged into, or itself. No row for no work.
    struct BookOf: Statement {
        static let name = "gate.book_of"
        static let sql = "select coalesce(merged_into, id) from work where id = $1"
        let work: ID<Catalog.Work>

        func bind(to parameters: inout Parameters) { parameters.append(work) }
        static func decode(_ row: borrowing Row) throws -> ID<Catalog.Work> { try row[0] }
    }
}
