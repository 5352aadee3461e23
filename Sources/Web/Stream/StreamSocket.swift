import Community
import EventLog
import NIOCore

extension EventStream {
    /// One reader's open stream: feeds the session with what comes and does what it decides. Lives on its channel's event loop.
    final class Socket: WebSocketApplication {
        private let id: Switchboard.SocketID
        private let reader: Int64
        private let session: Int64
        private let hub: Hub
        private var protocolSession: Session
        private weak var outlet: (any WebSocketOutlet)?
        private var ticking: Scheduled<Void>?
        /// Bytes given to the channel since the connection began.
        private var givenBytes: Int64 = 0

        init(
            id: Switchboard.SocketID, reader: Int64, session: Int64, scopes: Set<Accounts.Scope>?, hub: Hub
        ) {
            self.id = id
            self.reader = reader
            self.session = session
            self.hub = hub
            protocolSession = Session(limits: hub.limits, secret: hub.secret, scopes: scopes, now: Self.now)
        }

        private static var now: Int64 { Int64(NIODeadline.now().uptimeNanoseconds / 1_000_000) }

        // MARK: From the channel

        func opened(_ socket: any WebSocketOutlet, on eventLoop: any EventLoop) {
            outlet = socket
            hub.submit(.attach(Port(id: id, loop: eventLoop, socket: self), reader: reader, session: session))
            schedule(on: eventLoop)
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
            ticking?.cancel()
            outlet = nil
            hub.submit(.detach(id))
        }

        // MARK: From the hub

        func offer(_ parcels: [Parcel]) {
            protocolSession.offer(parcels, now: Self.now)
            settle()
        }

        func opened(_ opening: Session.Opening) {
            protocolSession.opened(opening, now: Self.now)
            settle()
        }

        func received(_ page: Session.Page) {
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
        private func settle() {
            guard let outlet else { return }
            var hasWritten = false
            while outlet.isWritable, let frame = protocolSession.next() {
                outlet.write(frame.head)
                if let tail = frame.tail { outlet.write(tail) }
                givenBytes += Int64(frame.bytes)
                hasWritten = true
            }
            if hasWritten {
                outlet.flush()
                protocolSession.askForPage(now: Self.now)
            }
            for effect in protocolSession.takeEffects() {
                switch effect {
                case .close(let code, let reason):
                    // What is left is the farewell: it goes out even where the channel is full, and the channel's own end bounds it.
                    while let frame = protocolSession.next() {
                        outlet.write(frame.head)
                        if let tail = frame.tail { outlet.write(tail) }
                    }
                    outlet.close(code, reason)
                case .abandon: outlet.abandon()
                case .subscribe, .unsubscribe, .page: hub.submit(.effect(effect, of: id))
                }
            }
        }

        private func schedule(on eventLoop: any EventLoop) {
            ticking = eventLoop.assumeIsolated().scheduleTask(in: .seconds(Int64(hub.limits.tickSeconds))) {
                [weak self] in
                guard let self, let outlet else { return }
                let waiting = outlet.waitingBytes
                protocolSession.tick(now: Self.now, accepted: givenBytes - Int64(waiting), waiting: waiting)
                settle()
                schedule(on: eventLoop)
            }
        }
    }

    /// A socket as the hub knows it: whatever is told to it happens on its event loop, in order.
    struct Port: Sendable {
        let id: Switchboard.SocketID
        private let loop: any EventLoop
        private let socket: NIOLoopBound<Socket>

        /// On `loop`.
        init(id: Switchboard.SocketID, loop: any EventLoop, socket: Socket) {
            self.id = id
            self.loop = loop
            self.socket = NIOLoopBound(socket, eventLoop: loop)
        }

        func opened(_ opening: Session.Opening) { loop.execute { socket.value.opened(opening) } }
        func received(_ page: Session.Page) { loop.execute { socket.value.received(page) } }
        func told(_ frame: ByteBuffer, of name: Name, version: Int64) {
            loop.execute { socket.value.told(frame, of: name, version: version) }
        }
        func closed(_ name: Name, token: UInt64) { loop.execute { socket.value.closed(name, token: token) } }
        func reset(_ why: ResetReason, to position: StreamCursor) {
            loop.execute { socket.value.reset(why, to: position) }
        }
        func leave(_ why: CloseReason) { loop.execute { socket.value.leave(why) } }

        /// One hop for each event loop, however many sockets it has. Returns when all have taken theirs, so that no loop falls more than
        /// one batch behind.
        static func offer(_ deliveries: [(Port, [Parcel])]) async {
            let byLoop = Dictionary(grouping: deliveries) { ObjectIdentifier($0.0.loop) }
            let taken = byLoop.values.map { deliveries in
                deliveries[0].0.loop.submit {
                    for (port, parcels) in deliveries { port.socket.value.offer(parcels) }
                }
            }
            // The only failure is a loop that has been shut down, and its sockets with it.
            for future in taken { try? await future.get() }
        }
    }
}
