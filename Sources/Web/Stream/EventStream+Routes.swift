import HTTPTypes
import Hummingbird

extension EventStream {
    /// `GET /stream` for whoever did not get a WebSocket. A handshake that is accepted never comes here.
    package struct Routes: Sendable {
        private let admission: Admission

        package init(_ site: Site) { admission = Admission(site) }

        package func add(to routes: inout RouteTable) {
            routes.get(
                "/stream", access: .open, limit: .stream,
                summary: "Opens the live stream: a WebSocket, with the session's token in `Authorization`.", reply: nil,
                explain)
        }

        /// 401 and 403 for what the handshake was refused for; else 426, because a WebSocket was not asked for, or not properly.
        @Sendable private func explain(_ request: Request, context: SiteContext) async throws -> Reply {
            _ = try await admission.admit(
                Admission.Handshake(
                    authorization: request.headers[.authorization], origin: request.headers[.origin],
                    host: request.head.authority))
            var problem = Problem(
                .upgradeRequired, "upgrade_required", "A WebSocket is expected",
                "Send `Connection: upgrade`, `Upgrade: websocket`, `Sec-WebSocket-Version: 13` and a `Sec-WebSocket-Key`."
            )
            problem.headers[.upgrade] = "websocket"
            problem.headers[.secWebSocketVersion] = "13"
            throw problem
        }
    }
}
