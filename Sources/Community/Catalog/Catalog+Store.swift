import Postgres

package enum Catalog {
    package struct Work: Sendable {}
    package static let statements: [any Statement.Type] = []

    package struct Store: Sendable {
        package init(_ house: House) {}
    }
}
