import Postgres

extension Leaving {
    /// A table whose rows are readers' own. Each domain lists its tables in `personalTables`.
    package struct PersonalTable: Sendable {
        /// The table, `t` in the expressions below.
        package let table: Fragment
        /// The name of its file in an export, and of its statements; the table's own unless a table has rows of two
        /// kinds.
        package let name: String
        /// What stands behind `from` where the table does not itself say whose a row is; `TABLE t` otherwise.
        let source: Fragment
        /// Whose a row is: a column. An index serves it.
        package let owner: Fragment
        /// What orders the rows of one reader, each once: two expressions of type bigint.
        let key: (Fragment, Fragment)
        /// Columns that are secrets or mean nothing outside: not in an export.
        package let hidden: [String]
        /// The column that names a book, whose title then stands beside it.
        let work: Fragment?
        /// Further columns that name readers: empty, or without the row, once that reader is gone.
        package let others: [Fragment]
        /// Why its rows are in no export; `nil` for those that are.
        package let unexported: String?
        /// True where a deleted account keeps its row, emptied.
        let isKept: Bool

        package init(
            _ table: Fragment, name: String? = nil, source: Fragment? = nil, owner: Fragment = "t.reader_id",
            key: Fragment = "t.id", secondKey: Fragment = "0::bigint", hidden: [String] = [], work: Fragment? = nil,
            others: [Fragment] = [], unexported: String? = nil, isKept: Bool = false
        ) {
            self.table = table
            self.name = name ?? table.text
            self.source = source ?? "\(table) t"
            self.owner = owner
            self.key = (key, secondKey)
            self.hidden = hidden
            self.work = work
            self.others = others
            self.unexported = unexported
            self.isKept = isKept
        }
    }

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
