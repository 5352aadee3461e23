import Community
import Metrics
import NIOCore
import NIOHTTP1

/// A body did not arrive in its time.
struct SlowBody: Error {}

/// Next to the socket: counts bytes, looks at the clock at every tick, and closes what takes too long.
final class TrafficHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private static let timeouts = Dictionary(
        uniqueKeysWithValues: [
            ConnectionClock.Verdict.slowHead, .slowBody, .stalledWrite,
        ].map { ($0, Counter(label: "commonplace_http_timeouts_total", dimensions: [("kind", "\($0)")])) })

    private let state: ConnectionState
    private let presence: Presence
    private var ticking: Scheduled<Void>?

    init(state: ConnectionState, presence: Presence) {
        self.state = state
        self.presence = presence
    }

    func handlerAdded(context: ChannelHandlerContext) { schedule(context) }

    func handlerRemoved(context: ChannelHandlerContext) {
        ticking?.cancel()
        ticking = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        ticking?.cancel()
        ticking = nil
        presence.leave()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed: presence.leave()
        case is ChannelShouldQuiesceEvent:
            state.clock.drain(.now())
            ticking?.cancel()
            schedule(context)
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !state.clock.isDiscarding else { return }
        state.clock.received(.now())
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        state.clock.wrote(Self.unwrapOutboundIn(data).readableBytes)
        context.write(data, promise: promise)
    }

    private func schedule(_ context: ChannelHandlerContext) {
        // The end is near: it is not waited for longer than it takes.
        let pause = state.clock.isDraining ? min(state.limits.tick, state.limits.farewell) : state.limits.tick
        ticking = context.eventLoop.assumeIsolated().scheduleTask(in: pause) { self.tick(context) }
    }

    private func tick(_ context: ChannelHandlerContext) {
        // On a busy machine the first tick comes before the channel is active; who stops here would never look again.
        guard context.channel.isActive else { return schedule(context) }
        let buffered = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        guard let verdict = state.clock.verdict(.now(), buffered: buffered) else { return schedule(context) }
        Self.timeouts[verdict]?.increment()
        switch verdict {
        case .slowHead:
            let answer = "HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
            context.writeAndFlush(Self.wrapOutboundOut(.byteBuffer(ByteBuffer(string: answer))), promise: nil)
            context.close(promise: nil)
        case .slowBody:
            // Who reads the body answers 408, after the answers that come before.
            state.clock.receivedLast()
            context.fireErrorCaught(SlowBody())
            schedule(context)
        case .stalledWrite, .idle, .lingered: context.close(promise: nil)
        }
    }
}

/// Next to the parser: refuses heads that two programs could read differently, ends connections that cannot go on, and tells the clock
/// where a request stands.
final class RequestGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let state: ConnectionState
    /// After the answer that is being made.
    private var closes = false
    /// The connection ends after this answer, although its client may wait for another.
    private var endsHere = false
    private var isRefused = false
    /// The server ends.
    private(set) var isQuiescing = false
    /// A client waits for leave to send its body, and earlier answers come first.
    private var owesContinue = false

    init(state: ConnectionState) { self.state = state }

    /// The connection is upgraded. One that was told to end while it was being decided on ends here: its new handler has not heard.
    func handlerRemoved(context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        state.clock.upgrade()
        let pipeline = context.channel.pipeline.syncOperations
        if let traffic = try? pipeline.handler(type: TrafficHandler.self) {
            pipeline.removeHandler(traffic, promise: nil)
        }
        if isQuiescing { context.channel.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused, !state.clock.isDiscarding else { return }
        switch Self.unwrapInboundIn(data) {
        case .head(let head):
            if let code = refusal(of: head) { return refuse(code, context) }
            state.clock.receivedHead(.now())
            // The parser reads nothing behind a request that asks for another protocol, whether or not it gets it.
            if !head.isKeepAlive || head.version != .http1_1 || head.headers.contains(name: "upgrade") { closes = true }
            owesContinue = awaitsContinue(head)
            payContinue(context)
        case .body(let bytes):
            owesContinue = false
            state.clock.receivedBody(bytes.readableBytes)
        case .end:
            owesContinue = false
            state.clock.receivedEnd(.now())
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is SlowBody { closes = true }
        guard let parserError = error as? HTTPParserError else { return context.fireErrorCaught(error) }
        refuse(parserError == .headerOverflow ? .headersTooLong : .badRequest, context, error: parserError)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch Self.unwrapOutboundIn(data) {
        case .head(var head) where head.status.code >= 200:
            if head.headers[canonicalForm: "connection"].contains("close") {
                endsHere = true
                state.clock.receivedLast()
            }
            if state.clock.isReadingBody, isLastAnswer { closes = true }
            if closes, isLastAnswer { head.headers.replaceOrAdd(name: "connection", value: "close") }
            context.write(Self.wrapOutboundOut(.head(head)), promise: promise)
        case .end:
            let isLast = endsHere || closes && isLastAnswer
            state.clock.answered(.now())
            context.write(data, promise: promise)
            if isLast { finish(context) } else { payContinue(context) }
        case .head, .body: context.write(data, promise: promise)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            // The request that is on its way is answered, as the last one; the clock closes what rests.
            isQuiescing = true
            closes = true
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Nobody waits for another answer than the one that is being written.
    private var isLastAnswer: Bool { state.clock.requests <= 1 }

    /// RFC 9110 §10.1.1. Where the body is too large, the final answer says so instead.
    private func awaitsContinue(_ head: HTTPRequestHead) -> Bool {
        guard head.version == .http1_1,
            head.headers[canonicalForm: "expect"].contains(where: { $0.lowercased() == "100-continue" })
        else { return false }
        guard let room = state.room(head) else { return false }
        return head.headers.first(name: "content-length").flatMap { Int($0) } ?? 0 <= room
    }

    private func payContinue(_ context: ChannelHandlerContext) {
        guard owesContinue, isLastAnswer else { return }
        owesContinue = false
        context.writeAndFlush(
            Self.wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
    }

    /// Why a head is refused that is valid for the parser and still ambiguous or too long; `nil` for a good one.
    private func refusal(of head: HTTPRequestHead) -> ProblemCode? {
        guard head.version == .http1_1 || head.version == .http1_0 else { return .versionUnknown }
        let hosts = head.headers["host"].count
        guard hosts == 1 || hosts == 0 && head.version == .http1_0 else { return .badRequest }
        guard head.uri.utf8.count <= state.limits.target else { return .addressTooLong }
        let first = head.uri.utf8.first
        guard first == UInt8(ascii: "/") || head.uri == "*" && head.method == .OPTIONS else { return .badRequest }
        let codings = head.headers["transfer-encoding"]
        if !codings.isEmpty {
            guard head.version == .http1_1, codings.count == 1, codings[0].lowercased() == "chunked",
                !head.headers.contains(name: "content-length")
            else { return .badRequest }
        }
        guard head.headers["content-length"].count <= 1 else { return .badRequest }
        return nil
    }

    /// Answers in the right order: at once where no answer is outstanding, else through the error, which the request loop meets after them.
    private func refuse(
        _ code: ProblemCode, _ context: ChannelHandlerContext, error: HTTPParserError = .unknown
    ) {
        guard !isRefused else { return }
        isRefused = true
        closes = true
        guard state.clock.requests == 0 else { return context.fireErrorCaught(error) }
        let status = HTTPResponseStatus(statusCode: code.meaning.status)
        let body = (try? Problem(code).body(request: RequestID.text(from: nil), base: nil)) ?? ByteBuffer()
        let headers: HTTPHeaders = [
            "connection": "close", "content-type": Problem.mediaType,
            "content-length": "\(body.readableBytes)",
        ]
        context.write(
            Self.wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers))),
            promise: nil)
        context.write(Self.wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.write(Self.wrapOutboundOut(.end(nil)), promise: nil)
        finish(context)
    }

    /// Half-closes behind what is written, so that the client reads it, and throws away what still comes until the clock ends that.
    private func finish(_ context: ChannelHandlerContext) {
        state.clock.discard(.now())
        context.flush()
        context.close(mode: .output, promise: nil)
    }
}
