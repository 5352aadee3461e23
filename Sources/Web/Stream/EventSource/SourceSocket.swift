import Community
import EventLog
import NIOCore
import NIOHTTPTypes

extension EventStream {
    /// One reader's open event stream: the last handler of its connection, which writes the body of the answer straight onto it, as a
    /// WebSocket's writes its frames. Lives on its channel's event loop.
    final class SourceSocket: ChannelInboundHandler, Listener {
        typealias InboundIn = HTTPRequestPart
        typealias InboundOut = HTTPRequestPart
        typealias OutboundOut = HTTPResponsePart

        /// Bytes that are written at once before it is asked whether there is room for more.
        private static let chunk = 16 * 1024

        private let id: Switchboard.SocketID
        private let reader: Int64
        private let session: Int64
        private let hub: Hub
        private let presence: Presence
        /// Kept when the answer is over.
        private let ended: EventLoopPromise<Void>
        private var protocolSession: SourceSession
        /// `nil` before the answer begins and after it has ended.
        private var context: ChannelHandlerContext?
        private var hasEnded = false
        private var ticker: (ticker: Ticker, turn: Int)?
        /// Bytes given to the channel since the answer began.
        private var givenBytes: Int64 = 0
        /// Has been offered something that is not written yet.
        private var isDue = false

        init(
            reader: Int64, session: Int64, protocolSession: SourceSession, hub: Hub, presence: Presence,
            ended: EventLoopPromise<Void>
        ) {
            id = hub.numbers.next()
            self.reader = reader
            self.session = session
            self.protocolSession = protocolSession
            self.hub = hub
            self.presence = presence
            self.ended = ended
        }

        // MARK: From the channel

        func handlerAdded(context: ChannelHandlerContext) {
            guard context.channel.isActive, !presence.isGone else {
                context.close(promise: nil)
                return end()
            }
            self.context = context
            hub.submit(
                .attach(Port(id: id, loop: context.eventLoop, listener: self), reader: reader, session: session))
            let ticker = hub.tickers.ticker(of: context.eventLoop)
            self.ticker = (ticker, ticker.add(self, on: context.eventLoop))
            // One that was told to end before this handler came has not heard.
            let guardian = try? context.pipeline.syncOperations.handler(type: RequestGuard.self)
            if guardian?.isQuiescing == true { leave(.drain) } else { settle() }
        }

        func handlerRemoved(context: ChannelHandlerContext) { end() }

        func channelInactive(context: ChannelHandlerContext) {
            end()
            context.fireChannelInactive()
        }

        func channelWritabilityChanged(context: ChannelHandlerContext) {
            if context.channel.isWritable { settle() }
            context.fireChannelWritabilityChanged()
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            switch event {
            case ChannelEvent.inputClosed: abandon()
            case is ChannelShouldQuiesceEvent: leave(.drain)
            default: break
            }
            context.fireUserInboundEventTriggered(event)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            abandon()
            context.fireErrorCaught(error)
        }

        func tick(_ backlog: inout Backlog) {
            guard let context else { return }
            backlog.add(
                bytes: protocolSession.queuedBytes + protocolSession.heldBytes, isBehind: protocolSession.isBehind)
            let waiting = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
            protocolSession.tick(now: Socket.now, accepted: givenBytes - Int64(waiting), waiting: waiting)
            settle()
        }

        // MARK: From the hub

        func take(_ parcel: Parcel, now: Int64) -> Bool {
            protocolSession.offer(parcel, now: now)
            defer { isDue = true }
            return !isDue
        }

        func opened(_ opening: SourceSession.Opening) {
            if let why = opening.reset { hub.figures.reset(why) }
            protocolSession.opened(opening, now: Socket.now)
            settle()
        }

        func received(_ page: SourceSession.Page) {
            protocolSession.received(page, now: Socket.now)
            settle()
        }

        func opened(_ opening: Session.Opening) {
            protocolSession.opened(opening)
            settle()
        }

        /// Pages of single topics are for WebSockets.
        func received(_ page: Session.Page) {}

        func told(_ frame: ByteBuffer, of name: Name, version: Int64) {
            protocolSession.told(frame, of: name, version: version)
            settle()
        }

        func closed(_ name: Name, token: UInt64) {
            protocolSession.closed(name)
            settle()
        }

        func reset(_ why: ResetReason, to position: StreamCursor) {
            hub.figures.reset(why)
            protocolSession.reset(why, to: position)
            settle()
        }

        func leave(_ why: CloseReason) {
            hub.figures.closed(why)
            protocolSession.leave(why, retryAfter: EventStream.retryAfter())
            settle()
        }

        // MARK: -

        func settle() {
            isDue = false
            guard let context else { return }
            protocolSession.endBatch(now: Socket.now)
            while self.context != nil, context.channel.isWritable, write(atMost: Self.chunk, context) {}
            protocolSession.askForPage(now: Socket.now)
            for effect in protocolSession.takeEffects() {
                switch effect {
                case .open, .page: hub.submit(.source(effect, of: id))
                case .state(let name):
                    let subscribe = Session.Effect.subscribe(token: SourceSession.token, name, from: .now)
                    hub.submit(.effect(subscribe, of: id))
                case .close:
                    // What is left is the farewell: it goes out even where the channel is full, and the connection's clock bounds it.
                    _ = write(atMost: .max, context)
                    guard self.context != nil else { return }
                    end()
                    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
                }
            }
        }

        /// Writes what waits, until it is so many bytes. False where nothing waits.
        private func write(atMost count: Int, _ context: ChannelHandlerContext) -> Bool {
            var bytes = ByteBuffer()
            while bytes.readableBytes < count, protocolSession.write(into: &bytes) {}
            guard bytes.readableBytes > 0 else { return false }
            givenBytes += Int64(bytes.readableBytes)
            context.writeAndFlush(wrapOutboundOut(.body(bytes)), promise: nil)
            return true
        }

        /// Ends the connection at once.
        private func abandon() {
            guard let context else { return }
            end()
            context.close(promise: nil)
        }

        /// Nothing is said any more.
        private func end() {
            guard !hasEnded else { return }
            hasEnded = true
            if let (ticker, turn) = ticker { ticker.remove(self, from: turn) }
            ticker = nil
            if context != nil { hub.submit(.detach(id)) }
            context = nil
            ended.succeed()
        }
    }

    /// Milliseconds after which a client comes back: those that were cut off together must not come back together.
    static func retryAfter() -> Int { Int.random(in: 500...8_000) }
}
