import Community
import EventLog
import NIOCore
import NIOHTTPTypes

extension EventStream {
    /// One reader's open event stream: the last handler of its connection, which writes the body of the answer straight onto it, as a
    /// WebSocket's writes its frames. Lives on its channel's event loop.
    final class SourceSocket: ChannelInboundHandler, StreamConnection {
        typealias InboundIn = HTTPRequestPart
        typealias InboundOut = HTTPRequestPart
        typealias OutboundOut = HTTPResponsePart

        /// Bytes that are written at once before it is asked whether there is room for more.
        private static let chunk = 16 * 1024

        private let presence: Presence
        /// Succeeds when the answer is over.
        private let ended: EventLoopPromise<Void>
        var machine: SourceSession
        var attachment: Attachment
        /// `nil` before the answer begins and after it has ended.
        private var context: ChannelHandlerContext?
        private var hasEnded = false

        init(
            reader: Int64, session: Int64, machine: SourceSession, hub: Hub, presence: Presence,
            ended: EventLoopPromise<Void>
        ) {
            self.machine = machine
            attachment = Attachment(reader: reader, session: session, hub: hub)
            self.presence = presence
            self.ended = ended
        }

        var waitingBytes: Int? {
            guard let context else { return nil }
            return (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        }

        // MARK: From the channel

        func handlerAdded(context: ChannelHandlerContext) {
            guard context.channel.isActive, !presence.isGone else {
                context.close(promise: nil)
                return end()
            }
            self.context = context
            attach(on: context.eventLoop)
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

        // MARK: From the hub

        func opened(_ opening: SourceSession.Opening) {
            if let why = opening.reset { attachment.hub.figures.reset(why) }
            machine.opened(opening, now: EventStream.now)
            settle()
        }

        func received(_ page: SourceSession.Page) {
            if case .reset(let why, _) = page { attachment.hub.figures.reset(why) }
            machine.received(page, now: EventStream.now)
            settle()
        }

        func opened(_ opening: Session.Opening) {
            machine.opened(opening)
            settle()
        }

        /// Pages of single topics are for WebSockets.
        func received(_ page: Session.Page) {}

        // MARK: -

        func write() {
            guard let context else { return }
            machine.endBatch(now: EventStream.now)
            while self.context != nil, context.channel.isWritable, write(atMost: Self.chunk, context) {}
            machine.askForPage(now: EventStream.now)
            for effect in machine.takeEffects() {
                switch effect {
                case .open, .page: attachment.hub.submit(.source(effect, of: attachment.id))
                case .state(let name):
                    let subscribe = Session.Effect.subscribe(token: SourceSession.token, name, from: .now)
                    attachment.hub.submit(.effect(subscribe, of: attachment.id))
                case .close(let why):
                    attachment.hub.figures.closed(why)
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
            while bytes.readableBytes < count, machine.write(into: &bytes) {}
            guard bytes.readableBytes > 0 else { return false }
            attachment.givenBytes += Int64(bytes.readableBytes)
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
            if context != nil { detach() }
            context = nil
            ended.succeed()
        }
    }
}
