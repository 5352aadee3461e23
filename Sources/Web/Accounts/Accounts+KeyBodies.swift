import Community
import JSONWriting
import Postgres

extension Accounts.KeyRoutes {
    /// An address that is wanted, or is the account's by now.
    struct EmailChangeBody: Encodable {
        let email: String
        let isPending: Bool
        let expiresAt: Timestamp?

        init(_ change: Accounts.EmailChange) {
            email = change.email
            isPending = change.expiresAt != nil
            expiresAt = change.expiresAt
        }
    }

    /// An access token without its text.
    struct AccessTokenBody: JSONForm {
        let token: Accounts.AccessToken

        func put(into object: JSONObject) {
            object.put("id", token.id)
            object.put("name", token.name)
            object.put("scopes", token.scopes)
            object.put("created_at", token.createdAt)
            object.put("expires_at", token.expiresAt)
            object.put("last_used_at", token.lastUsedAt)
        }
    }

    /// A token that was just made: the only time that its text is told.
    struct MadeAccessTokenBody: Encodable {
        let token: String
        let accessToken: AccessTokenBody
    }

    private static let password = Schema.string(1...Limits.accounts.password.upperBound)
    private static let newPassword = Schema.string(Limits.accounts.password)

    static let passwordChange = Schema.object(
        "PasswordChange",
        ["password": password, "new_password": newPassword, "new_password_confirmation": newPassword])

    static let resetRequest = Schema.object("PasswordResetRequest", ["email": .email])

    static let passwordReset = Schema.object(
        "PasswordReset",
        ["token": .string(1...200), "password": newPassword, "password_confirmation": newPassword])

    static let emailWish = Schema.object(
        "NewEmail", ["email": .email, "email_confirmation": .email, "password": password])

    static let emailChange = Schema.object(
        "EmailChange", ["email": .email, "is_pending": .boolean, "expires_at": .orNull(.time)])

    static let emailConfirmation = Schema.object("EmailConfirmation", ["token": .string(1...200)])

    private var scope: Schema { .choice(scopes.map(\.description)) }

    private var accessToken: Schema {
        .object(
            "AccessToken",
            [
                "id": .id, "name": .string, "scopes": .array(.string), "created_at": .time, "expires_at": .time,
                "last_used_at": .orNull(.time),
            ])
    }

    var accessTokens: Schema {
        .object("AccessTokens", ["items": .array(accessToken, count: 0...Limits.accounts.accessTokens)])
    }

    var madeAccessToken: Schema {
        .object("MadeAccessToken", ["token": .string, "access_token": accessToken])
    }

    var newAccessToken: Schema {
        .object(
            "NewAccessToken",
            [
                "name": .string(1...(4 * Limits.accounts.accessTokenName.upperBound)),
                "scopes": .array(scope, count: 1...scopes.count), "days": .integer(Limits.accounts.accessTokenDays),
            ])
    }
}
