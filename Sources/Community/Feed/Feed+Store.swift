import Postgres

package enum Feed {
    package static let statements: [any Statement.Type] = []

    package struct Store: Sendable {
        package init(_ house: House) {}
    }
}
