import JSONWriting
import Postgres

extension Moderation {
    /// A line of the public log: what moderators did, without whose it was, what it said and why. An act on many things is one line.
    package struct Logged: Hashable, Sendable {
        /// Who acts, as the log says it.
        package enum Office: String, Sendable, CaseIterable, PostgresText {
            case moderator, admin
            /// Somebody who leads the group in which it was done.
            case group
            /// The server by itself.
            case server
        }

        /// The act as it is undone: on one thing, or on many.
        package let id: ID<Action>
        /// `post.hide`, `account.suspend`, …
        package let action: String
        /// To what kind of thing: `post`, `reader`, …
        package let kind: String
        /// To how many.
        package let count: Int
        package let by: Office
        package let at: Timestamp
        /// When it ends by itself; `nil`: never.
        package let until: Timestamp?
        /// When a later act took it back or took its place.
        package let undoneAt: Timestamp?
        /// What the actor says of it to everybody.
        package let said: String?
    }
}

extension Moderation.Store {
    /// What moderators did, newest first, but for what was done in private groups. Decisions on reports stand there where the moderator
    /// says something of them to everybody.
    package func log(
        _ page: PageRequest<ID<Moderation.Action>>
    ) async throws -> Page<Moderation.Logged, ID<Moderation.Action>> {
        let database = services.database
        return try await page.read(from: .highest, key: \.id) {
            try await database.all(Moderation.Statements.PublicLog(span: $0))
        }
    }

    /// The same of one group, whichever it is. Who may read it is for the caller to say.
    package func log(
        ofGroup group: Int64, _ page: PageRequest<ID<Moderation.Action>>
    ) async throws -> Page<Moderation.Logged, ID<Moderation.Action>> {
        let database = services.database
        return try await page.read(from: .highest, key: \.id) {
            try await database.all(Moderation.Statements.GroupLog(group: group, span: $0))
        }
    }
}

extension Moderation.Logged: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("action", action)
        object.put("kind", kind)
        object.put("target_count", count)
        object.put("by", by.rawValue)
        object.put("created_at", at)
        object.put("until", until)
        object.put("undone_at", undoneAt)
        object.put("public", said)
    }
}
