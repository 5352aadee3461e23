import Postgres
import Synchronization
import TestSupport
import Testing

@Suite(.database(.empty)) struct StatementTests {
    @Test func `a statement is named after its types where it has no name of its own`() {
        #expect(Shelf.Statements.LockISBNOf2.name == "shelf.lock_isbnof2")
        #expect(Shelf.Statements.FirstBook.name == "shelf.first_book")
        #expect(Shelf.recountStatement.prepared.map(\.name) == ["shelf.recount_books"])
    }

    @Test func `each variation is a text of its own, prepared once under its own name`() async throws {
        #expect(
            Shelf.Statements.Sorted.prepared.map(\.name) == [
                "shelf.sorted_up_low", "shelf.sorted_up_high", "shelf.sorted_down_low", "shelf.sorted_down_high",
            ])
        #expect(Shelf.Statements.Sorted.prepared(Both(.down, .high)).parameters.map(\.name) == ["bound", "numbers"])
        try await withDatabase { database in
            let expected: [(Shelf.Order, Shelf.Side, [Int])] = [
                (.up, .low, [1, 2]), (.down, .low, [2, 1]), (.up, .high, [4, 5]), (.down, .high, [5, 4]),
            ]
            // Twice, so that each is run as it was prepared.
            for (order, side, rows) in expected + expected {
                let read = try await database.all(
                    Shelf.Statements.Sorted(numbers: [3, 1, 2, 5, 4], bound: 3, variation: Both(order, side)))
                #expect(read == rows, "\(order) \(side)")
            }
        }
    }

    @Test func `portions of a statement are of the variation that it is`() async throws {
        try await withDatabase { database in
            let rows = try await database.session { connection in
                try await connection.reading(patience: .seconds(10)) {
                    let portions = Mutex<[Int]>([])
                    try await connection.portions(
                        of: Shelf.Statements.Sorted(numbers: [1, 2, 3], bound: 0, variation: Both(.down, .high))
                    ) { rows in portions.withLock { $0 += rows } }
                    return portions.withLock { $0 }
                }
            }
            #expect(rows == [3, 2, 1])
        }
    }

    @Test func `a part that is absent is nil, and what stands behind it is read`() async throws {
        try await withDatabase { database in
            let rows = try await database.all(Shelf.Statements.FirstBook())
            #expect(rows.map(\.book) == [Shelf.Book(id: 1, title: "a", note: nil), nil])
            #expect(rows.map(\.reader) == [7, 8])
        }
    }

    @Test func `a part must end with the column that it names, and only there`() async throws {
        try await withDatabase { database in
            for statement in [EndsEarly.self, NamesTwice.self] as [any Statement.Type] {
                let check = try await StatementCheck(statement, in: database)
                #expect(check.faults.count == 1, "\(statement): \(check.faults)")
            }
        }
    }
}

private enum EndsEarly: Statement {
    static let name = "test.ends_early"
    static let sql: SQL<Self> = "select 1 as id, 2 as title, 3 as note"
    static func decode(_ columns: inout Columns) throws {
        let _: Int? = try columns.part(through: "note") { (columns) throws in
            _ = try columns("id") as Int
            return try columns("title") as Int
        }
        try columns.skip(through: "note")
    }
}

private enum NamesTwice: Statement {
    static let name = "test.names_twice"
    static let sql: SQL<Self> = "select 1 as id, 2 as id"
    static func decode(_ columns: inout Columns) throws {
        let _: Int? = try columns.part(through: "id") { (columns) throws in
            _ = try columns("id") as Int
            return try columns("id") as Int
        }
    }
}

enum Shelf {
    enum Statements {}

    enum Order: String, Variation { case up, down }
    enum Side: String, Variation { case low, high }

    struct Book: Equatable {
        let id: Int
        let title: String
        let note: String?
    }
}

extension Shelf.Statements {
    struct Sorted: VariedStatement {
        static func sql(_ variation: Both<Shelf.Order, Shelf.Side>) -> SQL<Self> {
            let beyond: Fragment = variation.second == .high ? ">" : "<"
            let order: Fragment = variation.first == .up ? "asc" : "desc"
            // The parameters of the variations come in another order.
            return variation.second == .high
                ? "select n from (select \(\.bound) as bound) b, unnest(\(\.numbers)) n where n \(beyond) bound order by n \(order)"
                : "select n from unnest(\(\.numbers)) n where n \(beyond) \(\.bound) order by n \(order)"
        }
        let numbers: [Int], bound: Int
        let variation: Both<Shelf.Order, Shelf.Side>
        typealias Output = Int
    }

    struct FirstBook: Statement {
        static let sql: SQL<Self> = """
            select book.*, reader.id as reader
              from (values (7), (8)) reader (id)
              left join (values (1, 'a', null::text, 7)) book (id, title, note, reader_id) on book.reader_id = reader.id
             order by reader.id
            """

        static func decode(_ columns: inout Columns) throws -> (book: Shelf.Book?, reader: Int) {
            let book = try columns.part(through: "reader_id") { columns in
                let book = Shelf.Book(
                    id: try columns("id"), title: try columns("title"), note: try columns("note"))
                try columns.skip(through: "reader_id")
                return book
            }
            return (book, try columns("reader"))
        }
    }

    struct LockISBNOf2: Statement {
        static let sql: SQL<Self> = "select"
    }
}

extension Shelf: Recounting {
    static let recounts = [Recount("books", "Nothing is wrong.", "select 'nothing' where false")]
}
