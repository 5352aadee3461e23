import JSONWriting
import MarkdownReading
import Postgres

extension Moderation {
    /// Why something is reported.
    package enum Category: String, Sendable, CaseIterable, PostgresText {
        /// It breaks the law.
        case legal
        /// It attacks, threatens or harasses somebody.
        case abuse
        case spam
        /// It gives away what it does not say that it gives away.
        case spoiler
        /// It breaks a rule of this community.
        case rule
        case other
    }

    /// What became of a report, and of the case that it is part of.
    package enum Outcome: String, Sendable, CaseIterable, PostgresText {
        /// It waits for a decision.
        case open
        /// Something was done.
        case acted
        /// Nothing was.
        case dismissed
    }

    /// What a reader reports.
    package struct NewReport: Hashable, Sendable {
        package let target: Reference
        package let category: Category
        /// Why, in the reader's words; `nil` where there are none.
        package let text: String?
        /// Others of the same conversation, kept with it.
        package let context: Set<Int64>

        package init(target: Reference, category: Category, text: String?, context: Set<Int64> = []) {
            self.target = target
            self.category = category
            self.text = text
            self.context = context
        }

        /// What is kept of the words.
        var kept: String? { text.map(Markdown.clean) }

        /// Throws `.invalid` (`/text`).
        func check() throws(Failure) {
            var faults = Faults()
            if let text { Wording.check(text: text, into: &faults, bytes: Limits.moderation.report, at: "/text") }
            try faults.check()
        }
    }

    /// A report as its reporter sees it: what was decided, not what was done to whom.
    package struct Report: Hashable, Sendable {
        package let id: ID<Report>
        /// As it is named: `post:7112`, `reader:ann`.
        package let target: String
        package let category: Category
        package let text: String?
        package let state: Outcome
        package let createdAt: Timestamp
        package let decidedAt: Timestamp?
    }

    /// Who reports, as the account says.
    struct Reporter: Sendable {
        /// Whether it counts for others.
        let counts: Bool
        /// Reports within a day, at most `Limits.moderation.reportsPerDay`.
        let lately: Int
        /// Of the last hundred that were decided, those after which something was done.
        let right: Int
        let decided: Int

        /// How likely the next report is right: (right + 1) / (decided + 2), the rule of succession of Laplace. `nil`
        /// for an account that does not count.
        var trust: Float? { counts ? Float(right + 1) / Float(decided + 2) : nil }
    }

    /// What somebody sees of a thing when they report it, and what it says.
    struct Testimony: Sendable {
        let thing: Thing
        let author: ID<Accounts.Account>?
        /// The group that it is, or on whose board it stands.
        let group: Int64?
        /// What it says, by the names of the API.
        let said: JSON
    }
}

extension Moderation.Report: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("target", target)
        object.put("category", category.rawValue)
        object.put("text", text)
        object.put("state", state.rawValue)
        object.put("created_at", createdAt)
        object.put("decided_at", decidedAt)
    }
}
