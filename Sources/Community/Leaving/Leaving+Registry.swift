import Postgres

extension Leaving {
    /// A table whose rows are readers' own. Each domain lists its tables in `personalTables`; the SQL expressions are
    /// written by us, never input.
    package protocol PersonalTable: Sendable {
        /// The table, `t` in the expressions below.
        static var table: String { get }
        /// The name of its file in an export, and of its statements; the table's own unless a table has rows of two
        /// kinds.
        static var name: String { get }
        /// What stands behind `from` where the table does not itself say whose a row is; `TABLE t` otherwise.
        static var source: String { get }
        /// Whose a row is: a column. An index serves it.
        static var owner: String { get }
        /// What orders the rows of one reader, each once: two expressions of type bigint.
        static var key: (String, String) { get }
        /// Columns that are secrets or mean nothing outside: not in an export.
        static var hidden: [String] { get }
        /// The column that names a book, whose title then stands beside it.
        static var work: String? { get }
        /// Further columns that name readers: empty, or without the row, once that reader is gone.
        static var others: [String] { get }
        /// Why its rows are in no export; `nil` for those that are.
        static var unexported: String? { get }
        /// True where a deleted account keeps its row, emptied.
        static var isKept: Bool { get }
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

    /// What the tables give: the statement that exports each.
    package static func statements(of tables: [any PersonalTable.Type]) -> [any Statement.Type] {
        func rows<T: PersonalTable>(_: T.Type) -> any Statement.Type { Rows<T>.self }
        return tables.filter { $0.unexported == nil }.map { rows($0) }
    }

    /// What the tables give: the rule that nothing is left of deleted accounts.
    package static func recounts(of tables: [any PersonalTable.Type]) -> [any Recount.Type] {
        func remains<T: PersonalTable>(_: T.Type) -> any Recount.Type { Remains<T>.self }
        return tables.filter { !$0.isKept }.map { remains($0) }
    }
}

extension Leaving.PersonalTable {
    package static var name: String { table }
    package static var source: String { table + " t" }
    package static var owner: String { "t.reader_id" }
    package static var key: (String, String) { ("t.id", "0::bigint") }
    package static var hidden: [String] { [] }
    package static var work: String? { nil }
    package static var others: [String] { [] }
    package static var unexported: String? { nil }
    package static var isKept: Bool { false }
}

extension Leaving {
    /// All rows of one reader in one table as JSON, in the order of the table's key: read them in portions.
    ///
    /// Identifiers are strings, as in the API; bytes are hexadecimal.
    struct Rows<Table: PersonalTable>: PositionalStatement {
        static var name: String { "leaving.export_" + Table.name }
        static var sql: String {
            let (first, second) = Table.key
            let hidden = "array[\(Table.hidden.map { "'\($0)'" }.joined(separator: ", "))]::text[]"
            let title = Table.work.map {
                " || jsonb_build_object('book_title', (select title from work where work.id = \($0)))"
            }
            return """
                select \(first), \(second),
                       (select jsonb_object_agg(part.key, case when part.key = 'id' or part.key like '%\\_id'
                                                               then to_jsonb(part.value #>> '{}') else part.value end)
                          from jsonb_each(to_jsonb(t) - \(hidden)) part)\(title ?? "")
                  from \(Table.source)
                 where \(Table.owner) = $1
                 order by 1, 2
                """
        }

        let account: ID<Accounts.Account>

        func bind(to parameters: inout Parameters) { parameters.append(account) }

        static func decode(_ row: borrowing Row) throws -> [UInt8] {
            let json: JSON = try row[2]
            return json.bytes
        }
    }

    /// What a deleted account left in one table.
    struct Remains<Table: PersonalTable>: PositionalRecount {
        static var name: String { "leaving.remains_in_" + Table.name }
        static var rule: String { "Nothing of deleted accounts is in \(Table.name)." }
        static var sql: String {
            ([Table.owner] + Table.others).map { column in
                """
                select 'account ' || gone.id || ' is deleted and is named in \(Table.table)'
                  from \(Table.source)
                  join account gone on gone.id = \(column)
                 where gone.state = 'deleted'
                """
            }.joined(separator: "\nunion\n") + "\nlimit 1000"
        }

        init() {}
    }
}
