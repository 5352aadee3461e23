import Postgres
import Synchronization

extension Profiles {
    /// The books that are read most, with their covers: the same for everybody who opens an app, so asked for once in a
    /// while and kept.
    final class TopBooks: Sendable {
        struct Kept: Sendable {
            let books: [Catalog.BookItem]
            let covers: [ID<Catalog.Work>: Media.Cover]
            let askedAt: ContinuousClock.Instant
        }

        private struct State {
            var kept: Kept?
            var asking = 0
        }

        private let age: Duration
        private let state = Mutex(State())

        /// What is kept is shown for `age`, and ten times as long while somebody is asking; zero keeps nothing.
        init(age: Duration) { self.age = age }

        func current(_ database: Database) async throws -> Kept {
            let began = ContinuousClock.now
            let known: Kept? = state.withLock { state in
                if let kept = state.kept, began - kept.askedAt < (state.asking > 0 ? age * 10 : age) { return kept }
                state.asking += 1
                return nil
            }
            if let known { return known }
            defer { state.withLock { $0.asking -= 1 } }
            let (books, covers) = try await database.pipeline(Catalog.TopBooks(), Media.Statements.CoversOfTop())
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
