import Jobs
import Synchronization
import TestSupport
import Testing

@testable import Community

/// A world whose settings name a stub that plays other catalogues. Without `tools` no covers are fetched.
func withSources(
    _ names: [Sources.Name], _ answers: [String: CatalogueStub.Answer], tools: Media.Tools? = nil,
    leaving leftovers: Leftovers = .nothing, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (World, CatalogueStub) async throws -> Void
) async throws {
    try await CatalogueStub.serving(answers) { stub in
        try await withWorld(
            leaving: leftovers, tools: tools, settings: { $0.sources = stub.settings(names) },
            sourceLocation: sourceLocation
        ) { world in
            try await body(world, stub)
        }
    }
}

/// The same, asking both.
func withSources(
    _ answers: [String: CatalogueStub.Answer], sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (World, CatalogueStub) async throws -> Void
) async throws {
    try await withSources([.openlibrary, .google], answers, sourceLocation: sourceLocation, body)
}

extension World {
    /// Rows of a table.
    func count(_ table: String) async throws -> String {
        try await asSuperuser("select count(*) from \(table)")[0][0] ?? ""
    }

    /// Runs the jobs of other catalogues, and the removal of files.
    func sourcesWorker() -> Jobs.Worker {
        let worker = Jobs.Worker(database: database, logger: logger)
        Sources.register(on: worker, community: community)
        return worker
    }
}

extension CatalogueAnswers {
    /// Dune, as both know it.
    static let duneAtBoth = duneAtOpenLibrary.merging([
        "/books/v1/volumes": .json(duneAtGoogle), "/books/v1/volumes/B1hSG45JCX4C": .json(duneVolume),
    ]) { first, _ in first }
}

/// On which no time has to pass: a task that sleeps wakes at once.
final class HastyClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let sleeps = Mutex<[Duration]>([])

    var now: Instant { Instant(offset: .zero) }
    var minimumResolution: Duration { .zero }
    /// How long each sleep was to be.
    var slept: [Duration] { sleeps.withLock { $0 } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        sleeps.withLock { $0.append(deadline.offset) }
        try Task.checkCancellation()
    }
}

extension String {
    /// Twelve digits, or thirteen of which the last does not count, with the right check digit.
    var isbnWithCheck: String {
        let digits = prefix(12).compactMap(\.wholeNumberValue) + Array(repeating: 0, count: Swift.max(0, 12 - count))
        return digits.map(String.init).joined() + String(ISBN.checkOfThirteen(digits))
    }
}
