import Community
import Postgres

extension Accounts.Routes {
    /// `{account, token}`.
    struct SignedInBody: Encodable {
        let account: Accounts.Account
        let token: String?

        init(_ new: Accounts.SignedIn) {
            self.account = new.account
            self.token = new.token?.text
        }
    }

    /// A session and whether it is the one that asks.
    struct SessionBody: Encodable {
        let id: ID<Accounts.Session>
        let isCurrent: Bool
        let createdAt: Timestamp
        let lastUsedAt: Timestamp
        let expiresAt: Timestamp
        let device: String?
        let network: String?

        enum CodingKeys: String, CodingKey {
            case id
            case isCurrent = "current"
            case createdAt, lastUsedAt, expiresAt, device, network
        }

        init(_ session: Accounts.Session, isCurrent: Bool) {
            self.id = session.id
            self.isCurrent = isCurrent
            self.createdAt = session.createdAt
            self.lastUsedAt = session.lastUsedAt
            self.expiresAt = session.expiresAt
            self.device = session.device
            self.network = session.network
        }
    }

    static let account = Schema.object(
        "Account",
        [
            "id": .id, "username": .string, "name": .orNull(.string), "bio": .orNull(.string), "email": .email,
            "email_verified": .boolean, "approved": .boolean, "role": .choice(Accounts.Role.allCases.map(\.rawValue)),
            "state": .choice(Accounts.State.allCases.map(\.rawValue)),
            "friend_count": .integer(0...Limits.Friends.friends),
            "created_at": .time,
        ])

    static let signedIn = Schema.object("SignedIn", ["account": account, "token": .orNull(.string)])

    static let newAccount = Schema.object(
        "NewAccount",
        [
            "username": .string(Limits.Accounts.username), "email": .email, "email_confirmation": .email,
            "password": .string(Limits.Accounts.password), "password_confirmation": .string(Limits.Accounts.password),
        ],
        optional: ["name": .orNull(.string), "invitation": .orNull(.string)])

    static let newSession = Schema.object(
        "NewSession",
        [
            "login": .string(1...Limits.Accounts.email.upperBound),
            "password": .string(1...Limits.Accounts.password.upperBound),
        ])

    static let session = Schema.object(
        "Session",
        [
            "id": .id, "current": .boolean, "created_at": .time, "last_used_at": .time, "expires_at": .time,
            "device": .orNull(.string), "network": .orNull(.string),
        ])

    static let sessions = Schema.object("Sessions", ["items": .array(session, count: 0...Limits.Accounts.sessions)])

    static let confirmation = Schema.object(
        "Confirmation", ["password": .string(1...Limits.Accounts.password.upperBound)])

    static let verification = Schema.object("EmailVerification", ["token": .string(1...200)])

    static let resend = Schema.object("EmailVerificationRequest", ["email": .email])

    /// How a reader is named beside what the reader did.
    static let reader = Schema.object("ReaderName", ["id": .id, "username": .string, "name": .orNull(.string)])

    static let profile = Schema.object(
        "Reader",
        [
            "id": .id, "username": .string, "name": .orNull(.string), "bio": .orNull(.string),
            "friend_count": .integer(0...Limits.Friends.friends), "created_at": .time,
            "relation": .choice(Accounts.Relation.allCases.map(\.rawValue)),
        ])
}
