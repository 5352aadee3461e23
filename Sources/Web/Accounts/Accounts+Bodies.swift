import Community
import Postgres

extension Accounts.Routes {
    /// `{account, token}`.
    struct SignedInBody: Encodable {
        let account: AccountBody
        let token: String?

        init(_ new: Accounts.SignedIn, picture: Media.PictureBody?) {
            self.account = AccountBody(new.account, picture: picture)
            self.token = new.token?.text
        }
    }

    /// An account as its owner sees it.
    struct AccountBody: Encodable {
        let id: ID<Accounts.Account>
        let username: String
        let name: String?
        let bio: String?
        let picture: Media.PictureBody?
        let email: String
        let emailVerified: Bool
        let approved: Bool
        let role: String
        let state: String
        let friendCount: Int
        let commentCount: Int
        let groupCount: Int
        let createdAt: Timestamp

        init(_ account: Accounts.Account, picture: Media.PictureBody?) {
            id = account.id
            username = account.username
            name = account.name
            bio = account.bio
            self.picture = picture
            email = account.email
            emailVerified = account.isVerified
            approved = account.isApproved
            role = account.role.rawValue
            state = account.state.rawValue
            friendCount = account.friends
            commentCount = account.comments
            groupCount = account.groups
            createdAt = account.createdAt
        }
    }

    /// A reader's page.
    struct ProfileBody: Encodable {
        let id: ID<Accounts.Account>
        let username: String
        let name: String?
        let bio: String?
        let picture: Media.PictureBody?
        let favourites: [Praise.Mark]
        let friendCount: Int
        let commentCount: Int
        let groupCount: Int
        let createdAt: Timestamp
        let relation: Accounts.Relation

        init(_ profile: Accounts.Profile, picture: Media.PictureBody?, favourites: [Praise.Mark]) {
            id = profile.id
            username = profile.username
            name = profile.name
            bio = profile.bio
            self.picture = picture
            self.favourites = favourites
            friendCount = profile.friends
            commentCount = profile.comments
            groupCount = profile.groups
            createdAt = profile.createdAt
            relation = profile.relation
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
            "id": .id, "username": .string, "name": .orNull(.string), "bio": .orNull(.string),
            "picture": .orNull(Media.picture), "email": .email,
            "email_verified": .boolean, "approved": .boolean, "role": .choice(Accounts.Role.allCases.map(\.rawValue)),
            "state": .choice(Accounts.State.allCases.map(\.rawValue)),
            "friend_count": .integer(0...Limits.Friends.friends), "comment_count": count, "group_count": count,
            "created_at": .time,
        ])

    private static let count = Schema.integer(0...Int(Int32.max))

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
            "picture": .orNull(Media.picture), "favourites": Profiles.Routes.favourites,
            "friend_count": .integer(0...Limits.Friends.friends),
            "comment_count": count, "group_count": count, "created_at": .time,
            "relation": .choice(Accounts.Relation.allCases.map(\.rawValue)),
        ])
}
