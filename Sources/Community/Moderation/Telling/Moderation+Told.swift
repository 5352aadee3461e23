import Jobs
import Postgres

// What readers hear of acts on them and on what they wrote.

extension Moderation.Verb {
    /// Whether it takes something from its reader. Of `scope` and `role` that hangs on what stood before
    /// (`Moderation.Statements.weighs`).
    var weighs: Bool {
        switch self {
        case .hide, .delete, .lock, .warn, .limit, .freeze, .suspend, .hideName, .hideBio, .hidePicture: true
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
        case .suspend: [.suspend, .unsuspend]
        case .warn, .delete: []
        default: aspect
        }
    }
}

extension Moderation.Store {
    /// Keeps for 180 days what acts took out of sight, and notifies its readers; of an act on many once. Acts on the account are mailed,
    /// too. Nobody is told of their own acts. A changed role, or a freeze, has open sockets ask again what may be followed. Part of
    /// the acts' transaction.
    func tell(_ acts: [Moderation.Done], in transaction: Transaction) async throws {
        var (hidden, told): ([Moderation.Done], Set<Told>) = ([], [])
        for act in acts {
            let (order, change) = (act.order, act.change)
            if order.verb == .role || order.verb == .freeze, let account = act.thing.id(as: Accounts.Account.self) {
                try await Accounts.Event.roleChanged(account).append(in: transaction, services: services)
            }
            if let said = change.said {
                try keep(said, of: change.author, in: act.thing, by: act.id, in: transaction)
            } else if order.verb == .hide {
                hidden.append(act)
            }
            guard let author = change.author, order.verb.isTold, order.actor.account != author else { continue }
            let about = order.bulk?.rawValue ?? act.id.rawValue
            if told.insert(Told(author: author, act: about)).inserted { try tell(author, of: about, in: transaction) }
            if order.verb.isMailed {
                try await Accounts.tell(author, of: order, in: transaction, services: services)
            }
        }
        if let first = hidden.first { try keep(first.thing.kind, hidden, in: transaction) }
    }

    private struct Told: Hashable {
        let author: ID<Accounts.Account>
        let act: Int64
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

    /// Keeps what things of one kind say.
    private func keep<Kind: ThingKind>(
        _: Kind.Type, _ acts: [Moderation.Done], in transaction: Transaction
    ) throws {
        let now = services.clock.now()
        let kept = Moderation.Statements.Keep<Kind>(
            ids: try acts.map { _ in try services.ids.make() }, acts: acts.map(\.id),
            things: acts.map { ID(rawValue: $0.thing.id) }, at: now, eraseAt: now + Limits.moderation.evidence)
        try transaction.atCommit { batch in batch.run(kept) }
    }

    /// `act`: one, or one on many.
    func tell(_ author: ID<Accounts.Account>, of act: Int64, in transaction: Transaction) throws {
        let told = try Jobs.Enqueue(Notifications.Tell.told(.moderationActed, to: author, by: nil, of: act, cause: act))
        try transaction.atCommit { batch in batch.run(told) }
    }
}
