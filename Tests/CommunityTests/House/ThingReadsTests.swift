import Postgres
import TestSupport
import Testing

@testable import Community

/// What a viewer reads of things goes through the facts of their kind, or stands here with its reason.
@Suite struct ThingReadsTests {
    @Test func `what is read of a kind for a viewer asks whether the viewer may see it`() {
        for kind in Community.things {
            let (table, pieces) = (kind.facts.table.text, Facts(of: kind).pieces)
            guard !pieces.isEmpty else { continue }
            var without: [String] = []
            for domain in Community.domains {
                for statement in StatementTypes.of(domain) where statement is any ForViewer.Type {
                    for prepared in statement.prepared {
                        let text = Facts.bare(prepared.text)
                        guard text.contains("from\(table)") || text.contains("join\(table)") else { continue }
                        if !pieces.allSatisfy({ text.contains($0) }) { without.append(prepared.name) }
                    }
                }
            }
            print("READS \(table) \(Set(without).sorted())")
        }
    }
}

/// The conditions of `isSeen`, as they stand in a statement.
private struct Facts {
    let pieces: [String]

    init(of kind: any ThingKind.Type) { pieces = Self.pieces(of: kind) }

    private static func pieces<Kind: ThingKind>(of _: Kind.Type) -> [String] {
        let text = (Kind.isSeen() as SQL<Probe>).text
        return [bare(text)]
    }

    /// Without white space, parameters and casts.
    static func bare(_ text: String) -> String {
        text.replacing(/\$\d+(::[a-z]+)?/, with: "$").filter { !$0.isWhitespace }
    }

    private struct Probe: Statement, ForViewer {
        static let sql: SQL<Self> = "select \(\.viewer)"
        let viewer: Viewer
    }
}
