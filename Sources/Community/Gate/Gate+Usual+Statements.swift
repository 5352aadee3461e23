import Postgres

extension Gate.Statements {
    /// What the usual scope of an author's post about a work, or what it was merged into, is told from.
    struct KnownOf: Statement {
        static let sql: SQL<Self> = """
            select work.form,
                   array(select genre.slug
                           from work_genre
                           join genre on genre.id = work_genre.genre_id
                          where work_genre.work_id = work.id) as genres,
                   entry.status, entry.position, coalesce(entry.times_read, 0) as times_read,
                   \(Privacy.level(.position, of: "\(\.author)"))
                       < least(\(Privacy.Kind.position.usual.rawValue), \(Privacy.level(.discussions, of: "\(\.author)"))) as is_position_private
              from work
              left join shelf_entry entry on entry.reader_id = \(\.author) and entry.work_id = work.id
             where work.id = \(Reviews.Statements.target("\(\.work)"))
            """
        let author: ID<Accounts.Account>, work: ID<Catalog.Work>

        static func decode(_ columns: inout Columns) throws -> Gate.Known {
            Gate.Known(
                form: try columns("form"), genres: Set(try columns("genres") as [String]),
                status: try columns("status"), position: try columns("position"), timesRead: try columns("times_read"),
                isPositionPrivate: try columns("is_position_private"))
        }
    }
}
