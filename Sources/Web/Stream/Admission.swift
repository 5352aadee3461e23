import Community
import NIOCore

extension EventStream {
    /// Who may open a stream: asked at the handshake, and again by the route when the handshake was refused, so that the client hears why.
    package struct Admission: Sendable {
        /// The path that is upgraded; any other is left to the routes.
        package static let path = "/api/v1/stream"

        /// What an access token needs.
        static let scope = Accounts.Scope(.read, "stream")

        private let site: Site
        private let hosts: HostRule

        package init(_ site: Site) {
            self.site = site
            hosts = HostRule(publicURL: site.settings.publicURL)
        }

        /// What a handshake shows of itself.
        package struct Handshake: Sendable {
            let authorization: String?
            let origin: String?
            let host: String?

            package init(authorization: String?, origin: String?, host: String?) {
                self.authorization = authorization
                self.origin = origin
                self.host = host
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

        /// Where a handshake comes from, behind trusted proxies.
        func address(peer: SocketAddress?, forwardedFor: [String]) -> ClientAddress {
            ClientAddress(peer: peer, forwardedFor: forwardedFor, trusted: site.trustedProxies)
        }

        /// Throws `.unauthenticated`, `.forbidden` (`origin_not_allowed`, `host_not_allowed`), 403 `insufficient_scope`, or `PostgresError`.
        package func admit(_ handshake: Handshake) async throws -> Accounts.Identity {
            guard let host = handshake.host, hosts.allows(host) else {
                throw Failure.forbidden(code: .hostNotAllowed, "this server has another name")
            }
            try checkOrigin(handshake)
            guard let authorization = handshake.authorization else {
                throw Failure.unauthenticated("send the session's token as `Authorization: Bearer …`")
            }
            guard let token = BearerToken(authorization: authorization),
                let identity = try await site.community.accounts.identify(token: token.text)
            else { throw Failure.unauthenticated("the session is over or the token is not one of ours") }
            guard identity.scopes?.contains(Self.scope) ?? true else { throw Problem.insufficientScope(Self.scope) }
            return identity
        }

        /// A browser names the page that opens the socket, and lets any page do so: only our own may. Others than browsers send no origin.
        private func checkOrigin(_ handshake: Handshake) throws(Failure) {
            guard let sent = handshake.origin else { return }
            let isOurs: Bool
            if let publicURL = site.settings.publicURL {
                isOurs = WebOrigin(publicURL).map { $0 == WebOrigin(sent) } ?? false
            } else {
                // Until the owner has said where browsers reach this server: the loopback page that was asked itself.
                isOurs = WebOrigin(sent).map { $0.authority == handshake.host?.lowercased() } ?? false
            }
            guard isOurs else { throw .forbidden(code: .originNotAllowed, "this page may not open a stream") }
        }
    }
}
