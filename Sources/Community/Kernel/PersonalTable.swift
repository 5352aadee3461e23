import Postgres

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
