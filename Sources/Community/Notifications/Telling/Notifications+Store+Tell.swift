import EventLog
import Jobs
import MarkdownReading
import Postgres

extension Notifications {
    /// What one run of a `Tell` does.
    struct Round {
        /// Each reader stands in one of them.
        var parts: [(notice: Notice, readers: [ID<Accounts.Account>])] = []
        /// Tells the others; `nil` where nobody is left.
        var rest: Tell?
        /// Tells those who follow the thread, later.
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
                Notifications.Statements.Hold(accounts: asked + (job.actor.map { [$0] } ?? []))))
        guard job.actor.map(there.contains) ?? true else { return }
        if let gather = round.gather { try await tellFollowers(by: gather, in: transaction) }
        var told: [Counted] = []
        for (notice, readers) in round.parts {
            told += try await put(notice, to: readers.filter(there.contains).sorted(), in: transaction)
        }
        try await count(told, in: transaction)
        try await round.rest?.enqueue(in: transaction)
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

    /// When a mail may tell of this notification; `nil` where this server sends none.
    func mailTime(_ now: Timestamp) -> Timestamp? {
        services.settings.deliversMail ? now + .seconds(Limits.notifications.mailDelayMinutes * 60) : nil
    }

    /// The notifications that tell of it.
    private func put(
        _ notice: Notifications.Notice, to readers: [ID<Accounts.Account>], in transaction: Transaction
    ) async throws -> [Counted] {
        guard !readers.isEmpty else { return [] }
        let now = services.clock.now()
        let told = try await transaction.all(
            Notifications.Statements.Put(
                ids: try readers.map { _ in try services.ids.make() }, readers: readers, notice: notice, at: now,
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
            Accounts.Statements.CountNotifications(
                readers: told.map(\.told.reader), more: told.map { $0.told.isNew ? 1 : 0 }))
        let unread = Dictionary(counts.map { ($0.reader, $0.unread) }, uniquingKeysWith: max)
        let events = try told.map {
            try Notifications.Event(
                id: $0.told.id, kind: $0.kind, actors: $0.actors, unread: unread[$0.told.reader] ?? 0,
                reader: $0.told.reader, actor: $0.actor
            ).row(services)
        }
        try transaction.atCommit { batch in
            for event in events { batch.run(EventLog.Statements.Append(event: event)) }
        }
    }
}

// Whom what happened concerns.
extension Notifications.Store {
    private func round(of job: Notifications.Tell, in transaction: Transaction) async throws -> Notifications.Round {
        switch job {
        case .written(let post, _, let after):
            try await readers(of: post, after: after, in: transaction)
        case .edited(let post, _, _):
            try await mentioned(in: post, in: transaction)
        case .reacted(let post, let actor):
            Notifications.Round(
                Notifications.Notice(
                    kind: .postReaction, subject: post.rawValue, cause: post.rawValue, actor: actor, post: post),
                to: try await transaction.all(Reactions.Statements.AuthorReactedTo(thing: post, actor: actor)))
        case .raised(let post, let author, let cause):
            Notifications.Round(
                Notifications.Notice(kind: .postRaised, subject: post.rawValue, cause: cause, actor: nil, post: post),
                to: [author])
        case .replied(let reply, let author, let after):
            try await talkers(with: reply, by: author, after: after, in: transaction)
        case .replyEdited(let reply, _, let author):
            try await mentioned(in: reply, by: author, in: transaction)
        case .reviewReacted(let review, let actor):
            Notifications.Round(
                Notifications.Notice(
                    kind: .reviewReaction, subject: review.rawValue, cause: review.rawValue, actor: actor),
                to: try await transaction.all(
                    Reactions.Statements.AuthorReactedTo(thing: review, actor: actor)))
        case .requested(let group, let actor, let cause):
            Notifications.Round(
                Notifications.Notice(kind: .groupRequested, subject: group.rawValue, cause: cause, actor: actor),
                to: try await transaction.all(Notifications.Statements.LeadersAsked(group: group, actor: actor)))
        case .decided(let about, let decision, let after):
            try await reporters(in: about, decidedBy: decision, after: after, in: transaction)
        case .told(let kind, let reader, let actor, let subject, let cause):
            Notifications.Round(
                Notifications.Notice(kind: kind, subject: subject, cause: cause, actor: actor), to: [reader])
        }
    }

    /// Those whom a new post concerns.
    private func readers(
        of post: ID<Boards.Post>, after: ID<Accounts.Account>, in transaction: Transaction
    ) async throws -> Notifications.Round {
        guard let basis = try await transaction.first(Notifications.Statements.BasisOf(post: post)) else {
            return Notifications.Round()
        }
        let mentioned = try await mentioned(in: [basis.body], transaction).flatMap(\.self)
        var round = direct(basis, mentioned: mentioned)
        guard !basis.isFirst else {
            return try await followers(of: basis, after: after, besides: round, in: transaction)
        }
        round.gather = Notifications.Gather(basis.thread, [basis.number])
        return round
    }

    /// Those whom an edited post mentions.
    private func mentioned(in post: ID<Boards.Post>, in transaction: Transaction) async throws -> Notifications.Round {
        guard let basis = try await transaction.first(Notifications.Statements.BasisOf(post: post)) else {
            return Notifications.Round()
        }
        let mentioned = try await mentioned(in: [basis.body], transaction).flatMap(\.self)
        return Notifications.Round(
            basis.notice(.postMention, basis.thread.rawValue), to: mentioned.filter { $0 != basis.author })
    }

    /// A portion of those who replied to a review before; with the first one also its author and those whom the new
    /// reply mentions, who are left out of all.
    private func talkers(
        with reply: ID<Reviews.Reply>, by author: ID<Accounts.Account>, after: ID<Accounts.Account>,
        in transaction: Transaction
    ) async throws -> Notifications.Round {
        guard
            let (review, reviewer, body) = try await transaction.first(Notifications.Statements.RepliedTo(reply: reply))
        else { return Notifications.Round() }
        func notice(_ kind: Notifications.Kind) -> Notifications.Notice {
            Notifications.Notice(kind, of: reply, by: author, to: review)
        }
        let mentioned = try await mentioned(in: [body], transaction).joined().filter { $0 != author }
        let limit = Limits.notifications.batch
        let found = try await transaction.all(
            Notifications.Statements.Talkers(review: review, after: after, limit: limit))
        var round = Notifications.Round()
        if after == .min {
            round.parts.append((notice(.reviewReply), [reviewer]))
            round.parts.append((notice(.reviewMention), mentioned.filter { $0 != reviewer }))
        }
        let known = Set(mentioned + [reviewer, author])
        round.parts.append((notice(.reviewTalk), found.filter { !known.contains($0) }))
        round.rest = found.count == limit ? found.last.map { .replied(reply, by: author, after: $0) } : nil
        return round
    }

    /// A portion of those whose reports a decision decided.
    private func reporters(
        in about: ID<Moderation.Case>, decidedBy decision: ID<Moderation.Action>, after: ID<Accounts.Account>,
        in transaction: Transaction
    ) async throws -> Notifications.Round {
        let limit = Limits.notifications.batch
        let found = try await transaction.all(
            Notifications.Statements.Decided(about: about, decision: decision, after: after, limit: limit))
        var round = Notifications.Round(
            Notifications.Notice(
                kind: .reportDecided, subject: about.rawValue, cause: decision.rawValue, actor: nil), to: found)
        round.rest = found.count == limit ? found.last.map { .decided(about, cause: decision, after: $0) } : nil
        return round
    }

    /// Those whom an edited reply to a review mentions.
    private func mentioned(
        in reply: ID<Reviews.Reply>, by author: ID<Accounts.Account>, in transaction: Transaction
    ) async throws -> Notifications.Round {
        guard
            let (review, _, body) = try await transaction.first(Notifications.Statements.RepliedTo(reply: reply))
        else { return Notifications.Round() }
        let mentioned = try await mentioned(in: [body], transaction).joined().filter { $0 != author }
        return Notifications.Round(
            Notifications.Notice(.reviewMention, of: reply, by: author, to: review), to: mentioned)
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

    /// Those whom a new post replies to, mentions and quotes, each once.
    func direct(_ basis: Notifications.Basis, mentioned: [ID<Accounts.Account>]) -> Notifications.Round {
        var round = Notifications.Round()
        var known: Set<ID<Accounts.Account>> = [basis.author]
        func add(_ kind: Notifications.Kind, _ subject: Int64, _ readers: [ID<Accounts.Account>]) {
            let new = readers.filter { known.insert($0).inserted }
            guard !new.isEmpty else { return }
            round.parts.append((basis.notice(kind, subject), new))
        }
        if let source = basis.repliedTo { add(.postReply, source.post.rawValue, [source.author]) }
        add(.postMention, basis.thread.rawValue, mentioned)
        if let source = basis.quoted { add(.postQuote, source.post.rawValue, [source.author]) }
        return round
    }

    /// A portion of those who follow the board on which a thread is opened; with the first one also `direct`, who are
    /// left out of all.
    private func followers(
        of basis: Notifications.Basis, after: ID<Accounts.Account>, besides direct: Notifications.Round,
        in transaction: Transaction
    ) async throws -> Notifications.Round {
        let limit = Limits.notifications.batch
        let (board, found): (Int64, [ID<Accounts.Account>])
        if let group = basis.group {
            board = group.rawValue
            found = try await transaction.all(
                Notifications.Statements.GroupFollowers(group: group, after: after, limit: limit))
        } else if let work = basis.work {
            board = work.rawValue
            found = try await transaction.all(
                Notifications.Statements.BoardFollowers(work: work, after: after, limit: limit))
        } else {
            return direct
        }
        let known = Set(direct.readers + [basis.author])
        var round = after == .min ? direct : Notifications.Round()
        round.parts.append((basis.notice(.boardThread, board), found.filter { !known.contains($0) }))
        round.rest = found.count == limit ? found.last.map { .written(basis.post, by: basis.author, after: $0) } : nil
        return round
    }
}

extension Notifications.Round {
    fileprivate init(_ notice: Notifications.Notice, to readers: [ID<Accounts.Account>]) {
        parts = [(notice, readers)]
    }
}

extension Notifications.Notice {
    fileprivate init(
        _ kind: Notifications.Kind, of reply: ID<Reviews.Reply>, by author: ID<Accounts.Account>,
        to review: ID<Reviews.Review>
    ) {
        self.init(kind: kind, subject: review.rawValue, cause: reply.rawValue, actor: author, reply: reply)
    }
}

extension Notifications.Basis {
    fileprivate func notice(_ kind: Notifications.Kind, _ subject: Int64) -> Notifications.Notice {
        Notifications.Notice(kind: kind, subject: subject, cause: post.rawValue, actor: author, post: post)
    }
}
