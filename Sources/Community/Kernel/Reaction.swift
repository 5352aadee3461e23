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
