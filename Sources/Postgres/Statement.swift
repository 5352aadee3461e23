/// One SQL statement with its parameters and the shape of its rows.
///
/// A statement is a small value: the text stands in `sql`, what varies is stored properties, bound in the order of `$1`, `$2`, ….
/// It is prepared once per connection under `name`; the parameter types given at preparation are those of the bound Swift
/// values, so an `Int` is always `bigint` and the server casts where the column is narrower.
///
/// ```swift
/// struct TitleOf: Statement {
///     static let name = "catalog.title_of"
///     static let sql = "select title from work where id = $1"
///     let work: Int64
///     func bind(to parameters: inout Parameters) { parameters.append(work) }
///     static func decode(_ row: borrowing Row) throws -> String { try row[0] }
/// }
/// ```
package protocol Statement: Sendable {
    /// What one row becomes. `Void` (the default) for a statement whose rows nobody reads.
    associatedtype Output: Sendable = Void

    /// Unique in the whole program, at most 60 bytes of `a-z 0-9 _ .`: the domain, a point, what it does.
    static var name: String { get }

    /// The text, with `$1`-style parameters only.
    static var sql: String { get }

    /// Appends one value for each parameter, in order.
    func bind(to parameters: inout Parameters)

    /// Reads one row. Throws `PostgresError` with code `.decoding` when a column has another type or is null unexpectedly.
    static func decode(_ row: borrowing Row) throws -> Output
}

extension Statement where Output == Void {
    package static func decode(_ row: borrowing Row) throws {}
}

extension Statement {
    package func bind(to parameters: inout Parameters) {}
}
