/// One SQL statement with its parameters and the shape of its rows.
///
/// A statement is a small value: the text stands in `sql`, and each parameter in it is a property of the statement. It is
/// prepared once per connection under `name`. The parameter types given at preparation are those of the properties, so an
/// `Int` is always `bigint` and the server casts where the column is narrower.
///
/// ```swift
/// struct Author: Statement {
///     static let sql: SQL<Self> = "select id, name from author where id = \(\.author)"
///     let author: Int64
///     static func decode(_ columns: inout Columns) throws -> (Int64, String) { (try columns("id"), try columns("name")) }
/// }
/// ```
package protocol Statement: Sendable {
    /// What one row becomes. `Void` (the default) for a statement whose rows nobody reads. One column that is a value, and a value that
    /// reads its own columns (`RowReadable`), need no `decode`.
    associatedtype Output: Sendable = Void

    /// Unique in the whole program, at most 60 bytes of `a-z 0-9 _ .`: the domain, a point, what it does. It is made of the type's name
    /// where nothing else is said: `Accounts.Statements.LockState` is `accounts.lock_state`. Where it is made for types of domains,
    /// the domain is that of the type: `Texts.Statements.InsertText<Boards.Post>` is `boards.insert_text_post`.
    static var name: String { get }

    static var sql: SQL<Self> { get }

    /// Reads one row, all of its columns. Throws `PostgresError` with code `.decoding` when a column has another type or is null
    /// unexpectedly.
    static func decode(_ columns: inout Columns) throws -> Output

    /// Every text that it may be sent as, with what each adds to the name: one without a label, unless it is a `VariedStatement`.
    static var variants: [(label: String, sql: SQL<Self>)] { get }

    /// Which of `variants` this one is sent as.
    var choice: Int { get }

    /// One plan serves all values, so that the server makes none for each call. For a statement whose planning takes
    /// longer than what a plan of its own would save. It counts outside transactions: for the statement that is run by
    /// itself, and for all of a pipeline that it stands in.
    static var isPlannedOnce: Bool { get }
}

extension Statement where Output == Void {
    package static func decode(_ columns: inout Columns) throws { columns.skipAll() }
}

extension Statement where Output: PostgresElement {
    package static func decode(_ columns: inout Columns) throws -> Output { try columns.only() }
}

/// A value that reads its own columns: those of a row, or of a part of one.
package protocol RowReadable: Sendable {
    /// Throws `PostgresError` with code `.decoding`.
    init(_ columns: inout Columns) throws
}

extension Statement where Output: RowReadable {
    package static func decode(_ columns: inout Columns) throws -> Output { try Output(&columns) }
}

extension Statement {
    package static var name: String { name(prefix: "") }

    /// The name that the types give, with `prefix` before what it does.
    static func name(prefix: String) -> String {
        let types = String(reflecting: Self.self).split(whereSeparator: "<>".contains)
        // What is private has a part in parentheses.
        let paths = types.map { $0.split(separator: ".").dropFirst().filter { $0.first != "(" } }
        let words = paths.compactMap(\.last).map { $0.replacing(/([a-z0-9])([A-Z])/) { "\($0.1)_\($0.2)" } }
        return "\(paths.last?.first ?? "").\(prefix)\(words.joined(separator: "_"))".lowercased()
    }

    package static var variants: [(label: String, sql: SQL<Self>)] { [("", sql)] }
    package var choice: Int { 0 }
    package static var isPlannedOnce: Bool { false }

    /// What the server may be asked to prepare.
    package static var prepared: [PreparedText] { variants.map { PreparedText(of: Self.self, $0) } }
}

/// One text of a statement, as the server gets it.
package struct PreparedText: Sendable {
    /// The statement's name, with the label of its variation behind it.
    package let name: String
    package let text: String
    /// The names and types of its parameters, in the order of `$1`, `$2`, ….
    package let parameters: [(name: String, type: PostgresType)]

    init<S: Statement>(of _: S.Type, _ variant: (label: String, sql: SQL<S>)) {
        name = variant.label.isEmpty ? S.name : S.name + "_" + variant.label
        text = variant.sql.text
        parameters = variant.sql.parameters.map { ($0.name, $0.type) }
    }
}
