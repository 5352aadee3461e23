import Foundation
import Testing

@testable import Community

/// Which domain may name which: each names those before it, and what is named the other way stands here with its reason.
@Suite struct DirectionTests {
    /// From what stands by itself to what gathers all the rest: people, the catalogue, reading, talk, and what tells of it.
    private static let order: [[String]] = [
        ["Kernel"],
        ["Mail", "Operations", "Moderation", "Accounts", "Friends"],
        ["Catalog", "Media", "Sources"],
        ["Activity", "Library", "Praise", "Places", "Lending", "Search"],
        ["Groups", "Gate", "Boards", "Ebooks", "Reviews", "Photos", "Messages", "Notebook"],
        ["Follows", "Notifications", "Feed", "Statistics", "Ranking", "Suggestions", "Profiles", "Leaving"],
    ]

    /// What names a domain behind it, and why.
    private static let exceptions: [Edge: String] = [
        Edge("Kernel", "Catalog"): "Works, editions and authors merge, and every domain may have a part in that.",
        Edge("Kernel", "Gate"): "Who may hear of an event may be told no more than that something is there.",
        Edge("Kernel", "Accounts"): "Who reacts must be allowed to write.",
        Edge("Kernel", "Notifications"): "Who is told of a reaction is written down in its transaction.",
        Edge("Moderation", "Accounts"): "A moderator is an account with a role.",
        Edge("Moderation", "Notifications"): telling,
        Edge("Friends", "Catalog"): "A suggestion of a friend names a book that both have read.",
        Edge("Friends", "Notifications"): telling,
        Edge("Groups", "Notifications"): telling,
        Edge("Gate", "Notifications"): telling,
        Edge("Boards", "Notifications"): telling,
        Edge("Reviews", "Notifications"): telling,
        Edge("Catalog", "Media"): "A book is shown with its cover.",
        Edge("Catalog", "Sources"): "A book that is removed leaves no record of where it came from.",
        Edge("Catalog", "Search"): "An import indexes all books at once, faster than one change after the other.",
        Edge("Catalog", "Library"): "A book is shown with the shelf on which its reader has it.",
        Edge("Catalog", "Places"): "One history of an edition holds corrections of its chapters, and undoes them.",
        Edge("Library", "Praise"): "One job counts what an account says of books, entries before marks.",
        Edge("Library", "Places"): "A change of shelf turns to the place in the book, in one transaction.",
        Edge("Library", "Gate"): opening,
        Edge("Places", "Gate"): opening,
        Edge("Places", "Ebooks"): "A page of an e-book is a place in its book.",
        Edge("Lending", "Ebooks"): "Who checks a book out gets the copy with which an e-book is read.",
        Edge("Boards", "Ebooks"): "A post may give a book away as far as a page of an e-book.",
        Edge("Messages", "Notebook"): "A message may show a note as a card.",
        Edge("Gate", "Boards"): "A post that readers mark as a spoiler goes behind a higher gate.",
        Edge("Gate", "Reviews"): "What may be revealed is a post or a review.",
    ]
    private static let telling = "Who is told is written down in the transaction of what they are told of."
    private static let opening = "Where a reader is in a book opens its board up to there, in the same transaction."

    private struct Edge: Hashable, Comparable, CustomStringConvertible {
        let from: String, to: String
        init(_ from: String, _ to: String) { (self.from, self.to) = (from, to) }
        var description: String { "\(from) → \(to)" }
        static func < (one: Edge, other: Edge) -> Bool { one.description < other.description }
    }

    @Test func `a domain names those before it, and others only for a reason that is written down`() throws {
        let sources = URL(filePath: #filePath).appending(path: "../../../../Sources/Community").standardized
        let places = Dictionary(
            uniqueKeysWithValues: Self.order.flatMap(\.self).enumerated().map { ($0.element, $0.offset) })
        let folders = try FileManager.default.contentsOfDirectory(atPath: sources.path)
            .filter { !$0.contains(".") }
        #expect(Set(folders) == Set(places.keys), "each folder has its place in the order")
        let registered = Community.domains.map { "\($0)" }
        #expect(Set(registered).isSubset(of: folders))

        var found: [Edge: Set<String>] = [:]
        for folder in folders {
            for case let file as URL in FileManager.default.enumerator(
                at: sources.appending(path: folder), includingPropertiesForKeys: nil) ?? .init()
            where file.pathExtension == "swift" && !file.lastPathComponent.hasPrefix("Limits") {
                for name in try named(in: String(contentsOf: file, encoding: .utf8)) {
                    guard name != folder, places[name] != nil else { continue }
                    found[Edge(folder, name), default: []].insert(file.lastPathComponent)
                }
            }
        }
        #expect(found.count > 90)
        let backward = found.filter { (places[$0.key.to] ?? 0) > (places[$0.key.from] ?? 0) }
        for (edge, files) in backward where Self.exceptions[edge] == nil {
            Issue.record("\(edge): \(files.sorted().joined(separator: ", "))")
        }
        #expect(
            Set(Self.exceptions.keys).subtracting(backward.keys).sorted() == [], "there no more: take it off the list")
    }

    /// The namespaces that a source names, but for ids, which any domain may hold.
    private func named(in source: String) -> Set<String> {
        let code = source.replacing(/\/\/.*/, with: "").replacing(/\bID<[A-Z][\w.]*>/, with: "")
            .replacing(/make\([A-Z]\w*\.\w+\.self\)/, with: "")
        return Set(code.matches(of: /(?:^|[^\w.])([A-Z]\w+)\.\w/).map { String($0.1) })
    }
}
