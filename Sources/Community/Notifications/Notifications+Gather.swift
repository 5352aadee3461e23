import Jobs
import Postgres

extension Notifications {
    /// Tells those who follow a thread what was said there since the post `from`, put into the queue by the `Tell` of
    /// that post and run once things have gathered for a while (`CommunitySettings.gathering`): however fast a thread
    /// goes, each follower is told of it once in that time. At most one of a thread waits or runs; it puts the next one
    /// behind itself where followers are left, or something was said since it began. The `Tell`s of a thread come in any order: one that finds it
    /// there has it begin earlier (`joined`).
    struct Gather: Job {
        static let kind = "notifications.gather"

        let thread: ID<Boards.Thread>
        /// The number of the first post that is told.
        let from: Int32
        /// That of the last one, once the first portion of followers has been told.
        let through: Int32?
        /// The last follower who was told; 0 before the first, which is no identifier.
        let after: Int64
        /// Where the next one is to begin, where that is before `from`: some followers had been told already when it came.
        let again: Int32?

        init(
            _ thread: ID<Boards.Thread>, from: Int32, through: Int32? = nil, after: ID<Accounts.Account> = .min,
            again: Int32? = nil
        ) {
            self.thread = thread
            self.from = from
            self.through = through
            self.after = after.rawValue
            self.again = again
        }

        var uniqueKey: String? { thread.text }

        /// The same job with a post told besides; `nil` where it tells that as it is. Posts behind `through` are told by the next one.
        func joined(by number: Int32) -> Gather? {
            guard number < from else { return nil }
            guard through != nil else { return Gather(thread, from: number) }
            guard number < again ?? .max else { return nil }
            return Gather(thread, from: from, through: through, after: ID(rawValue: after), again: number)
        }
    }
}

extension Notifications.Store {
    /// Has the followers of a thread told of a post, by the job that waits for more or by another. To be called before anything else is locked
    /// that a `Gather` writes.
    func enqueue(_ gather: Notifications.Gather, in transaction: Transaction) async throws {
        let key = gather.thread.text
        while try await !gather.enqueue(in: transaction, after: house.settings.gathering) {
            // It may have been finished since.
            guard let known = try await Jobs.held(Notifications.Gather.self, key, in: transaction) else { continue }
            if let joined = known.joined(by: gather.from) { try await Jobs.rewrite(joined, in: transaction) }
            return
        }
    }

    /// Runs the job as it stands by now, and finishes it.
    func gather(
        _ thread: ID<Boards.Thread>, in transaction: Transaction, finish: (Transaction) async throws -> Void
    ) async throws {
        let job = try await Jobs.held(Notifications.Gather.self, thread.text, in: transaction)
        try await finish(transaction)
        if let job { try await gather(job, in: transaction) }
    }

    /// Tells a portion of a thread's followers, in the transaction in which the job has just been finished: only then is
    /// its key free for the next one, and whoever found it taken before has said what is read here.
    func gather(_ job: Notifications.Gather, in transaction: Transaction) async throws {
        guard let last = try await transaction.first(Notifications.Statements.LastNumber(thread: job.thread)) else {
            return
        }
        let through = job.through ?? last
        if let follower = try await tell(job, through: through, in: transaction) {
            let rest = Notifications.Gather(
                job.thread, from: job.from, through: through, after: follower, again: job.again)
            try await rest.enqueue(in: transaction)
        } else if job.again != nil || last > through {
            let next = Notifications.Gather(job.thread, from: job.again ?? through + 1)
            try await next.enqueue(in: transaction, after: house.settings.gathering)
        }
    }

    /// The last one who was told, where there may be more.
    private func tell(
        _ job: Notifications.Gather, through: Int32, in transaction: Transaction
    ) async throws -> ID<Accounts.Account>? {
        let scenes = try await transaction.all(
            Notifications.Statements.Said(thread: job.thread, from: job.from, through: through))
        guard let newest = scenes.first else { return nil }
        let limit = Limits.Notifications.batch
        let followers = try await transaction.all(
            Notifications.Statements.Followers(
                thread: job.thread, after: ID(rawValue: job.after), limit: limit, number: newest.number))
        let held = Set(
            try await transaction.all(
                Notifications.Statements.Hold(accounts: followers + scenes.map(\.author))))
        let gathered = try await gathered(scenes.filter { held.contains($0.author) }, in: transaction)
        try await put(gathered, of: job.thread, to: followers.filter(held.contains), in: transaction)
        return followers.count == limit ? followers.last : nil
    }

    private func gathered(
        _ scenes: [Notifications.Scene], in transaction: Transaction
    ) async throws -> Notifications.Gathered {
        var gathered = Notifications.Gathered()
        let mentioned = try await mentioned(in: scenes.map(\.body), transaction)
        for (scene, mentioned) in zip(scenes, mentioned) {
            gathered.posts.append(scene.post)
            gathered.authors.append(scene.author)
            gathered.numbers.append(scene.number)
            gathered.times.append(scene.at)
            for reader in direct(scene, mentioned: mentioned, isNew: true).readers {
                gathered.directPosts.append(scene.post)
                gathered.directReaders.append(reader)
            }
        }
        return gathered
    }

    private func put(
        _ gathered: Notifications.Gathered, of thread: ID<Boards.Thread>, to readers: [ID<Accounts.Account>],
        in transaction: Transaction
    ) async throws {
        guard !readers.isEmpty, !gathered.posts.isEmpty else { return }
        let now = house.clock.now()
        let told = try await transaction.all(
            Notifications.Statements.PutSaid(
                ids: try readers.map { _ in try house.ids.make() }, readers: readers, gathered: gathered,
                thread: thread, at: now, mailAt: mailTime(now)))
        guard !told.isEmpty else { return }
        let named = try await transaction.all(
            Notifications.Statements.PutSaidActors(
                notifications: told.map(\.told.id), more: told.map(\.more)))
        let actors = Dictionary(named.map { ($0.id, $0.actors) }, uniquingKeysWith: max)
        try await count(
            told.map {
                Counted(told: $0.told, kind: .threadReply, actors: actors[$0.told.id] ?? 0, actor: $0.actor)
            }, in: transaction)
    }
}
