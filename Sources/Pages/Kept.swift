import Postgres
import Synchronization
import Web

/// Pages as all strangers see them, each made once a second at most, however many ask for it.
///
/// A page that was begun before the last change that this process committed is made anew: who writes, and who hides, sees it at once. What
/// another process changes shows within the second.
final class Kept: Sendable {
    struct Key: Hashable {
        let target: String
        let base: String
        let language: String
    }

    private struct Entry: Sendable {
        let page: Task<Reply, any Error>
        let begunAt: ContinuousClock.Instant
        /// How much had been committed when it was begun.
        let commits: Int
    }

    static let time = Duration.seconds(1)
    /// From here on those whose time is over are thrown away before another is kept.
    private static let few = 64
    /// Pages of one second, at most: some 30 MB. Others are made and not kept.
    private static let room = 512

    private let now: @Sendable () -> ContinuousClock.Instant
    private let commits = Atomic<Int>(0)
    private let entries = Mutex<[Key: Entry]>([:])

    init(watching database: Database, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.now = now
        // A pool outlives its pages by a moment.
        database.whenCommitted { [weak self] in self?.commits.add(1, ordering: .sequentiallyConsistent) }
    }

    /// The page that `make` makes, or one that was begun under the same key within the second and since the last change.
    func page(_ key: Key, _ make: @escaping @Sendable () async throws -> Reply) async throws -> Reply {
        let commits = commits.load(ordering: .sequentiallyConsistent)
        let now = now()
        func isFresh(_ entry: Entry) -> Bool { entry.commits == commits && now - entry.begunAt < Self.time }
        let page = entries.withLock { entries in
            if let known = entries[key], isFresh(known) { return known.page }
            let page = Task { try await make() }
            if entries.count >= Self.few { entries = entries.filter { isFresh($0.value) } }
            if entries.count < Self.room { entries[key] = Entry(page: page, begunAt: now, commits: commits) }
            return page
        }
        do {
            return try await page.value
        } catch {
            // The next who asks is not told of what was, perhaps, a moment's trouble.
            entries.withLock { if $0[key]?.page == page { $0[key] = nil } }
            throw error
        }
    }
}
