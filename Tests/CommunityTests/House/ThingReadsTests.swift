import Postgres
import TestSupport
import Testing

@testable import Community

/// What a viewer reads of things goes through the facts of their kind, or stands here with its reason.
@Suite struct ThingReadsTests {
    /// Statements for a viewer that read rows of a kind and ask otherwise, by the beginnings of their names.
    private static let otherwise: [(kind: any ThingKind.Type, statements: [String], reason: String)] = [
        (
            Reviews.Review.self,
            ["library.scene", "reviews.lock_mine", "reviews.mine", "reviews.scene"],
            "It is the viewer's own."
        ),
        (
            Reviews.Review.self, ["feed.acts", "ranking.among_friends"],
            "The level of the act decides, which is that of its review where it has one."
        ),
        (
            Reviews.Review.self, ["notifications.list", "notifications.tidy", "notifications.to_mail"],
            "What is told of a review is the reader's own, or said to it: `Notifications+There` asks for that."
        ),
        (
            Reviews.Review.self, ["reviews.one_reply", "reviews.replies"],
            "`Reviews.Store` has asked for the review before it reads what is said to it."
        ),
        (Library.List.self, ["library.one_list"], "A shared link shows a list to those whom its level would not."),
    ]

    @Test(arguments: [Boards.Thread.self, Reviews.Review.self, Library.List.self] as [any ThingKind.Type])
    func `what is read of a kind for a viewer asks whether the viewer may see it`(kind: any ThingKind.Type) {
        let (table, asked) = (kind.facts.table.text, Self.asked(of: kind))
        let excused = Self.otherwise.filter { $0.kind == kind }.flatMap(\.statements)
        var (reads, without) = (0, Set<String>())
        for statement in Community.domains.flatMap({ StatementTypes.of($0) }) where statement is any ForViewer.Type {
            for prepared in statement.prepared where Self.tables(in: prepared.text).contains(table) {
                reads += 1
                if !Self.bare(prepared.text).contains(asked) { without.insert(prepared.name) }
            }
        }
        #expect(reads > 2)
        #expect(without.filter { name in !excused.contains { name.hasPrefix($0) } }.sorted() == [])
        // Who asks now is taken off the list.
        #expect(excused.filter { name in !without.contains { $0.hasPrefix(name) } } == [])
    }

    private static func tables(in text: String) -> Set<String> {
        Set(text.matches(of: /\b(?:from|join)\s+([a-z_]+)/).map { String($0.1) })
    }

    private static func asked<Kind: ThingKind>(of _: Kind.Type) -> String { bare((Kind.isSeen() as SQL<Probe>).text) }

    /// Without white space, parameters and their types.
    private static func bare(_ text: String) -> String {
        text.replacing(/\$\d+(::[a-z]+)?/, with: "$").filter { !$0.isWhitespace }
    }

    private struct Probe: Statement, ForViewer {
        static let sql: SQL<Self> = "select \(\.viewer)"
        let viewer: Viewer
    }
}
