import Postgres

extension Accounts {
    /// Who makes a request, as the token of a session or an access token proves: read afresh for each request, so that
    /// whatever ends a session, suspends an account or changes a role holds at once.
    package struct Identity: Sendable {
        package let account: ID<Account>
        /// The session; for an access token, the token as sockets and events name it.
        package let session: ID<Session>
        package let username: String
        package let role: Role
        /// `active`, `limited` or `frozen`; the others have no session.
        package let state: State
        /// The address is verified, or needs no verification on this server.
        package private(set) var isVerified: Bool
        package let createdAt: Timestamp
        /// When the session was used last, to the minute.
        package let lastUsedAt: Timestamp
        /// What an access token may do; `nil` for a session, which may everything.
        package let scopes: Set<Scope>?

        /// The access token with which it is proven; `nil` for a session.
        package var accessToken: ID<AccessToken>? { scopes.map { _ in ID(rawValue: session.rawValue) } }

        /// The role in which it acts: an access token without `write:moderation` acts in that of no moderator.
        package var office: Role {
            scopes?.contains(Scope(.write, "moderation")) ?? true ? role : min(role, .librarian)
        }

        package init(
            account: ID<Account>, session: ID<Session>, username: String, role: Role, state: State, isVerified: Bool,
            createdAt: Timestamp, lastUsedAt: Timestamp, scopes: Set<Scope>?
        ) {
            self.account = account
            self.session = session
            self.username = username
            self.role = role
            self.state = state
            self.isVerified = isVerified
            self.createdAt = createdAt
            self.lastUsedAt = lastUsedAt
            self.scopes = scopes
        }

        /// Throws `.forbidden` unless this account may write at all: `account_frozen`.
        package func mayWrite() throws(Failure) {
            try state.mayWrite()
        }

        /// Throws `.forbidden` unless this account may write what others see: `account_frozen`, `email_unverified`.
        package func mayPost() throws(Failure) {
            try mayWrite()
            guard isVerified else { throw .unverified }
        }

        /// Throws `.forbidden` unless this account may write what this level sees: friends need no proven address.
        func mayShow(_ level: Visibility) throws(Failure) {
            if level > .friends { try mayPost() } else { try mayWrite() }
        }

        /// The same on a server where nobody needs to prove an address.
        var verified: Self {
            var copy = self
            copy.isVerified = true
            return copy
        }
    }

    /// What an account may do beyond its own things. Each role includes those before it, the librarian apart: the
    /// catalogue is not people.
    package enum Role: String, Sendable, CaseIterable, Codable, Comparable, PostgresText {
        case member, librarian, moderator, admin, owner

        package static func < (left: Role, right: Role) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .member: 0
            case .librarian: 1
            case .moderator: 2
            case .admin: 3
            case .owner: 4
            }
        }
    }

    /// How far an account's voice reaches. `account.reach` is computed from it by the database.
    package enum State: String, Sendable, CaseIterable, Codable, PostgresText {
        case active
        /// Seen by its friends only.
        case limited
        /// Reads, does not write; what it wrote stays.
        case frozen
        /// Cannot sign in; nothing of it is seen.
        case suspended
        /// Its owner has asked for its end: nothing of it is seen. Signing in within 30 days calls that off.
        case leaving
        /// Gone: personal columns are empty and never come back.
        case deleted

        /// Throws `.forbidden` (`account_frozen`) unless such an account may write at all. A frozen one may still
        /// leave, sign out, block and lift a block: what protects its owner is no voice.
        package func mayWrite() throws(Failure) {
            guard self == .active || self == .limited else {
                throw .forbidden(code: .accountFrozen, "this account is frozen: it reads and does not write")
            }
        }
    }
}

extension Failure {
    /// The address has yet to be proven.
    static var unverified: Failure {
        .forbidden(code: .emailUnverified, "verify the e-mail address first")
    }
}
