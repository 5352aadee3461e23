import Community
import HTTPTypes
import Hummingbird

extension Accounts {
    /// Signing up, in and out, over HTTP.
    package struct Routes: Sendable {
        private let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            routes.hashing { routes in
                routes.post(
                    "/accounts", access: .open, limit: .auth, summary: "Sign up, and be signed in at once.",
                    body: Self.newAccount,
                    reply: Self.signedIn, signUp)
                routes.post(
                    "/sessions", access: .open, limit: .auth, summary: "Sign in with username or e-mail address.",
                    body: Self.newSession, reply: Self.signedIn, signIn)
            }
            routes.get(
                "/me/sessions", access: .session, summary: "Where you are signed in, the last used first.",
                reply: Self.sessions, sessions)
            routes.delete(
                "/me/sessions/current", summary: "Sign out: this token is worthless from now on.", endsSession: true,
                signOut)
            routes.delete(
                "/me/sessions/others", access: .session, summary: "Sign out everywhere else.", endOthers)
            routes.delete(
                "/me/sessions", access: .session, summary: "Sign out everywhere, here too.", endsSession: true, endAll)
            routes.delete(
                "/me/sessions/{session}", access: .session, summary: "Sign out somewhere else.", end)
            routes.hashing { routes in
                routes.delete(
                    "/me", limit: .auth,
                    summary:
                        "Leave: your account is hidden at once and deleted in 30 days with everything that you wrote, unless you sign in before.",
                    body: Self.confirmation, endsSession: true, leave)
            }
            routes.post(
                "/email-verifications", access: .open, limit: .auth,
                summary: "Prove an address with the code that was mailed to it.",
                body: Self.verification, status: .noContent, verify)
            routes.post(
                "/email-verification-requests", access: .open, limit: .auth,
                summary: "Have another code mailed. The answer is the same whether or not the address is known.",
                body: Self.resend, status: .noContent, resend)
        }

        private var store: Store { site.community.accounts }

        /// `POST /accounts` → 201 `{account, token, expires_at}`; both are null where the account waits for approval. 403 `registration_closed`,
        /// 410 `idempotency_gone`, 422 with every fault (`taken`, `reserved`, `mismatch`, `too_common`, …; `/email` `taken`
        /// where there is no other), 429, 503.
        @Sendable private func signUp(_ request: Request, context: SiteContext) async throws -> Reply {
            var form = try context.form(request)
            let any = 0...Limits.body
            let registration = Registration(
                username: form.string("username", bytes: any), email: form.string("email", bytes: any),
                emailConfirmation: form.string("email_confirmation", bytes: any),
                password: form.string("password", bytes: any),
                passwordConfirmation: form.string("password_confirmation", bytes: any),
                name: form.optionalString("name", bytes: any), invitation: form.optionalString("invitation", bytes: any)
            )
            let origin = Origin(request, context)
            if let reply = try await standing(context.storedReply(to: request)) { return reply }
            let faults = form.faultsAtEnd()
            let admission: Admission
            do {
                admission = try await store.admit(registration, from: origin, besides: faults)
            } catch let failure as Failure {
                // The same call may have succeeded since, and its own account be what is taken.
                if let reply = try await standing(context.storedReply(to: request)) { return reply }
                throw failure
            }
            return try await context.write(request, stillHolds: { _ = try await standing($0) }) {
                let new = try await store.register(admission, from: origin)
                return try Reply.created(SignedInBody(new, picture: nil), location: "/readers/\(new.account.username)")
                    .sealed
            }
        }

        /// `POST /sessions` → 201 `{account, token, expires_at}`; 401 `wrong_credentials`, with the right one 403 `account_suspended` or
        /// `awaiting_approval`; 410 `idempotency_gone` for a repeated call whose session is over; 422, 429, 503.
        @Sendable private func signIn(_ request: Request, context: SiteContext) async throws -> Reply {
            var form = try context.form(request)
            let login = form.string("login", bytes: 1...Limits.accounts.email.upperBound)
            let password = form.string("password", bytes: 1...Limits.accounts.password.upperBound)
            try form.check()
            let origin = Origin(request, context)
            let recognised = try await store.recognise(login: login, password: password, from: origin)
            return try await context.write(request, stillHolds: { _ = try await standing($0) }) {
                let new = try await store.signIn(recognised, from: origin)
                let picture = try await picture(of: new.account.id, context)
                return try Reply.created(SignedInBody(new, picture: picture), location: "/me/sessions").sealed
            }
        }

        /// A stored answer that opened a session, as long as that lasts. Throws `Problem.doneAndGone` for one whose token is
        /// worthless by now.
        private func standing(_ stored: Reply?) async throws -> Reply? {
            guard let stored, case .bytes(let body) = stored.content,
                case .object(let members) = try JSONValue.parse(Array(body.readableBytesView)).value,
                case .string(let token)? = members["token"]
            else { return stored }
            guard try await store.identify(token: token) != nil else { throw Problem.doneAndGone }
            return stored
        }

        /// `GET /me/sessions` → 200 `{items}`, at most 20; `is_current` marks the one that asks.
        @Sendable private func sessions(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            let sessions = try await store.sessions(of: identity.account)
            return try Reply.json(
                .ok, ["items": sessions.map { SessionBody(session: $0, isCurrent: $0.id == identity.session) }])
        }

        /// `DELETE /me/sessions/current` → 204. Its open sockets are closed.
        @Sendable private func signOut(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            return try await context.write(request) {
                try await store.end(identity.session, of: identity.account)
                return .noContent
            }
        }

        /// `DELETE /me/sessions/{session}` → 204; 404 for one that is over or somebody else's.
        @Sendable private func end(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            let session = try context.id("session", as: Session.self)
            return try await context.write(request) {
                try await store.end(session, of: identity.account)
                return .noContent
            }
        }

        /// `DELETE /me/sessions/others` → 204. The open sockets of the others are closed; access tokens stay.
        @Sendable private func endOthers(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            return try await context.write(request) {
                try await store.endSessions(of: identity.account, but: identity.session)
                return .noContent
            }
        }

        /// `DELETE /me/sessions` → 204. All open sockets of sessions are closed; access tokens stay.
        @Sendable private func endAll(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            return try await context.write(request) {
                try await store.endSessions(of: identity.account)
                return .noContent
            }
        }

        /// `DELETE /me` `{password}` → 204, and the account is `leaving`; 409 `last_owner`, 401 `wrong_credentials`, 422, 429, 503.
        @Sendable private func leave(_ request: Request, context: SiteContext) async throws -> Reply {
            let account = try context.signedIn().account
            var form = try context.form(request)
            let password = form.string("password", bytes: 1...Limits.accounts.password.upperBound)
            try form.check()
            let confirmed = try await store.confirm(password: password, of: account)
            return try await context.write(request) {
                try await store.leave(account, confirmed: confirmed)
                return .noContent
            }
        }

        /// `POST /email-verifications` `{token}` → 204; 422 `/token` `unknown` for one that was used or has run out.
        @Sendable private func verify(_ request: Request, context: SiteContext) async throws -> Reply {
            var form = try context.form(request)
            let token = form.string("token", bytes: 1...200)
            try form.check()
            return try await context.write(request) {
                try await store.verifyEmail(token: token)
                return .noContent
            }
        }

        /// `POST /email-verification-requests` `{email}` → 204 for every address; 429 after three in an hour, for every
        /// address; 422 for what is none.
        @Sendable private func resend(_ request: Request, context: SiteContext) async throws -> Reply {
            var form = try context.form(request)
            let email = form.string("email", bytes: Limits.accounts.email)
            try form.check()
            try Email.check(email)
            try await store.admitResend(to: email, from: Origin(request, context))
            return try await context.write(request) {
                try await store.askForVerification(of: email)
                return .noContent
            }
        }

        private func picture(of account: ID<Account>, _ context: SiteContext) async throws -> Media.PictureBody? {
            try await site.community.media.picture(of: account).map { Media.PictureBody($0, base: context.base) }
        }
    }
}

extension Accounts.Origin {
    init(_ request: Request, _ context: SiteContext) {
        self.init(address: context.address.key, device: request.headers[.userAgent])
    }
}
