import Postgres

extension Library {
    static let openingStatements: [any Statement.Type] = [Statements.Opening.self]
}

extension Library.Statements {
    /// The books of the reader's own library that came to each status last, `limit` of each, as long as there are any: each book once, under its
    /// status. Index `shelf_entry_added`.
    struct Opening: Statement {
        static let name = "library.opening"
        static let sql = """
            select \(columns(isOwn: "true", least: "0"))
              from unnest(array[\(statuses)]) wanted (status)
             cross join lateral (select *
                                   from shelf_entry
                                  where shelf_entry.reader_id = $1
                                    and shelf_entry.status = wanted.status
                                  order by shelf_entry.id desc
                                  limit $2) shelf_entry
              join account reader on reader.id = shelf_entry.reader_id
              join work on work.id = shelf_entry.work_id
              \(lastReading)
             order by shelf_entry.status, shelf_entry.id desc
            """
        private static let statuses = Library.Status.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        let reader: ID<Accounts.Account>
        let limit: Int

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(limit)
        }

        static func decode(_ row: borrowing Row) throws -> Library.Entry { try asEntry(row) }
    }
}
