import EventLog
import Jobs
import Postgres

extension Notifications {
    /// What one run of a `Tell` does.
    struct Round {
        /// Each reader stands in one of them.
        var parts: [(notice: Notice, readers: [ID<Accounts.Account>])] = []
        /// Where the next one begins; `nil` where nobody is left.
        var next: ID<Accounts.Account>?
        /// Whoever follows is told later.
        var gather: Gather?

        var readers: [ID<Accounts.Account>] { parts.flatMap(\.readers) }
    }
}

extension Notifications.Store {
    /// Tells a portion of the readers whom a job concerns, in the transaction that ends the job; the rest is put behind
    /// it.
    func tell(_ job: Notifications.Tell, in transaction: Transaction) async throws {
        let round = try await round(of: job, in: transaction)
        let asked = round.readers
        let there = Set(
            try await transaction.all(
                Notifications.Statements.Hold(accounts: asked + (job.account.map { [$0] } ?? []))))
        guard job.account.map(there.contains) ?? true else { return }
        if let gather = round.gather { try await tellFollowers(by: gather, in: transaction) }
        var told: [Counted] = []
        for (notice, readers) in round.parts {
            told += try await put(notice, to: readers.filter(there.contains).sorted(), in: transaction)
        }
        try await count(told, in: transaction)
        if let next = round.next { try await job.rest(after: next).enqueue(in: transaction) }
    }

    /// A notification that is to be counted and told to its reader's inbox.
    struct Counted {
        let told: Notifications.Told
        let kind: Notifications.Kind
        /// Whom it names.
        let actors: Int32
        /// Who did the newest; `nil` where nobody is named.
        let actor: ID<Accounts.Account>?
    }

    /// When a mail may tell of what is told now; `nil` where this server sends none.
    func mailTime(_ now: Timestamp) -> Timestamp? {
        house.settings.deliversMail ? now + .seconds(Limits.Notifications.mailDelayMinutes * 60) : nil
    }

    /// The notifications that tell of it.
    private func put(
        _ notice: Notifications.Notice, to readers: [ID<Accounts.Account>], in transaction: Transaction
    ) async throws -> [Counted] {
        guard !readers.isEmpty else { return [] }
        let now = house.clock.now()
        let told = try await transaction.all(
            Notifications.Statements.Put(
                ids: try readers.map { _ in try house.ids.make() }, readers: readers, notice: notice, at: now,
                mailAt: mailTime(now)))
        guard let actor = notice.actor, !told.isEmpty else {
            return told.map { Counted(told: $0, kind: notice.kind, actors: 0, actor: nil) }
        }
        let named = try await transaction.all(
            Notifications.Statements.PutActor(
                notifications: told.map(\.id), actor: actor, cause: notice.cause, at: now))
        let actors = Dictionary(named.map { ($0.id, $0.actors) }, uniquingKeysWith: max)
        return told.map { Counted(told: $0, kind: notice.kind, actors: actors[$0.id] ?? 0, actor: actor) }
    }

    /// Counts what is new, and tells the inboxes.
    func count(_ told: [Counted], in transaction: Transaction) async throws {
        guard !told.isEmpty else { return }
        let counts = try await transaction.all(
            Profiles.Statements.CountNotifications(
                readers: told.map(\.told.reader), more: told.map { $0.told.isNew ? 1 : 0 }))
        let unread = Dictionary(counts.map { ($0.reader, $0.unread) }, uniquingKeysWith: max)
        let events = try told.map {
            try Notifications.Event(
                id: $0.told.id, kind: $0.kind, actors: $0.actors, unread: unread[$0.told.reader] ?? 0,
                reader: $0.told.reader, actor: $0.actor
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
        switch (job.what, job.post) {
        case (.told, _):
            guard let kind = job.kind else { return Notifications.Round() }
            return alone(job, kind, to: job.reader, subject: job.subject)
        case (.raised, let post?):
            return alone(job, .postRaised, to: job.reader, subject: post.rawValue, post: post)
        case (.reacted, let post?):
            guard let actor = job.account else { return Notifications.Round() }
            let author = try await transaction.first(Notifications.Statements.ReactedTo(post: post, actor: actor))
            return alone(job, .postReaction, to: author, subject: post.rawValue, post: post)
        case (.written, let post?), (.edited, let post?):
            guard let scene = try await transaction.first(Notifications.Statements.SceneOf(post: post)) else {
                return Notifications.Round()
            }
            let mentioned = try await mentioned(in: [scene.body], transaction).joined()
            let direct = direct(scene, mentioned: Array(mentioned), isNew: job.what == .written)
            guard job.what == .written else { return direct }
            guard scene.isFirst else {
                var round = direct
                round.gather = Notifications.Gather(scene.thread, [scene.number])
                return round
            }
            return try await followers(
                of: scene, after: ID(rawValue: job.after), besides: direct, in: transaction)
        case (.answered, _):
            return try await talkers(of: job, about: ID(rawValue: job.cause), in: transaction)
        case (.reworded, _):
            return try await talkers(of: job, about: ID(rawValue: job.subject), in: transaction)
        case (.applauded, _):
            guard let actor = job.account else { return Notifications.Round() }
            let applauded = Notifications.Statements.Applauded(review: ID(rawValue: job.cause), actor: actor)
            return alone(job, .reviewReaction, to: try await transaction.first(applauded), subject: job.cause)
        case (.applied, _): return try await leaders(of: job, in: transaction)
        case (.raised, nil), (.reacted, nil), (.written, nil), (.edited, nil): return Notifications.Round()
        }
    }

    /// What concerns one reader.
    private func alone(
        _ job: Notifications.Tell, _ kind: Notifications.Kind, to reader: ID<Accounts.Account>?, subject: Int64,
        post: ID<Boards.Post>? = nil
    ) -> Notifications.Round {
        let notice = Notifications.Notice(
            kind: kind, subject: subject, cause: job.cause, actor: job.account, post: post)
        return Notifications.Round(parts: reader.map { [(notice, [$0])] } ?? [])
    }

    /// A portion of those who have answered a review that is answered again; with the first one also its author and whom
    /// the answer mentions, who are left out of all. Of an answer that says something else those whom it mentions.
    private func talkers(
        of job: Notifications.Tell, about answer: ID<Reviews.Reply>, in transaction: Transaction
    ) async throws -> Notifications.Round {
        let answered = try await transaction.first(Notifications.Statements.Answered(reply: answer))
        guard let (review, reviewer, body) = answered else { return Notifications.Round() }
        func notice(_ kind: Notifications.Kind) -> Notifications.Notice {
            Notifications.Notice(
                kind: kind, subject: review.rawValue, cause: answer.rawValue, actor: job.account, reply: answer)
        }
        let mentioned = try await mentioned(in: [body], transaction).joined().filter { $0 != job.account }
        guard job.what == .answered else {
            return Notifications.Round(parts: [(notice(.reviewMention), mentioned)])
        }
        let (after, limit) = (ID<Accounts.Account>(rawValue: job.after), Limits.Notifications.batch)
        let found = try await transaction.all(
            Notifications.Statements.Talkers(review: review, after: after, limit: limit))
        var round = Notifications.Round()
        if after == .min {
            round.parts.append((notice(.reviewReply), [reviewer]))
            round.parts.append((notice(.reviewMention), mentioned.filter { $0 != reviewer }))
        }
        let known = Set(mentioned + [reviewer])
        round.parts.append((notice(.reviewTalk), found.filter { !known.contains($0) && $0 != job.account }))
        round.next = found.count == limit ? found.last : nil
        return round
    }

    /// Those who may let into a group whoever still asks to be.
    private func leaders(of job: Notifications.Tell, in transaction: Transaction) async throws -> Notifications.Round {
        guard let actor = job.account else { return Notifications.Round() }
        let leaders = try await transaction.all(
            Notifications.Statements.LeadersAsked(group: ID(rawValue: job.subject), actor: actor))
        let notice = Notifications.Notice(
            kind: .groupRequested, subject: job.subject, cause: job.cause, actor: actor)
        return Notifications.Round(parts: [(notice, leaders)])
    }

    /// Whom texts mention, text by text, each once; asked at once of all.
    func mentioned(in bodies: [String], _ transaction: Transaction) async throws -> [[ID<Accounts.Account>]] {
        let names = bodies.map { Set(Markdown.render($0).mentions.map(Accounts.Username.fold)).sorted() }
        let all = Set(names.joined())
        guard !all.isEmpty else { return names.map { _ in [] } }
        let found = try await transaction.all(Notifications.Statements.Named(folded: all.sorted()))
        let readers = Dictionary(found.map { ($0.name, $0.id) }, uniquingKeysWith: max)
        return names.map { $0.compactMap { readers[$0] } }
    }

    /// Those whom a post answers, mentions and quotes, each once; of one that is not new those whom it mentions.
    func direct(
        _ scene: Notifications.Scene, mentioned: [ID<Accounts.Account>], isNew: Bool
    ) -> Notifications.Round {
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

    /// A portion of those who follow the board on which a thread is opened; with the first one also `direct`, who are
    /// left out of all.
    private func followers(
        of scene: Notifications.Scene, after: ID<Accounts.Account>, besides direct: Notifications.Round,
        in transaction: Transaction
    ) async throws -> Notifications.Round {
        let limit = Limits.Notifications.batch
        let (board, found): (Int64, [ID<Accounts.Account>])
        if let group = scene.group {
            board = group.rawValue
            found = try await transaction.all(
                Notifications.Statements.GroupFollowers(group: group, after: after, limit: limit))
        } else if let work = scene.work {
            board = work.rawValue
            found = try await transaction.all(
                Notifications.Statements.BoardFollowers(work: work, after: after, limit: limit))
        } else {
            return direct
        }
        let known = Set(direct.readers + [scene.author])
        var round = after == .min ? direct : Notifications.Round()
        round.parts.append((scene.notice(.boardThread, board), found.filter { !known.contains($0) }))
        round.next = found.count == limit ? found.last : nil
        return round
    }
}

extension Notifications.Scene {
    fileprivate func notice(_ kind: Notifications.Kind, _ subject: Int64) -> Notifications.Notice {
        Notifications.Notice(kind: kind, subject: subject, cause: post.rawValue, actor: author, post: post)
    }
}
