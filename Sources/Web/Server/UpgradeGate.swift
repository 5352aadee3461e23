import NIOCore
import NIOHTTP1

/// What a connection may turn into, asked when its first request carries `Upgrade`.
package struct UpgradeOffer: Sendable {
    /// Protocols by name. `accepts` has said yes before one of them is asked, and none may refuse then.
    package let upgraders: [any NIOTypedHTTPServerProtocolUpgrader<Connection>]
    /// Whether this request becomes an upgrade. Where not, the route table answers it as a plain request.
    package let accepts: @Sendable (HTTPRequestHead, any Channel) -> EventLoopFuture<Bool>

    package init(
        upgraders: [any NIOTypedHTTPServerProtocolUpgrader<Connection>],
        accepts: @escaping @Sendable (HTTPRequestHead, any Channel) -> EventLoopFuture<Bool>
    ) {
        self.upgraders = upgraders
        self.accepts = accepts
    }

    /// HTTP and nothing else.
    package static var none: UpgradeOffer {
        UpgradeOffer(upgraders: []) { _, channel in channel.eventLoop.makeSucceededFuture(false) }
    }
}

/// Decides on the upgrade before NIO's upgrade handler sees the request: that one forgets the head of a request whose upgrade is refused, and
/// the client would never be answered.
///
/// A refused `Upgrade` header is taken off, so that the request goes on as a plain one. What comes meanwhile is held back.
final class UpgradeGate: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private let offer: UpgradeOffer
    private var hasDecided = false
    private var isDeciding = false
    private var held: [HTTPServerRequestPart] = []
    private var hasEnded = false

    init(_ offer: UpgradeOffer) { self.offer = offer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasDecided else { return context.fireChannelRead(data) }
        let part = Self.unwrapInboundIn(data)
        guard !isDeciding else { return held.append(part) }
        guard case .head(let head) = part, head.headers.contains(name: "upgrade") else {
            hasDecided = true
            return context.fireChannelRead(data)
        }
        isDeciding = true
        offer.accepts(head, context.channel).hop(to: context.eventLoop).assumeIsolated().whenComplete { result in
            self.decided((try? result.get()) ?? false, head, context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if isDeciding, event as? ChannelEvent == .inputClosed {
            hasEnded = true
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    private func decided(_ isUpgrade: Bool, _ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        var head = head
        if !isUpgrade { head.headers.remove(name: "upgrade") }
        hasDecided = true
        isDeciding = false
        context.fireChannelRead(Self.wrapInboundOut(.head(head)))
        let parts = held
        held = []
        for part in parts { context.fireChannelRead(Self.wrapInboundOut(part)) }
        context.fireChannelReadComplete()
        if hasEnded { context.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
    }
}
