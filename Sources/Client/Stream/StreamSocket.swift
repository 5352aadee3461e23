import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

/// One WebSocket connection to the stream.
struct StreamSocket: Sendable {
    private typealias Socket = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>

    /// The server says something every 25 s.
    private static let longestSilence = TimeAmount.seconds(65)
    private static let longestFrame = 1 << 20

    private let channel: Socket

    /// What became of the handshake.
    private enum Handshake: Sendable {
        case upgraded(Socket)
        case refused(NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>)
    }

    /// Connects and shakes hands. Throws `ClientError`: `.refused` with the status where the server does not want it.
    static func open(_ address: ServerAddress, token: String?) async throws -> StreamSocket {
        let handshake: Handshake
        do {
            let upgrade = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(.seconds(10))
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .connect(host: address.host, port: address.port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try ClientTLS.add(to: channel, for: address)
                        try channel.pipeline.syncOperations.addHandler(IdleStateHandler(readTimeout: longestSilence))
                        try channel.pipeline.syncOperations.addHandler(CloseWhenSilent())
                        return try configure(channel, address, token)
                    }
                }
            handshake = try await upgrade.get()
        } catch {
            throw ClientError.unreachable("\(address.authority): \(error)")
        }
        switch handshake {
        case .upgraded(let channel): return StreamSocket(channel: channel)
        case .refused(let channel): throw await refusal(channel)
        }
    }

    private static func configure(_ channel: any Channel, _ address: ServerAddress, _ token: String?) throws
        -> EventLoopFuture<Handshake>
    {
        var headers: HTTPHeaders = ["host": address.authority, "user-agent": "CommonplaceClient/1"]
        if let token { headers.add(name: "authorization", value: "Bearer \(token)") }
        let head = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: address.path + "/api/v1/stream", headers: headers)
        let upgrader = NIOTypedWebSocketClientUpgrader<Handshake>(maxFrameSize: longestFrame) { channel, _ in
            channel.eventLoop.makeCompletedFuture {
                .upgraded(try NIOAsyncChannel(wrappingChannelSynchronously: channel))
            }
        }
        let configuration = NIOTypedHTTPClientUpgradeConfiguration<Handshake>(
            upgradeRequestHead: head, upgraders: [upgrader]
        ) { channel in
            channel.eventLoop.makeCompletedFuture {
                .refused(try NIOAsyncChannel(wrappingChannelSynchronously: channel))
            }
        }
        return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
            configuration: .init(upgradeConfiguration: configuration))
    }

    /// Reads the answer that was no upgrade.
    private static func refusal(_ channel: NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>) async
        -> ClientError
    {
        do {
            return try await channel.executeThenClose { inbound, _ in
                var (head, body): (HTTPResponseHead?, [UInt8]) = (nil, [])
                for try await part in inbound {
                    switch part {
                    case .head(let answer): head = answer
                    case .body(let bytes): body += bytes.readableBytesView.prefix(64 * 1024 - body.count)
                    case .end:
                        guard let head else { return .badAnswer("no head") }
                        let retry = head.headers.first(name: "retry-after")
                        let answer = HTTPAnswer(status: Int(head.status.code), retryAfter: retry, body: body)
                        return .refused(ServerProblem(answer))
                    }
                }
                return .unreachable("the connection was closed during the handshake")
            }
        } catch {
            return .unreachable("\(error)")
        }
    }

    /// Runs `body` with the connection and closes it.
    func use(_ body: (Frames, Outbound) async throws -> Void) async throws {
        try await channel.executeThenClose { inbound, outbound in
            let writer = Outbound(writer: outbound)
            try await body(Frames(inbound: inbound, outbound: writer), writer)
            try? await outbound.write(.closing)
        }
    }

    /// What goes to the server.
    struct Outbound: Sendable {
        fileprivate let writer: NIOAsyncChannelOutboundWriter<WebSocketFrame>

        /// `id` comes back with the answer.
        func subscribe(_ topic: String, from: String, id: Int) async throws {
            let frame: JSONValue = [
                "type": .string("subscribe"), "id": .number(Double(id)), "topic": .string(topic), "from": .string(from),
            ]
            try await writer.write(.text([UInt8](JSONEncoder().encode(frame))))
        }
    }

    /// What comes from the server, read and answered where it is a ping.
    struct Frames: AsyncSequence {
        fileprivate let inbound: NIOAsyncChannelInboundStream<WebSocketFrame>
        fileprivate let outbound: Outbound

        struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate var frames: NIOAsyncChannelInboundStream<WebSocketFrame>.AsyncIterator
            fileprivate let outbound: Outbound
            private var message: [UInt8] = []

            fileprivate init(_ frames: NIOAsyncChannelInboundStream<WebSocketFrame>.AsyncIterator, _ outbound: Outbound)
            {
                self.frames = frames
                self.outbound = outbound
            }

            mutating func next() async throws -> StreamFrame? {
                while true {
                    guard let frame = try await frames.next() else { return nil }
                    switch frame.opcode {
                    case .text, .continuation:
                        message += frame.unmaskedData.readableBytesView
                        guard message.count <= longestFrame else {
                            throw ClientError.badAnswer("a message is too long")
                        }
                        guard frame.fin else { continue }
                        defer { message = [] }
                        return try StreamFrame.read(message)
                    case .ping: try await outbound.writer.write(.pong(frame.unmaskedData))
                    case .connectionClose: return nil
                    default: break
                    }
                }
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(inbound.makeAsyncIterator(), outbound) }
    }
}

/// Closes a connection on which nothing has come for too long: its other end is gone.
private final class CloseWhenSilent: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}

extension WebSocketFrame {
    /// Clients mask what they send (RFC 6455 §5.3).
    fileprivate static func text(_ bytes: [UInt8]) -> WebSocketFrame {
        WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: ByteBuffer(bytes: bytes))
    }

    fileprivate static func pong(_ data: ByteBuffer) -> WebSocketFrame {
        WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: data)
    }

    /// 1000, normal.
    fileprivate static var closing: WebSocketFrame {
        WebSocketFrame(fin: true, opcode: .connectionClose, maskKey: .random(), data: ByteBuffer(bytes: [0x03, 0xE8]))
    }
}
