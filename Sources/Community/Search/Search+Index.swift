import Postgres
import Synchronization

extension Search {
    /// Brings the index up to what the catalogue says about these works **now**, in the transaction that changed them:
    /// added, corrected, merged, hidden or deleted, whatever it was. For a few works; `mark` is for many.
    ///
    /// The marks are taken and the rows locked before the catalogue is read, so that of two transactions that index one
    /// work the later one sees the other's change: a work that has no row yet has a mark.
    package static func index(_ works: some Sequence<ID<Catalog.Work>>, in queryable: some Queryable) async throws {
        _ = try await index(works, in: queryable) { $0.sorted() }
    }

    /// `news` gives those of the words of these works that may be new to the vocabulary, in the order of their bytes.
    /// They are given back.
    static func index(
        _ works: some Sequence<ID<Catalog.Work>>, in queryable: some Queryable,
        news: @Sendable (Set<String>) -> [String]
    ) async throws -> [String] {
        let works = Set(works).sorted()
        guard !works.isEmpty else { return [] }
        try await queryable.run(Statements.PlanAnew())
        try await queryable.run(Statements.TakeMarks(works: works))
        try await queryable.run(Statements.LockRows(works: works))
        let documents = try await queryable.all(Statements.Sources(works: works)).map(Document.init)
        let gone = Set(works).subtracting(documents.map(\.work))
        if !gone.isEmpty { try await queryable.run(Statements.RemoveRows(works: gone.sorted())) }
        try await queryable.run(Statements.PlanFreely())
        guard !documents.isEmpty else { return [] }
        try await queryable.run(Statements.PutRows(documents: documents))
        let added = news(documents.reduce(into: Set<String>()) { $0.formUnion($1.vocabulary) })
        if !added.isEmpty { try await queryable.run(Statements.AddWords(words: added)) }
        return added
    }

    /// Takes works out of the index that are about to be deleted from the catalogue, in the transaction that deletes
    /// them.
    package static func remove(_ works: [ID<Catalog.Work>], in queryable: some Queryable) async throws {
        guard !works.isEmpty else { return }
        // Waits for an indexing of one of them, and has the next refresh look again: no row outlives its work.
        try await mark(works, in: queryable)
        try await queryable.run(Statements.RemoveRows(works: works))
    }

    /// Says that these works are to be indexed: the job `Refresh` does it within seconds of the commit. Cheap: one
    /// narrow row a work.
    package static func mark(_ works: some Sequence<ID<Catalog.Work>>, in queryable: some Queryable) async throws {
        // In one order, so that two imports never wait for each other.
        let works = Set(works).sorted()
        if !works.isEmpty { try await queryable.run(Statements.Mark(works: works)) }
    }

    /// Says that all works of these authors are to be indexed.
    package static func mark(worksOf authors: [ID<Catalog.Author>], in queryable: some Queryable) async throws {
        if !authors.isEmpty { try await queryable.run(Statements.MarkWorksOf(authors: authors)) }
    }
}

extension Search.Store {
    /// Indexes every marked work, in batches of one transaction each, `hands` of them at once where the pool has as
    /// many to spare. Any number of callers may do so at once. Gives the number of works; `progress` gets it as it
    /// grows.
    @discardableResult
    package func refresh(hands: Int = 1, progress: @escaping @Sendable (Int) -> Void = { _ in }) async throws -> Int {
        let tally = Search.Tally(progress)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<min(hands, spare) { group.addTask { try await indexMarked(tally) } }
            try await group.waitForAll()
        }
        // Also of what was indexed by hand.
        try await services.database.transaction { transaction in
            try await transaction.run(Search.Statements.WriteInBulk())
            try await transaction.run(Search.Statements.Tidy())
        }
        return tally.works
    }

    /// Half of the connections beside one: indexing keeps no request waiting for long.
    private var spare: Int { max(1, (services.database.settings.exclusiveConnections - 1) / 2) }

    private func indexMarked(_ tally: Search.Tally) async throws {
        var found = 1
        while found > 0 {
            found = 0
            var after = ID<Catalog.Work>(rawValue: .min)
            while true {
                let from = after
                let (works, words) = try await services.database.transaction { transaction in
                    try await transaction.run(Search.Statements.WriteInBulk())
                    let works = try await transaction.all(
                        Search.Statements.TakeMarked(after: from, limit: Limits.search.batch))
                    return (works, try await Search.index(works, in: transaction, news: tally.news))
                }
                guard let last = works.max() else { break }
                after = last
                found += works.count
                tally.add(works.count, words)
            }
        }
    }

    /// Marks every work that the catalogue has or had. Gives their number.
    @discardableResult
    package func markAll() async throws -> Int {
        var after = ID<Catalog.Work>(rawValue: .min)
        var marked = 0
        while let (last, count) = try await services.database.first(
            Search.Statements.MarkAll(after: after, limit: 20_000)), let last
        {
            after = last
            marked += count
        }
        return marked
    }

    /// Makes the whole index anew: marks everything, indexes it and counts the words. `progress` gets the works done so
    /// far.
    package func rebuild(progress: @escaping @Sendable (Int) -> Void = { _ in }) async throws {
        try await markAll()
        // From here on every row is in this format or marked: where this ends early, any refresh goes on with what is
        // left.
        try await services.database.run(Search.Statements.SetFormat(format: Search.format))
        try await refresh(hands: Limits.search.hands, progress: progress)
        try await settle()
    }

    /// Counts words after much was indexed. What was indexed was weighed with it.
    package func settle() async throws {
        try await countWords()
        try await services.database.run(Search.Statements.WeighState())
    }

    /// Counts how many works hold each word. Words come and go while it runs; nothing waits for it for longer than one
    /// batch. Of two counts at once the second waits for the first: they share a table.
    package func countWords() async throws {
        while true {
            let hadTurn = try await services.database.session { turn in
                guard try await turn.one(Search.Statements.TakeCountingTurn()) else { return false }
                try await countWordsAlone()
                return true
            }
            if hadTurn { return }
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    private func countWordsAlone() async throws {
        try await services.database.transaction { transaction in
            try await transaction.run(Search.Statements.LongStatement())
            try await transaction.run(Search.Statements.ClearCounts())
            try await transaction.run(Search.Statements.CountWords())
        }
        var after = ""
        while let last = try await services.database.one(Search.Statements.PutCounts(after: after, limit: 5_000)) {
            after = last
        }
        after = ""
        while let last = try await services.database.one(Search.Statements.DropWords(after: after, limit: 5_000)) {
            after = last
        }
        try await services.database.run(Search.Statements.ClearCounts())
        try await services.database.run(Search.Statements.WordsCounted(at: services.clock.now()))
    }

    /// Brings the popularity of every work up to date; those where nothing changed are not written.
    package func weighPopularity() async throws {
        var after = ID<Catalog.Work>(rawValue: .min)
        while let last = try await services.database.one(
            Search.Statements.WeighPopularity(after: after, limit: 10_000))
        {
            after = last
        }
        try await services.database.run(Search.Statements.WeighState())
    }
}

extension Search {
    /// What several hands have indexed so far.
    final class Tally: Sendable {
        private let state = Mutex<(works: Int, words: Set<String>)>((0, []))
        private let progress: @Sendable (Int) -> Void

        init(_ progress: @escaping @Sendable (Int) -> Void) { self.progress = progress }

        var works: Int { state.withLock { $0.works } }

        /// The words that no hand has added yet, as far as is remembered: the first `Limits.search.knownWords`.
        @Sendable func news(among words: Set<String>) -> [String] {
            state.withLock { state in words.filter { !state.words.contains($0) } }.sorted()
        }

        /// To be called when the transaction that added `words` is committed.
        func add(_ works: Int, _ words: [String]) {
            progress(
                state.withLock { state in
                    state.works += works
                    if state.words.count < Limits.search.knownWords { state.words.formUnion(words) }
                    return state.works
                })
        }
    }
}
