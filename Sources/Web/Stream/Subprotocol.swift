import NIOHTTP1

extension EventStream {
    /// What the stream's frames are called in `Sec-WebSocket-Protocol`. Naming it is up to the client: there is one form.
    enum Subprotocol {
        static let name = "commonplace.v1.json"

        /// What the handshake is answered for what it offers: this one where it is among them, else none (RFC 6455 §4.2.2).
        static func answer(to offered: HTTPHeaders) -> HTTPHeaders {
            offered[canonicalForm: "sec-websocket-protocol"].contains(where: { $0 == name })
                ? ["Sec-WebSocket-Protocol": name] : [:]
        }
    }
}
