import Community
import HTTPTypes
import Hummingbird

extension EventStream {
    /// `GET /stream` for clients that ask for an event stream, and for those that did not get a WebSocket. A handshake that is accepted
    /// never comes here. Refused with `bad_handshake`, `origin_not_allowed`, `ticket_spent` and `upgrade_required` too.
    package struct Routes: Sendable {
        let site: Site
        let admission: Admission

        package init(_ site: Site) {
            self.site = site
            admission = Admission(site)
        }

        package func add(to routes: inout RouteTable) {
            let ticket = QueryParameter(
                "ticket", .string,
                "What `POST /stream/tickets` gave, in the place of `Authorization`: for pages in browsers.")
            routes.stream(
                "/stream",
                summary: "Opens the live stream: a WebSocket, or an event stream if `Accept` asks for it.",
                query: Self.eventQuery + [ticket], headers: Self.eventHeaders, types: Self.eventTypes, answer)
            addTickets(to: &routes)
        }

        /// What the handshake was refused for, as it was decided then: a ticket is spent by now. Else an event stream where one is asked
        /// for; else 401 and 403 for who may not open one, 400 where it is a handshake and not one of RFC 6455, and 426 where a
        /// WebSocket was not asked for, or one of another version.
        @Sendable private func answer(_ request: Request, context: SiteContext) async throws -> Reply {
            if let refusal = context.refusal { throw refusal }
            let handshake = Admission.Handshake(
                authorization: request.headers[.authorization], cookies: request.headers[values: .cookie],
                origin: request.headers[.origin],
                host: request.head.authority, target: context.target, fetchSite: request.headers[.fetchSite])
            if Self.wantsEvents(request) {
                let identity = try await admission.admit(handshake)
                // A call that shows who calls was counted already.
                if handshake.authorization == nil { _ = try site.admit(.stream, by: .account(identity.account)) }
                return try source(request, for: identity, context)
            }
            try await admission.examine(handshake)
            let versions = request.headers[values: .secWebSocketVersion]
            if versions == ["13"], request.headers[.secWebSocketKey] != nil {
                throw Problem(
                    .badHandshake,
                    "Send HTTP/1.1, `Connection: upgrade`, `Upgrade: websocket`, one `Sec-WebSocket-Key` of 16 bytes in base64."
                )
            }
            throw Self.upgradeRequired
        }

        static var upgradeRequired: Problem {
            var problem = Problem(
                .upgradeRequired,
                "Send `Connection: upgrade`, `Upgrade: websocket`, `Sec-WebSocket-Version: 13` and a `Sec-WebSocket-Key`."
            )
            problem.headers[.upgrade] = "websocket"
            problem.headers[.secWebSocketVersion] = "13"
            return problem
        }
    }
}
