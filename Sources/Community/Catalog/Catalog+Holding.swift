import Postgres

// A work may be merged into another at any time: what is said of it is said of that one. Who writes about a book holds it until the
// commit, so that a merge waits for the writer or the writer for the merge.

extension Catalog {
    /// A work, or what it was merged into.
    static func resolved<S>(_ work: SQL<S>) -> SQL<S> {
        "(select coalesce(work.merged_into, work.id) from work where work.id = \(work))"
    }

    /// The same as the column `id` of one row, held: nothing about the work changes before the commit. No row where there is none.
    static func held<S>(_ work: SQL<S>) -> SQL<S> {
        "select coalesce(merged_into, id) as id from work where id = \(work) for share"
    }

    /// A work or what it was merged into, held. No row where there is no such book to be shown.
    struct HoldBook: Statement {
        static let sql: SQL<Self> = """
            with target as (
                \(held("\(\.work)"))
            )
            select work.id
              from target
              join work on work.id = target.id
             where work.title is not null
               and work.withdrawn_at is null
            """
        let work: ID<Work>
        typealias Output = ID<Work>
    }

    /// Holds a work, and what it was merged into, against being merged, or another into it; waits for a merge that has
    /// begun. In a statement of its own: the next one sees what the merge took over.
    struct HoldBoth: Statement {
        static let sql: SQL<Self> = """
            select from work
             where id in (\(\.work), (select merged_into from work where id = \(\.work)))
             order by id
               for share
            """
        let work: ID<Work>
    }
}
