import CLibpq

func clear(_ result: OpaquePointer) { PQclear(result) }

/// Reads results of libpq.
enum Results {
    /// Every row of `result`, decoded, and the number of rows that the command tag names.
    static func decode<S: Statement>(_ result: OpaquePointer, as statement: S.Type) throws -> Executed<S.Output> {
        let affected = affectedRows(result)
        let count = S.Output.self == Void.self ? 0 : PQntuples(result)
        if count == 0 { return Executed(rows: [], affected: affected) }
        var rows: [S.Output] = []
        rows.reserveCapacity(Int(count))
        do {
            for index in 0..<count {
                var columns = Columns(result: result, row: index)
                rows.append(try S.decode(&columns))
                try columns.end()
            }
        } catch var error as PostgresError {
            error.statement = error.statement ?? S.name
            throw error
        }
        return Executed(rows: rows, affected: affected)
    }

    /// Rows inserted, updated, deleted or selected; 0 where the tag names none.
    static func affectedRows(_ result: OpaquePointer) -> Int {
        guard let text = PQcmdTuples(result) else { return 0 }
        var digits = text
        var value = 0
        while digits.pointee >= 48, digits.pointee <= 57 {
            value = value * 10 + Int(digits.pointee - 48)
            digits += 1
        }
        return value
    }

    /// What the server (or libpq, then without an SQLSTATE) says about a failed statement.
    static func error(_ result: OpaquePointer) -> PostgresError {
        func field(_ code: Character) -> String? {
            guard let ascii = code.asciiValue, let text = PQresultErrorField(result, Int32(ascii)) else { return nil }
            return String(cString: text)
        }
        guard let state = field("C") else {
            return PostgresError(.connectionLost, message: String(cString: PQresultErrorMessage(result)))
        }
        let sqlState = SQLState(rawValue: state)
        let isFatal = ["FATAL", "PANIC"].contains(field("V") ?? "")
        var error = PostgresError(
            isFatal ? .connectionLost : .server, sqlState: sqlState, constraint: field("n"), message: field("M"))
        error.table = field("t")
        error.column = field("c")
        error.detail = field("D")
        error.routine = field("R")
        return error
    }
}
