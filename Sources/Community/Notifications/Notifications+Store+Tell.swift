import EventLog
import Jobs
import Postgres

extension Notifications {
    /// What one run of a `Tell` does.
    fileprivate struct Round {
        /// Each reader stands in one of them.
        var parts: [(notice: Notice, readers: [ID<Accounts.Account>])] = []
        /// Where the next one begins; `nil` where nobody is left.
        var next: ID<Accounts.Account>?
    }
}

extension Notifications.Store {
    /// Tells a portion of the readers whom a job concerns, in the transaction that ends the job; the rest is put behind
    /// it.
    func tell(_ job: Notifications.Tell, in transaction: Transaction) async throws {
        let round = try await round(of: job, in: transaction)
        let asked = round.parts.flatMap(\.readers)
        let there = Set(
            try await transaction.all(
                Notifications.Statements.Hold(accounts: asked + (job.account.map { [$0] } ?? []))))
        guard job.account.map(there.contains) ?? true else { return }
        var told: [(Notifications.Told, Notifications.Kind, actors: Int32)] = []
        for (notice, readers) in round.parts {
            told += try await put(notice, to: readers.filter(there.contains).sorted(), in: transaction)
        }
        try await count(told, by: job.account, in: transaction)
        if let next = round.next { try await job.rest(after: next).enqueue(in: transaction) }
    }

    /// The notifications that tell of it, and how many each names.
    private func put(
        _ notice: Notifications.Notice, to readers: [ID<Accounts.Account>], in transaction: Transaction
    ) async throws -> [(Notifications.Told, Notifications.Kind, actors: Int32)] {
        guard !readers.isEmpty else { return [] }
        let now = house.clock.now()
        let delay = Duration.seconds(Limits.Notifications.mailDelayMinutes * 60)
        let told = try await transaction.all(
            Notifications.Statements.Put(
                ids: try readers.map { _ in try house.ids.make() }, readers: readers, notice: notice, at: now,
                mailAt: house.settings.deliversMail ? now + delay : nil))
        guard let actor = notice.actor, !told.isEmpty else { return told.map { ($0, notice.kind, 0) } }
        let named = try await transaction.all(
            Notifications.Statements.PutActor(
                notifications: told.map(\.id), actor: actor, cause: notice.cause, at: now))
        let actors = Dictionary(named.map { ($0.id, $0.actors) }, uniquingKeysWith: max)
        return told.map { ($0, notice.kind, actors[$0.id] ?? 0) }
    }

    /// Counts what is new, and tells the inboxes.
    private func count(
        _ told: [(Notifications.Told, Notifications.Kind, actors: Int32)], by actor: ID<Accounts.Account>?,
        in transaction: Transaction
    ) async throws {
        guard !told.isEmpty else { return }
        let counts = try await transaction.all(
            Profiles.Statements.CountNotifications(
                readers: told.map(\.0.reader), more: told.map { $0.0.isNew ? 1 : 0 }))
        let unread = Dictionary(counts.map { ($0.reader, $0.unread) }, uniquingKeysWith: max)
        let events = try told.map { told, kind, actors in
            try Notifications.Event(
                id: told.id, kind: kind, actors: actors, unread: unread[told.reader] ?? 0, reader: told.reader,
                actor: actor
            ).row(house)
        }
        try transaction.atCommit { batch in
            for event in events { batch.run(EventLog.Statements.Append(event: event)) }
        }
    }
}

// Whom what happened concerns.
extension Notifications.Store {
    private func round(
        of job: Notifications.Tell, in transaction: Transaction
    ) async throws -> Notifications.Round {
        func alone(
            _ kind: Notifications.Kind, to reader: ID<Accounts.Account>?, subject: Int64 = 0,
            post: ID<Boards.Post>? = nil
        ) -> Notifications.Round {
            let notice = Notifications.Notice(
                kind: kind, subject: subject, cause: job.cause, actor: job.account, post: post)
            return Notifications.Round(parts: reader.map { [(notice, [$0])] } ?? [])
        }
        switch (job.what, job.post) {
        case (.told, _):
            return job.kind.map { alone($0, to: job.reader, subject: job.subject) } ?? Notifications.Round()
        case (.raised, let post?): return alone(.postRaised, to: job.reader, subject: post.rawValue, post: post)
        case (.reacted, let post?):
            guard let actor = job.account else { return Notifications.Round() }
            let author = try await transaction.first(Notifications.Statements.ReactedTo(post: post, actor: actor))
            return alone(.postReaction, to: author, subject: post.rawValue, post: post)
        case (.written, let post?), (.edited, let post?):
            guard let scene = try await transaction.first(Notifications.Statements.SceneOf(post: post)) else {
                return Notifications.Round()
            }
            let direct = try await direct(scene, isNew: job.what == .written, in: transaction)
            guard job.what == .written else { return direct }
            return try await followers(
                of: scene, after: ID(rawValue: job.after), besides: direct, in: transaction)
        case (_, nil): return Notifications.Round()
        }
    }

    /// Those whom a post answers, mentions and quotes, each once; of one that is not new those whom it mentions.
    private func direct(
        _ scene: Notifications.Scene, isNew: Bool, in transaction: Transaction
    ) async throws -> Notifications.Round {
        let folded = Markdown.render(scene.body).mentions.map(Accounts.Username.fold)
        let mentioned = folded.isEmpty ? [] : try await transaction.all(Notifications.Statements.Named(folded: folded))
        var round = Notifications.Round()
        var known: Set<ID<Accounts.Account>> = [scene.author]
        func add(_ kind: Notifications.Kind, _ subject: Int64, _ readers: [ID<Accounts.Account>]) {
            let new = readers.filter { known.insert($0).inserted }
            guard !new.isEmpty else { return }
            round.parts.append((scene.notice(kind, subject), new))
        }
        if isNew, let answered = scene.answered { add(.postReply, answered.post.rawValue, [answered.author]) }
        add(.postMention, scene.thread.rawValue, mentioned)
        if isNew, let quoted = scene.quoted { add(.postQuote, quoted.post.rawValue, [quoted.author]) }
        return round
    }

    /// A portion of those who follow where a post stands; with the first one also `direct`, who are left out of all.
    private func followers(
        of scene: Notifications.Scene, after: ID<Accounts.Account>, besides direct: Notifications.Round,
        in transaction: Transaction
    ) async throws -> Notifications.Round {
        let limit = Limits.Notifications.batch
        let found: [ID<Accounts.Account>]
        let notice: Notifications.Notice
        if !scene.isFirst {
            notice = scene.notice(.threadReply, scene.thread.rawValue)
            found = try await transaction.all(
                Notifications.Statements.Followers(
                    thread: scene.thread, after: after, limit: limit, number: scene.number))
        } else if let work = scene.work {
            notice = scene.notice(.boardThread, work.rawValue)
            found = try await transaction.all(
                Notifications.Statements.BoardFollowers(work: work, after: after, limit: limit))
        } else {
            return direct
        }
        let known = Set(direct.parts.flatMap(\.readers) + [scene.author])
        var round = after == .min ? direct : Notifications.Round()
        round.parts.append((notice, found.filter { !known.contains($0) }))
        round.next = found.count == limit ? found.last : nil
        return round
    }
}

extension Notifications.Scene {
    fileprivate func notice(_ kind: Notifications.Kind, _ subject: Int64) -> Notifications.Notice {
        Notifications.Notice(kind: kind, subject: subject, cause: post.rawValue, actor: author, post: post)
    }
}
