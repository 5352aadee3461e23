import Postgres

// What a reader keeps about threads and boards: how far read, followed, muted. It is the reader's own; a frozen account
// keeps it, too.
extension Boards.Store {
    /// Marks the posts of a thread as read, up to a number; what was read before stays read. Throws `.notFound` where
    /// the reader may not know of the thread, `.invalid` (`/number` `out_of_range`) beyond its last post.
    package func markRead(_ thread: ID<Boards.Thread>, upTo number: Int, by reader: ID<Accounts.Account>) async throws {
        try await services.database.transaction { transaction in
            let posts = try await posts(of: thread, for: reader, in: transaction)
            guard (0...posts).contains(number) else {
                throw Failure.invalid("/number", .outOfRange, "the thread has posts 1 to \(posts)")
            }
            try await transaction.run(
                Boards.Statements.MarkRead(reader: reader, thread: thread, number: number, at: services.clock.now()))
        }
    }

    /// Forgets how far a thread was read, also one that the reader sees no more; nothing where that is nowhere.
    package func markUnread(_ thread: ID<Boards.Thread>, by reader: ID<Accounts.Account>) async throws {
        try await services.database.run(
            Boards.Statements.MarkUnread(reader: reader, thread: thread, at: services.clock.now()))
    }

    /// Marks everything on the board of a book as read, as far as it has been written: threads that were never opened,
    /// too. Throws `.notFound`.
    package func markRead(boardOf work: ID<Catalog.Work>, by reader: ID<Accounts.Account>) async throws {
        try await services.database.transaction { transaction in
            _ = try await services.database.pipeline(
                Accounts.Statements.LockState(reader: reader), Catalog.HoldBoth(work: work))
            let hold = Boards.Statements.HoldBoard(reader: reader, work: work)
            guard let board = try await transaction.first(hold) else { throw Failure.notFound("book \(work)") }
            try await transaction.run(mark(board.rawValue, by: reader))
        }
    }

    /// The same of a group's board. Throws as `threads(in:)` does.
    package func markRead(boardOf group: ID<Groups.Group>, by reader: ID<Accounts.Account>) async throws {
        try await mayRead(boardOf: group, .reader(reader))
        try await services.database.run(mark(group.rawValue, by: reader))
    }

    private func mark(_ board: Int64, by reader: ID<Accounts.Account>) -> Boards.Statements.MarkBoard {
        let now = services.clock.now()
        return Boards.Statements.MarkBoard(
            reader: reader, board: board, settled: IDMaker.first(at: now - Limits.boards.writing), at: now)
    }

    /// Follows or mutes a thread, one in the place of the other. Throws `.notFound`, `.conflict` (`too_many_watched`).
    package func watch(
        _ thread: ID<Boards.Thread>, as watching: Boards.Watching, by reader: ID<Accounts.Account>
    ) async throws {
        try await services.database.transaction { transaction in
            _ = try await posts(of: thread, for: reader, in: transaction)
            let watch = Boards.Statements.WatchThread(
                reader: reader, thread: thread, watching: watching, at: services.clock.now())
            guard try await transaction.run(watch) == 1 else { return }
            let bound = Limits.boards.watchedThreads
            try Self.check(
                try await transaction.one(Boards.Statements.CountWatchedThreads(reader: reader, limit: bound + 1)),
                bound)
        }
    }

    /// Threads that a reader follows, last written in first; the key is that of the last post. What lies ahead is a
    /// placeholder, what is not seen is left out.
    package func followedThreads(
        of reader: ID<Accounts.Account>, page: PageRequest<Int64>
    ) async throws -> Page<Boards.ShownThread, Int64> {
        let database = services.database
        let threads = try await page.read(from: .highest, key: \.key) {
            try await database.all(Boards.Statements.FollowedThreads(viewer: reader, span: $0))
        }
        return threads.map(\.item)
    }

    /// No longer follows (or mutes) a thread, also one that the reader sees no more; nothing where it does not.
    package func unwatch(
        _ thread: ID<Boards.Thread>, as watching: Boards.Watching, by reader: ID<Accounts.Account>
    ) async throws {
        try await services.database.run(
            Boards.Statements.UnwatchThread(
                reader: reader, thread: thread, watching: watching, at: services.clock.now()))
    }

    /// Follows or mutes the board of a book, one in the place of the other. Throws `.notFound`, `.conflict`
    /// (`too_many_watched`).
    package func watch(
        boardOf work: ID<Catalog.Work>, as watching: Boards.Watching, by reader: ID<Accounts.Account>
    ) async throws {
        try await services.database.transaction { transaction in
            _ = try await services.database.pipeline(
                Accounts.Statements.LockState(reader: reader), Catalog.HoldBoth(work: work))
            let hold = Boards.Statements.HoldBoard(reader: reader, work: work)
            guard let board = try await transaction.first(hold) else { throw Failure.notFound("book \(work)") }
            let watch = Boards.Statements.WatchBoard(
                reader: reader, work: board, watching: watching, at: services.clock.now())
            guard try await transaction.run(watch) == 1 else { return }
            let bound = Limits.boards.watched
            try Self.check(
                try await transaction.one(Boards.Statements.CountWatchedBoards(reader: reader, limit: bound + 1)),
                bound)
        }
    }

    /// No longer follows (or mutes) the board of a book; nothing where it does not.
    package func unwatch(
        boardOf work: ID<Catalog.Work>, as watching: Boards.Watching, by reader: ID<Accounts.Account>
    ) async throws {
        try await services.database.run(Boards.Statements.UnwatchBoard(reader: reader, work: work, watching: watching))
    }

    /// Follows or mutes the board of a group that the reader is in, one in the place of the other, until they leave it.
    /// Throws `.notFound` for one of which the reader may not know, `.forbidden` (`not_a_member`).
    package func watch(
        boardOf group: ID<Groups.Group>, as watching: Boards.Watching, by reader: ID<Accounts.Account>
    ) async throws {
        guard try await Groups.Store(services).group(group, for: .reader(reader)).role != nil else {
            throw Failure.notMember
        }
        try await services.database.run(
            Boards.Statements.WatchGroupBoard(reader: reader, group: group, watching: watching))
    }

    /// No longer follows (or mutes) the board of a group; nothing where it does not.
    package func unwatch(
        boardOf group: ID<Groups.Group>, as watching: Boards.Watching, by reader: ID<Accounts.Account>
    ) async throws {
        try await services.database.run(
            Boards.Statements.UnwatchGroupBoard(reader: reader, group: group, watching: watching))
    }

    private static func check(_ watched: Int, _ bound: Int) throws(Failure) {
        guard watched <= bound else {
            throw .conflict(code: .tooManyWatched, "at most \(bound) can be followed or muted")
        }
    }

    private func posts(
        of thread: ID<Boards.Thread>, for reader: ID<Accounts.Account>, in transaction: Transaction
    ) async throws -> Int {
        guard
            let posts = try await transaction.first(Boards.Statements.ThreadBasis(viewer: reader, thread: thread))
        else { throw Failure.notFound("thread \(thread)") }
        return Int(posts)
    }
}
