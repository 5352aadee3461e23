extension Database {
    /// Runs several statements in one round trip and gives the rows of each.
    ///
    /// They are one transaction, and each has a snapshot of its own, no older than those before it: whatever the first one saw, the others
    /// see, too. The first one that fails ends the call. Inside a transaction of the same task it joins that.
    package func pipeline<each S: Statement>(
        _ statements: repeat each S
    ) async throws -> (repeat [(each S).Output]) {
        var bound: [BoundStatement] = []
        var isPlannedOnce = false
        repeat bound.append(bind(each statements))
        repeat isPlannedOnce = isPlannedOnce || (each S).isPlannedOnce
        let (request, skip) = try await answer(to: bound, isPlannedOnce: isPlannedOnce)
        let results = request.takeResults()
        defer { for result in results { clear(result) } }
        var rest = results.dropFirst(skip).makeIterator()
        func rows<T: Statement>(_: T.Type) throws -> [T.Output] {
            guard let result = rest.next() else { throw PostgresError(.connectionLost, statement: T.name) }
            return try Results.decode(result, as: T.self).rows
        }
        return (repeat try rows((each S).self))
    }

    private func answer(
        to statements: [BoundStatement], isPlannedOnce: Bool
    ) async throws -> (request: Request, skip: Int) {
        if let transaction = openTransaction { return try await transaction.answer(to: statements) }
        guard let first = statements.first else { throw PostgresError(.misuse, message: "no statement") }
        let request =
            isPlannedOnce
            ? Request(.statements(first: bind(PlanOnce()), rest: statements), isAutocommit: true)
            : Request(.statements(first: first, rest: Array(statements.dropFirst())), isAutocommit: true)
        try await submit(request)
        return (request, isPlannedOnce ? 1 : 0)
    }
}
