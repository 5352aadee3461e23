import ArgumentParser
import Client
import FoundationEssentials
import Glibc
import JSONWriting
import PlainText

/// How a command that lists something writes it: for people on a terminal, for programs elsewhere.
struct OutputOptions: ParsableArguments {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        /// Columns side by side under their names.
        case table
        /// Tabs between the cells, without names.
        case tsv
        /// One array.
        case json
        /// One object a line.
        case jsonl
    }

    @Option(help: "table, tsv, json or jsonl; a table on a terminal and tsv elsewhere unless you say so.")
    var format: Format?

    @Flag(help: "The same as --format json.")
    var json = false

    /// Whether programs read it as JSON.
    var isJSON: Bool { chosen == .json || chosen == .jsonl }

    private var chosen: Format { json ? .json : format ?? (isatty(STDOUT_FILENO) == 1 ? .table : .tsv) }

    /// Writes `rows`; `line` gives the cells of one, in the order of `columns`. `empty` is said on standard error where there is no row.
    func print(
        _ rows: [some Encodable], columns: [String] = [], empty: String = "There is nothing to list.",
        line: (Int) -> [String]
    ) throws {
        if rows.isEmpty { Admin.say(empty) }
        switch chosen {
        case .table where rows.isEmpty: break
        case .json: try Self.print(json: rows)
        case .jsonl:
            for row in rows { Swift.print(Self.plain(String(decoding: try JSONWriter.bytes(row), as: UTF8.self))) }
        case .tsv:
            for index in rows.indices { Swift.print(line(index).map(Self.cell).joined(separator: "\t")) }
        case .table: Self.table((columns.isEmpty ? [] : [columns]) + rows.indices.map { line($0).map(Self.cell) })
        }
    }

    /// Writes `items` of the API likewise.
    func print(
        _ items: [ModerationDoor.Value], columns: [String], empty: String = "There is nothing to list.",
        line: (ModerationDoor.Value) -> [String]
    ) throws {
        if items.isEmpty { Admin.say(empty) }
        switch chosen {
        case .table where items.isEmpty: break
        case .json: Swift.print(try Self.text(.array(items), isPretty: true))
        case .jsonl: for item in items { Swift.print(try Self.text(item)) }
        case .tsv: for item in items { Swift.print(line(item).map(Self.cell).joined(separator: "\t")) }
        case .table: Self.table([columns] + items.map { line($0).map(Self.cell) })
        }
    }

    /// Writes one thing of the API: for people its `lines`, a name and what stands there.
    func print(_ value: ModerationDoor.Value, lines: [[String]]) throws {
        switch chosen {
        case .json: Swift.print(try Self.text(value, isPretty: true))
        case .jsonl: Swift.print(try Self.text(value))
        case .tsv, .table: print(lines: lines)
        }
    }

    /// Writes one thing: for people as one line of `cells`.
    func print(_ value: some Encodable, cells: [String]) throws {
        switch chosen {
        case .json: try Self.print(json: value)
        case .jsonl: Swift.print(Self.plain(String(decoding: try JSONWriter.bytes(value), as: UTF8.self)))
        case .tsv, .table: print(lines: [cells])
        }
    }

    /// Lines for people: side by side on a terminal, with tabs elsewhere.
    func print(lines: [[String]]) {
        let lines = lines.map { $0.map(Self.cell) }
        if chosen == .table { return Self.table(lines) }
        for line in lines { Swift.print(line.joined(separator: "\t")) }
    }

    private static func text(_ value: ModerationDoor.Value, isPretty: Bool = false) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
        return plain(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Columns as wide as what stands in them; the last one is not filled up.
    static func table(_ lines: [[String]]) {
        let count = lines.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in lines.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0 }
        for line in lines {
            let cells = line.enumerated().map { index, cell in
                index == line.count - 1 ? cell : cell.padded(to: widths[index])
            }
            Swift.print(cells.joined(separator: "  "))
        }
    }

    /// For people, too: its members by name, one a line.
    static func print(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let text = try encoder.encode(JSONValue(body: try JSONWriter.bytes(value)))
        Swift.print(plain(String(decoding: text, as: UTF8.self)))
    }

    /// JSON, with escapes for what cells leave out: outside of texts nothing of that occurs but the ends of lines.
    private static func plain(_ json: String) -> String {
        guard !json.unicodeScalars.allSatisfy({ $0 == "\n" || isShown($0) }) else { return json }
        return json.unicodeScalars.reduce(into: "") { plain, scalar in
            if scalar == "\n" || isShown(scalar) {
                plain.unicodeScalars.append(scalar)
            } else {
                plain += "\\u" + String(scalar.value + 0x10000, radix: 16).suffix(4)
            }
        }
    }

    /// One cell of a line: a line, and nothing that drives a terminal or turns the text around it.
    static func cell(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { isSpace($0) ? " " : $0 }.filter(isShown)))
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\t" || scalar == "\n" || scalar == "\r" || scalar == "\u{85}" || scalar == "\u{2028}"
            || scalar == "\u{2029}"
    }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory != .control && !(0x202A...0x202E).contains(scalar.value)
            && !(0x2066...0x2069).contains(scalar.value)
    }
}
