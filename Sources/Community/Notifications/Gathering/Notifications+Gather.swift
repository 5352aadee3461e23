import Jobs
import Postgres

extension Notifications {
    /// Tells those who follow a thread what was said there, put into the queue by the `Tell` of a post and run once
    /// things have gathered for a while (`CommunitySettings.gathering`): however fast a thread goes, each follower is
    /// told of it once in that time. At most one of a thread waits or runs; the `Tell`s of other posts join it, in any
    /// order. It tells of the posts that did, and of nothing else that stands between them: of each post followers are
    /// told once, also where its `Tell` is late, and nothing that they took away comes back.
    struct Gather: Job {
        static let kind = "notifications.gather"

        let thread: ID<Boards.Thread>
        /// The numbers of the posts that are told, ascending; at most `Limits.notifications.gatheredPosts`, the newest.
        private(set) var numbers: [Int32]
        /// The last follower who was told; 0 before the first, which is no identifier.
        fileprivate(set) var after: Int64
        /// Those of posts that came when some followers had been told; the next one tells them. As many, ascending.
        private(set) var next: [Int32]

        init(_ thread: ID<Boards.Thread>, _ numbers: [Int32], after: ID<Accounts.Account> = .min, next: [Int32] = []) {
            self.thread = thread
            self.numbers = numbers
            self.after = after.rawValue
            self.next = next
        }

        var uniqueKey: String? { thread.text }

        /// The same job with what another one of the thread tells, told besides or by the next one.
        func joined(by other: Gather) -> Gather {
            let late = other.numbers.filter { !numbers.contains($0) }
            var joined = self
            if ID(rawValue: after) == ID<Accounts.Account>.min {
                joined.numbers = Self.newest(of: numbers + late)
            } else {
                joined.next = Self.newest(of: next + late)
            }
            return joined
        }

        private static func newest(of numbers: [Int32]) -> [Int32] {
            Set(numbers).sorted().suffix(Limits.notifications.gatheredPosts)
        }
    }
}

extension Notifications.Store {
    /// Has the followers of a thread told of what `gather` tells, by that job or by the one that is there. To be called
    /// before anything else is locked that a `Gather` writes.
    func tellFollowers(by gather: Notifications.Gather, in transaction: Transaction) async throws {
        let key = gather.thread.text
        while try await !gather.enqueue(in: transaction, after: services.settings.gathering) {
            // It may have been finished since.
            guard let known = try await Jobs.locked(Notifications.Gather.self, key, in: transaction) else { continue }
            return try await Jobs.rewrite(known.joined(by: gather), in: transaction)
        }
    }

    /// Runs the job as it stands by now, and finishes it.
    func gather(
        _ thread: ID<Boards.Thread>, in transaction: Transaction, finish: (Transaction) async throws -> Void
    ) async throws {
        let job = try await Jobs.locked(Notifications.Gather.self, thread.text, in: transaction)
        try await finish(transaction)
        if let job { try await gather(job, in: transaction) }
    }

    /// Tells a portion of a thread's followers, in the transaction in which the job has just been finished: only then
    /// is its key free for the next one.
    func gather(_ job: Notifications.Gather, in transaction: Transaction) async throws {
        if let follower = try await tell(job, in: transaction) {
            var rest = job
            rest.after = follower.rawValue
            try await rest.enqueue(in: transaction)
        } else if !job.next.isEmpty {
            let next = Notifications.Gather(job.thread, job.next)
            try await next.enqueue(in: transaction, after: services.settings.gathering)
        }
    }

    /// The last one who was told, where there may be more.
    private func tell(_ job: Notifications.Gather, in transaction: Transaction) async throws -> ID<Accounts.Account>? {
        let bases = try await transaction.all(Notifications.Statements.Said(thread: job.thread, numbers: job.numbers))
        guard let newest = bases.first else { return nil }
        let limit = Limits.notifications.batch
        let followers = try await transaction.all(
            Notifications.Statements.Followers(
                thread: job.thread, after: ID(rawValue: job.after), limit: limit, number: newest.number))
        let held = Set(
            try await transaction.all(
                Notifications.Statements.Hold(accounts: followers + bases.map(\.author))))
        try await put(
            bases.filter { held.contains($0.author) }, of: job.thread, to: followers.filter(held.contains),
            in: transaction)
        return followers.count == limit ? followers.last : nil
    }

    private func put(
        _ said: [Notifications.Basis], of thread: ID<Boards.Thread>, to readers: [ID<Accounts.Account>],
        in transaction: Transaction
    ) async throws {
        guard !readers.isEmpty, !said.isEmpty else { return }
        let mentioned = try await mentioned(in: said.map(\.body), transaction)
        let direct = zip(said, mentioned).flatMap { basis, mentioned in
            self.direct(basis, mentioned: mentioned).readers.map {
                Notifications.Direct(post: basis.post, reader: $0)
            }
        }
        let now = services.clock.now()
        let told = try await transaction.all(
            Notifications.Statements.PutSaid(
                ids: try readers.map { _ in try services.ids.make() }, readers: readers, said: said,
                direct: direct, thread: thread, at: now, mailAt: mailTime(now)))
        guard !told.isEmpty else { return }
        let named = try await transaction.all(Notifications.Statements.PutSaidActors(told: told))
        let actors = Dictionary(named.map { ($0.id, $0.actors) }, uniquingKeysWith: max)
        try await count(
            told.map {
                Counted(told: $0.told, kind: .threadReply, actors: actors[$0.told.id] ?? 0, actor: $0.actor)
            }, in: transaction)
    }
}
