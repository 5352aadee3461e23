import Postgres

extension Accounts {
    /// What a page in a browser opens the stream with, since a browser's socket sends no `Authorization`.
    ///
    /// It holds for 30 seconds and for one opening. Who opens the stream with it is who asked for it: the same session, or
    /// the same access token with its scopes. It is bound to the page that asked, and ends with the session or token. The
    /// ticket is shown once; its SHA-256 is stored. A session has at most 10: another one ends the oldest.
    package struct StreamTicket: Sendable {
        package let ticket: Token
        package let expiresAt: Timestamp
    }
}

extension Accounts.Store {
    /// Makes a ticket for who calls. `origin`: the page that asks, as it is compared later; `nil` for none. At most 300
    /// characters. Throws `.unauthenticated` where the session or access token is over by now, `.notFound` where the
    /// account is.
    package func makeStreamTicket(
        for identity: Accounts.Identity, origin: String?
    ) async throws -> Accounts.StreamTicket {
        // A sign-out may come between the look at the session and the row that refers to it.
        try await Failure.mapping([
            "stream_ticket_session_fkey": .unauthenticated(), "stream_ticket_access_token_fkey": .unauthenticated(),
        ]) {
            try await services.database.transaction { transaction in
                try await lockKnown(identity.account, in: transaction)
                let now = services.clock.now()
                let proof = identity.session
                let living = Accounts.Statements.Living(sessions: [proof.rawValue], now: now)
                guard try await transaction.first(living) != nil else { throw Failure.unauthenticated() }
                try await transaction.run(
                    Accounts.Statements.TrimStreamTickets(
                        account: identity.account, proof: proof, now: now, kept: Limits.accounts.streamTickets - 1))
                let made = Accounts.StreamTicket(
                    ticket: Token.make(.ticket, from: services.random),
                    expiresAt: now + Limits.accounts.streamTicketAge)
                let token = identity.accessToken
                try await transaction.run(
                    Accounts.Statements.InsertStreamTicket(
                        id: try services.ids.make(), account: identity.account, session: token == nil ? proof : nil,
                        accessToken: token, digest: Bytes(made.ticket.digest), origin: origin,
                        expiresAt: made.expiresAt))
                return made
            }
        }
    }

    /// Who asked for a ticket, which is spent with this call, whatever comes of it. `nil` for one that was used, has run
    /// out, was asked for by another page than `origin`, or was never given; and where the session, the access token or
    /// the account is over.
    package func redeem(ticket text: String, origin: String?) async throws -> Accounts.Identity? {
        guard let ticket = Token(.ticket, text: text) else { return nil }
        let now = services.clock.now()
        let identity = try await services.database.first(
            Accounts.Statements.RedeemStreamTicket(
                digest: Bytes(ticket.digest), origin: origin, now: now, idleSince: idleSince(now)))
        return services.settings.isLoopback ? identity?.verified : identity
    }

    /// Whether a page of `origin` would open the stream with this ticket, as far as the ticket itself says. It is not
    /// spent.
    package func holds(ticket text: String, origin: String?) async throws -> Bool {
        guard let ticket = Token(.ticket, text: text) else { return false }
        return try await services.database.first(
            Accounts.Statements.HoldingStreamTicket(
                digest: Bytes(ticket.digest), origin: origin, now: services.clock.now())) != nil
    }
}
