import Postgres

extension Search {
    /// How the works that match are found: decided from how many works hold each word.
    enum Plan: String, Variation {
        /// By the index of words, and then by looking at each work that it gives.
        case words
        /// Down the list of works, most popular first, looking at each.
        case popularity
        /// By the smallest scope that a filter names, looking at each of its works.
        case scope

        /// `works` is the number of works in the index, an estimate. `scope`: the smallest that the works must stand in.
        ///
        /// Words are taken as independent of each other and of the scope, which makes matches look rarer than they are: an
        /// error towards the plans that are never slow by much.
        static func choose(
            _ terms: [Term], within scope: Catalog.Browse.FoundScope? = nil, works: Int, wanted: Int
        ) -> Plan {
            guard works > Limits.search.walk else { return collect(terms, within: scope) }
            let counts = terms.map(\.count) + [scope?.members].compactMap(\.self)
            let expected = counts.reduce(Double(works)) { $0 * min(1, Double($1) / Double(works)) }
            // Among the works that a walk looks at there are then as many as are wanted; popular works hold common
            // words rather more often.
            return expected * Double(Limits.search.walk) >= Double(wanted) * Double(works)
                ? .popularity : collect(terms, within: scope)
        }

        /// The plan that finds all: from the rarest word, or from the scope where that has fewer works.
        static func collect(_ terms: [Term], within scope: Catalog.Browse.FoundScope?) -> Plan {
            guard let scope, let rarest = terms.map(\.count).min(), scope.members < rarest else { return .words }
            return .scope
        }

        /// The part of a query that the index of words is asked: all but beginnings whose works cost more to collect
        /// than to look for them in the works that the rest of the query leaves.
        static func selective(_ terms: [Term]) -> [Term] {
            let rarest = terms.min { $0.count < $1.count }
            return terms.filter {
                !$0.isOpen || $0.count <= Limits.search.openWord * (rarest?.count ?? 0) || $0 == rarest
            }
        }
    }
}
