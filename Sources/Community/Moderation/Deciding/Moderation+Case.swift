import JSONWriting
import Postgres

extension Moderation {
    /// All that was reported about one thing, as it stands in the queue.
    package struct Case: Hashable, Sendable {
        package let id: ID<Case>
        /// What it is about: `post:7112`, `reader:ann`. It may be gone.
        package let target: String
        /// Whose that is; `nil` where it is nobody's.
        package let author: Accounts.Reader?
        /// The gravest of its open reports.
        package let category: Category
        /// Since it was opened: reports, and those of them by accounts that count.
        package let reports: Int
        package let reporters: Int
        package let priority: Int
        package let state: Outcome
        /// Who looks at it: a username, or `cli:NAME`.
        package let claimedBy: String?
        package let claimedUntil: Timestamp?
        /// What a decision names, so that nobody decides on what they have not seen.
        package let version: Int
        package let openedAt: Timestamp
        package let changedAt: Timestamp
        package let decidedAt: Timestamp?

        var key: Key { Key(priority: -priority, id: id.rawValue) }
    }

    /// The place in the queue: the most urgent first, then the oldest.
    package struct Key: SortKey, Codable {
        let priority: Int
        let id: Int64

        package static let lowest = Key(priority: .min, id: .min)
        package static let highest = Key(priority: .max, id: .max)

        private enum CodingKeys: String, CodingKey {
            case priority = "p"
            case id = "i"
        }
    }

    /// A case with all that is known of it.
    package struct File: Hashable, Sendable {
        package let about: Case
        package let reports: [Filed]
        package let evidence: [Evidence]
        package let acts: [Action]
    }

    /// A report as moderators see it.
    package struct Filed: Hashable, Sendable {
        package let id: ID<Report>
        package let reporter: Accounts.Reader
        package let category: Category
        package let text: String?
        /// How likely it is right, 0 to 1; `nil` where its account does not count.
        package let trust: Double?
        package let state: Outcome
        package let createdAt: Timestamp
    }

    /// A copy of what a thing said.
    package struct Evidence: Hashable, Sendable {
        package let id: ID<Evidence>
        package let target: String
        /// The username of who said it; `nil` where that account has ended.
        package let author: String?
        package let said: JSON
        package let createdAt: Timestamp
    }

    /// How a case is decided.
    package struct Decision: Hashable, Sendable {
        /// `acted` or `dismissed`.
        package let outcome: Outcome
        /// What the moderator saw.
        package let version: Int
        package let reason: String
        /// What the public log says.
        package let said: String?

        package init(outcome: Outcome, version: Int, reason: String, said: String? = nil) {
            self.outcome = outcome
            self.version = version
            self.reason = reason
            self.said = said
        }
    }

    /// A case under the hands of a moderator, its row locked.
    struct HeldCase: Sendable {
        let thing: (kind: String, id: Int64)
        let author: ID<Accounts.Account>?
        /// Of its author; members' where it is nobody's.
        let role: Accounts.Role
        let state: Outcome
        let claimedBy: String?
        /// The role of the reader who has claimed it.
        let claimer: Accounts.Role?
        let claimedUntil: Timestamp?
        let version: Int
        let decidedAt: Timestamp?
    }
}

extension Moderation.Case: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("target", target)
        object.put("author", author)
        object.put("category", category.rawValue)
        object.put("report_count", reports)
        object.put("reporter_count", reporters)
        object.put("priority", priority)
        object.put("state", state.rawValue)
        object.put("claimed_by", claimedBy)
        object.put("claim_ends_at", claimedUntil)
        object.put("version", version)
        object.put("opened_at", openedAt)
        object.put("changed_at", changedAt)
        object.put("decided_at", decidedAt)
    }
}

extension Moderation.File: JSONForm {
    package func put(into object: JSONObject) {
        object.put("case", about)
        object.put("reports", reports)
        object.put("evidence", evidence)
        object.put("acts", acts)
    }
}

extension Moderation.Filed: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("reporter", reporter)
        object.put("category", category.rawValue)
        object.put("text", text)
        object.put("trust", trust)
        object.put("state", state.rawValue)
        object.put("created_at", createdAt)
    }
}

extension Moderation.Evidence: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("target", target)
        object.put("author", author)
        object.put("said", said)
        object.put("created_at", createdAt)
    }
}

extension Moderation.Action: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("actor", actor)
        object.put("action", action)
        object.put("reason", reason)
        object.put("before", before)
        object.put("after", after)
        object.put("created_at", at)
    }
}
