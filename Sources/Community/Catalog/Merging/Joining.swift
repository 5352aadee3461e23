extension Catalog {
    /// How the facts of two things become those of one.
    enum Joining: Sendable {
        /// A person says that both are one: the one that stays gets what it does not say itself, and the lists of both.
        /// What it got is locked, because no record of a source would bring it back.
        case completing
        /// Their source says so, and what it says about the one that stays holds: only what people set on the other is
        /// taken over.
        case keeping
        /// As `keeping`, before the source's record of the one that stays was read: until it comes, the facts of the
        /// other stand in.
        case standingIn

        /// The joined facts, and the names of those that `kept` did not have so.
        func facts(of kept: Facts, and gone: Facts, of kind: Thing.Kind) -> (facts: Facts, changed: Set<Field.Name>) {
            var facts = kept
            var changed: Set<Field.Name> = []
            for field in Field.all(of: kind) where field.name != .locked && field.name != .book {
                let own = kept[field.name] ?? .none
                let joined = self.fact(field.name, of: kept, and: gone)
                guard !joined.isSame(as: own) else { continue }
                facts[field.name] = joined
                changed.insert(field.name)
            }
            facts.locked = locks(of: kept, and: gone, on: changed)
            if facts.locked != kept.locked { changed.insert(.locked) }
            return (facts, changed)
        }

        private func fact(_ name: Field.Name, of kept: Facts, and gone: Facts) -> Fact {
            let (own, other) = (kept[name] ?? .none, gone[name] ?? .none)
            // Codes lead readers to the book, from whichever printing they are.
            if name == .isbns { return own.joined(with: other, atMost: .max) }
            switch self {
            case .completing:
                guard name != .aliases else {
                    let names = Fact.texts([gone[.name]?.text].compactMap(\.self) + other.texts)
                    return own.joined(with: names, without: kept[.name]?.text, atMost: Limits.catalog.aliases)
                }
                if let limit = Self.growing[name] { return own.joined(with: other, atMost: limit) }
                return own.says ? own : other
            case .keeping, .standingIn:
                if kept.locked.contains(name) { return own }
                if gone.locked.contains(name) || self == .standingIn && other.says { return other }
                return own
            }
        }

        /// What was locked stays so, and what came over is as locked as it was; by a person's word all of it, but for
        /// ISBNs, which imports only add to.
        private func locks(of kept: Facts, and gone: Facts, on changed: Set<Field.Name>) -> Set<Field.Name> {
            let asBefore = gone.locked.intersection(changed)
            return kept.locked.union(self == .completing ? asBefore.union(changed.subtracting([.isbns])) : asBefore)
        }

        /// Fields that hold what either of two has, up to so many.
        private static let growing: [Field.Name: Int] = [
            .genres: Limits.catalog.genres, .subjects: Limits.catalog.subjects, .contributors: Limits.catalog.authors,
            .accessModes: .max, .accessibilityFeatures: .max, .accessibilityHazards: .max,
        ]
    }
}

extension Catalog.Fact {
    /// The elements of both lists, own ones first, each once, without one of them.
    fileprivate func joined(with other: Self, without excluded: String? = nil, atMost limit: Int) -> Self {
        switch (self, other) {
        case (.texts(let own), .texts(let others)):
            var seen = Set([excluded].compactMap(\.self))
            let all = (own + others).filter { seen.insert($0).inserted }
            return .texts(Array(all.prefix(max(limit, own.count))))
        case (.parts(let own), .parts(let others)):
            let added = others.filter { part in !own.contains { Self.parts([$0]).isSame(as: .parts([part])) } }
            return .parts(own + added.prefix(max(0, limit - own.count)))
        default: return self.says ? self : other
        }
    }
}
