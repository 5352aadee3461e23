import JSONWriting
import Postgres

extension Moderation {
    /// One act as the audit shows it. Of an act in a private group only the kind, the actor and the time are told.
    package struct Entry: Hashable, Sendable {
        package let id: ID<Action>
        package let at: Timestamp
        /// A username, `cli:NAME` or `system`.
        package let actor: String
        /// `post.hide`, `account.suspend`, …
        package let action: String
        /// As it is named: `post:7112`. `nil` in a private group, as what follows.
        package let target: String?
        package let reason: String?
        /// What the public log says.
        package let said: String?
        package let before: JSON?
        package let after: JSON?
        /// The act on many that it is part of.
        package let act: Int64?
        package let report: ID<Case>?
        package let undoes: ID<Action>?
        package let undoneBy: ID<Action>?
        package let expiresAt: Timestamp?
        package let token: ID<Accounts.AccessToken>?
    }

    /// Which acts the audit shows: all that is given holds. `nil`: whatever.
    package struct AuditFilter: Hashable, Sendable {
        /// A username, `cli:NAME` or `system`.
        package var actor: String?
        package var target: Reference?
        /// The username of whose things they were done to.
        package var author: String?
        /// One of `verbs`, on things of any kind.
        package var verb: String?

        /// What can be done to things, to titles, to cases, and to accounts.
        package static let verbs =
            Verb.allCases.map(\.rawValue) + ["edit", "resolve", "dismiss", "reopen", "note"]
            + ["appoint", "approve", "create_owner", "reset_password"]

        package init() {}
    }

    /// Something that a reader said, as moderators look through it.
    package struct Saying: Hashable, Sendable {
        package let id: ID<Saying>
        /// As it is named: `post:7112`.
        package let target: String
        package let author: Accounts.Reader
        /// The beginning of it in one line, at most `Limits.moderation.quote` characters; empty for a rating alone.
        package let quote: String
        package let isHidden: Bool
        package let at: Timestamp
    }

    /// A reader as moderators see them.
    package struct Dossier: Hashable, Sendable {
        package let reader: Accounts.Reader
        package let role: Accounts.Role
        package let state: Accounts.State
        /// Until when, where that state ends by itself.
        package let until: Timestamp?
        package let isVerified: Bool
        package let isApproved: Bool
        /// For administrators alone: others see the domain.
        package let email: String
        package let friends: Int
        package let comments: Int
        package let sessions: Int
        /// What was done to them and to what they said.
        package let acts: Int
        /// Open reports about them and about what they said.
        package let reports: Int
        package let createdAt: Timestamp

        /// As `actor` sees it.
        package func seen(by actor: Actor) -> SeenDossier { SeenDossier(dossier: self, showsEmail: actor.isAdmin) }
    }

    /// A dossier for one who looks.
    package struct SeenDossier: Hashable, Sendable {
        package let dossier: Dossier
        package let showsEmail: Bool
    }

    /// Which readers are listed: all that is given holds. `nil`: whatever.
    package struct ReaderFilter: Hashable, Sendable {
        package var state: ReaderState?
        package var role: Accounts.Role?
        /// That of the e-mail address.
        package var emailDomain: String?
        /// Signed up since.
        package var since: Timestamp?
        /// How the username begins.
        package var name: String?

        package init() {}
    }

    /// The states that readers are listed by.
    package enum ReaderState: String, Sendable, CaseIterable, PostgresText {
        case active, limited, frozen, suspended, leaving
        /// For approval.
        case waiting
    }

    /// How things stand.
    package struct Statistics: Hashable, Sendable {
        package struct Count: Hashable, Sendable {
            let name: String
            let count: Int
        }

        /// Open cases by category.
        package let open: [Count]
        package let oldestOpen: Timestamp?
        /// In seven days.
        package let decided: Int
        /// Hours from the opening of those to the decision.
        package let medianHours: Double?
        /// Acts in seven days by what was done: `post.hide`, ….
        package let acts: [Count]
        package let readers: [Count]
        package let waiting: Int
    }
}

extension Moderation.Actor {
    /// Administrators, owners, and who sits at the server's own terminal.
    package var isAdmin: Bool {
        switch self {
        case .terminal: true
        case .account(_, let role, _): role >= .admin
        case .system: false
        }
    }
}

extension Moderation.Entry: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("created_at", at)
        object.put("actor", actor)
        object.put("action", action)
        object.put("target", target)
        object.put("reason", reason)
        object.put("public", said)
        object.put("before", before)
        object.put("after", after)
        object.put("act", act.map { ID<Self>(rawValue: $0) })
        object.put("report", report)
        object.put("undoes", undoes)
        object.put("undone_by", undoneBy)
        object.put("expires_at", expiresAt)
        object.put("token", token)
    }
}

extension Moderation.Saying: JSONForm {
    package func put(into object: JSONObject) {
        object.put("target", target)
        object.put("author", author)
        object.put("quote", quote)
        object.put("is_hidden", isHidden)
        object.put("created_at", at)
    }
}

extension Moderation.SeenDossier: JSONForm {
    package func put(into object: JSONObject) {
        object.put("reader", dossier.reader)
        object.put("role", dossier.role.rawValue)
        object.put("state", dossier.state.rawValue)
        object.put("until", dossier.until)
        object.put("is_verified", dossier.isVerified)
        object.put("is_approved", dossier.isApproved)
        object.put("email", showsEmail ? dossier.email : nil)
        object.put("email_domain", String(dossier.email.drop { $0 != "@" }.dropFirst()))
        object.put("friend_count", dossier.friends)
        object.put("comment_count", dossier.comments)
        object.put("session_count", dossier.sessions)
        object.put("act_count", dossier.acts)
        object.put("report_count", dossier.reports)
        object.put("created_at", dossier.createdAt)
    }
}

extension Moderation.Statistics: JSONForm {
    package func put(into object: JSONObject) {
        object.put("open", open)
        object.put("oldest_opened_at", oldestOpen)
        object.put("decided_count", decided)
        object.put("median_hours", medianHours)
        object.put("acts", acts)
        object.put("readers", readers)
        object.put("waiting_count", waiting)
    }
}

extension Moderation.Statistics.Count: JSONForm {
    package func put(into object: JSONObject) {
        object.put("name", name)
        object.put("count", count)
    }
}
