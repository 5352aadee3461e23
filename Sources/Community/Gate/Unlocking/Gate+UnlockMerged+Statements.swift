import Postgres

extension Gate.Statements {
    /// How much the post gives away that gives away most of each of two works; 0 for none. Index `post_opening`.
    struct FurthestOf: Statement {
        static let sql: SQL<Self> = "select \(furthest("\(\.from)")) as gone, \(furthest("\(\.into)")) as kept"
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>

        static func decode(_ columns: inout Columns) throws -> (gone: Int, kept: Int) {
            (try columns("gone"), try columns("kept"))
        }
    }

    /// Whose gate for one of two works may be anything: who has it in their library, or has revealed all of it; the
    /// first so many by their ids. The merge locks or moves all of them anyhow. Indexes `shelf_entry_of_work`,
    /// `reveal_on_work`.
    struct ReadersOf: Statement {
        static let sql: SQL<Self> = """
            select reader_id
              from (select reader_id from shelf_entry where work_id in (\(\.from), \(\.into))
                     union
                    select reader_id from reveal where work_id in (\(\.from), \(\.into))) reader
             order by reader_id
             limit \(\.limit)
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>, limit: Int
        typealias Output = ID<Accounts.Account>
    }

    /// The gates of some readers for two works. Indexes `shelf_entry_of_reader`, `reveal_of_work`.
    struct MergeLevels: Statement {
        static let sql: SQL<Self> = """
            select reader.id,
                   \(Gate.level(viewer: "reader.id", work: "\(\.from)")) as gone,
                   \(Gate.level(viewer: "reader.id", work: "\(\.into)")) as kept
              from unnest(\(\.readers)::bigint[]) reader (id)
             order by reader.id
            """
        let from: ID<Catalog.Work>, into: ID<Catalog.Work>, readers: [ID<Accounts.Account>]

        static func decode(_ columns: inout Columns) throws -> Gate.UnlockMerged.Levels {
            Gate.UnlockMerged.Levels(reader: try columns("id"), gone: try columns("gone"), kept: try columns("kept"))
        }
    }

    /// SQL: how much the post gives away that gives away most of a work; 0 for none.
    private static func furthest<S>(_ work: SQL<S>) -> SQL<S> {
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
        static let sql: SQL<Self> =
            "select id from work where id = \(\.work) or merged_into = \(\.work) order by id <> \(\.work), id"
        let work: ID<Catalog.Work>
        typealias Output = ID<Catalog.Work>
    }

    /// What a work was merged into, or itself. No row for no work.
    struct BookOf: Statement {
        static let sql: SQL<Self> = "select coalesce(merged_into, id) from work where id = \(\.work)"
        let work: ID<Catalog.Work>
        typealias Output = ID<Catalog.Work>
    }
}
