import Community
import HTTPTypes
import Hummingbird

extension Accounts {
    /// Passwords, addresses and access tokens over HTTP: for sessions alone, and for who has lost the password.
    package struct KeyRoutes: Sendable {
        private let site: Site
        /// What access tokens may be given: the scopes of the routes.
        let scopes: [Scope]

        package init(_ site: Site, scopes: [Scope]) {
            self.site = site
            self.scopes = scopes
        }

        package func add(to routes: inout RouteTable) {
            routes.hashing { routes in
                routes.put(
                    "/me/password", access: .session, limit: .auth,
                    summary: "Change your password. Your other sessions end; this one and access tokens stay.",
                    body: Self.passwordChange, status: .noContent, changePassword)
            }
            routes.post(
                "/password-reset-requests", access: .open, limit: .auth,
                summary: "Have a code mailed that sets a new password. The answer is the same for every address.",
                body: Self.resetRequest, status: .noContent, askForReset)
            routes.hashing { routes in
                routes.post(
                    "/password-resets", access: .open, limit: .auth,
                    summary: "Set a new password with the mailed code. Every session and access token ends.",
                    body: Self.passwordReset, status: .noContent, resetPassword)
                routes.put(
                    "/me/email", access: .session, limit: .auth,
                    summary: "Have another address: a code is mailed there, a notice to the present one.",
                    body: Self.emailWish, reply: Self.emailChange, changeEmail)
            }
            routes.post(
                "/email-changes", access: .open, limit: .auth,
                summary: "Confirm a new address with the code that was mailed to it.", body: Self.emailConfirmation,
                status: .noContent, confirmEmail)
            routes.get(
                "/me/access-tokens", access: .session, summary: "Your access tokens, newest first.",
                reply: accessTokens, list)
            routes.post(
                "/me/access-tokens", access: .session,
                summary: "Make an access token. Its text is in this answer and nowhere else.", body: newAccessToken,
                reply: madeAccessToken, make)
            routes.delete(
                "/me/access-tokens/{token}", access: .session,
                summary: "Revoke an access token; its open sockets are closed.", revoke)
        }

        private var store: Store { site.community.accounts }

        // MARK: Passwords

        /// `PUT /me/password` → 204. 401 `wrong_credentials`, 422 with every fault (`/new_password` `too_common`, …),
        /// 429, 503.
        @Sendable private func changePassword(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            var form = try context.form(request)
            let change = PasswordChange(
                present: form.string("password", bytes: 1...Limits.accounts.password.upperBound),
                new: form.string("new_password", bytes: 0...Limits.body),
                confirmation: form.string("new_password_confirmation", bytes: 0...Limits.body))
            try form.check()
            // The present password of a repeated call is the former one by now.
            if let reply = try await context.storedReply(to: request) { return reply }
            let new = try await store.prepare(change, of: identity.account)
            return try await context.write(request) {
                try await store.setPassword(new, keeping: identity.session)
                return .noContent
            }
        }

        /// `POST /password-reset-requests` `{email}` → 204 for every address; 409 `no_mail`, 429 after three in an
        /// hour, for every address; 422 for what is none.
        @Sendable private func askForReset(_ request: Request, context: SiteContext) async throws -> Reply {
            var form = try context.form(request)
            let email = form.string("email", bytes: Limits.accounts.email)
            try form.check()
            try Email.check(email)
            try await store.admitReset(of: email, from: Origin(request, context))
            return try await context.write(request) {
                try await store.askForReset(of: email)
                return .noContent
            }
        }

        /// `POST /password-resets` `{token, password, password_confirmation}` → 204; 422 with every fault (`/token`
        /// `unknown`, …), 503.
        @Sendable private func resetPassword(_ request: Request, context: SiteContext) async throws -> Reply {
            var form = try context.form(request)
            let any = 0...Limits.body
            let reset = PasswordReset(
                token: form.string("token", bytes: 1...200), new: form.string("password", bytes: any),
                confirmation: form.string("password_confirmation", bytes: any))
            try form.check()
            // The code of a repeated call is used up.
            if let reply = try await context.storedReply(to: request) { return reply }
            let admitted = try await store.admit(reset)
            return try await context.write(request) {
                try await store.resetPassword(admitted)
                return .noContent
            }
        }

        // MARK: Addresses

        /// `PUT /me/email` → 200 `{email, is_pending, expires_at}`. 401 `wrong_credentials`, 422 with every fault, 429,
        /// 503.
        @Sendable private func changeEmail(_ request: Request, context: SiteContext) async throws -> Reply {
            let account = try context.signedIn().account
            var form = try context.form(request)
            let any = 0...Limits.body
            let wish = EmailWish(
                email: form.string("email", bytes: any), confirmation: form.string("email_confirmation", bytes: any),
                password: form.string("password", bytes: 1...Limits.accounts.password.upperBound))
            try form.check()
            // A repeated call is no further wish.
            if let reply = try await context.storedReply(to: request) { return reply }
            let admitted = try await store.admit(wish, of: account)
            return try await context.write(request) {
                try .json(.ok, EmailChangeBody(try await store.changeEmail(to: admitted)))
            }
        }

        /// `POST /email-changes` `{token}` → 204; 422 `/token` `unknown`, `/email` `taken`.
        @Sendable private func confirmEmail(_ request: Request, context: SiteContext) async throws -> Reply {
            var form = try context.form(request)
            let token = form.string("token", bytes: 1...200)
            try form.check()
            return try await context.write(request) {
                try await store.confirmEmail(token: token)
                return .noContent
            }
        }

        // MARK: Access tokens

        /// `GET /me/access-tokens` → 200 `{items}`, at most 50.
        @Sendable private func list(_ request: Request, context: SiteContext) async throws -> Reply {
            let tokens = try await store.accessTokens(of: try context.signedIn().account)
            return try .json(.ok, ["items": tokens.map(AccessTokenBody.init)])
        }

        /// `POST /me/access-tokens` `{name, scopes, days}` → 201 `{token, access_token}`; 409 `too_many_tokens`, 422.
        @Sendable private func make(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            var form = try context.form(request)
            let name = form.string("name", bytes: 0...Limits.body)
            let named = form.strings("scopes", count: 1...scopes.count, bytes: 1...100)
            let days = form.integer("days", in: Limits.accounts.accessTokenDays)
            let known = named.compactMap(Scope.init).filter(scopes.contains)
            if known.count < named.count {
                form.fault("scopes", .unknown, "must be of " + scopes.map(\.description).joined(separator: ", "))
            }
            try form.check()
            let new = NewAccessToken(name: name, scopes: known, days: days)
            return try await context.write(request) {
                let (token, made) = try await store.makeAccessToken(
                    new, for: identity.account, by: identity.session)
                return try Reply.created(
                    MadeAccessTokenBody(token: token.text, accessToken: AccessTokenBody(token: made)),
                    location: "/me/access-tokens"
                ).sealed
            }
        }

        /// `DELETE /me/access-tokens/{token}` → 204; 404 for one that is over or somebody else's.
        @Sendable private func revoke(_ request: Request, context: SiteContext) async throws -> Reply {
            let account = try context.signedIn().account
            let token = try context.id("token", as: AccessToken.self)
            return try await context.write(request) {
                try await store.revoke(token, of: account)
                return .noContent
            }
        }
    }
}
