import Logging
import Postgres

extension Accounts {
    /// What a reader hands to a program: a key that opens some of what the reader may do, until a day.
    ///
    /// **Scopes** are those of the route table, `read:library`, `write:reviews`, …: a call that has a scope is
    /// refused to a token without it, and a call that has none (making tokens, passwords and addresses, sessions,
    /// leaving) to every token. At most 50 for an account, 1 to 366 days each, 30 at most with `write:moderation`. The token is shown once; its SHA-256
    /// is stored. The last use is written at most every ten minutes. Revoking closes its sockets. A change of the
    /// password leaves tokens alone; a reset, a suspension and the account's end do not.
    package struct AccessToken: Sendable, Hashable, Encodable {
        package let id: ID<AccessToken>
        package let name: String
        package let scopes: [Scope]
        package let createdAt: Timestamp
        package let expiresAt: Timestamp
        /// To ten minutes; `nil` before the first use.
        package let lastUsedAt: Timestamp?
    }

    /// What one call of the API needs: the verb and the area of the route table.
    package struct Scope: Hashable, Sendable, Comparable, CustomStringConvertible {
        /// What a call does with an area: `read` changes nothing, `write` is everything else.
        package enum Verb: String, Sendable, CaseIterable {
            case read, write
        }

        package let verb: Verb
        /// `library`, `reviews`, …: letters and underscores.
        package let area: String

        package init(_ verb: Verb, _ area: String) {
            self.verb = verb
            self.area = area
        }

        /// Reads `read:library`.
        package init?(_ text: String) {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let verb = Verb(rawValue: String(parts[0])), (1...40).contains(parts[1].utf8.count),
                parts[1].utf8.allSatisfy({ (97...122).contains($0) || $0 == 95 })
            else { return nil }
            self.init(verb, String(parts[1]))
        }

        package var description: String { verb.rawValue + ":" + area }

        package static func < (left: Scope, right: Scope) -> Bool {
            (left.area, left.verb.rawValue) < (right.area, right.verb.rawValue)
        }
    }

    /// A token that somebody wants, as it was sent.
    package struct NewAccessToken: Sendable {
        package var name: String
        package var scopes: [Scope]
        package var days: Int

        package init(name: String, scopes: [Scope], days: Int) {
            self.name = name
            self.scopes = scopes
            self.days = days
        }

        func validate() throws(Failure) {
            var faults = Faults()
            let (name, days) = (Limits.accounts.accessTokenName, Limits.accounts.accessTokenDays)
            faults.require(
                name.contains(self.name.unicodeScalars.count) && !self.name.allSatisfy(\.isWhitespace)
                    && self.name.unicodeScalars.allSatisfy(\.isPrintable), "/name", .badFormat,
                "must have \(name.lowerBound) to \(name.upperBound) characters, not all blank, none of control")
            faults.require(!scopes.isEmpty, "/scopes", .required, "must name at least one scope")
            faults.require(
                days.contains(self.days), "/days", .outOfRange, "must be \(days.lowerBound) to \(days.upperBound)")
            let most = Limits.accounts.moderationTokenDays
            faults.require(
                self.days <= most || !scopes.contains(Scope(.write, "moderation")), "/days", .outOfRange,
                "must be at most \(most) with write:moderation")
            try faults.check()
        }
    }
}

extension Accounts.Scope: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let scope = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a scope")
        }
        self = scope
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension Accounts.Store {
    /// Tokens of `account` that have not run out, newest first; at most 50.
    package func accessTokens(of account: ID<Accounts.Account>) async throws -> [Accounts.AccessToken] {
        try await services.database.all(Accounts.Statements.AccessTokens(account: account, now: services.clock.now()))
    }

    /// Makes a token. Its text is told now and never again. Throws `.invalid` (`/name`, `/scopes`, `/days`),
    /// `.forbidden` (`account_frozen`), `.conflict` (`too_many_tokens`), `.unauthenticated` where `session`, which asks
    /// for it, is over by now: what a stolen session has begun must not outlast its end.
    package func makeAccessToken(
        _ new: Accounts.NewAccessToken, for account: ID<Accounts.Account>, by session: ID<Accounts.Session>? = nil
    ) async throws -> (token: Token, made: Accounts.AccessToken) {
        try new.validate()
        return try await services.database.transaction { transaction in
            try await lockKnown(account, in: transaction).state.mayWrite()
            let now = services.clock.now()
            if let session {
                let living = Accounts.Statements.Living(sessions: [session.rawValue], now: now)
                guard try await transaction.first(living) != nil else { throw Failure.unauthenticated() }
            }
            let living = try await transaction.all(Accounts.Statements.AccessTokens(account: account, now: now))
            guard living.count < Limits.accounts.accessTokens else {
                throw Failure.conflict(code: .tooManyTokens, "revoke one of your access tokens first")
            }
            let token = Token.make(.access, from: services.random)
            let made = Accounts.AccessToken(
                id: try services.ids.make(), name: new.name, scopes: Set(new.scopes).sorted(), createdAt: now,
                expiresAt: now + .seconds(Int64(new.days) * 86_400), lastUsedAt: nil)
            try await transaction.run(
                Accounts.Statements.InsertAccessToken(made: made, account: account, digest: Bytes(token.digest)))
            return (token, made)
        }
    }

    /// Revokes one token of `account`: it is dead with the commit, its sockets close with the event. Throws
    /// `.notFound`.
    package func revoke(_ token: ID<Accounts.AccessToken>, of account: ID<Accounts.Account>) async throws {
        try await services.database.transaction { transaction in
            guard
                try await transaction.run(Accounts.Statements.RevokeAccessToken(token: token, account: account)) == 1
            else { throw Failure.notFound("access token") }
            try await Accounts.Event.sessionEnded(token.asSession, of: account).append(
                in: transaction, services: services)
        }
    }

    /// Who holds this access token now; `nil` for one that is unknown, revoked or over, or whose account is not in
    /// good standing.
    func identify(access token: Token) async throws -> Accounts.Identity? {
        let now = services.clock.now()
        guard
            let identity = try await services.database.first(
                Accounts.Statements.IdentifyAccess(digest: Bytes(token.digest), now: now))
        else { return nil }
        if now - identity.lastUsedAt >= Limits.accounts.accessTokenUse {
            do {
                try await services.database.run(
                    Accounts.Statements.TouchAccess(
                        token: identity.session, now: now, before: now - Limits.accounts.accessTokenUse))
            } catch {
                // It costs nobody the request: the token then seems unused a little longer.
                services.logger.notice("the use of an access token was not noted", metadata: ["error": "\(error)"])
            }
        }
        return services.settings.isLoopback ? identity.verified : identity
    }
}

extension ID where Entity == Accounts.AccessToken {
    /// As sockets and events name it, which know sessions: identifiers are unique across all kinds.
    var asSession: ID<Accounts.Session> { ID<Accounts.Session>(rawValue: rawValue) }
}
