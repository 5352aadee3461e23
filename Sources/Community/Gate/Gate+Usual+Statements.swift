import Postgres

extension Gate.Statements {
    static let usual: [any Statement.Type] = [KnownOf.self]

    /// What the usual scope of an author's post about a work, or what it was merged into, is told from.
    struct KnownOf: Statement {
        static let name = "gate.known_of"
        static let sql: SQL<Self> = """
            select work.form,
                   array(select genre.slug
                           from work_genre
                           join genre on genre.id = work_genre.genre_id
                          where work_genre.work_id = work.id),
                   entry.status, entry.position, coalesce(entry.times_read, 0),
                   \(Privacy.level(.position, of: "\(\.author)"))
                       < least(\(Privacy.Kind.position.usual.rawValue), \(Privacy.level(.discussions, of: "\(\.author)")))
              from work
              left join shelf_entry entry on entry.reader_id = \(\.author) and entry.work_id = work.id
             where work.id = \(Reviews.Statements.target("\(\.work)"))
            """
        let author: ID<Accounts.Account>
        let work: ID<Catalog.Work>

        static func decode(_ row: borrowing Row) throws -> Gate.Known {
            let position: Int16? = try row[3]
            return Gate.Known(
                form: try row[0], genres: Set(try row[1] as [String]), status: try row[2],
                position: position.map(Int.init), timesRead: Int(try row[4] as Int32), isPositionPrivate: try row[5])
        }
    }
}
