import Postgres

/// What moderators and administrators do to others, and the record of it.
///
/// Each act is written to `moderation_action` in its own transaction, with who, what, why, before and after. Rows are
/// added and never changed: the application's database role may not, and a trigger refuses everyone.
package enum Moderation {
    /// One recorded act.
    package struct Action: Sendable {
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
        case account(ID<Accounts.Account>, Accounts.Role)

        /// As it is recorded: `cli:root`, `account:42`.
        package var text: String {
            switch self {
            case .terminal(let name):
                "cli:" + String(String.UnicodeScalarView(name.unicodeScalars.filter(\.isPrintable).prefix(100)))
            case .account(let id, _): "account:" + id.text
            }
        }

        /// Throws `.forbidden` with code `role_too_low` unless this actor stands above `role`.
        package func mayActOn(_ role: Accounts.Role) throws(Failure) {
            if case .account(_, let own) = self, own <= role {
                throw .forbidden(code: "role_too_low", "only somebody above the role \(role.rawValue) may do that")
            }
        }
    }

    /// Throws `.invalid` unless `reason` is 1 to 500 characters that are not all blank.
    package static func check(reason: String) throws(Failure) {
        guard Limits.moderation.reason.contains(reason.unicodeScalars.count), !reason.allSatisfy(\.isWhitespace),
            Wording.isPlain(reason)
        else {
            throw .invalid(
                "/reason", "required",
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
                    id: services.ids.make(), at: services.clock.now(), actor: actor.text, action: action,
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
