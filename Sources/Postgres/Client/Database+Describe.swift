import CLibpq

/// What the server says about a statement that it has prepared.
package struct StatementDescription: Sendable {
    package let parameters: [PostgresType]
    package let columns: [(name: String, type: PostgresType)]
}

extension Database {
    /// Prepares `statement` without running it, its parameters declared as `declared` or, where that is `nil`, as the server infers them.
    /// Throws the server's refusal.
    package func describe(
        _ statement: PreparedText, declared: [PostgresType]? = nil
    ) async throws -> StatementDescription {
        let plan = Plan(index: 0, label: statement.name, sql: statement.text, types: declared ?? [])
        let request = Request(.describe(plan))
        if let transaction = openTransaction {
            try await transaction.submit(request)
        } else {
            try await submit(request)
        }
        let results = request.takeResults()
        defer { for result in results { clear(result) } }
        guard let result = results.last else { throw PostgresError(.connectionLost, statement: statement.name) }
        return StatementDescription(
            parameters: (0..<PQnparams(result)).map { PostgresType(rawValue: PQparamtype(result, $0)) },
            columns: (0..<PQnfields(result)).map {
                (String(cString: PQfname(result, $0)), PostgresType(rawValue: PQftype(result, $0)))
            })
    }
}
