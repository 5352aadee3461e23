import Community
import EventLog
import NIOCore

extension EventStream {
    /// One reader's open stream: feeds the session with what comes and does what it decides. Lives on its channel's event loop.
    final class Socket: WebSocketApplication, Listener {
        private let id: Switchboard.SocketID
        private let reader: Int64
        private let session: Int64
        private let hub: Hub
        private var protocolSession: Session
        private weak var outlet: (any WebSocketOutlet)?
        private var ticker: (ticker: Ticker, turn: Int)?
        /// Bytes given to the channel since the connection began.
        private var givenBytes: Int64 = 0
        /// Has been offered something that is not written yet.
        private var isDue = false

        init(
            id: Switchboard.SocketID, reader: Int64, session: Int64, scopes: Set<Accounts.Scope>?, hub: Hub
        ) {
            self.id = id
            self.reader = reader
            self.session = session
            self.hub = hub
            protocolSession = Session(limits: hub.limits, secret: hub.secret, scopes: scopes, now: Self.now)
        }

        static var now: Int64 { Int64(NIODeadline.now().uptimeNanoseconds / 1_000_000) }

        // MARK: From the channel

        func opened(_ socket: any WebSocketOutlet, on eventLoop: any EventLoop) {
            outlet = socket
            hub.submit(.attach(Port(id: id, loop: eventLoop, listener: self), reader: reader, session: session))
            let ticker = hub.tickers.ticker(of: eventLoop)
            self.ticker = (ticker, ticker.add(self, on: eventLoop))
            settle()
        }

        func heard() { protocolSession.heard() }

        func received(text: ByteBuffer) {
            protocolSession.received(text, now: Self.now)
            settle()
        }

        func received(binary: ByteBuffer) { outlet?.close(1003, "frames are text") }

        func received(ping: ByteBuffer) {
            protocolSession.pinged(ping, now: Self.now)
            settle()
        }

        func receivedPart() {
            protocolSession.receivedPart(now: Self.now)
            settle()
        }

        func becameWritable() { settle() }

        func mustLeave() { leave(.drain) }

        func closed() {
            if let (ticker, turn) = ticker { ticker.remove(self, from: turn) }
            ticker = nil
            outlet = nil
            hub.submit(.detach(id))
        }

        /// Time went by. Counts what waits for this socket.
        func tick(_ backlog: inout Backlog) {
            guard let outlet else { return }
            backlog.add(
                bytes: protocolSession.queuedBytes + protocolSession.heldBytes, isBehind: protocolSession.isBehind)
            let waiting = outlet.waitingBytes
            protocolSession.tick(now: Self.now, accepted: givenBytes - Int64(waiting), waiting: waiting)
            settle()
        }

        // MARK: From the hub

        func take(_ parcel: Parcel, now: Int64) -> Bool {
            protocolSession.offer(parcel, now: now)
            defer { isDue = true }
            return !isDue
        }

        func opened(_ opening: Session.Opening) {
            if let why = opening.reset { hub.figures.reset(why) }
            protocolSession.opened(opening, now: Self.now)
            settle()
        }

        func received(_ page: Session.Page) {
            if case .reset(let why, _) = page.content { hub.figures.reset(why) }
            protocolSession.received(page, now: Self.now)
            settle()
        }

        func told(_ frame: ByteBuffer, of name: Name, version: Int64) {
            protocolSession.told(frame, of: name, version: version)
            settle()
        }

        func closed(_ name: Name, token: UInt64) {
            protocolSession.closed(name, token: token)
            settle()
        }

        func reset(_ why: ResetReason, to position: StreamCursor) {
            hub.figures.reset(why)
            protocolSession.reset(why, to: position)
            settle()
        }

        func leave(_ why: CloseReason) {
            // Clients that were told to go together must not come back together.
            protocolSession.leave(why, retryAfter: Int.random(in: 500...8_000))
            settle()
        }

        // MARK: -

        /// Writes what there is room for and does what the session decided.
        func settle() {
            isDue = false
            guard let outlet else { return }
            var hasWritten = false
            while outlet.isWritable, let frame = protocolSession.next() {
                outlet.write(frame.head)
                if let tail = frame.tail { outlet.write(tail) }
                givenBytes += Int64(frame.bytes)
                hasWritten = true
            }
            if hasWritten { outlet.flush() }
            protocolSession.askForPage(now: Self.now)
            for effect in protocolSession.takeEffects() {
                switch effect {
                case .close(let code, let reason):
                    CloseReason(rawValue: reason).map(hub.figures.closed)
                    // What is left is the farewell: it goes out even where the channel is full, and the channel's own end bounds it.
                    while let frame = protocolSession.next() {
                        outlet.write(frame.head)
                        if let tail = frame.tail { outlet.write(tail) }
                    }
                    outlet.close(code, reason)
                case .abandon:
                    hub.figures.abandon()
                    outlet.abandon()
                case .subscribe, .unsubscribe, .page: hub.submit(.effect(effect, of: id))
                }
            }
        }
    }
}
