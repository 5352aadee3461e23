import Postgres
import TestSupport
import Testing

@Suite(.database(.empty)) struct ReadingTests {
    private struct Numbers: Statement {
        static let name = "test.numbers"
        static let sql: SQL<Self> =
            "select number from generate_series(1, \(\.upTo)::bigint) number order by number desc"
        let upTo: Int
        typealias Output = Int
    }

    @Test(arguments: [0, 1, 199, 200, 201, 1000])
    func `rows come in portions, in their order, each once`(count: Int) async throws {
        try await withDatabase { database in
            let (numbers, largest) = try await database.session { connection in
                try await connection.reading(patience: .seconds(60)) {
                    var numbers: [Int] = []
                    var largest = 0
                    // Twice: the second finds what the first left prepared.
                    for upTo in [3, count] {
                        numbers = []
                        try await connection.portions(of: Numbers(upTo: upTo)) { portion in
                            numbers += portion
                            largest = max(largest, portion.count)
                        }
                    }
                    return (numbers, largest)
                }
            }
            #expect(numbers == (0..<count).map { count - $0 })
            #expect(largest == max(3, min(count, 200)))
        }
    }

    @Test func `all of it is of one moment, and nothing is changed`() async throws {
        try await withDatabase { database in
            try await database.script(tally)
            let amounts = try await database.session { connection in
                try await connection.reading(patience: .seconds(60)) {
                    let before = try await connection.one(Amount())
                    try await database.run(Add(amount: 5))
                    return [before, try await connection.one(Amount()), try await database.one(Amount())]
                }
            }
            #expect(amounts == [0, 0, 5])
            await #expect {
                try await database.session { connection in
                    try await connection.reading(patience: .seconds(60)) { try await connection.run(Add()) }
                }
            } throws: {
                ($0 as? PostgresError)?.message?.contains("read-only") == true
            }
            #expect(try await database.one(Amount()) == 5)
        }
    }
}
