import Postgres

extension Boards {
    /// Every statement of the domain; a test prepares each one.
    package static let statements: [any Statement.Type] =
        readStatements + writeStatements + markStatements + searchStatements

    /// What `commonplace check` looks at.
    package static let recounts: [any Recount.Type] = countRecounts + searchRecounts

    /// What readers do on boards: reading in `Boards+Store+Read.swift`, writing in `…+Write.swift`, reactions and markers in `…+Mark.swift`,
    /// searching in `…+Search.swift`.
    package struct Store: Sendable {
        let house: House

        package init(_ house: House) { self.house = house }
    }
}
