import NIOCore
import NIOHTTP1

/// One connection's end of the channel: takes one call at a time and tells its outcome.
final class HTTPExchange: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = Request
    typealias OutboundOut = HTTPClientRequestPart

    struct Request: Sendable {
        let call: HTTPCall
        let authority: String
        let promise: EventLoopPromise<Outcome>
    }

    struct Outcome: Sendable {
        let answer: HTTPAnswer
        let mayBeUsedAgain: Bool
    }

    /// Longer answers are refused.
    private static let longestBody = 16 * 1024 * 1024

    private var promise: EventLoopPromise<Outcome>?
    private var head: HTTPResponseHead?
    private var body = ByteBuffer()

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let request = unwrapOutboundIn(data)
        let call = request.call
        self.promise = request.promise
        var headers: HTTPHeaders = [
            "host": request.authority, "accept": "application/json", "user-agent": "CommonplaceClient/1",
        ]
        if let token = call.token { headers.add(name: "authorization", value: "Bearer \(token)") }
        if let key = call.key { headers.add(name: "idempotency-key", value: key) }
        if !call.body.isEmpty { headers.add(name: "content-type", value: call.type) }
        if call.method != .get { headers.add(name: "content-length", value: String(call.body.count)) }
        let head = HTTPRequestHead(
            version: .http1_1, method: HTTPMethod(rawValue: call.method.rawValue), uri: call.target, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if !call.body.isEmpty {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: call.body)))), promise: nil)
        }
        context.write(wrapOutboundOut(.end(nil)), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
        case .body(var part):
            body.writeBuffer(&part)
            if body.readableBytes > Self.longestBody {
                fail(ClientError.badAnswer("more than \(Self.longestBody) bytes"))
                context.close(promise: nil)
            }
        case .end:
            guard let head, head.status.code >= 200 else { return }
            let answer = HTTPAnswer(
                status: Int(head.status.code), retryAfter: head.headers.first(name: "retry-after"),
                body: Array(body.readableBytesView))
            promise?.succeed(Outcome(answer: answer, mayBeUsedAgain: head.isKeepAlive))
            promise = nil
            self.head = nil
            body.clear()
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(ClientError.unreachable("the connection was closed before the answer was whole"))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(ClientError.unreachable("\(error)"))
        context.close(promise: nil)
    }

    private func fail(_ error: ClientError) {
        promise?.fail(error)
        promise = nil
    }
}
