import Postgres
import Synchronization

extension Profiles {
    /// The books that are read most, with their covers: the same for everybody who opens an app, so asked for once in a while and kept.
    final class TopBooks: Sendable {
        struct Kept: Sendable {
            let books: [Catalog.BookItem]
            let covers: [ID<Catalog.Work>: Media.Cover]
            let askedAt: ContinuousClock.Instant
        }

        private struct State {
            var kept: Kept?
            var isAsking = false
        }

        private let age: Duration
        private let state = Mutex(State())

        /// What is kept is shown for `age`, and twice as long while somebody is asking; zero keeps nothing.
        init(age: Duration) { self.age = age }

        func current(_ database: Database) async throws -> Kept {
            let began = ContinuousClock.now
            let known: Kept? = state.withLock { state in
                if let kept = state.kept, began - kept.askedAt < (state.isAsking ? age * 2 : age) { return kept }
                state.isAsking = true
                return nil
            }
            if let known { return known }
            defer { state.withLock { $0.isAsking = false } }
            let (books, covers) = try await database.together(
                Catalog.TopBooks(), Media.Statements.CoversOfTop())
            let kept = Kept(
                books: books, covers: Dictionary(covers.map { ($0.work, $0.cover) }) { first, _ in first },
                askedAt: began)
            return state.withLock { state in
                // Another may have asked later and been answered sooner.
                if let newer = state.kept, newer.askedAt > began { return newer }
                state.kept = kept
                return kept
            }
        }
    }
}
