import Postgres

extension Moderation {
    /// What a moderator does to one thing. A kind of things says which of these can be done to it (`Moderated`).
    package enum Verb: String, Sendable, CaseIterable {
        /// Takes it out of everybody's sight but its author's, and brings it back.
        case hide, unhide
        /// Nobody posts in a thread.
        case lock, unlock
        /// A thread stands first on its board.
        case pin, unpin
        /// Takes what somebody said away for good, as its author does.
        case delete
        /// How far one must have read to see a post.
        case scope
        /// The ratings that a book gets are kept and not counted.
        case hold, release
        /// Says to a reader what they did wrong.
        case warn
        /// Only friends see a reader.
        case limit
        /// A reader reads and does not write.
        case freeze
        /// Shuts a reader out, and lets them in again as what they were.
        case suspend, unsuspend
        /// Makes a limited or frozen reader active again.
        case restore
        case role
        case hideName = "hide_name"
        case unhideName = "unhide_name"
        case hideBio = "hide_bio"
        case unhideBio = "unhide_bio"
        case hidePicture = "hide_picture"
        case unhidePicture = "unhide_picture"

        /// What takes it back; `nil`: nothing does.
        package var inverse: Verb? {
            switch self {
            case .hide: .unhide
            case .unhide: .hide
            case .lock: .unlock
            case .unlock: .lock
            case .pin: .unpin
            case .unpin: .pin
            case .hold: .release
            case .release: .hold
            case .suspend: .unsuspend
            case .unsuspend: .suspend
            case .hideName: .unhideName
            case .hideBio: .unhideBio
            case .hidePicture: .unhidePicture
            case .unhideName: .hideName
            case .unhideBio: .hideBio
            case .unhidePicture: .hidePicture
            // Each restores what stood before.
            case .scope, .role: self
            case .limit, .freeze, .restore: .restore
            case .warn, .delete: nil
            }
        }

        /// Verbs of one aspect change the same of a thing: who undoes one looks for a later one of them.
        var aspect: [Verb] {
            let aspects: [[Verb]] = [
                [.hide, .unhide], [.lock, .unlock], [.pin, .unpin], [.scope], [.hold, .release], [.role],
                [.limit, .freeze, .restore], [.suspend, .unsuspend], [.hideName, .unhideName], [.hideBio, .unhideBio],
                [.hidePicture, .unhidePicture],
            ]
            return aspects.first { $0.contains(self) } ?? [self]
        }

        /// Can end by itself.
        package var mayExpire: Bool { [.hide, .lock, .pin, .hold, .limit, .freeze, .suspend].contains(self) }
    }

    /// One act on one thing, before it is done.
    package struct Order: Sendable {
        package let verb: Verb
        package let actor: Actor
        /// Why: read by moderators, and by the reader concerned.
        package let reason: String
        /// What the public log says of it.
        package var said: String?
        /// The case that it comes from.
        package var report: ID<Case>?
        package var expiresAt: Timestamp?
        /// The act over many things that it is part of.
        package var bulk: ID<Bulk>?
        package var undoes: ID<Action>?
        /// What it is to be, by the names of `Action.after`: `scope`, `role`. Where it undoes an act, what was before that.
        package var wanted: [String: String] = [:]

        package init(_ verb: Verb, by actor: Actor, reason: String) {
            self.verb = verb
            self.actor = actor
            self.reason = reason
        }

        /// For what takes acts back: each has the inverse of its own verb.
        package init(undoingBy actor: Actor, reason: String) { self.init(.unhide, by: actor, reason: reason) }
    }

    /// What an act changed.
    package struct Change: Sendable {
        /// Whose thing it was done to: they are told.
        let author: ID<Accounts.Account>?
        let before: [String: String]
        let after: [String: String]
        /// What it said, where it is not seen any more: kept as evidence.
        var said: JSON?
    }

    /// An order for one thing of a kind.
    package struct Aimed: Sendable {
        let order: Order
        let id: Int64
    }

    /// What became of it: `nil` where it is so already.
    package typealias Attempted = Result<Change?, Failure>

    /// An act that was done.
    struct Done: Sendable {
        let id: ID<Action>
        let order: Order
        let thing: Thing
        let change: Change
    }
}

/// A kind of things that moderators act on.
package protocol Moderated: ThingKind {
    /// What can be done to one.
    static var verbs: [Moderation.Verb] { get }

    /// Does it; `nil` where it is so already. Locks the author's account before all else.
    ///
    /// Throws `.notFound`, `.forbidden` (`role_too_low`) where its author is of the same role as the actor or of a higher one, `.conflict`
    /// where it cannot be done as things are.
    static func perform(
        _ order: Moderation.Order, on id: Int64, of services: Services, in transaction: Transaction
    ) async throws -> Moderation.Change?

    /// The same for things that stand beside each other, whose authors' accounts are locked: in their order, what became of each. What is
    /// refused is refused before anything of it is written.
    static func perform(
        _ orders: [Moderation.Aimed], of services: Services, in transaction: Transaction
    ) async throws -> [Moderation.Attempted]
}

extension Moderated {
    package static func perform(
        _ orders: [Moderation.Aimed], of services: Services, in transaction: Transaction
    ) async throws -> [Moderation.Attempted] {
        try await performEach(orders, of: services, in: transaction)
    }

    static func performEach(
        _ orders: [Moderation.Aimed], of services: Services, in transaction: Transaction
    ) async throws -> [Moderation.Attempted] {
        var outcomes: [Moderation.Attempted] = []
        for aimed in orders {
            do {
                outcomes.append(
                    .success(try await perform(aimed.order, on: aimed.id, of: services, in: transaction)))
            } catch let failure as Failure where failure.code != nil {
                outcomes.append(.failure(failure))
            }
            // The next may hang on what became of this one.
            try await transaction.flush()
        }
        return outcomes
    }
}

/// A kind of things that a moderator takes out of sight as a whole.
package protocol Hideable: Moderated {
    /// Takes it out of everybody's sight but its author's, or brings it back: with what counts it, the events by which open sockets
    /// drop it, and what was told of it. Its author's account is locked. False where it is so already, or not there.
    static func setHidden(
        _ isHidden: Bool, _ id: ID<Self>, of services: Services, in transaction: Transaction
    ) async throws -> Bool
}

extension Hideable {
    package static var verbs: [Moderation.Verb] { [.hide, .unhide] }

    package static func perform(
        _ order: Moderation.Order, on id: Int64, of services: Services, in transaction: Transaction
    ) async throws -> Moderation.Change? {
        try await turn(order, id, of: services, in: transaction)
    }

    fileprivate static func turn(
        _ order: Moderation.Order, _ id: Int64, of services: Services, in transaction: Transaction
    ) async throws -> Moderation.Change? {
        let found = try await Moderation.hold(ID<Self>(rawValue: id), for: order, in: transaction)
        let hides = order.verb == .hide
        guard try await setHidden(hides, ID(rawValue: id), of: services, in: transaction) else { return nil }
        return Moderation.Change(
            author: found.author, before: ["hidden": "\(!hides)"], after: ["hidden": "\(hides)"],
            said: hides ? found.said : nil)
    }
}

/// A kind of things that a moderator takes away for good, too: what hiding leaves of one goes, and nothing more is kept of what it said.
package protocol Deletable: Hideable {
    /// Takes away what is hidden, as its author does. Its author's account is locked.
    static func erase(_ id: ID<Self>, of services: Services, in transaction: Transaction) async throws
}

extension Deletable {
    package static var verbs: [Moderation.Verb] { [.hide, .unhide, .delete] }

    package static func perform(
        _ order: Moderation.Order, on id: Int64, of services: Services, in transaction: Transaction
    ) async throws -> Moderation.Change? {
        guard order.verb == .delete else { return try await turn(order, id, of: services, in: transaction) }
        let author = try await Moderation.hold(ID<Self>(rawValue: id), for: order, in: transaction).author
        _ = try await setHidden(true, ID(rawValue: id), of: services, in: transaction)
        try await transaction.flush()
        try await erase(ID(rawValue: id), of: services, in: transaction)
        return .deletion(of: author)
    }
}

extension Moderation.Change {
    static func deletion(of author: ID<Accounts.Account>) -> Self {
        Self(author: author, before: ["deleted": "false"], after: ["deleted": "true"])
    }
}

extension Moderation {
    /// Locks the account of a thing's author, and gives what the thing says. Throws `.notFound`, `.forbidden` (`role_too_low`).
    static func hold<Kind: ThingKind>(
        _ id: ID<Kind>, for order: Order, in transaction: Transaction
    ) async throws -> (author: ID<Accounts.Account>, said: JSON?) {
        guard let found = try await transaction.first(Statements.HoldAuthor<Kind>(id: id)) else {
            throw Thing(id).missing
        }
        try order.actor.mayActOn(found.role)
        return (found.author, found.said)
    }
}
