import Community
import Postgres

/// An account that a test made, with a session of its own.
package struct Signed: Sendable {
    package let id: ID<Accounts.Account>
    package let username: String
    package let email: String
    package let identity: Accounts.Identity
    /// `cpl_…`: for `Authorization: Bearer`.
    package let token: String

    package var viewer: Viewer { .reader(id) }
    package var actor: Moderation.Actor { .account(id, identity.role) }
}

extension Given {
    /// What `account()` signs in with.
    package static let password = "a long enough password"

    /// An account, approved and verified, with a session: four statements and one hash of the cheapest kind. A username that is left out is
    /// unique in this run.
    package func account(
        _ username: String? = nil, role: Accounts.Role = .member, state: Accounts.State = .active,
        isVerified: Bool = true,
        name: String? = nil, isDemo: Bool = false
    ) async throws -> Signed {
        let store = world.community.accounts
        let username = username ?? "reader_" + String(world.random.number(in: UInt32.min...UInt32.max), radix: 36)
        let enrolment = Accounts.Enrolment(
            username: username, email: "\(username)@example.org", name: name, role: role, isDemo: isDemo)
        let hash = try await store.hash(password: Self.password, for: enrolment)
        let id = try await store.enrol(enrolment, password: hash)
        let token = try await store.openSession(for: id)
        guard let identity = try await store.identify(token: token.text) else { throw Unmade() }
        if state != .active || !isVerified {
            try await world.asSuperuser(
                """
                update account set state = '\(state.rawValue)', verified_at = \(isVerified ? "verified_at" : "null")
                 where id = \(id)
                """)
        }
        let seen = Accounts.Identity(
            account: id, session: identity.session, username: username, role: role, state: state,
            isVerified: isVerified, createdAt: identity.createdAt, lastUsedAt: identity.lastUsedAt, scopes: nil)
        return Signed(id: id, username: username, email: enrolment.email, identity: seen, token: token.text)
    }

    /// An account alone, without a session, past its first day: for tests that are about what accounts do.
    package func reader(bornHoursAgo: Int = 1000, isVerified: Bool = true) async throws -> ID<Accounts.Account> {
        let store = world.community.accounts
        let username = "reader_" + String(world.random.number(in: UInt32.min...UInt32.max), radix: 36)
        let enrolment = Accounts.Enrolment(
            username: username, email: "\(username)@example.org",
            createdAt: world.clock.now() - .seconds(bornHoursAgo * 3600))
        let id = try await store.enrol(
            enrolment, password: try await store.hash(password: Self.password, for: enrolment))
        if !isVerified { try await world.asSuperuser("update account set verified_at = null where id = \(id)") }
        return id
    }

    /// What somebody sends to sign up, without a fault.
    package func registration(_ username: String = "ann", invitation: String? = nil) -> Accounts.Registration {
        Accounts.Registration(
            username: username, email: "\(username)@example.org", emailConfirmation: "\(username)@example.org",
            password: Self.password, passwordConfirmation: Self.password, invitation: invitation)
    }

    package struct Unmade: Error {}
}

extension World {
    /// Somebody at the server's terminal.
    package static var terminal: Moderation.Actor { .terminal("tester") }

    /// Kinds of all events that wait, oldest first, those for the servers themselves (topic `control`) included; `outbox()` leaves those out.
    package func outboxKinds() async throws -> [String] {
        try await asSuperuser("select kind from outbox order by position").compactMap(\.first).compactMap(\.self)
    }
}
