import Community

extension EventStream {
    /// Who may open a stream: asked at the handshake, and again by the route when the handshake was refused, so that the client hears why.
    package struct Admission: Sendable {
        /// The path that is upgraded; any other is left to the routes.
        package static let path = "/api/v1/stream"

        private let community: Community
        private let hosts: HostRule
        private let publicURL: String?

        package init(_ site: Site) {
            community = site.community
            publicURL = site.settings.publicURL
            hosts = HostRule(publicURL: publicURL)
        }

        /// What a handshake shows of itself.
        package struct Handshake: Sendable {
            let authorization: String?
            let origin: String?
            let host: String?
            /// Path and query.
            let target: String

            package init(authorization: String?, origin: String?, host: String?, target: String) {
                self.authorization = authorization
                self.origin = origin
                self.host = host
                self.target = target
            }
        }

        /// Throws `.unauthenticated`, `.forbidden` (`origin_not_allowed`, `host_not_allowed`) or `PostgresError`.
        package func admit(_ handshake: Handshake) async throws -> Accounts.Identity {
            guard let host = handshake.host, hosts.allows(host) else {
                throw Failure.forbidden(code: "host_not_allowed", "this server has another name")
            }
            try checkOrigin(handshake)
            guard let authorization = handshake.authorization else {
                throw Failure.unauthenticated("send the session's token as `Authorization: Bearer …`")
            }
            let parts = authorization.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "bearer",
                let identity = try await community.accounts.identify(token: String(parts[1]))
            else { throw Failure.unauthenticated("the session is over or the token is not one of ours") }
            return identity
        }

        /// A browser names the page that opens the socket, and lets any page do so: only our own may. Others than browsers send no origin.
        private func checkOrigin(_ handshake: Handshake) throws(Failure) {
            guard let sent = handshake.origin else { return }
            let isOurs: Bool
            if let publicURL {
                isOurs = Origin(publicURL).map { $0 == Origin(sent) } ?? false
            } else {
                // Until the owner has said where browsers reach this server: the loopback page that was asked itself.
                isOurs = Origin(sent).map { $0.authority == handshake.host?.lowercased() } ?? false
            }
            guard isOurs else { throw .forbidden(code: "origin_not_allowed", "this page may not open a stream") }
        }
    }

    /// Scheme and authority of a URL, lower case, without the scheme's own port.
    struct Origin: Hashable, Sendable {
        let scheme: String
        let authority: String

        /// `nil` for anything but `http(s)://host[:port]` with whatever path behind it.
        init?(_ url: String) {
            let lower = url.lowercased()
            let scheme = String(lower.prefix { $0 != ":" })
            guard lower.dropFirst(scheme.count).hasPrefix("://") else { return nil }
            let rest = lower.dropFirst(scheme.count + 3).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            guard ["http", "https"].contains(scheme), !rest.isEmpty, !rest.contains("@") else { return nil }
            let standard = scheme == "http" ? ":80" : ":443"
            self.scheme = scheme
            self.authority = String(rest.hasSuffix(standard) ? rest.dropLast(standard.count) : rest)
        }
    }
}
