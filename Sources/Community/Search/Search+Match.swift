import Postgres

extension Search {
    /// The works that match, and what they match.
    struct Match: Sendable {
        /// The query as it was run at last.
        var terms: [Term]
        /// Most popular first, at most `Limits.search.candidates`.
        var works: [ID<Catalog.Work>]
        /// Words that were left out.
        var ignored: [String]
        /// `works` are all that match.
        var isComplete: Bool
        /// Works in the index, about.
        var indexed = 0
        /// What the works must be beside that.
        var conditions = Catalog.Browse.Conditions()

        /// The corrected query, in the words of the best hit; `nil` where nothing that the hit has was corrected.
        func spelling(as best: Ranking?) -> String? {
            guard terms.contains(where: \.isCorrected) else { return nil }
            let held = Set((best.map { $0.title + " " + $0.author } ?? "").split(separator: " ").map(String.init))
            let words = terms.filter { $0.field != .genre }.map { term in
                let word = term.words.first { held.contains(String($0.dropFirst(term.field.tag.count))) }
                return String((word ?? term.words[0]).dropFirst(term.field.tag.count))
            }
            let asked = terms.filter { $0.field != .genre }.map { String($0.asked.dropFirst($0.field.tag.count)) }
            return words == asked ? nil : words.joined(separator: " ")
        }
    }
}

extension Search.Store {
    /// Finds what matches; where nothing does, corrects words, and at last leaves out the rarest.
    func matching(_ asked: [Search.Term], wanted: Int = Limits.search.candidates) async throws -> Search.Match {
        let (counted, works) = try await self.counted(asked)
        var terms = try await corrected(counted)
        var ignored = terms.filter { $0.count == 0 && terms.count > 1 }.map(\.plain)
        if terms.count > 1 { terms.removeAll { $0.count == 0 } }
        guard terms.contains(where: { $0.count > 0 }) else {
            return Search.Match(terms: [], works: [], ignored: ignored, isComplete: true)
        }
        func match(_ terms: [Search.Term]) async throws -> Search.Match? {
            let found = try await candidates(terms, works: works, wanted: wanted)
            if found.isEmpty { return nil }
            return Search.Match(
                terms: terms, works: found, ignored: ignored, isComplete: found.count < wanted, indexed: works)
        }
        if let match = try await match(terms) { return match }
        // Each word occurs, but not beside the others: one may be another word misspelt.
        let respelt = try await self.respelt(terms)
        if respelt != terms, let match = try await match(respelt) { return match }
        // The rarest word is the likeliest to be wrong. What is asked of a field stays.
        for _ in 0..<3 {
            guard terms.count > 1,
                let rarest = terms.indices.filter({ terms[$0].field == .any }).min(by: {
                    (terms[$0].count, terms[$0].asked) < (terms[$1].count, terms[$1].asked)
                })
            else { break }
            ignored.append(terms.remove(at: rarest).plain)
            if let match = try await match(terms) { return match }
        }
        return Search.Match(terms: [], works: [], ignored: [], isComplete: true)
    }

    /// The terms, words that no work holds in the spellings that some do; of very many none but the first are looked
    /// into.
    private func corrected(_ terms: [Search.Term]) async throws -> [Search.Term] {
        var terms = terms
        for index in terms.indices.filter({ terms[$0].count == 0 }).prefix(Limits.search.respelt) {
            let others = try await corrections(
                of: terms[index].asked, in: terms[index].field, limit: terms.count == 1 ? 3 : Limits.search.corrections)
            if !others.isEmpty { terms[index].replace(by: others) }
        }
        return terms
    }

    /// The terms, each that was not corrected with what it may be a misspelling of beside it.
    private func respelt(_ terms: [Search.Term]) async throws -> [Search.Term] {
        var terms = terms
        for index in terms.indices.filter({ !terms[$0].isCorrected }).prefix(Limits.search.respelt) {
            let others = try await corrections(
                of: terms[index].asked, in: terms[index].field, limit: Limits.search.corrections)
            if !others.isEmpty { terms[index].widen(by: others) }
        }
        return terms
    }

    /// The terms with the number of works that hold each, and the number of works in the index.
    func counted(_ terms: [Search.Term]) async throws -> ([Search.Term], works: Int) {
        let words = terms.flatMap { term in term.words.map { ($0, term.isOpen) } }
        let counts = try await services.database.all(
            Search.Statements.CountTerms(words: words.map(\.0), isOpen: words.map(\.1)))
        var rest = counts[...]
        let counted = terms.map { term in
            var term = term
            term.count = rest.prefix(term.words.count).reduce(0) { $0 + $1.count }
            rest = rest.dropFirst(term.words.count)
            return term
        }
        return (counted, counts.first?.works ?? 0)
    }

    /// The most popular works that hold all terms, by the plan that fits the counts, or by `plan`.
    func candidates(
        _ terms: [Search.Term], works: Int, wanted limit: Int = Limits.search.candidates, plan: Search.Plan? = nil
    ) async throws -> [ID<Catalog.Work>] {
        let whole = terms.map { $0.text() }.joined(separator: " & ")
        if plan ?? .choose(terms, works: works, wanted: limit) == .popularity {
            let found = try await services.database.all(Search.Statements.MatchingPopular(whole: whole, limit: limit))
            // Fewer than are wanted: there are others further down.
            if found.count == limit { return found }
        }
        let selective = Search.Plan.selective(terms).map { $0.text() }.joined(separator: " & ")
        return try await services.database.all(
            Search.Statements.MatchingWords(selective: selective, whole: whole, limit: limit))
    }

    /// The most popular works that match what a match was found with, and meet a filter. Words are corrected and left
    /// out by what they find without it.
    func narrowed(
        _ match: Search.Match, to filter: Catalog.Browse.Filter, wanted limit: Int
    ) async throws -> Search.Match {
        guard !filter.isEmpty, !match.terms.isEmpty else { return match }
        var match = match
        guard let conditions = try await Catalog.Store(services).conditions(of: filter) else {
            match.works = []
            match.isComplete = true
            return match
        }
        match.works = try await candidates(match.terms, meeting: conditions, works: match.indexed, wanted: limit)
        match.isComplete = match.works.count < limit
        match.conditions = conditions
        return match
    }

    /// The most popular works that hold all terms and meet conditions, by the plan that fits the counts, or by `plan`.
    func candidates(
        _ terms: [Search.Term], meeting conditions: Catalog.Browse.Conditions, works: Int,
        wanted limit: Int = Limits.search.candidates, plan: Search.Plan? = nil
    ) async throws -> [ID<Catalog.Work>] {
        let scope = conditions.smallest
        let selective = Search.Plan.selective(terms).map { $0.text() }.joined(separator: " & ")
        let whole = terms.map { $0.text() }.joined(separator: " & ")
        func found(by plan: Search.Plan) async throws -> [ID<Catalog.Work>] {
            var conditions = conditions
            if plan == .scope { conditions.scopes.removeAll { $0 == scope?.id } }
            return try await services.database.all(
                Search.Statements.MatchingFiltered(
                    plan: plan, selective: selective, whole: whole, conditions: conditions, limit: limit))
        }
        let plan = plan ?? .choose(terms, within: scope, works: works, wanted: limit)
        guard plan == .popularity else { return try await found(by: plan) }
        let popular = try await found(by: plan)
        // Fewer than are wanted: there are others further down.
        return popular.count == limit ? popular : try await found(by: .collect(terms, within: scope))
    }
}

extension Search.Term {
    /// The word as it was asked for, without the field's tag.
    var plain: String { String(asked.dropFirst(field.tag.count)) }

    /// Lets other words stand for this one.
    mutating func replace(by others: [Search.Counted]) {
        words = others.map(\.word)
        count = others.reduce(0) { $0 + $1.count }
        isCorrected = true
    }

    /// Lets other words stand beside this one.
    mutating func widen(by others: [Search.Counted]) {
        words = [asked] + others.map(\.word)
        count += others.reduce(0) { $0 + $1.count }
        isCorrected = true
    }
}
