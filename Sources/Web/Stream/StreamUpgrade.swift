import Community
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOWebSocket
import Postgres
import Synchronization

extension EventStream {
    /// What the HTTP server needs to turn a request for a stream into one; one value for the whole server.
    ///
    /// A handshake that is not for us, or is refused, goes on as a plain request, and the route answers it.
    package struct Upgrade: Sendable {
        private let hub: Hub
        private let admission: Admission
        private let echoes: Bool

        /// `echoes`: whether an `Echo` is there too.
        package init(hub: Hub, admission: Admission, echoes: Bool = false) {
            self.hub = hub
            self.admission = admission
            self.echoes = echoes
        }

        /// For one connection; `SiteServer.service(upgraders:)` calls it for each.
        @Sendable package func upgraders() -> UpgradeOffer {
            let upgrader = Upgrader(hub: hub, admission: admission, echoes: echoes)
            return UpgradeOffer(upgraders: [upgrader]) { head, channel in upgrader.decide(head, channel) }
        }
    }

    /// Numbers a process's sockets.
    final class SocketNumbers: Sendable {
        private let last = Atomic<UInt64>(0)
        func next() -> UInt64 { last.add(1, ordering: .relaxed).newValue }
    }

    /// Decides on one connection's handshake and takes its channel over.
    final class Upgrader: NIOTypedHTTPServerProtocolUpgrader {
        typealias UpgradeResult = Connection
        let supportedProtocol = "websocket"
        let requiredUpgradeHeaders: [String] = []
        /// How long a handshake may take to be decided on; then the route answers it.
        private static let patience = Duration.seconds(5)

        private let hub: Hub
        private let admission: Admission
        private let echoes: Bool
        private let admitted = Mutex<Admitted?>(nil)

        /// What an accepted handshake opens.
        private enum Admitted {
            case stream(Accounts.Identity)
            case echo
        }

        init(hub: Hub, admission: Admission, echoes: Bool) {
            self.hub = hub
            self.admission = admission
            self.echoes = echoes
        }

        /// RFC 6455 §4.2.1: one key, which is 16 bytes in base64.
        private static func isKey(_ keys: [String]) -> Bool {
            keys.count == 1 && keys[0].utf8.count == 24 && Data(base64Encoded: keys[0])?.count == 16
        }

        func buildUpgradeResponse(
            channel: any Channel, upgradeRequest: HTTPRequestHead, initialResponseHeaders: HTTPHeaders
        ) -> EventLoopFuture<HTTPHeaders> {
            // `decide` has said yes: NIO makes the accept header, and finds nothing to refuse.
            let handshake = NIOTypedWebSocketServerUpgrader<Void>(
                enableAutomaticErrorHandling: false,
                shouldUpgrade: { channel, head in
                    channel.eventLoop.makeSucceededFuture(Subprotocol.answer(to: head.headers))
                },
                upgradePipelineHandler: { channel, _ in channel.eventLoop.makeSucceededVoidFuture() })
            return handshake.buildUpgradeResponse(
                channel: channel, upgradeRequest: upgradeRequest, initialResponseHeaders: initialResponseHeaders)
        }

        /// Whether this handshake opens a stream. What it is refused for is kept, and said by the route, in words.
        func decide(_ head: HTTPRequestHead, _ channel: any Channel) -> EventLoopFuture<Bool> {
            let path = head.uri.prefix { $0 != "?" }
            let isEcho = echoes && path == Echo.path
            guard head.version == .http1_1, head.method == .GET, isEcho || path == Admission.path,
                head.headers[canonicalForm: "upgrade"].map({ $0.lowercased() }) == ["websocket"],
                head.headers[canonicalForm: "connection"].contains(where: { $0.lowercased() == "upgrade" }),
                head.headers[canonicalForm: "sec-websocket-version"] == ["13"],
                Self.isKey(head.headers["sec-websocket-key"])
            else { return channel.eventLoop.makeSucceededFuture(false) }
            let address = admission.address(
                peer: channel.remoteAddress, forwardedFor: head.headers["x-forwarded-for"])
            return channel.eventLoop.makeFutureWithTask {
                try await Deadline.within(Self.patience) {
                    let handshake = Admission.Handshake(head)
                    let admitted: Admitted
                    if isEcho {
                        try self.admission.check(handshake)
                        admitted = .echo
                    } else {
                        admitted = .stream(try await self.admission.admit(handshake, from: address))
                    }
                    try self.admission.seat(channel, of: address)
                    self.admitted.withLock { $0 = admitted }
                    return true
                }
            }
        }

        func upgrade(channel: any Channel, upgradeRequest: HTTPRequestHead) -> EventLoopFuture<Connection> {
            channel.eventLoop.makeCompletedFuture {
                switch self.admitted.withLock({ $0 }) {
                case nil: throw ChannelError.inappropriateOperationForState
                case .stream(let identity):
                    let limits = self.hub.limits
                    let socket = Socket(
                        reader: identity.account.rawValue, session: identity.session.rawValue, scopes: identity.scopes,
                        hub: self.hub)
                    try Self.attach(
                        socket, to: channel, frameBytes: limits.frameBytes,
                        limits: .init(messageBytes: limits.messageBytes, fragments: limits.fragments))
                case .echo:
                    try Self.attach(Echo(), to: channel, frameBytes: Echo.messageBytes, limits: Echo.limits)
                }
                return .upgraded
            }
        }

        /// The channel speaks WebSocket from now on, and what its client says comes to `application`.
        private static func attach(
            _ application: some WebSocketApplication, to channel: any Channel, frameBytes: Int,
            limits: WebSocketMessages.Limits
        ) throws {
            try EventStream.boundSendBuffer(of: channel)
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: frameBytes)))
            try pipeline.addHandler(WebSocketHandler(application, limits: limits))
        }
    }
}

extension EventStream.Admission.Handshake {
    init(_ head: HTTPRequestHead) {
        self.init(
            authorization: head.headers.first(name: "authorization"), cookies: head.headers["cookie"],
            origin: head.headers.first(name: "origin"),
            host: head.headers.first(name: "host"), target: head.uri)
    }
}
