/// Reads records of a CSV file as RFC 4180 has them: fields in quotes may hold separators, line ends and doubled
/// quotes.
///
/// A record that breaks the rules is refused alone: reading goes on at the line after its first one.
struct CSVReader {
    /// A record, or why its line is none.
    struct Record {
        let fields: Result<[String], Catalog.Reject>
        /// The first line's number, 1-based.
        let line: Int64
        /// Line and position after the record.
        let lastLine: Int64
        let end: Int64
    }

    /// Bytes of one record, quotes and line ends among them.
    static let limit = 1 << 20

    private var lines: LineReader
    private var pending: [LineReader.Line] = []
    private let separator: UInt8

    init(_ lines: LineReader, separator: UInt8 = UInt8(ascii: ",")) {
        self.lines = lines
        self.separator = separator
    }

    /// The next record, empty lines passed over; `nil` at the end.
    mutating func next() throws -> Record? {
        while let first = try nextLine() {
            guard let bytes = first.bytes else { return refused(first, "too_long", "the line is longer than 4 MiB") }
            if bytes.isEmpty { continue }
            return try record(startingWith: first, bytes)
        }
        return nil
    }

    private mutating func record(startingWith first: LineReader.Line, _ bytes: ArraySlice<UInt8>) throws -> Record {
        var parser = Parser(separator: separator)
        var taken: [LineReader.Line] = []
        var current = first
        var content = bytes
        var size = 0
        while true {
            size += content.count
            switch parser.feed(content) {
            case .complete:
                let fields = Result { () throws(Catalog.Reject) in try parser.texts() }
                return Record(fields: fields, line: first.number, lastLine: current.number, end: current.end)
            case .broken(let reason):
                pending = taken + pending
                return refused(first, "csv", reason)
            case .open:
                guard size <= Self.limit, let next = try nextLine(), let more = next.bytes else {
                    pending = taken + pending
                    return refused(first, "csv", "a quote is never closed")
                }
                // Owned, so that the reader's buffer need not be kept for it.
                taken.append(LineReader.Line(bytes: ArraySlice(Array(more)), number: next.number, end: next.end))
                current = next
                content = more
            }
        }
    }

    private mutating func nextLine() throws -> LineReader.Line? {
        pending.isEmpty ? try lines.next() : pending.removeFirst()
    }

    private func refused(_ line: LineReader.Line, _ code: String, _ detail: String) -> Record {
        Record(fields: .failure(Catalog.Reject(code, detail)), line: line.number, lastLine: line.number, end: line.end)
    }
}

extension CSVReader {
    /// One record's state between its lines.
    private struct Parser {
        enum Outcome {
            case complete
            /// The line ended inside quotes.
            case open
            case broken(String)
        }

        let separator: UInt8
        private var fields: [[UInt8]] = []
        private var field: [UInt8] = []
        private var isQuoted = false

        init(separator: UInt8) { self.separator = separator }

        mutating func feed(_ line: ArraySlice<UInt8>) -> Outcome {
            var index = line.startIndex
            if isQuoted { field.append(0x0A) } else { startField(line, &index) }
            while index < line.endIndex {
                let byte = line[index]
                index += 1
                if isQuoted {
                    guard byte == UInt8(ascii: "\"") else {
                        field.append(byte)
                        continue
                    }
                    if index < line.endIndex, line[index] == UInt8(ascii: "\"") {
                        field.append(byte)
                        index += 1
                        continue
                    }
                    isQuoted = false
                    guard index == line.endIndex || line[index] == separator else {
                        return .broken("text follows a closing quote in field \(fields.count + 1)")
                    }
                } else if byte == separator {
                    endField()
                    startField(line, &index)
                } else {
                    guard byte != UInt8(ascii: "\"") || field.first == UInt8(ascii: "=") else {
                        return .broken("a quote stands inside field \(fields.count + 1), which is not quoted")
                    }
                    field.append(byte)
                }
            }
            if isQuoted { return .open }
            endField()
            return .complete
        }

        private mutating func startField(_ line: ArraySlice<UInt8>, _ index: inout Int) {
            isQuoted = index < line.endIndex && line[index] == UInt8(ascii: "\"")
            if isQuoted { index += 1 }
        }

        private mutating func endField() {
            fields.append(field)
            field = []
        }

        /// The fields as text. Throws for NUL and for bytes that are no UTF-8.
        func texts() throws(Catalog.Reject) -> [String] {
            var texts: [String] = []
            for (index, field) in fields.enumerated() {
                guard !field.contains(0) else { throw Catalog.Reject("nul", "field \(index + 1) holds a NUL byte") }
                guard let text = String(validating: field, as: UTF8.self) else {
                    throw Catalog.Reject("bad_utf8", "field \(index + 1) is not UTF-8")
                }
                texts.append(text)
            }
            return texts
        }
    }
}
