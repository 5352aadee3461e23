import Community
import HTTPTypes
import Hummingbird

extension EventStream {
    /// `GET /stream` for clients that did not get a WebSocket. A handshake that is accepted never comes here.
    /// Refused with `upgrade_required` too.
    package struct Routes: Sendable {
        private let admission: Admission

        package init(_ site: Site) { admission = Admission(site) }

        package func add(to routes: inout RouteTable) {
            routes.get(
                "/stream", access: .open, limit: .stream,
                summary: "Opens the live stream: a WebSocket, with the session's token in `Authorization`.", reply: nil,
                explain)
        }

        /// 401 and 403 for what the handshake was refused for; else 400 where it is a handshake and not one of RFC 6455, and 426 where a
        /// WebSocket was not asked for, or one of another version.
        @Sendable private func explain(_ request: Request, context: SiteContext) async throws -> Reply {
            _ = try await admission.admit(
                Admission.Handshake(
                    authorization: request.headers[.authorization], origin: request.headers[.origin],
                    host: request.head.authority))
            let versions = request.headers[values: .secWebSocketVersion]
            if versions == ["13"], request.headers[.secWebSocketKey] != nil {
                throw Problem(
                    .badHandshake,
                    "Send HTTP/1.1, `Connection: upgrade`, `Upgrade: websocket`, one `Sec-WebSocket-Key` of 16 bytes in base64."
                )
            }
            var problem = Problem(
                .upgradeRequired,
                "Send `Connection: upgrade`, `Upgrade: websocket`, `Sec-WebSocket-Version: 13` and a `Sec-WebSocket-Key`."
            )
            problem.headers[.upgrade] = "websocket"
            problem.headers[.secWebSocketVersion] = "13"
            throw problem
        }
    }
}
