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
///   A decision names the version that the moderator saw, so that of two moderators one wins and the other learns who was first.
///   Nobody decides about an author of the same role or a higher one, or about themselves. Each step is recorded.
/// - **Evidence** is erased 180 days after the decision (`EraseEvidence`).
/// - **A reporter** hears whether something was done, never what was done to whom. Nobody but moderators learns who reported.
/// - **The end of an account** takes the words of its reports, what was kept of what it said, and closes the cases about it.
/// - **Enough reporters hide a thing** until a moderator has seen it: five who count and whose trust sums to half of that. Readers whom the
///   author blocks are not among them, and all of one group are not enough. Dismissing the case brings it back.
///
/// **What is told** (`Telling`):
///
/// - **To the reader concerned**: each act that weighs on them, with the reason, its end and what it took out of sight, which is kept for
///   180 days (`Sanction`); a notification of it and of its end, of an act on many one; a mail where it is about the account. Who did
///   it is not told.
/// - **To reporters**: that their report was decided.
/// - **To everybody**: the log (`Logged`), a line an act, without whose it was, texts and reasons. What is done in a private group is
///   for its members.
/// - **To moderators' sockets**: `report.opened` and `report.changed` on the topic `moderation`. Who may follow that is asked again when a
///   role changes (`role.changed`).
///
/// **Hiding** takes a thing out of every read, count, search, feed, notification and event, for all but its author, who is
/// told so (`is_hidden`) and may still change and delete it. A review or list is private meanwhile, and keeps the level
/// that it comes back with beside that; a reply to a review says so in the one predicate of its reads; a group is there
/// for its owners. A name or bio is taken away as its reader would take it, and kept as evidence; a picture is withheld
/// at its address, too. Open sockets hear what they hear when the reader narrows or deletes it.
///
/// **Acts.** A kind of things says what moderators can do to it (`Moderated.verbs`): hide, lock, warn, suspend, …. One act on one thing is
/// one transaction: the change with its events, and its row in `moderation_action` with who, what, why, before and after. Rows are added
/// and never changed: the application's database role may not, and a trigger refuses everyone. Nobody acts on somebody of the same role or
/// a higher one; somebody at the server's own terminal is above all.
///
/// - **An act on many** (`moderation_bulk`) is a list (`moderation_target`) that is frozen when it is made: a dry run makes it and does no
///   more, `start` begins it. What the actor may not act on is refused on the list. A job (queue `moderation`) takes what is in one thread,
///   or of one author, 100 at most, in one transaction with what became of each. So it goes on where it was stopped. It stops for good
///   where it is cancelled, or its actor moderates no longer.
/// - **Undoing** does the inverse of an act, as far as the thing is as the act left it: nobody did the like to it since, and it is not so
///   already. That is an act too, which names the one that it undoes. Nothing takes back a warning, ended sessions and tokens, what an
///   author deleted, or the end of an account.
/// - **An act with an end** (`until`) is undone by a job at that time.
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

        /// Throws `.forbidden` with code `role_too_low` unless this actor stands above `role`.
        package func mayActOn(_ role: Accounts.Role) throws(Failure) {
            if let own = self.role, own <= role {
                throw .forbidden(code: "role_too_low", "only somebody above the role \(role.rawValue) may do that")
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
                pointer, "required",
                "must have \(Limits.moderation.reason.lowerBound) to \(Limits.moderation.reason.upperBound) characters")
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
            try await transaction.run(
                Statements.Record(
                    id: services.ids.make(), at: services.clock.now(), actor: actor, action: action,
                    subjectKind: thing.name, subject: thing.id, reason: reason, before: JSON(encoding: before),
                    after: JSON(encoding: after)))
        }

        /// What was done to a thing, newest first, at most 100 acts.
        package func history(of thing: Thing) async throws -> [Action] {
            try await services.database.all(
                Statements.History(subjectKind: thing.name, subject: thing.id, limit: Limits.page.upperBound))
        }
    }
}
