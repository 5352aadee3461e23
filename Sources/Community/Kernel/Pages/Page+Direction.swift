import Postgres

/// Which way from a place a list is read.
package enum Direction: String, Variation {
    /// In the order of the list.
    case onward = "after"
    /// Against the order of the list, nearest first.
    case back = "before"
}

/// A part of a list, as a statement reads it.
package struct Span<Key: Sendable>: Sendable {
    /// It begins behind this key.
    let place: Key
    let direction: Direction
    /// Rows at most.
    let limit: Int
}

/// A statement that reads a part of a list. Where it has no other variation, its text depends on the direction alone.
protocol ListStatement: VariedStatement {
    associatedtype Key: Sendable
    var span: Span<Key> { get }
}

extension ListStatement where Variation == Direction {
    var variation: Direction { span.direction }
}

/// One way to sort a list: the cases of an enumeration are what readers can choose from.
protocol ListOrder: Variation {
    associatedtype Key: Sendable
    /// What it is sorted by, the last of them unique. An index has the same columns.
    var columns: [Fragment] { get }
    /// The parts of a key that `columns` are compared with.
    var parameters: [SQL<Key>] { get }
    var isAscending: Bool { get }
    /// The key before everything, and behind everything.
    var first: Key { get }
    var last: Key { get }
}

/// The SQL that reads a list in an order from a place on.
struct Keyset<Root> {
    /// `(columns) < (parameters)`, or `>`.
    let condition: SQL<Root>
    /// What follows `order by`.
    let order: SQL<Root>

    init(_ columns: [Fragment], _ parameters: [SQL<Root>], isAscending: Bool, _ direction: Direction) {
        let ascends = isAscending == (direction == .onward)
        let comparison: Fragment = ascends ? ">" : "<"
        condition =
            columns.count == 1
            ? "\(columns[0]) \(comparison) \(parameters[0])"
            : "(\(columns.joined(separator: ", "))) \(comparison) (\(parameters.joined(separator: ", ")))"
        let end: Fragment = ascends ? "" : " desc"
        order = SQL(columns.map { "\($0)\(end)" as Fragment }.joined(separator: ", "))
    }

    /// A list that is sorted by one column alone.
    init(_ column: Fragment, _ place: SQL<Root>, isAscending: Bool = false, _ direction: Direction) {
        self.init([column], [place], isAscending: isAscending, direction)
    }
}

extension ListOrder {
    /// The keyset of this order in a statement whose property `place` is the key.
    func keyset<Root>(at place: any KeyPath<Root, Key> & Sendable, _ direction: Direction) -> Keyset<Root> {
        Keyset(columns, parameters.map { $0.of(place) }, isAscending: isAscending, direction)
    }
}
