import Community
import HTTPTypes
import NIOCore

extension EventStream {
    /// Who may open a stream: asked at the handshake, and by the route for who sent none.
    package struct Admission: Sendable {
        /// The path that is upgraded; any other is left to the routes.
        package static let path = "/api/v1/stream"

        /// What an access token needs.
        static let scope = Accounts.Scope(.read, "stream")

        /// Bytes of an origin: its host has 253 at most.
        private static let originLength = 300

        private let site: Site
        private let hosts: HostRule
        private let crossOrigin: CrossOrigin

        package init(_ site: Site) {
            self.site = site
            hosts = HostRule(publicURL: site.settings.publicURL)
            crossOrigin = CrossOrigin(origins: site.settings.origins)
        }

        /// What a handshake shows of itself.
        package struct Handshake: Sendable {
            let authorization: String?
            /// The values of `Cookie`.
            let cookies: [String]
            let origin: String?
            let host: String?
            /// The parameter `ticket` of its address, whatever it is; `nil` where there is none.
            let ticket: String?
            /// A browser says that a page of this server's own asks: then it may leave the origin out.
            let isOwnPage: Bool

            /// `target`: path and query as they were sent. `fetchSite`: `Sec-Fetch-Site`.
            package init(
                authorization: String?, cookies: [String] = [], origin: String?, host: String?, target: String,
                fetchSite: String? = nil
            ) {
                self.authorization = authorization
                self.cookies = cookies
                self.origin = origin
                self.host = host
                isOwnPage = origin == nil && fetchSite == "same-origin"
                ticket = (try? Query(target: target))?["ticket"]
            }
        }

        /// The same for a handshake that no route has counted: takes one opening of the address's before anything is looked up, and one of the
        /// account's. Throws also `.limited`.
        func admit(_ handshake: Handshake, from address: ClientAddress) async throws -> Accounts.Identity {
            _ = try site.admit(.stream, by: .address(address))
            let identity = try await admit(handshake)
            _ = try site.admit(.stream, by: .account(identity.account))
            return identity
        }

        /// Counts the connection as a stream from now on. Throws `.busy` and `.limited`.
        func seat(_ channel: any Channel, of address: ClientAddress) throws(Failure) {
            try site.connections.seat(channel, of: address)
        }

        /// Where a handshake comes from, behind trusted proxies.
        func address(peer: SocketAddress?, forwardedFor: [String]) -> ClientAddress {
            ClientAddress(peer: peer, forwardedFor: forwardedFor, trusted: site.trustedProxies)
        }

        /// Spends the ticket, where the handshake shows one. Throws `.unauthenticated`, `.forbidden` (`origin_not_allowed`, `host_not_allowed`),
        /// `.invalid` for two proofs at once, 401 `ticket_spent`, 403 `insufficient_scope`, or `PostgresError`.
        package func admit(_ handshake: Handshake) async throws -> Accounts.Identity {
            let page = try check(handshake)
            guard let ticket = handshake.ticket else { return try await identify(handshake) }
            guard let identity = try await accounts.redeem(ticket: ticket, origin: page?.text) else {
                throw Problem.ticketSpent
            }
            return try Self.allowed(identity)
        }

        /// Throws what `admit` would throw, and opens nothing: a ticket stays unspent.
        func examine(_ handshake: Handshake) async throws {
            let page = try check(handshake)
            guard let ticket = handshake.ticket else {
                _ = try await identify(handshake)
                return
            }
            guard try await accounts.holds(ticket: ticket, origin: page?.text) else { throw Problem.ticketSpent }
        }

        /// The page that asks for a ticket, as its handshake is compared with later; `nil` for who is no browser. Throws `.forbidden`
        /// (`origin_not_allowed`) for a page that could not open the stream with it.
        func page(origin: String?, host: String?) throws(Failure) -> String? {
            try page(origin: origin, host: host, hasTicket: true)?.text
        }

        private var accounts: Accounts.Store { site.community.accounts }

        private func identify(_ handshake: Handshake) async throws -> Accounts.Identity {
            guard handshake.authorization != nil || cookie(of: handshake) != nil else {
                throw Failure.unauthenticated("send the session's token as `Authorization: Bearer …`, or a ticket")
            }
            let token = handshake.authorization.map { BearerToken(authorization: $0)?.text } ?? cookie(of: handshake)
            guard let token, let identity = try await accounts.identify(token: token) else {
                throw Failure.unauthenticated("the session is over or the token is not one of ours")
            }
            return try Self.allowed(identity)
        }

        /// The session of a reader who looks at a page of ours, which has been checked to be ours where it names an origin.
        private func cookie(of handshake: Handshake) -> String? {
            guard handshake.isOwnPage || handshake.origin != nil else { return nil }
            return site.sessionCookie.value(in: handshake.cookies)
        }

        private static func allowed(_ identity: Accounts.Identity) throws(Problem) -> Accounts.Identity {
            guard identity.scopes?.contains(scope) ?? true else { throw Problem.insufficientScope(scope) }
            return identity
        }

        /// What can be said of a handshake without asking anybody. Gives the page that opens it.
        @discardableResult
        func check(_ handshake: Handshake) throws(Failure) -> WebOrigin? {
            guard let host = handshake.host, hosts.allows(host) else {
                throw .forbidden(code: .hostNotAllowed, "this server has another name")
            }
            guard handshake.ticket == nil || handshake.authorization == nil else {
                throw .invalid("?ticket", .mismatch, "must come without `Authorization`")
            }
            if handshake.isOwnPage { return WebOrigin(site.settings.publicURL ?? "http://" + host) }
            return try page(origin: handshake.origin, host: host, hasTicket: handshake.ticket != nil)
        }

        /// A browser names the page that opens the socket, and lets any page do so: our own may, and with a ticket those that may call. Others than
        /// browsers send no origin.
        private func page(origin sent: String?, host: String?, hasTicket: Bool) throws(Failure) -> WebOrigin? {
            guard let sent else { return nil }
            guard sent.utf8.count <= Self.originLength, let page = WebOrigin(sent),
                isOurs(page, host: host) || hasTicket && crossOrigin.allows(page)
            else { throw .forbidden(code: .originNotAllowed, "this page may not open a stream") }
            return page
        }

        private func isOurs(_ page: WebOrigin, host: String?) -> Bool {
            // Until the owner has said where browsers reach this server: the loopback page that was asked itself.
            guard let publicURL = site.settings.publicURL else { return page.authority == host?.lowercased() }
            return WebOrigin(publicURL) == page
        }
    }
}

extension Problem {
    /// The same for every ticket that opens nothing, so that nothing is told of it.
    static var ticketSpent: Problem {
        var problem = Problem(
            .ticketSpent, "A ticket opens the stream once, within 30 s, for the page that asked for it.")
        problem.headers[.wwwAuthenticate] = "Bearer realm=\"commonplace\""
        return problem
    }
}
