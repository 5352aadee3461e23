import NIOCore
import Postgres
import Synchronization
import Web

/// Pages as all strangers see them, each made once a second at most, however many ask for it.
///
/// A page that was begun before the last transaction that this process committed is made anew: who writes, and who hides, sees it at once. What
/// another process changes shows within the second; so does what a single statement changes, and a commit whose outcome is not known.
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
    /// Pages of one second, at most; others are made and not kept.
    private static let room = 512
    /// Bytes of a page, and of an address, that are kept at most: all together take 64 MB and 256 KB.
    private static let most = (page: 128 * 1_024, address: 512)

    private let now: @Sendable () -> ContinuousClock.Instant
    private let commits = Atomic<Int>(0)
    private let state = Mutex(State())

    private struct State {
        var entries: [Key: Entry] = [:]
        /// When those whose time is over were thrown away: once a second, for it looks at all.
        var sweptAt: ContinuousClock.Instant?
    }

    init(watching database: Database, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.now = now
        // A pool outlives its pages by a moment.
        database.whenCommitted { [weak self] in self?.commits.add(1, ordering: .sequentiallyConsistent) }
    }

    /// The page that `make` makes, or one that was begun under the same key within the second and since the last change. Who asks for what is
    /// being made waits no longer than who asked first may.
    func page(_ key: Key, _ make: @escaping @Sendable () async throws -> Reply) async throws -> Reply {
        guard key.target.utf8.count <= Self.most.address else { return try await make() }
        let page = state.withLock { state in
            let (commits, now) = (commits.load(ordering: .sequentiallyConsistent), now())
            func isFresh(_ entry: Entry) -> Bool { entry.commits >= commits && now - entry.begunAt < Self.time }
            if let known = state.entries[key], isFresh(known) { return known.page }
            let page = Task { try await make() }
            if state.sweptAt.map({ now - $0 >= Self.time }) ?? true {
                state.entries = state.entries.filter { isFresh($0.value) }
                state.sweptAt = now
            }
            if state.entries[key] != nil || state.entries.count < Self.room {
                state.entries[key] = Entry(page: page, begunAt: now, commits: commits)
            }
            return page
        }
        do {
            let reply = try await page.value
            if case .bytes(let bytes) = reply.content, bytes.readableBytes > Self.most.page { forget(page, key) }
            return reply
        } catch {
            // The next who asks is not told of what was, perhaps, a moment's trouble.
            forget(page, key)
            throw error
        }
    }

    private func forget(_ page: Task<Reply, any Error>, _ key: Key) {
        state.withLock { if $0.entries[key]?.page == page { $0.entries[key] = nil } }
    }
}
