import NIOCore
import NIOSSL

/// Carries one conversation over one connection: bytes to replies, actions to writes, and a limit on every wait.
final class SMTPHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Longer replies are no SMTP.
    private static let longestReply = 16 * 1024

    private var conversation: SMTPConversation
    private let secure: (ChannelHandlerContext) throws -> Void
    private let stepLimit: TimeAmount
    private var outcome: EventLoopPromise<Void>?
    private var input = ByteBuffer()
    private var lines: [String] = []
    private var timer: Scheduled<Void>?
    private var isConnected = false

    /// - Parameters:
    ///   - stepLimit: How long the server may take for one reply, however many bytes it sends meanwhile.
    ///   - secure: Puts TLS under the connection.
    ///   - outcome: Succeeds when the mail was taken; fails with `MailError`.
    init(
        _ conversation: SMTPConversation, stepLimit: TimeAmount, outcome: EventLoopPromise<Void>,
        secure: @escaping (ChannelHandlerContext) throws -> Void
    ) {
        self.conversation = conversation
        self.stepLimit = stepLimit
        self.outcome = outcome
        self.secure = secure
    }

    func channelActive(context: ChannelHandlerContext) {
        isConnected = true
        startTimer(context)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        input.writeBuffer(&bytes)
        while outcome != nil, let end = input.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
            let line = input.readString(length: end - input.readerIndex + 1) ?? ""
            take(line.trimmingLineEnd(), context)
        }
        let length = input.readableBytes + lines.reduce(0) { $0 + $1.utf8.count }
        if length > Self.longestReply { end(context, .temporary("the mail server's reply is too long")) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(context, hungUp)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end(context, hungUp)
    }

    private var hungUp: MailError {
        .temporary(isConnected ? "the mail server hung up" : "the mail server cannot be reached")
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isTLS = error is NIOSSLError || error is BoringSSLError || error is NIOSSLExtraError
        end(
            context,
            .temporary(isTLS ? "TLS with the mail server failed: \(error)" : "the connection to the mail server broke"))
    }

    /// `250-more` or `250 last`.
    private func take(_ line: String, _ context: ChannelHandlerContext) {
        let code = Int(line.prefix(3)).flatMap { (200..<600).contains($0) ? $0 : nil }
        let mark = line.dropFirst(3).first
        guard let code, mark == nil || mark == " " || mark == "-" else {
            return end(context, .temporary("the mail server does not speak SMTP"))
        }
        lines.append(String(line.dropFirst(4)))
        guard mark != "-" else { return }
        let reply = SMTPReply(code: code, lines: lines)
        lines = []
        perform(conversation.received(reply), context)
    }

    private func perform(_ action: SMTPConversation.Action, _ context: ChannelHandlerContext) {
        switch action {
        case .send(let bytes):
            startTimer(context)
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
        case .startTLS:
            // Whatever came behind the reply was put there by somebody in the middle.
            guard input.readableBytes == 0 else { return end(context, .temporary("the mail server spoke before TLS")) }
            do {
                try secure(context)
                perform(conversation.secured(), context)
            } catch {
                end(context, .temporary("TLS with the mail server failed: \(error)"))
            }
        case .finish(let bytes):
            outcome?.succeed()
            outcome = nil
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
            close(context)
        case .fail(let error): end(context, error)
        }
    }

    private func startTimer(_ context: ChannelHandlerContext) {
        timer?.cancel()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: stepLimit) {
            let (handler, context) = bound.value
            handler.end(context, .temporary("the mail server is too slow"))
        }
    }

    /// Tells the outcome, unless it is known, and closes.
    private func end(_ context: ChannelHandlerContext, _ error: MailError) {
        outcome?.fail(error)
        outcome = nil
        close(context)
    }

    private func close(_ context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
        context.close(promise: nil)
    }
}

extension String {
    /// Without `\r\n` or `\n` at the end.
    fileprivate func trimmingLineEnd() -> String {
        var bytes = utf8[...]
        if bytes.last == UInt8(ascii: "\n") { bytes = bytes.dropLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes = bytes.dropLast() }
        return String(Substring(bytes))
    }
}
