import JSONWriting
import Postgres

extension Moderation {
    /// An act that weighs on a reader, as they are told of it: what, why, until when. Who decided it is not told.
    package struct Sanction: Hashable, Sendable {
        package let id: ID<Action>
        /// `post.hide`, `account.suspend`, …
        package let action: String
        /// To what: `post:7112`, `reader:ann`.
        package let target: String
        package let reason: String
        /// When it ends by itself; `nil`: never.
        package let until: Timestamp?
        package let isByMachine: Bool
        package let at: Timestamp
        /// When a later act took it back or took its place.
        package let undoneAt: Timestamp?
        /// What it took out of sight, by the names of the API, while that is kept; `nil` where that is over, or it took nothing.
        package let said: JSON?
    }
}

extension Moderation.Store {
    /// What weighs or weighed on the reader, newest first.
    package func sanctions(
        of reader: ID<Accounts.Account>, _ page: PageRequest<ID<Moderation.Action>>
    ) async throws -> Page<Moderation.Sanction, ID<Moderation.Action>> {
        let database = services.database
        return try await page.read(from: .highest, key: \.id) {
            try await database.all(Moderation.Statements.SanctionsOf(reader: reader, span: $0))
        }
    }
}

extension Moderation.Sanction: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("action", action)
        object.put("target", target)
        object.put("reason", reason)
        object.put("until", until)
        object.put("is_decided_by_machine", isByMachine)
        object.put("created_at", at)
        object.put("undone_at", undoneAt)
        object.put("said", said)
    }
}
