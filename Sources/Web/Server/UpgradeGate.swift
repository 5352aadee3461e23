import NIOCore
import NIOHTTP1
import Synchronization

/// What a connection may turn into, asked when its first request carries `Upgrade`.
package struct UpgradeOffer: Sendable {
    /// Protocols by name. `accepts` has said yes before one of them is asked, and none may refuse then.
    package let upgraders: [any NIOTypedHTTPServerProtocolUpgrader<Connection>]
    /// Whether this request becomes an upgrade. Where not, the route table answers it as a plain request. What it fails with is kept for the route
    /// (`SiteContext.refusal`): what was decided is not decided again.
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

/// Why the first request of a connection was refused an upgrade. Nothing comes behind such a request.
package final class UpgradeRefusal: Sendable {
    private let kept = Mutex<(any Error)?>(nil)

    package init() {}

    /// `nil` where nothing was refused, or the request was none that could be.
    var reason: (any Error)? { kept.withLock { $0 } }
    func keep(_ reason: any Error) { kept.withLock { $0 = reason } }
}

/// Decides on the upgrade before NIO's upgrade handler sees the request: that one forgets the head of a request whose upgrade is refused, and
/// the client would never be answered.
///
/// A refused `Upgrade` header is taken off, so that the request goes on as a plain one, the last of its connection: NIO's parser stops
/// behind every request that carries one. Until it is decided nothing is read, so nothing piles up; afterwards what comes is thrown away.
final class UpgradeGate: ChannelInboundHandler, ChannelOutboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart

    private let offer: UpgradeOffer
    private let state: ConnectionState
    private let refusal: UpgradeRefusal
    private var hasDecided = false
    private var isDeciding = false
    /// The end of the request that is being decided on, and what the parser had read with it.
    private var held: [HTTPServerRequestPart] = []
    private var hasEnded = false
    private var isReadWanted = false
    /// The request that comes in has an `Upgrade` that was refused.
    private var isLast = false

    init(_ offer: UpgradeOffer, state: ConnectionState, refusal: UpgradeRefusal) {
        self.offer = offer
        self.state = state
        self.refusal = refusal
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = Self.unwrapInboundIn(data)
        guard !isDeciding else { return held.append(part) }
        guard case .head(let head) = part, head.headers.contains(name: "upgrade") else {
            hasDecided = true
            return pass(part, context)
        }
        // Only the first request of a connection may upgrade it, and only one without a body.
        let length = head.headers.first(name: "content-length") ?? "0"
        let hasBody = head.headers.contains(name: "transfer-encoding") || length != "0"
        guard !hasDecided, !hasBody else { return decided(false, head, context) }
        isDeciding = true
        offer.accepts(head, context.channel).hop(to: context.eventLoop).assumeIsolated().whenComplete { result in
            switch result {
            case .success(let isUpgrade): self.decided(isUpgrade, head, context)
            case .failure(let error):
                self.refusal.keep(error)
                self.decided(false, head, context)
            }
        }
    }

    func read(context: ChannelHandlerContext) {
        if isDeciding {
            isReadWanted = true
        } else {
            context.read()
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
        let wasHeld = isDeciding
        var head = head
        isLast = !isUpgrade
        if isLast { head.headers.remove(name: "upgrade") }
        hasDecided = true
        isDeciding = false
        // First of all: an upgrade takes this handler out of the channel at once.
        if isReadWanted {
            isReadWanted = false
            context.read()
        }
        pass(.head(head), context)
        guard wasHeld else { return }
        let parts = held
        held = []
        for part in parts { pass(part, context) }
        context.fireChannelReadComplete()
        if hasEnded { context.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
    }

    private func pass(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
        if isLast, case .end = part { state.clock.receivedLast() }
        context.fireChannelRead(Self.wrapInboundOut(part))
    }
}
