extension Search {
    /// How the works that match are found: decided from how many works hold each word.
    enum Plan: Sendable, Equatable {
        /// By the index of words, and then by looking at each work that it gives.
        case words
        /// Down the list of works, most popular first, looking at each.
        case popularity

        /// `works` is the number of works in the index, an estimate.
        ///
        /// Words are taken as independent of each other, which makes matches look rarer than they are: an error towards
        /// the plan that is never slow by much.
        static func choose(_ terms: [Term], works: Int, wanted: Int) -> Plan {
            guard works > Limits.search.walk else { return .words }
            let expected = terms.reduce(Double(works)) { $0 * min(1, Double($1.count) / Double(works)) }
            // Among the works that a walk looks at there are then as many as are wanted; popular works hold common
            // words rather more often.
            return expected * Double(Limits.search.walk) >= Double(wanted) * Double(works) ? .popularity : .words
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
