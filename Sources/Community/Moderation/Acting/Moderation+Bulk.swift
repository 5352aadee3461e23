import FoundationEssentials
import JSONWriting
import Jobs
import Postgres

extension Moderation {
    /// An act on many things, or on one. The list of many is frozen when it is made; a job does it, in portions that each commit with what
    /// became of them.
    package struct Bulk: Sendable {
        package enum State: String, Sendable, CaseIterable, PostgresText {
            /// Made and not begun: nothing is done yet.
            case frozen
            case running, done
            /// What was done until then stays.
            case cancelled
        }

        /// `nil` where nothing had to be done.
        package let id: ID<Bulk>?
        package let state: State
        /// The word of a `Verb`, or `undo`.
        package let verb: String
        package let reason: String
        package let said: String?
        package let total: Int
        /// What became of those that are done with.
        package let outcomes: [Outcome: Int]
        package let expiresAt: Timestamp?
        package let undoes: ID<Bulk>?
        package let madeAt: Timestamp
        package let endedAt: Timestamp?

        /// What became of one thing.
        package enum Outcome: String, Sendable, CaseIterable, PostgresText {
            case done
            /// It was so already.
            case same
            /// `Target.code` says why.
            case refused
            /// It is not as the act that is undone left it.
            case changed
        }
    }

    /// One thing on the list of an act.
    package struct Target: Sendable {
        /// From 1.
        package let place: Int
        /// As it is named: `post:7112`, `reader:ann`.
        package let target: String
        /// `nil`: to be done.
        package let outcome: Bulk.Outcome?
        package let code: String?
    }

    /// What an act on many is done to.
    package enum Choice: Sendable {
        case named([Reference])
        /// What readers said; of an act on readers, those who said it. Readers themselves where nothing is asked of what they say.
        case found(Query)
        /// What a former act did.
        case undoing(ID<Bulk>)
    }

    /// Goes through the list of an act on many.
    package struct RunBulk: Job {
        package static let kind = "moderation.run"
        package static let queue = "moderation"
        package static let timeout = Duration.seconds(3_600)
        package var uniqueKey: String? { bulk.text }

        let bulk: ID<Bulk>
    }

    /// Takes an act on many back at the time that was said.
    package struct ExpireBulk: Job {
        package static let kind = "moderation.expire_bulk"
        package static let queue = "moderation"
        package var uniqueKey: String? { bulk.text }

        let bulk: ID<Bulk>
    }

    /// The word for what an act on many does that takes others back.
    static let undoing = "undo"

    /// An act on many whose row is locked, with who does it as they are now.
    struct HeldBulk: Sendable {
        let state: Bulk.State
        let verb: String
        /// `nil`: who gave the order moderates no longer.
        let actor: Actor?
        let reason: String
        let said: String?
        let report: ID<Case>?
        let expiresAt: Timestamp?
        let wanted: [String: String]

        /// The order for each thing; `nil` where nobody gives it any more, or this program does not know it.
        func order(_ id: ID<Bulk>) -> Order? {
            guard let actor, verb == Moderation.undoing || Verb(rawValue: verb) != nil else { return nil }
            var order =
                Verb(rawValue: verb).map { Order($0, by: actor, reason: reason) }
                ?? Order(undoingBy: actor, reason: reason)
            (order.said, order.report, order.expiresAt, order.bulk, order.wanted) = (
                said, report, expiresAt, id, wanted
            )
            return order
        }
    }

    /// One thing of a portion, to be done.
    struct Due: Sendable {
        let place: Int
        let kind: String
        let subject: Int64
        /// The act that is undone.
        let undoes: ID<Action>?

        func settled(_ outcome: Bulk.Outcome) -> Settled { Settled(place: place, outcome: outcome, code: nil) }

        func settled(_ failure: Failure) -> Settled {
            let isChanged = undoes != nil && ["changed", "undone"].contains(failure.code)
            return Settled(place: place, outcome: isChanged ? .changed : .refused, code: failure.code)
        }
    }

    /// What became of one thing of a portion.
    struct Settled: Sendable {
        let place: Int
        let outcome: Bulk.Outcome
        let code: String?
    }
}

extension Moderation.Bulk {
    /// Of an order on a thing that was so already.
    init(nothingFor order: Moderation.Order, at now: Timestamp) {
        self.init(
            id: nil, state: .done, verb: order.verb.rawValue, reason: order.reason, said: order.said, total: 1,
            outcomes: [.same: 1], expiresAt: nil, undoes: nil, madeAt: now, endedAt: now)
    }
}

extension Moderation.Bulk: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("verb", verb)
        object.put("state", state.rawValue)
        object.put("reason", reason)
        object.put("public", said)
        object.put("target_count", total)
        object.put("done_count", outcomes[.done] ?? 0)
        object.put("same_count", outcomes[.same] ?? 0)
        object.put("refused_count", outcomes[.refused] ?? 0)
        object.put("changed_count", outcomes[.changed] ?? 0)
        object.put("until", expiresAt)
        object.put("undoes", undoes)
        object.put("created_at", madeAt)
        object.put("ended_at", endedAt)
    }
}

extension Moderation.Target: JSONForm {
    package func put(into object: JSONObject) {
        object.put("target", target)
        object.put("outcome", outcome?.rawValue)
        object.put("code", code)
    }
}
