import Jobs
import Postgres

// What the reader hears of an act to whom, or to whose thing, it was done.

extension Moderation.Verb {
    /// Whether it takes something from its reader. Of `scope` and `role` that hangs on what stood before
    /// (`Moderation.Statements.weighs`).
    var weighs: Bool {
        switch self {
        case .hide, .lock, .warn, .limit, .freeze, .suspend, .hideName, .hideBio, .hidePicture: true
        default: false
        }
    }

    /// Whether its reader is notified: of what weighs on them, and of its end. That a post was raised is told by the gate.
    var isTold: Bool { weighs || self == .restore || self == .role || inverse?.weighs == true }

    /// Whether its reader also gets a mail: where it is about the account.
    var isMailed: Bool {
        switch self {
        case .warn, .limit, .freeze, .suspend, .unsuspend, .restore: true
        default: false
        }
    }

    /// The acts on the same thing that end it or take its place.
    var ends: [Self] {
        switch self {
        // Who is let in again is limited or frozen as before.
        case .limit, .freeze: [.limit, .freeze, .restore]
        case .suspend: [.unsuspend]
        case .warn: []
        default: aspect
        }
    }
}

extension Moderation.Store {
    /// Keeps what an act took out of sight for 180 days, and tells the reader to whom it was done: a notification, of an act on many
    /// one for all that is theirs, and a mail where it is about the account. Nobody is told of what they did themselves. What a
    /// moderator may follow by their role is asked again. Part of the act's transaction.
    func tell(
        _ action: ID<Moderation.Action>, _ order: Moderation.Order, on thing: Thing, _ change: Moderation.Change,
        in transaction: Transaction
    ) async throws {
        if order.verb == .role || order.verb == .freeze, let account = thing.id(as: Accounts.Account.self) {
            try await Accounts.Event.roleChanged(account).append(in: transaction, services: services)
        }
        if let said = change.said {
            try keep(said, of: change.author, in: thing, by: action, in: transaction)
        } else if order.verb == .hide {
            try keep(thing.kind, thing.id, by: action, in: transaction)
        }
        guard let author = change.author, order.verb.isTold else { return }
        if order.actor.account == author { return }
        try tell(author, of: order.bulk?.rawValue ?? action.rawValue, in: transaction)
        if order.verb.isMailed {
            try await Accounts.tell(author, of: order, in: transaction, services: services)
        }
    }

    /// Keeps what a thing said before an act, for the reader concerned.
    func keep(
        _ said: JSON, of author: ID<Accounts.Account>?, in thing: Thing, by action: ID<Moderation.Action>,
        in transaction: Transaction
    ) throws {
        let now = services.clock.now()
        let kept = Moderation.Statements.InsertEvidence(
            id: try services.ids.make(), act: action, kind: thing.name, thing: thing.id, author: author, said: said,
            at: now,
            eraseAt: now + Limits.moderation.evidence)
        try transaction.atCommit { batch in batch.run(kept) }
    }

    /// Keeps what a thing says.
    private func keep<Kind: ThingKind>(
        _: Kind.Type, _ thing: Int64, by action: ID<Moderation.Action>, in transaction: Transaction
    ) throws {
        let now = services.clock.now()
        let kept = Moderation.Statements.Keep<Kind>(
            id: try services.ids.make(), act: action, thing: ID(rawValue: thing), at: now,
            eraseAt: now + Limits.moderation.evidence)
        try transaction.atCommit { batch in batch.run(kept) }
    }

    /// `act`: one, or one on many.
    func tell(_ author: ID<Accounts.Account>, of act: Int64, in transaction: Transaction) throws {
        let told = try Jobs.Enqueue(Notifications.Tell.told(.moderationActed, to: author, by: nil, of: act, cause: act))
        try transaction.atCommit { batch in batch.run(told) }
    }
}
