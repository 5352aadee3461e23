import Postgres

/// What readers report, what moderators and administrators do to others, and the record of it.
///
/// **Reports.** A reader reports what they see: what somebody said, a list, a group, a picture, a reader (`Reference`). Everybody who is signed in
/// may, frozen and unverified readers too. What it says is copied at that moment (`moderation_evidence`), for its author may change or
/// delete it; a kind can be reported when its facts say what one says (`ThingFacts.said`).
///
/// - **Messages** are reported by the two of their conversation, with at most five others of it that the reporter chooses
///   (`ThingFacts.context`). Nothing else reads a conversation: moderators see the evidence. So it is of private groups.
/// - **One case a thing** (`moderation_case`). All its reports are in it. A report that comes after the decision opens the
///   case again, with that report alone. A reader has one open report about one thing.
/// - **Order of the queue**: 100 × gravity × (1 + trust). Gravity: legal 4, abuse 3, spam 2, else 1; the gravest category of
///   the open reports counts. Trust: the sum over reporters whose accounts count (`Accounts.Counting`) of how likely each
///   is right, (right + 1) / (decided + 2) of their last hundred decided reports.
/// - **A moderator** claims a case for 30 minutes, writes notes, decides it (`acted`, `dismissed`) and takes a decision back.
///   The claim of a lower role gives way. A decision names the version that the moderator saw, so that of two moderators one wins and
///   the other learns who was first.
///   Nobody decides about an author of the same role or a higher one, or about themselves. Each step is recorded.
/// - **Evidence** is erased 180 days after the decision (`EraseEvidence`, which also drops lists that nobody began for a day).
/// - **A reporter** hears whether something was done, never which act followed, or on which reader. Nobody but moderators learns who reported.
/// - **The end of an account** takes the words of its reports, what was kept of what it said, and closes the cases about it.
/// - **Enough reporters hide a thing** until a moderator has seen it: five who count and whose trust sums to half of that. Readers whom the
///   author blocks are not among them, and all of one group are not enough. Dismissing the case brings it back.
///
/// **Acts**, **hiding** and what readers hear of them stand in `README.md` beside this file.
///
/// **Limits**: `Limits.moderation`. **Tables**: report, moderation_case, moderation_evidence, moderation_action, moderation_bulk,
/// moderation_target. **Jobs**: `EraseEvidence`, daily; `HideReported`, `ShowCleared`, `Expire`, `RunBulk`, `ExpireBulk` in the queue
/// `moderation`. Locks are taken in the order moderation_bulk, account, moderation_case, thing.
package enum Moderation {
    /// One recorded act.
    package struct Action: Hashable, Sendable {
        package let id: ID<Action>
        package let at: Timestamp
        /// `cli:NAME`, `account:ID` or `system`.
        package let actor: String
        package let action: String
        package let reason: String
        package let before: JSON
        package let after: JSON
    }

    /// A row of the record, before it is written.
    struct NewAction: Sendable {
        let id: ID<Action>
        let at: Timestamp
        let actor: Actor
        let action: String
        let kind: String
        let subject: Int64
        let reason: String
        let before: JSON
        let after: JSON
        var act: ID<Bulk>?
        var report: ID<Case>?
        var undoes: ID<Action>?
        var expiresAt: Timestamp?
        var author: ID<Accounts.Account>?
        var said: String?

        init(
            id: ID<Action>, at: Timestamp, by actor: Actor, _ action: String, on kind: String, _ subject: Int64,
            reason: String, before: [String: String] = [:], after: [String: String] = [:]
        ) throws {
            assert(AuditFilter.verbs.contains { action.hasSuffix("." + $0) }, "the audit cannot be asked for \(action)")
            (self.id, self.at, self.actor, self.action) = (id, at, actor, action)
            (self.kind, self.subject, self.reason) = (kind, subject, reason)
            (self.before, self.after) = (try JSON(encoding: before), try JSON(encoding: after))
        }

        init(_ done: Done, at now: Timestamp) throws {
            let (order, thing) = (done.order, done.thing)
            try self.init(
                id: done.id, at: now, by: order.actor, thing.name + "." + order.verb.rawValue, on: thing.name, thing.id,
                reason: order.reason, before: done.change.before, after: done.change.after)
            (act, report, undoes) = (order.bulk, order.report, order.undoes)
            (expiresAt, author, said) = (order.expiresAt, done.change.author, order.said)
        }
    }

    /// Who acts.
    package enum Actor: Sendable, Hashable {
        /// Somebody at the server's own terminal, by the operating system's name: above every role.
        case terminal(String)
        /// A reader in an office, with the access token that proves who they are; `nil`: a session does.
        case account(ID<Accounts.Account>, Accounts.Role, token: ID<Accounts.AccessToken>? = nil)
        /// The server by itself: where time is over, or readers reported.
        case system

        /// As it is recorded: `cli:root`, `account:42`.
        package var text: String {
            switch self {
            case .terminal(let name):
                "cli:" + String(String.UnicodeScalarView(name.unicodeScalars.filter(\.isPrintable).prefix(100)))
            case .account(let id, _, _): "account:" + id.text
            case .system: "system"
            }
        }

        /// `nil`: no reader, but somebody at the server's own terminal, or the server itself.
        package var account: ID<Accounts.Account>? { if case .account(let id, _, _) = self { id } else { nil } }

        /// `nil`: above every role.
        package var role: Accounts.Role? { if case .account(_, let role, _) = self { role } else { nil } }

        /// The access token with which they act; `nil` without one.
        var token: ID<Accounts.AccessToken>? { if case .account(_, _, let token) = self { token } else { nil } }

        func stands(above role: Accounts.Role) -> Bool { self.role.map { $0 > role } ?? true }

        /// Throws `.forbidden` with code `role_too_low` unless this actor stands above `role`.
        package func mayActOn(_ role: Accounts.Role) throws(Failure) {
            if !stands(above: role) {
                throw .forbidden(code: .roleTooLow, "only somebody above the role \(role.rawValue) may do that")
            }
        }
    }

    /// Throws `.invalid` unless `reason` is 1 to 500 characters that are not all blank.
    package static func check(reason: String, at pointer: String = "/reason") throws(Failure) {
        guard Limits.moderation.reason.contains(reason.unicodeScalars.count), !reason.allSatisfy(\.isWhitespace),
            Wording.isPlain(reason),
            !reason.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw .invalid(
                pointer, .required,
                "must have \(Limits.moderation.reason.lowerBound) to \(Limits.moderation.reason.upperBound) characters, not all blank, "
                    + "without control characters")
        }
    }

    package struct Store: Sendable {
        let services: Services

        package init(_ services: Services) { self.services = services }

        /// Records one act, in the transaction that it is part of.
        func record(
            _ action: String, on thing: Thing, by actor: Actor, reason: String, before: [String: String],
            after: [String: String], in transaction: some Queryable
        ) async throws {
            let action = try NewAction(
                id: services.ids.make(), at: services.clock.now(), by: actor, action, on: thing.name, thing.id,
                reason: reason, before: before, after: after)
            try await transaction.run(Statements.Record(actions: [action]))
        }

        /// What was done to a thing, newest first, at most 100 acts.
        package func history(of thing: Thing) async throws -> [Action] {
            try await services.database.all(
                Statements.History(subjectKind: thing.name, subject: thing.id, limit: Limits.page.upperBound))
        }
    }
}
