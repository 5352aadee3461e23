import Community
import JSONWriting
import Postgres

extension Accounts.Routes {
    /// `{account, token, expires_at}`.
    struct SignedInBody: Encodable {
        let account: AccountBody
        let token: String?
        let expiresAt: Timestamp?

        init(_ new: Accounts.SignedIn, picture: Media.PictureBody?) {
            self.account = AccountBody(account: new.account, picture: picture)
            self.token = new.token?.text
            self.expiresAt = new.expiresAt
        }
    }

    /// An account as its owner sees it.
    struct AccountBody: JSONForm {
        let account: Accounts.Account
        let picture: Media.PictureBody?

        func put(into object: JSONObject) {
            object.put("id", account.id)
            object.put("username", account.username)
            object.put("name", account.name)
            object.put("bio", account.bio)
            object.put("picture", picture)
            object.put("email", account.email)
            object.put("is_verified", account.isVerified)
            object.put("is_approved", account.isApproved)
            object.put("role", account.role.rawValue)
            object.put("state", account.state.rawValue)
            object.put("friend_count", account.friends)
            object.put("comment_count", account.comments)
            object.put("group_count", account.groups)
            object.put("created_at", account.createdAt)
        }
    }

    /// A reader's page.
    struct ProfileBody: JSONForm {
        let profile: Accounts.Profile
        let picture: Media.PictureBody?
        let favourites: [Praise.Mark]

        func put(into object: JSONObject) {
            object.put("id", profile.id)
            object.put("username", profile.username)
            object.put("name", profile.name)
            object.put("bio", profile.bio)
            object.put("picture", picture)
            object.put("favourites", favourites)
            object.put("friend_count", profile.friends)
            object.put("comment_count", profile.comments)
            object.put("group_count", profile.groups)
            object.put("created_at", profile.createdAt)
            object.put("relation", profile.relation)
            object.put("friend_request_id", profile.friendRequest)
        }
    }

    /// A session and whether it is the one that asks.
    struct SessionBody: JSONForm {
        let session: Accounts.Session
        let isCurrent: Bool

        func put(into object: JSONObject) {
            object.put("id", session.id)
            object.put("is_current", isCurrent)
            object.put("created_at", session.createdAt)
            object.put("last_used_at", session.lastUsedAt)
            object.put("expires_at", session.expiresAt)
            object.put("device", session.device)
            object.put("network", session.network)
        }
    }

    static let account = Schema.object(
        "Account",
        [
            "id": .id, "username": .string, "name": .orNull(.string), "bio": .orNull(.string),
            "picture": .orNull(Media.picture), "email": .email,
            "is_verified": .boolean, "is_approved": .boolean, "role": .choice(Accounts.Role.allCases.map(\.rawValue)),
            "state": .choice(Accounts.State.allCases.map(\.rawValue)),
            "friend_count": .integer(0...Limits.friends.friends), "comment_count": count, "group_count": count,
            "created_at": .time,
        ])

    private static let count = Schema.integer(0...Int(Int32.max))

    static let signedIn = Schema.object(
        "SignedIn", ["account": account, "token": .orNull(.string), "expires_at": .orNull(.time)])

    static let newAccount = Schema.object(
        "NewAccount",
        [
            "username": .string(Limits.accounts.username), "email": .email, "email_confirmation": .email,
            "password": .string(Limits.accounts.password), "password_confirmation": .string(Limits.accounts.password),
        ],
        optional: ["name": .orNull(.string), "invitation": .orNull(.string)])

    static let newSession = Schema.object(
        "NewSession",
        [
            "login": .string(1...Limits.accounts.email.upperBound),
            "password": .string(1...Limits.accounts.password.upperBound),
        ])

    static let session = Schema.object(
        "Session",
        [
            "id": .id, "is_current": .boolean, "created_at": .time, "last_used_at": .time, "expires_at": .time,
            "device": .orNull(.string), "network": .orNull(.string),
        ])

    static let sessions = Schema.object("Sessions", ["items": .array(session, count: 0...Limits.accounts.sessions)])

    static let confirmation = Schema.object(
        "Confirmation", ["password": .string(1...Limits.accounts.password.upperBound)])

    static let verification = Schema.object("EmailVerification", ["token": .string(1...200)])

    static let resend = Schema.object("EmailVerificationRequest", ["email": .email])

    /// How a reader is named beside what the reader did.
    static let reader = Schema.object(
        "ReaderName",
        [
            "id": .id, "username": .string, "name": .orNull(.string),
            "picture": .orNull(.object("ReaderPicture", ["url": Media.uri, "alt": .orNull(.string)])),
        ])

    static let profile = Schema.object(
        "Reader",
        [
            "id": .id, "username": .string, "name": .orNull(.string), "bio": .orNull(.string),
            "picture": .orNull(Media.picture), "favourites": Profiles.Routes.favourites,
            "friend_count": .integer(0...Limits.friends.friends),
            "comment_count": count, "group_count": count, "created_at": .time,
            "relation": .choice(Accounts.Relation.allCases.map(\.rawValue)), "friend_request_id": .orNull(.id),
        ])
}
