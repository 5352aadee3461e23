import NIOCore
import NIOWebSocket

/// What runs on a WebSocket. All calls come on the channel's event loop.
protocol WebSocketApplication: AnyObject {
    /// The connection stands; `socket` is valid until `closed`.
    func opened(_ socket: any WebSocketOutlet, on eventLoop: any EventLoop)
    func received(text: ByteBuffer)
    func received(binary: ByteBuffer)
    func received(ping: ByteBuffer)
    /// A pong, or part of a message.
    func receivedPart()
    /// Any frame came, before it is looked at.
    func heard()
    /// The channel takes bytes again.
    func becameWritable()
    /// The server stops.
    func mustLeave()
    /// Nothing can be sent any more.
    func closed()
}

/// What an application may do with its WebSocket, on the channel's event loop.
protocol WebSocketOutlet: AnyObject {
    /// False while the channel has more than it can pass on.
    var isWritable: Bool { get }
    /// Bytes given to the channel that the peer's machine has not taken.
    var waitingBytes: Int { get }
    /// Finished frames; sent with the next `flush`.
    func write(_ frame: ByteBuffer)
    func flush()
    /// Sends a close frame behind everything written and ends the connection once the client has answered, 2 seconds later at most.
    func close(_ code: UInt16?, _ reason: String)
    /// Ends the connection at once.
    func abandon()
}

/// The shell of one WebSocket: frames in from NIO's decoder, finished frames out, and the closing handshake of RFC 6455.
final class WebSocketHandler<Application: WebSocketApplication>: ChannelInboundHandler, WebSocketOutlet {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = ByteBuffer

    private enum State {
        case open
        /// Our close frame is out; nothing the client says matters but its own.
        case closing
        case closed
    }

    private let application: Application
    private var messages: WebSocketMessages
    private var state: State = .open
    private var context: ChannelHandlerContext?
    /// As the channel told of it last: to ask it costs as much as to queue a frame.
    private(set) var isWritable = false

    init(_ application: Application, limits: WebSocketMessages.Limits) {
        self.application = application
        messages = WebSocketMessages(limits: limits)
    }

    // MARK: Channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        isWritable = context.channel.isWritable
        application.opened(self, on: context.eventLoop)
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        guard state != .closed else { return }
        application.heard()
        let received = messages.receive(frame)
        if state == .closing {
            // The answer to our close, or what was on its way before it.
            if case .close = received { abandon() }
            return
        }
        switch received {
        case .part: application.receivedPart()
        case .text(let bytes): application.received(text: bytes)
        case .binary(let bytes): application.received(binary: bytes)
        case .ping(let bytes): application.received(ping: bytes)
        case .close(let code): answerClose(code)
        case .violation(let code, let reason) where frame.opcode == .connectionClose:
            answerClose(UInt16(webSocketErrorCode: code), reason)
        case .violation(let code, let reason): close(UInt16(webSocketErrorCode: code), reason)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        isWritable = context.channel.isWritable
        if isWritable, state == .open { application.becameWritable() }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed: abandon()
        case is ChannelShouldQuiesceEvent where state == .open: application.mustLeave()
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? NIOWebSocketError else { return abandon() }
        switch error {
        case .invalidFrameLength: close(1009, "the frame is too large")
        case .fragmentedControlFrame, .multiByteControlFrameLength:
            // Nothing can be read any more: no answer is waited for.
            answerClose(1002, "the control frame is too long or cut")
        }
    }

    // MARK: Outlet

    var waitingBytes: Int {
        guard let options = context?.channel.syncOptions else { return 0 }
        return (try? options.getOption(.bufferedWritableBytes)) ?? 0
    }

    func write(_ frame: ByteBuffer) {
        guard state == .open else { return }
        context?.write(wrapOutboundOut(frame), promise: nil)
    }

    func flush() { context?.flush() }

    func close(_ code: UInt16?, _ reason: String) {
        guard state == .open, let context else { return }
        state = .closing
        context.writeAndFlush(wrapOutboundOut(WebSocketFrames.close(code, reason)), promise: nil)
        context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(2)) { self.abandon() }
    }

    func abandon() {
        guard state != .closed else { return }
        let context = context
        end()
        context?.close(promise: nil)
    }

    /// The client closes: it gets its own code back, or what was wrong with its frame. Then the connection ends, as is the server's part.
    private func answerClose(_ code: UInt16?, _ reason: String = "") {
        guard state == .open, let context else { return }
        state = .closing
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { _ in self.abandon() }
        context.writeAndFlush(wrapOutboundOut(WebSocketFrames.close(code, reason)), promise: sent)
        context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(2)) { self.abandon() }
    }

    private func end() {
        guard state != .closed else { return }
        state = .closed
        context = nil
        isWritable = false
        application.closed()
    }
}
