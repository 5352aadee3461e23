import NIOCore
import NIOHTTP1
import NIOPosix

/// One client with one connection, which says from which address it comes and how long its answers took.
actor Caller {
    struct Answer: Sendable {
        let status: Int
        let retryAfter: String?
        let time: Duration
    }

    /// The server closed the connection without an answer.
    struct Unanswered: Error {}

    private let port: Int
    private let address: String?
    private var channel: (any Channel)?

    /// `address`: what a proxy on this machine would say in `X-Forwarded-For`.
    init(port: Int, address: String? = nil) {
        self.port = port
        self.address = address
    }

    /// Throws `Unanswered` and what a socket throws.
    func call(_ method: HTTPMethod, _ path: String, _ body: String? = nil) async throws -> Answer {
        let start = ContinuousClock.now
        let head: HTTPResponseHead
        if let channel, channel.isActive {
            head = try await send(method, path, body, on: channel)
        } else {
            let fresh = try await connect()
            channel = fresh
            head = try await send(method, path, body, on: fresh)
        }
        if !head.isKeepAlive { await close() }
        return Answer(
            status: Int(head.status.code), retryAfter: head.headers.first(name: "retry-after"),
            time: ContinuousClock.now - start)
    }

    func close() async {
        try? await channel?.close().get()
        channel = nil
    }

    private func connect() async throws -> any Channel {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(Exchange())
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
    }

    private func send(
        _ method: HTTPMethod, _ path: String, _ body: String?, on channel: any Channel
    ) async throws -> HTTPResponseHead {
        var head = HTTPRequestHead(version: .http1_1, method: method, uri: path, headers: ["Host": "127.0.0.1:\(port)"])
        if let address { head.headers.add(name: "X-Forwarded-For", value: address) }
        let bytes = ByteBuffer(string: body ?? "")
        if body != nil {
            head.headers.add(name: "Content-Type", value: "application/json")
            head.headers.add(name: "Content-Length", value: String(bytes.readableBytes))
        }
        let promise = channel.eventLoop.makePromise(of: HTTPResponseHead.self)
        channel.writeAndFlush(Exchange.Question(head: head, body: bytes, promise: promise)).whenFailure {
            promise.fail($0)
        }
        return try await promise.futureResult.get()
    }

    /// Sends a question and gives its answer's head when the answer is whole.
    private final class Exchange: ChannelDuplexHandler {
        struct Question: Sendable {
            let head: HTTPRequestHead
            let body: ByteBuffer
            let promise: EventLoopPromise<HTTPResponseHead>
        }

        typealias InboundIn = HTTPClientResponsePart
        typealias OutboundIn = Question
        typealias OutboundOut = HTTPClientRequestPart

        private var waiting: EventLoopPromise<HTTPResponseHead>?
        private var head: HTTPResponseHead?

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            let question = Self.unwrapOutboundIn(data)
            waiting = question.promise
            context.write(Self.wrapOutboundOut(.head(question.head)), promise: nil)
            context.write(Self.wrapOutboundOut(.body(.byteBuffer(question.body))), promise: nil)
            context.write(Self.wrapOutboundOut(.end(nil)), promise: promise)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch Self.unwrapInboundIn(data) {
            case .head(let head): self.head = head
            case .body: break
            case .end:
                guard let head else { return }
                waiting?.succeed(head)
                waiting = nil
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            waiting?.fail(Unanswered())
            waiting = nil
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}

extension Collection<Duration> {
    /// The value that `share` of all do not exceed; zero where there are none.
    func quantile(_ share: Double) -> Duration {
        let all = sorted()
        guard !all.isEmpty else { return .zero }
        return all[Swift.min(all.count - 1, Int(Double(all.count) * share))]
    }
}
