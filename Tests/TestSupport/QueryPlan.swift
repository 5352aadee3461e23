import Postgres

/// What the planner does with one statement, as `explain` tells it.
package struct QueryPlan: Sendable, CustomStringConvertible {
    package let lines: [String]

    package var description: String { lines.joined(separator: "\n") }

    /// The planner's estimate for the whole; infinite where it tells none.
    package var cost: Double {
        lines.first?.firstMatch(of: /cost=[0-9.]+\.\.([0-9]+\.[0-9]+)/).flatMap { Double($0.1) } ?? .infinity
    }

    /// The lines that read one of `tables` from end to end.
    package func scans(of tables: [String]) -> [String] {
        lines.filter { line in
            tables.contains { line.contains("Seq Scan on \($0) ") || line.hasSuffix("Seq Scan on \($0)") }
        }
    }

    package func uses(_ index: String) -> Bool {
        lines.contains { $0.contains("using \(index) ") || $0.contains("Index Scan on \(index) ") }
    }

    /// Rows that were read through an index, all its scans together, each with all of its rounds; `nil` where it was
    /// not used or the statement was not run.
    package func rows(through index: String) -> Int? {
        let rows = lines.filter { $0.contains("using \(index) ") || $0.contains("Index Scan on \(index) ") }.compactMap
        {
            line in
            line.firstMatch(of: /actual rows=(\d+)(?:\.\d+)? loops=(\d+)/).flatMap { match in
                Int(match.1).flatMap { rows in Int(match.2).map { rows * $0 } }
            }
        }
        return rows.isEmpty ? nil : rows.reduce(0, +)
    }
}

extension World {
    /// The plan for parameters that the planner does not know, as a prepared statement has it in the long run.
    package func genericPlan(of statement: PreparedText) async throws -> QueryPlan {
        let count = statement.parameters.count
        let nulls = Array(repeating: "null", count: count).joined(separator: ", ")
        return try await explain(statement, "explain execute asked\(count > 0 ? "(\(nulls))" : "")")
    }

    /// Runs the statement and tells what was really read: by its generic plan, or by the plan for these parameters, which Postgres prefers
    /// where the generic one would cost much more.
    ///
    /// `parameters`: `viewer: 1, key.title: 'x', limit: 21`, each by its name or by the end of it (`title`), with its value in SQL. Throws
    /// where one is missing or belongs to no parameter.
    package func executed(
        _ statement: PreparedText, _ parameters: String, isGeneric: Bool = true
    ) async throws -> QueryPlan {
        let values = try values(of: statement, from: parameters)
        return try await explain(
            statement, "explain (analyze, timing off, summary off) execute asked(\(values))", isGeneric: isGeneric)
    }

    /// The same of a statement that has one text.
    package func genericPlan(of statement: any Statement.Type) async throws -> QueryPlan {
        try await genericPlan(of: only(statement))
    }

    /// The same of a statement that has one text.
    package func executed(
        _ statement: any Statement.Type, _ parameters: String, isGeneric: Bool = true
    ) async throws -> QueryPlan {
        try await executed(only(statement), parameters, isGeneric: isGeneric)
    }

    private func only(_ statement: any Statement.Type) throws -> PreparedText {
        guard statement.prepared.count == 1 else {
            throw PostgresError(.misuse, message: "\(statement.name) has \(statement.prepared.count) texts: say which")
        }
        return statement.prepared[0]
    }

    /// `given` in the order of `$1`, `$2`, ….
    private func values(of statement: PreparedText, from given: String) throws -> String {
        let names = statement.parameters.map { $0.name.replacing("?", with: "") }
        guard !names.isEmpty else { return given }
        let starts = given.matches(of: #/(?:^|, )([a-z][A-Za-z.]*): /#)
        let ends = starts.dropFirst().map(\.range.lowerBound) + [given.endIndex]
        let values = zip(starts, ends).map { (name: $0.output.1, value: given[$0.range.upperBound..<$1]) }
        let found = names.map { name in
            values.filter { name == $0.name || (name.hasSuffix(".\($0.name)") && !names.contains(String($0.name))) }
        }
        guard found.allSatisfy({ $0.count == 1 }), Set(found.joined().map(\.name)).count == values.count else {
            throw PostgresError(.misuse, message: "\(statement.name) takes \(names), not: \(given)")
        }
        return found.joined().map { String($0.value) }.joined(separator: ", ")
    }

    private func explain(
        _ statement: PreparedText, _ command: String, isGeneric: Bool = true
    ) async throws -> QueryPlan {
        let rows = try await asSuperuser(
            """
            set plan_cache_mode = \(isGeneric ? "force_generic_plan" : "force_custom_plan");
            prepare asked as \(statement.text);
            \(command)
            """)
        return QueryPlan(lines: rows.compactMap { $0.first ?? nil })
    }
}
