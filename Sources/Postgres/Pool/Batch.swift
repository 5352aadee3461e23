/// Statements that are sent together and committed together.
package struct Batch: Sendable {
    private let database: Database
    private(set) var statements: [BoundStatement] = []

    init(database: Database) { self.database = database }

    package mutating func run<S: Statement>(_ statement: S) {
        statements.append(database.bind(statement))
    }
}
