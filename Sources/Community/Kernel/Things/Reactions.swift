import Jobs
import Postgres

/// What readers say to things without words: any of the six reactions, each once.
///
/// A kind `post` has two tables, `post_reaction (post_id, reader_id, name, at)` and `post_reaction_tally (post_id, name,
/// n)`, and the column `post.reactions`. A tally that falls to 0 has no row; readers pass over old rows that say 0.
/// Locks are taken in the order account, what else counts (`lockCounters`), thing.
package enum Reactions {
    enum Statements {}
}

/// A kind of things that readers react to. To conform is all that the kind has to do.
package protocol Reactable: GatedKind {
    static var reacting: ReactionFacts { get }

    /// SQL: whether the viewer may react to the thing in scope: in a group its members may. Else `not_a_member`.
    static func admits<S: ForViewer>() -> SQL<S>
    /// What tells the author that somebody reacted.
    static func telling(_ thing: ID<Self>, by reader: ID<Accounts.Account>) -> Notifications.Tell?

    /// Locks the rows of others that count reactions to these things, before the things.
    static func lockCounters(of things: [ID<Self>], in batch: inout Batch)
    /// Brings those rows in line with the counts of these things.
    static func setCounters(of things: [ID<Self>], at now: Timestamp, in batch: inout Batch)
}

extension Reactable {
    package static func admits<S: ForViewer>() -> SQL<S> { "true" }
    package static func telling(_ thing: ID<Self>, by reader: ID<Accounts.Account>) -> Notifications.Tell? { nil }
    package static func lockCounters(of things: [ID<Self>], in batch: inout Batch) {}
    package static func setCounters(of things: [ID<Self>], at now: Timestamp, in batch: inout Batch) {}
}

/// What a kind says of the event that tells of one reaction more or less. All is SQL on the thing in scope, read under
/// its lock.
package struct ReactionFacts: Sendable {
    /// The kind of the event.
    let event: String
    let topic: Fragment
    /// Names and values, as `jsonb_build_object` takes them, beside `reactions`, which holds all counts.
    let data: Fragment
    /// Which `EventSubject` it is about, and the value of that.
    let subject: (kind: Fragment, value: Fragment)
    /// Whether there is somebody to tell.
    var isTold: Fragment = "true"
    /// What must hold beside `isMet` for a reader to react.
    var isThere: Fragment = "true"
}

extension Reactions {
    /// What readers do with reactions.
    package struct Store: Sendable {
        let services: Services

        package init(_ services: Services) { self.services = services }

        /// Reacts to what somebody else said; twice is once. For a kind `post` it throws `.notFound` for one that the
        /// reader may not know of, `.conflict` (`post_deleted`), `.forbidden` (`account_frozen`, `post_gated`,
        /// `not_a_member`, `own_thing`).
        package func react<Kind: Reactable>(
            _ reaction: Reaction, to thing: ID<Kind>, by reader: ID<Accounts.Account>
        ) async throws {
            try await services.database.transaction { transaction in
                let met = try await meet(thing, by: reader, in: transaction)
                try met.mayBeReacted(to: Kind.self, by: reader)
                let now = services.clock.now()
                let insert = Statements.InsertReaction<Kind>(
                    thing: met.thing, reader: reader, reaction: reaction, at: now)
                guard try await transaction.run(insert) == 1 else { return }
                try count(1, of: reaction, to: met.thing, at: now, in: transaction)
                guard let telling = try Kind.telling(met.thing, by: reader).map({ try Jobs.Enqueue($0) }) else {
                    return
                }
                try transaction.atCommit { $0.run(telling) }
            }
        }

        /// Takes a reaction back; nothing where there is none. Throws `.notFound` for what the reader may not know of,
        /// `.forbidden` (`account_frozen`).
        package func unreact<Kind: Reactable>(
            _ reaction: Reaction, to thing: ID<Kind>, by reader: ID<Accounts.Account>
        ) async throws {
            try await services.database.transaction { transaction in
                let met = try await meet(thing, by: reader, in: transaction)
                let delete = Statements.DeleteReaction<Kind>(thing: met.thing, reader: reader, reaction: reaction)
                guard try await transaction.run(delete) == 1 else { return }
                try count(-1, of: reaction, to: met.thing, at: services.clock.now(), in: transaction)
            }
        }

        private func meet<Kind: Reactable>(
            _ thing: ID<Kind>, by reader: ID<Accounts.Account>, in transaction: Transaction
        ) async throws -> Met<Kind> {
            let meet = Statements.MeetToReact(viewer: reader, thing: thing)
            guard let met = try await transaction.first(meet) else { throw Thing(thing).missing }
            try met.state.mayWrite()
            return met
        }

        /// Counts one reaction more or less and tells it, all with the commit: the rows of a thing that many react to
        /// at once are held no longer. The thing's own row makes those behind it take turns.
        private func count<Kind: Reactable>(
            _ by: Int32, of reaction: Reaction, to thing: ID<Kind>, at now: Timestamp, in transaction: Transaction
        ) throws {
            let event = try services.ids.make(Reaction.self)
            try transaction.atCommit { batch in
                Kind.lockCounters(of: [thing], in: &batch)
                batch.run(Statements.CountReaction(thing: thing, by: by))
                batch.run(Statements.TallyReaction(thing: thing, reaction: reaction, by: by))
                if by > 0, Kind.facts.isDeleted != nil { batch.run(Statements.DropLateReactions(thing: thing)) }
                Kind.setCounters(of: [thing], at: now, in: &batch)
                batch.run(Statements.TellReactions(event: event, thing: thing, at: now))
            }
        }
    }

    /// Takes a reader's reactions to these things out of the counts; tells nobody.
    static func drop<Kind: Reactable>(
        of reader: ID<Accounts.Account>, to things: [ID<Kind>], at now: Timestamp, in transaction: Transaction
    ) async throws {
        try await transaction.batch { batch in
            Kind.lockCounters(of: things, in: &batch)
            batch.run(Statements.LockReactedTo(things: things))
            batch.run(Statements.DropReactions(reader: reader, things: things))
            Kind.setCounters(of: things, at: now, in: &batch)
        }
    }

    /// What stands before a reader reacts to a thing.
    struct Met<Kind: Reactable>: Sendable {
        let state: Accounts.State
        /// Itself, or what it was merged into.
        let thing: ID<Kind>
        let author: ID<Accounts.Account>?
        let stands: Bool
        let isOpen: Bool
        /// As it is told where it is shut.
        let scope: Gate.Scope
        let isAdmitted: Bool

        func mayBeReacted(to _: Kind.Type, by reader: ID<Accounts.Account>) throws(Failure) {
            let name = Kind.facts.name
            guard stands else {
                // A kind without a code of its own is told as a post is.
                let code = ProblemCode(rawValue: "\(name)_deleted") ?? .postDeleted
                throw .conflict(code: code, "this \(name) is no more")
            }
            guard isOpen else { throw Kind.shut(at: scope) }
            guard isAdmitted else { throw .notMember }
            guard author != reader else { throw .forbidden(code: .ownThing, "this \(name) is your own") }
        }
    }
}

extension Community {
    package var reactions: Reactions.Store { Reactions.Store(services) }
}
