import Neighbours
import Postgres

extension Suggestions {
    /// The neighbours of some works, as columns.
    struct Rows: Sendable {
        var works: [Int64] = []
        var others: [Int64] = []
        var scores: [Float] = []
        var readers: [Int32] = []
        var ranks: [Int16] = []

        init(_ rows: [(item: UInt32, neighbours: [Neighbour])], of named: [Int64]) {
            for (item, neighbours) in rows {
                for (place, neighbour) in neighbours.enumerated() {
                    works.append(named[Int(item)])
                    others.append(named[Int(neighbour.item)])
                    scores.append(neighbour.score)
                    readers.append(Int32(clamping: neighbour.readers))
                    ranks.append(Int16(place + 1))
                }
            }
        }
    }

    /// What stands on shelves that count: works by their places in the histories.
    struct Shelves: Sendable {
        let works: [Int64]
        let histories: Histories
    }

    /// Where the rows are worked out: beside what answers readers, which comes first.
    private static let threads = LowPriorityThreads(threads: 1, queue: 1)

    /// Throws `.busy` where as many wait already.
    static func workOut<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async throws -> Result {
        try Task.checkCancellation()
        guard let result = try await threads.run(work) else {
            throw Failure.busy("neighbours of books", retryAfter: .seconds(60))
        }
        return result
    }
}

extension Suggestions.Store {
    /// What is shown now; `nil` where nothing was ever made.
    package func generation() async throws -> Suggestions.Generation? {
        try await services.database.first(Suggestions.Statements.Current())
    }

    /// Does `refresh` where nothing is shown, or what is shown has no rows or is of an earlier day (UTC). Where it is of
    /// few readers an earlier hour is enough.
    package func refreshWhereDue() async throws {
        guard let shown = try await generation() else { return try await refresh() }
        let now = services.clock.now()
        let isDue =
            shown.asOf > now || shown.asOf.day < now.day || shown.rows == 0
            || shown.readers < Limits.suggestions.young && shown.asOf <= now - .seconds(3_600)
        if isDue { try await refresh() }
    }

    /// Works out the neighbours of all works and shows them, as a new generation. Takes away what former runs left.
    ///
    /// Memory: 8 bytes for each pair of a reader and a work, 24 for each work, and some rows. Throws `.busy` where two
    /// runs are under way in this process.
    package func refresh() async throws {
        let database = services.database
        try await clean()
        let asOf = services.clock.now()
        let generation = try await database.one(Suggestions.Statements.Begin(asOf: asOf))
        let shelves = try await shelves()
        let histories = shelves.histories
        let settings = ItemCosine.Settings(kept: Limits.suggestions.neighbours)
        let model = try await Suggestions.workOut { ItemCosine.Model(histories, settings) }
        var count = 0
        for start in stride(from: 0, to: histories.itemCount, by: Limits.suggestions.worksAtOnce) {
            let range = start..<min(start + Limits.suggestions.worksAtOnce, histories.itemCount)
            count += try await givingWay {
                let rows = try await Suggestions.workOut { Suggestions.Rows(model.rows(of: range), of: shelves.works) }
                if rows.works.isEmpty { return 0 }
                return try await database.run(Suggestions.Statements.PutRows(generation: generation, rows: rows))
            }
        }
        let shown = Suggestions.Statements.Show(generation: generation, readers: histories.readerCount, rows: count)
        // Another run began meanwhile and took this one's rows away.
        guard try await database.run(shown) == 1 else {
            throw Failure.busy("neighbours of books", retryAfter: .seconds(60))
        }
        try await clean()
    }

    /// Who has which works on shelves that count: of at most `Histories.readers` readers, those who came first.
    private func shelves() async throws -> Suggestions.Shelves {
        let works = try await services.database.transaction { transaction in
            try await transaction.run(Ranking.Statements.TakeTime(seconds: 600))
            return try await transaction.all(Suggestions.Statements.WorksOfReaders())
        }
        var places: [Int64: UInt32] = [:]
        places.reserveCapacity(works.count)
        for (place, work) in works.enumerated() { places[work] = UInt32(place) }
        var histories = Histories(itemCount: works.count)
        var (reader, items): (Int64, [UInt32]) = (0, [])
        var after = Suggestions.Statements.Pairs(reader: 0, work: 0)
        while histories.readerCount < Histories.readers {
            let batch = try await services.database.all(after)
            for part in batch {
                if part.reader != reader, !items.isEmpty, histories.readerCount < Histories.readers {
                    histories.add(items)
                    items.removeAll(keepingCapacity: true)
                }
                reader = part.reader
                items += part.works.lazy.compactMap { places[$0] }
            }
            guard let last = batch.last, let work = last.works.last else { break }
            after = Suggestions.Statements.Pairs(reader: last.reader, work: work)
        }
        if !items.isEmpty, histories.readerCount < Histories.readers { histories.add(items) }
        return Suggestions.Shelves(works: works, histories: histories)
    }

    /// Takes away all generations but the one that is shown, and their rows in small parts.
    private func clean() async throws {
        try await services.database.run(Suggestions.Statements.DropGenerations())
        while try await givingWay({ try await services.database.run(Suggestions.Statements.DropRows()) }) > 0 {
            try Task.checkCancellation()
        }
    }

    /// Does a part of the work, and leaves the machine to readers as long as that took.
    private func givingWay<Result>(_ part: () async throws -> Result) async throws -> Result {
        let began = ContinuousClock.now
        let result = try await part()
        try await Task.sleep(for: ContinuousClock.now - began)
        return result
    }
}
