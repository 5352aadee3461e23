import JSONWriting
import Postgres

/// All that one can say without words.
package enum Reaction: String, Sendable, CaseIterable, PostgresText {
    case like, love, laugh, wow, sad, think
}

/// How many gave each reaction: an object in the order of the reactions, without those that nobody gave.
package struct ReactionCounts: JSONForm {
    private let counts: [Reaction: Int]

    package init(_ counts: [Reaction: Int]) { self.counts = counts }

    package func put(into object: JSONObject) {
        for reaction in Reaction.allCases {
            guard let count = counts[reaction], count > 0 else { continue }
            object.put(named: reaction.rawValue, count)
        }
    }
}

extension [Reaction: Int] {
    /// Reads the columns `reaction_names` and `reaction_counts`, null where there are none.
    init(_ columns: inout Columns) throws {
        let (names, counts): ([String]?, [Int]?) = (try columns("reaction_names"), try columns("reaction_counts"))
        let known = zip(names ?? [], counts ?? []).compactMap { name, count in
            Reaction(rawValue: name).map { ($0, count) }
        }
        self.init(known, uniquingKeysWith: +)
    }
}

extension Set<Reaction> {
    /// Reads the column `own_reactions`, null where there are none.
    init(_ columns: inout Columns) throws {
        let names: [String]? = try columns("own_reactions")
        self.init((names ?? []).compactMap(Reaction.init(rawValue:)))
    }
}
