extension Feed {
    /// Whose feed it is, and what it is read from: what is the reader's own choice, the server's reviews from a place
    /// on, or both.
    struct Mixture: Hashable, Sendable {
        let reader: ID<Accounts.Account>
        let hasOwn: Bool
        let reviews: TimeKey?
    }

    /// What the sources have to say of a window, complete from its near end on.
    struct Round: Sendable {
        /// Nearest first, each act once, with the first reason.
        let candidates: [Candidate]
        /// The last place to which every source was read; `nil` where all of them were read to the window's end.
        let horizon: TimeKey?

        /// - Parameters:
        ///   - sources: What each of them names, nearest first.
        ///   - limit: Acts that each of them was asked for: one that names as many may have more.
        ///   - edge: How far a source was read that says so itself.
        ///   - isNearer: The order of the way.
        init(_ sources: [[Candidate]], limit: Int, edge: TimeKey? = nil, isNearer: (TimeKey, TimeKey) -> Bool) {
            // A source that had more has named nothing beyond its last: nor is anything known there of the whole.
            let ends = sources.filter { $0.count >= limit }.map(\.last?.key) + [edge]
            let horizon = ends.compactMap(\.self).min(by: isNearer)
            var reasons: [TimeKey: Why] = [:]
            for candidate in sources.joined() {
                if let horizon, isNearer(horizon, candidate.key) { continue }
                let known = reasons[candidate.key] ?? candidate.why
                reasons[candidate.key] = known.rawValue < candidate.why.rawValue ? known : candidate.why
            }
            candidates = reasons.map { Candidate(key: $0.key, why: $0.value) }.sorted { isNearer($0.key, $1.key) }
            self.horizon = horizon
        }
    }
}
