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

        mutating func append(_ neighbours: [Neighbour], of work: Int64, named: [Int64]) {
            for (place, neighbour) in neighbours.enumerated() {
                works.append(work)
                others.append(named[Int(neighbour.item)])
                scores.append(neighbour.score)
                readers.append(Int32(clamping: neighbour.readers))
                ranks.append(Int16(place + 1))
            }
        }
    }

    /// Where the rows are worked out: beside what answers readers, which comes first.
    private static let threads = LowPriorityThreads(threads: 1, queue: 16)

    /// Throws `.busy` where sixteen wait already: communities that share a process take turns.
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
    /// Memory: 12 bytes for each pair of a reader and a work, 40 for each listed work, and some rows. Runs of one process take turns;
    /// throws `.busy` where too many wait for theirs.
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
            let parts = try await givingWay {
                try await Suggestions.workOut { shelves.parts(of: model.rows(of: range)) }
            }
            for rows in parts {
                count += try await givingWay {
                    try await database.run(Suggestions.Statements.PutRows(generation: generation, rows: rows))
                }
            }
        }
        let shown = Suggestions.Statements.Show(generation: generation, readers: histories.readerCount, rows: count)
        // Another run began meanwhile and took this one's rows away.
        guard try await database.run(shown) == 1 else {
            throw Failure.busy("neighbours of books", retryAfter: .seconds(60))
        }
        try await clean()
    }

    /// Who has which works on shelves that count: of at most `Histories.readers` readers, those who came first. Read in
    /// small parts, as all that the job asks of Postgres: a long statement would take a processor from readers.
    private func shelves() async throws -> Suggestions.Shelves {
        let database = services.database
        var works: [Int64] = []
        while true {
            let listed = Suggestions.Statements.Listed(after: works.last ?? 0)
            let part = try await givingWay { try await database.all(listed) }
            if part.isEmpty { break }
            works += part
        }
        var pairs = Suggestions.Pairs(of: works)
        var after = Suggestions.Statements.PairsOfReaders(reader: 0, work: 0)
        while pairs.readerCount <= Histories.readers {
            let batch = try await givingWay { [after] in try await database.all(after) }
            guard let last = batch.last, let work = last.works.last else { break }
            for (reader, works) in batch { pairs.add(works, of: reader) }
            after = Suggestions.Statements.PairsOfReaders(reader: last.reader, work: work)
        }
        return try await Suggestions.workOut { [pairs] in pairs.shelves() }
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
