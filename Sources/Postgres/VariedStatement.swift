/// A statement whose text depends on a value beside its parameters: on an order, a direction, a filter.
///
/// Each variation is prepared under a name of its own, the statement's with the variation's label behind it.
///
/// ```swift
/// struct Latest: VariedStatement {
///     static let name = "reviews.latest"
///     static func sql(_ circle: Circle) -> SQL<Self> { "select id from \(circle.rows) order by id desc limit 10" }
///     let variation: Circle
/// }
/// ```
package protocol VariedStatement: Statement {
    associatedtype Variation: Postgres.Variation

    static func sql(_ variation: Variation) -> SQL<Self>
    var variation: Variation { get }
}

/// The cases that a `VariedStatement` is given: an enumeration, or two with `Both`.
package protocol Variation: Hashable, Sendable, CaseIterable, SendableMetatype {
    /// `a-z 0-9 _`, each case another.
    var label: String { get }

    /// Where it stands among all cases, from 0.
    var place: Int { get }
}

extension Variation {
    package var place: Int {
        let cases = Self.allCases
        guard let index = cases.firstIndex(of: self) else {
            preconditionFailure("\(self) is not among the cases of \(Self.self)")
        }
        return cases.distance(from: cases.startIndex, to: index)
    }
}

extension Variation where Self: RawRepresentable, RawValue == String {
    package var label: String { rawValue }
}

/// Every case of one variation with every case of another.
package struct Both<First: Variation, Second: Variation>: Variation {
    package let first: First
    package let second: Second

    package init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    package static var allCases: [Both] {
        First.allCases.flatMap { first in Second.allCases.map { Both(first, $0) } }
    }

    package var label: String { first.label + "_" + second.label }
    package var place: Int { first.place * Second.allCases.count + second.place }
}

extension VariedStatement {
    package static var variants: [(label: String, sql: SQL<Self>)] {
        Variation.allCases.map { ($0.label, sql($0)) }
    }

    /// The text of the first variation: which one is sent, a value says.
    package static var sql: SQL<Self> { variants[0].sql }

    package var choice: Int { variation.place }

    /// What the server is asked to prepare for one variation.
    package static func prepared(_ variation: Variation) -> PreparedText { prepared[variation.place] }
}
