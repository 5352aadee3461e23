/// What a file holds.
package enum ImportFormat: Sendable {
    case openLibrary
    /// Genres by `CSVMapping.Field.genresKey`, from a file of their own.
    case csv(CSVMapping, genres: [String: [String]])

    /// Stored with the run.
    package var name: String {
        switch self {
        case .openLibrary: "openlibrary"
        case .csv(let mapping, _): "csv:" + mapping.source
        }
    }
}

/// A stretch of a file: what it says, and where it ends.
struct ImportBatch: Sendable {
    var entries = Catalog.Entries()
    var rejects: [Catalog.Reject] = []
    var accepted: Int64 = 0
    /// Records of types that have no place in a catalogue.
    var foreign: Int64 = 0
    /// Values dropped or cut since reading began, by reason.
    var notes: [String: Int64] = [:]
    var line: Int64
    var position: Int64
}

/// Reads a file batch by batch, beside the database, which is at work on the batch before.
actor BatchReader {
    /// Lines and bytes of a batch.
    private static let lines = 5000
    private static let bytes: Int64 = 8 << 20

    /// Lines after which a file is refused of which none could be read.
    private static let patience = 100

    private var reader: any EntryReader
    private var line: Int64
    private var position: Int64
    /// Whether no batch of the file was read yet.
    private var isAtStart: Bool

    /// Begins behind `position`, before which `line` lines stand. Throws `Catalog.Reject` where the file is not of this
    /// format at all.
    init(_ path: String, format: ImportFormat, from position: Int64, line: Int64) throws {
        self.position = position
        self.line = line
        isAtStart = position == 0
        switch format {
        case .openLibrary:
            reader = OpenLibraryReader(lines: try LineReader(path, from: position, line: line))
        case .csv(let mapping, let genres):
            var records = CSVReader(try LineReader(path), separator: mapping.separator)
            guard let header = try records.next() else { throw Catalog.Reject("csv", "the file is empty") }
            let books = try CSVBooks(mapping, header: try header.fields.get(), genres: genres)
            if position == 0 {
                self.position = header.end
                self.line = header.lastLine
            } else {
                records = CSVReader(try LineReader(path, from: position, line: line), separator: mapping.separator)
            }
            reader = CSVBookReader(records: records, books: books, source: mapping.source)
        }
    }

    /// The next batch, never empty; `nil` at the end.
    func next() throws -> ImportBatch? {
        var batch = ImportBatch(line: line, position: position)
        while batch.line - line < Self.lines, batch.position - position < Self.bytes {
            guard let taken = try reader.next(into: &batch.entries) else { break }
            batch.line = taken.line
            batch.position = taken.end
            switch taken.outcome {
            case .accepted: batch.accepted += 1
            case .foreign: batch.foreign += 1
            case .rejected(let reject): batch.rejects.append(reject)
            }
            try refuseForeignFile(batch)
        }
        batch.notes = reader.notes
        isAtStart = false
        defer { (line, position) = (batch.line, batch.position) }
        return batch.position == position ? nil : batch
    }

    /// Throws `Catalog.Reject` once none of a file's first lines can be read: it is no file of this format.
    private func refuseForeignFile(_ batch: ImportBatch) throws(Catalog.Reject) {
        guard isAtStart, batch.rejects.count == Self.patience, batch.accepted == 0, batch.foreign == 0,
            let first = batch.rejects.first
        else { return }
        throw Catalog.Reject(
            first.code, "none of its first \(Self.patience) lines can be read (line \(first.line): \(first.detail))")
    }
}

/// What became of one record.
struct TakenRecord {
    enum Outcome {
        case accepted
        case foreign
        case rejected(Catalog.Reject)
    }

    let outcome: Outcome
    /// Its last line, and the position behind it.
    let line: Int64
    let end: Int64
}

/// Turns a file of some format into entries, record by record.
protocol EntryReader {
    /// Takes the next record; `nil` at the end. Throws only where the file cannot be read on.
    mutating func next(into entries: inout Catalog.Entries) throws -> TakenRecord?
    /// Values dropped or cut so far, by reason.
    var notes: [String: Int64] { get }
}

struct OpenLibraryReader: EntryReader {
    var lines: LineReader
    var parser = OpenLibraryLine()

    var notes: [String: Int64] { parser.notes }

    mutating func next(into entries: inout Catalog.Entries) throws -> TakenRecord? {
        guard let line = try lines.next() else { return nil }
        return TakenRecord(outcome: take(line, into: &entries), line: line.number, end: line.end)
    }

    private mutating func take(_ line: LineReader.Line, into entries: inout Catalog.Entries) -> TakenRecord.Outcome {
        do throws(Catalog.Reject) {
            guard let bytes = line.bytes else { throw Catalog.Reject("too_long", "the line is longer than 4 MiB") }
            guard !bytes.isEmpty else { return .foreign }
            let entry = try parser.entry(bytes)
            if case .foreign = entry { return .foreign }
            entries.append(entry)
            return .accepted
        } catch {
            var reject = error
            reject.line = line.number
            return .rejected(reject)
        }
    }
}

struct CSVBookReader: EntryReader {
    var records: CSVReader
    var books: CSVBooks
    let source: String

    var notes: [String: Int64] { books.notes }

    mutating func next(into entries: inout Catalog.Entries) throws -> TakenRecord? {
        guard let record = try records.next() else { return nil }
        return TakenRecord(outcome: take(record, into: &entries), line: record.lastLine, end: record.end)
    }

    private mutating func take(_ record: CSVReader.Record, into entries: inout Catalog.Entries) -> TakenRecord.Outcome {
        do throws(Catalog.Reject) {
            entries.append(try books.book(try record.fields.get()), from: source)
            return .accepted
        } catch {
            var reject = error
            reject.line = record.line
            return .rejected(reject)
        }
    }
}
