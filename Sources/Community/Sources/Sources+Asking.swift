import Logging
import Metrics
import Postgres
import Synchronization

extension Sources {
    /// One catalogue with what is known of its health.
    final class Lane: Sendable {
        /// What it is asked for, as its metric calls it.
        enum Purpose: String {
            case calls, covers
        }

        let source: any MetadataSource
        private let breaker = Mutex(CircuitBreaker())
        private let clock: any WallClock
        private let timer: any Clock<Duration>
        private let logger: Logger
        private let counters: [Outcome: Counter]

        /// `timer` ends calls that take too long.
        init(_ source: any MetadataSource, for purpose: Purpose, services: Services, timer: any Clock<Duration>) {
            self.source = source
            self.timer = timer
            clock = services.clock
            logger = services.logger
            counters = Dictionary(
                uniqueKeysWithValues: Outcome.allCases.map {
                    (
                        $0,
                        Counter(
                            label: "commonplace_source_\(purpose.rawValue)_total",
                            dimensions: [("source", source.name.rawValue), ("outcome", $0.rawValue)])
                    )
                })
        }

        /// Calls the source unless it is left in peace, for `Limits.sources.lookUpSeconds` at most, and learns from how
        /// that ends. Throws `Trouble`, and `CancellationError`.
        func call<Result: Sendable>(
            found: (Result) -> Bool, _ body: @escaping @Sendable (any MetadataSource) async throws -> Result
        ) async throws -> Result {
            guard breaker.withLock({ $0.admits(at: clock.now()) }) else {
                counters[.resting]?.increment()
                throw Trouble.resting
            }
            do {
                let result = try await Sources.within(.seconds(Limits.sources.lookUpSeconds), timer) { [source] in
                    try await body(source)
                }
                end(.answered)
                counters[found(result) ? .found : .nothing]?.increment()
                return result
            } catch let trouble as Trouble {
                var peace: Duration?
                if case .limited(let seconds) = trouble, let seconds {
                    peace = .seconds(min(max(seconds, 0), Limits.sources.longestRestSeconds))
                }
                end(.failed(peace: peace))
                counters[.failed]?.increment()
                logger.warning(
                    "another catalogue gave no answer",
                    metadata: ["source": "\(source.name.rawValue)", "trouble": "\(trouble.code)"])
                throw trouble
            } catch {
                end(.abandoned)
                throw error
            }
        }

        private func end(_ ending: CircuitBreaker.Ending) {
            let now = clock.now()
            breaker.withLock { $0.ended(ending, at: now) }
        }
    }

    /// What every catalogue said.
    struct Hearing: Sendable {
        var records: [Record] = []
        var asked: [(source: Name, outcome: Outcome)] = []

        /// Everybody answered, and nobody had it.
        var isSilence: Bool { !asked.isEmpty && asked.allSatisfy { $0.outcome == .nothing } }
    }
}

extension Sources.Store {
    /// Asks every catalogue at once; their records in the order in which the owner named them. One that fails takes
    /// nothing from the others.
    func hear(_ question: Sources.Question) async throws -> Sources.Hearing {
        try await withThrowingTaskGroup(of: (Int, [Sources.Record], Sources.Outcome).self) { group in
            for (place, lane) in lanes.enumerated() {
                group.addTask {
                    do {
                        let records = try await lane.call(found: { !$0.isEmpty }) {
                            try await $0.books(for: question).filter { question.isAnswered(by: $0) }
                        }
                        return (place, records, records.isEmpty ? .nothing : .found)
                    } catch let trouble as Sources.Trouble {
                        return (place, [], trouble == .resting ? .resting : .failed)
                    }
                }
            }
            var all: [(Int, [Sources.Record], Sources.Outcome)] = []
            for try await each in group { all.append(each) }
            var hearing = Sources.Hearing()
            for (place, records, outcome) in all.sorted(by: { $0.0 < $1.0 }) {
                hearing.records += records.prefix(Limits.sources.books)
                hearing.asked.append((lanes[place].source.name, outcome))
            }
            return hearing
        }
    }
}

extension Sources.Question {
    /// Catalogues also send what is only similar: that is not taken in.
    func isAnswered(by record: Sources.Record) -> Bool {
        switch self {
        case .isbn(let isbn): return record.find.edition.isbns.contains(isbn)
        case .title(let title, let author):
            let own = [record.find.work.title, record.find.work.subtitle, record.find.edition.title].compactMap(\.self)
            let words = Set(Normaliser.words(own.joined(separator: " "), limit: 200))
            let wanted = Normaliser.words(title)
            guard !wanted.isEmpty, wanted.allSatisfy(words.contains) else { return false }
            guard let author else { return true }
            let names = Set(Normaliser.words(record.find.authorNames.joined(separator: " "), limit: 200))
            let wantedNames = Normaliser.words(author)
            return wantedNames.allSatisfy { wanted in names.contains { $0.hasPrefix(wanted) || wanted.hasPrefix($0) } }
        }
    }
}
