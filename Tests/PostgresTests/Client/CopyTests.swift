import Postgres
import TestSupport
import Testing

@Suite(.database(.empty)) struct CopyTests {
    private struct Refused: Error {}

    private struct Count: Statement {
        static let name = "test.count"
        static let sql: SQL<Self> = "select count(*), coalesce(sum(id), 0)::bigint as sum from word"
        static func decode(_ columns: inout Columns) throws -> [Int] { [try columns("count"), try columns("sum")] }
    }

    private static let table = "create table word (id bigint primary key, text text, size integer)"

    @Test func `a million rows go in and come out in constant memory`() async throws {
        let rows = ProofCount.of(1_000_000)
        try await withDatabase { database in
            try await database.script(Self.table)
            let filler = String(repeating: "wörd ", count: 12)
            let before = residentKiB()
            let loaded = try await database.copyIn(into: "word (id, text, size)") { writer in
                for id in 1...rows {
                    try await writer.row { row in
                        row.append(id)
                        row.append(id % 10 == 0 ? nil : filler)
                        row.append(Int32(id % 100))
                    }
                }
            }
            #expect(loaded == rows)
            #expect(try await database.one(Count()) == [rows, rows * (rows + 1) / 2])
            let lines = try await database.copyOut("(select id, text, size from word order by id)") { blocks in
                var lines = 0
                for try await block in blocks { lines += block.count { $0 == 10 } }
                return lines
            }
            #expect(lines == rows)
            #expect(residentKiB() - before < 32 * 1024, "memory grew")
        }
    }

    @Test func `rows come from a sequence, and text and CSV are written as they are`() async throws {
        try await withDatabase { database in
            try await database.script(Self.table)
            let ids = AsyncStream<Int> { stream in
                for id in 1...10 { stream.yield(id) }
                stream.finish()
            }
            let loaded = try await database.copyIn(into: "word (id)", rows: ids) { id, row in row.append(id) }
            #expect(loaded == 10)
            try await database.copyIn(into: "word (id, text)", format: .csv) { writer in
                try await writer.write("11,\"a, ".utf8)
                try await writer.write("b\"\n12,c\n".utf8)
            }
            let text = try await database.copyOut("(select id, text from word where id > 10 order by id)") { blocks in
                var bytes: [UInt8] = []
                for try await block in blocks { bytes += block }
                return String(decoding: bytes, as: UTF8.self)
            }
            #expect(text == "11\ta, b\n12\tc\n")
        }
    }

    @Test func `a refused row refuses all, and the connection stays usable`() async throws {
        try await withDatabase({ $0.exclusiveConnections = 1 }) { database in
            try await database.script(Self.table)
            let error = await postgresError {
                try await database.copyIn(into: "word (id)") { writer in
                    for id in [1, 2, 2, 3] { try await writer.row { $0.append(id) } }
                }
            }
            #expect(error?.sqlState == .uniqueViolation)
            let unknown = await postgresError { try await database.copyIn(into: "nowhere (id)") { _ in } }
            #expect(unknown?.sqlState == .undefinedTable)
            #expect(try await database.one(Count()) == [0, 0])
            #expect(try await database.transaction { try await $0.one(Divide(by: 1)) } == 100)
        }
    }

    @Test func `a writer or reader that gives up leaves nothing behind`() async throws {
        try await withDatabase({
            $0.exclusiveConnections = 1
            $0.applicationName = "copier"
        }) { database in
            try await database.script(Self.table)
            await #expect(throws: Refused.self) {
                try await database.copyIn(into: "word (id)") { writer in
                    for id in 1...20_000 { try await writer.row { $0.append(id) } }
                    throw Refused()
                }
            }
            #expect(try await database.one(Count()) == [0, 0])
            let source = "(select generate_series(1, 100000000))"
            await #expect(throws: Refused.self) {
                try await database.copyOut(source) { blocks in
                    for try await _ in blocks { throw Refused() }
                }
            }
            try await eventually {
                try await database.one(Activity(application: "copier", pattern: "copy%")).running == 0
            }
            #expect(try await database.transaction { try await $0.one(Divide(by: 1)) } == 100)
        }
    }

    @Test func `a cancelled copy ends on the server`() async throws {
        try await withDatabase({
            $0.exclusiveConnections = 1
            $0.applicationName = "copier"
        }) { database in
            try await database.script(Self.table)
            let error = await postgresError {
                try await Deadline.within(.milliseconds(300)) {
                    try await database.copyOut("(select generate_series(1, 100000000))") { blocks in
                        for try await _ in blocks {}
                    }
                }
            }
            #expect(error?.code == .deadlineExceeded)
            let other = await postgresError {
                try await Deadline.within(.milliseconds(300)) {
                    _ = try await database.copyIn(into: "word (id)") { writer in
                        for id in 1...Int.max { try await writer.row { $0.append(id) } }
                    }
                }
            }
            #expect(other?.code == .deadlineExceeded)
            try await eventually {
                try await database.one(Activity(application: "copier", pattern: "copy%")).running == 0
            }
            #expect(try await database.transaction { try await $0.one(Divide(by: 1)) } == 100)
        }
    }
}
