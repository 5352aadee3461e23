import Postgres

extension Leaving {
    /// A table whose rows are nobody's.
    package struct ImpersonalTable: Sendable {
        package let table: String
        /// Whose they are then, and what becomes of the columns in `readers` when a reader goes.
        package let why: String
        /// Columns of text, JSON or bytes: none holds what a reader said of themselves or to others.
        package let texts: [String]
        /// Columns that name readers.
        package let readers: [String]

        package init(_ table: String, _ why: String, texts: String = "", readers: String = "") {
            self.table = table
            self.why = why
            self.texts = texts.split(separator: " ").map(String.init)
            self.readers = readers.split(separator: " ").map(String.init)
        }
    }

    /// All rows of one reader in one table as JSON, in the order of the table's key: read them in portions.
    ///
    /// Identifiers are strings, as in the API; bytes are hexadecimal.
    struct Rows: Statement {
        static let name = "leaving.export"
        static let tables = Community.personalTables.filter { $0.unexported == nil }
        static let variants: [(label: String, sql: SQL<Self>)] = tables.map { ($0.name, sql(of: $0)) }
        static var sql: SQL<Self> { variants[0].sql }

        private static func sql(of table: PersonalTable) -> SQL<Self> {
            let hidden = table.hidden.map { "\(literal: $0)" as Fragment }.joined(separator: ", ") as Fragment
            let title: Fragment =
                table.work.map {
                    " || jsonb_build_object('book_title', (select title from work where work.id = \($0)))"
                } ?? ""
            return """
                select \(table.key.0) as first, \(table.key.1) as second,
                       (select jsonb_object_agg(part.key, case when part.key = 'id' or part.key like '%\\_id'
                                                               then to_jsonb(part.value #>> '{}') else part.value end)
                          from jsonb_each(to_jsonb(t) - array[\(hidden)]::text[]) part)\(title) as facts
                  from \(table.source)
                 where \(table.owner) = \(\.account)
                 order by 1, 2
                """
        }

        let account: ID<Accounts.Account>
        /// A place in `tables`.
        let choice: Int

        static func decode(_ columns: inout Columns) throws -> [UInt8] {
            try columns.skip(through: "second")
            return try (columns("facts") as JSON).bytes
        }
    }
}

extension Leaving {
    /// One for each table: what deleted accounts left in it.
    package static let recounts = Community.personalTables.filter { !$0.isKept }.map { table in
        let named: [Fragment] = ([table.owner] + table.others).map { column in
            """
            select 'account ' || gone.id || ' is deleted and is named in \(table.table)'
              from \(table.source)
              join account gone on gone.id = \(column)
             where gone.state = 'deleted'
            """
        }
        return Recount(
            "remains_in_\(table.name)", "Nothing of deleted accounts is in \(table.name).",
            named.joined(separator: "\nunion\n"))
    }
}
