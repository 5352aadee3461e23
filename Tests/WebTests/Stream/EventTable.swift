import Community
import Foundation
import TestSupport
import Testing

@testable import Web

/// The table of events in the stream's README, as clients read it.
struct EventTable {
    struct Row {
        /// `thread` for `thread:ID`.
        let topics: Set<String>
        /// The members of the data, and where the table says so, the members of those.
        let members: [String: Set<String>]
    }

    /// In the order of the table; a kind that stands twice is here twice.
    let kinds: [String]
    let rows: [String: Row]

    init() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/Web/Stream/README.md")
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
        let start = try #require(lines.firstIndex(of: "| kind | topics | `data` |"))
        let found = lines[(start + 2)...].prefix { $0.hasPrefix("|") }
            .map { $0.split(separator: "|").map(Self.quoted) }
        kinds = found.compactMap { $0.first?.first }
        var rows: [String: Row] = [:]
        for cells in found {
            try #require(cells.count == 3, "\(cells)")
            let kind = try #require(cells[0].first)
            let data = try #require(cells[2].first { $0.hasPrefix("{") }, "\(kind) says nothing of its data")
            let topics = cells[1].map { String($0.prefix { $0 != ":" }) }
            rows[kind] = Row(topics: Set(topics), members: Self.members(data))
        }
        self.rows = rows
    }

    /// What stands between backticks.
    private static func quoted(_ cell: Substring) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .compactMap { $0.offset.isMultiple(of: 2) ? nil : String($0.element) }
    }

    /// `{"post": {"id"}, "scope"}`: the names, and the names within each.
    private static func members(_ text: String) -> [String: Set<String>] {
        var members: [String: Set<String>] = [:]
        var (depth, last) = (0, "")
        for (index, part) in text.split(separator: "\"", omittingEmptySubsequences: false).enumerated() {
            if index.isMultiple(of: 2) {
                depth += part.count { $0 == "{" } - part.count { $0 == "}" }
            } else if depth == 1 {
                last = String(part)
                members[last] = []
            } else {
                members[last, default: []].insert(String(part))
            }
        }
        return members
    }

    /// What of an event is otherwise than the table says.
    func differences(kind: String, topics: String, data: String) throws -> [String] {
        guard let row = rows[kind] else { return ["\(kind) is not in the table"] }
        let topics = Set(
            topics.dropFirst().dropLast().split(separator: ",").map { String($0.prefix { $0 != ":" }) })
        var found: [String] = []
        if !topics.isSubset(of: row.topics) { found.append("\(kind) goes to \(topics.sorted())") }
        // What the end of an account has emptied.
        guard data != "{}" else { return found }
        guard case .object(let members) = try JSONValue.parse(Array(data.utf8)).value else {
            return ["\(kind) tells \(data)"]
        }
        let (told, listed) = (Set(members.keys), Set(row.members.keys))
        // What the servers tell each other may leave something out.
        let isRight = row.topics == ["control"] ? told.isSubset(of: listed) : told == listed
        if !isRight { found.append("\(kind) tells \(told.sorted())") }
        for (name, inner) in row.members where !inner.isEmpty {
            guard case .object(let named)? = members[name] else { continue }
            if Set(named.keys) != inner { found.append("\(kind) says of \(name) \(named.keys.sorted())") }
        }
        return found
    }

    /// Looks at all events that wait in the outbox; gives their kinds.
    @discardableResult
    func check(_ world: World, sourceLocation: SourceLocation = #_sourceLocation) async throws -> Set<String> {
        let events = try await world.asSuperuser("select kind, topics::text, data::text from outbox")
            .map { $0.map { $0 ?? "" } }
        var found = Set<String>()
        for event in events {
            found.formUnion(try differences(kind: event[0], topics: event[1], data: event[2]))
        }
        #expect(found.sorted() == [], sourceLocation: sourceLocation)
        return Set(events.map { $0[0] })
    }
}
