import Community
import EventLog
import NIOCore

extension EventStream {
    /// A WebSocket: feeds the session with what comes and writes what it says. Lives on its channel's event loop.
    final class Socket: WebSocketApplication, StreamConnection {
        var machine: Session
        var attachment: Attachment
        private weak var outlet: (any WebSocketOutlet)?

        init(reader: Int64, session: Int64, scopes: Set<Accounts.Scope>?, hub: Hub) {
            attachment = Attachment(reader: reader, session: session, hub: hub)
            machine = Session(
                limits: hub.limits, secret: hub.secret, scopes: scopes, fault: hub.fault, now: EventStream.now)
        }

        var waitingBytes: Int? { outlet?.waitingBytes }

        // MARK: From the channel

        func opened(_ socket: any WebSocketOutlet, on eventLoop: any EventLoop) {
            outlet = socket
            attach(on: eventLoop)
            settle()
        }

        func heard() { machine.heard() }

        func received(text: ByteBuffer) {
            machine.received(text, now: EventStream.now)
            settle()
        }

        func received(binary: ByteBuffer) { outlet?.close(1003, "frames are text") }

        func received(ping: ByteBuffer) {
            machine.pinged(ping, now: EventStream.now)
            settle()
        }

        func receivedPart() {
            machine.receivedPart(now: EventStream.now)
            settle()
        }

        func becameWritable() { settle() }

        func mustLeave() { leave(.drain) }

        func closed() {
            outlet = nil
            detach()
        }

        // MARK: From the hub

        func opened(_ opening: Session.Opening) {
            if let why = opening.reset { attachment.hub.figures.reset(why) }
            machine.opened(opening, now: EventStream.now)
            settle()
        }

        func received(_ page: Session.Page) {
            if case .reset(let why, _) = page.content { attachment.hub.figures.reset(why) }
            machine.received(page, now: EventStream.now)
            settle()
        }

        // MARK: -

        func write() {
            guard let outlet else { return }
            var hasWritten = false
            while outlet.isWritable, let frame = machine.next() {
                write(frame, to: outlet)
                hasWritten = true
            }
            if hasWritten { outlet.flush() }
            machine.askForPage(now: EventStream.now)
            for effect in machine.takeEffects() {
                switch effect {
                case .close(let why):
                    attachment.hub.figures.closed(why)
                    // What is left is the farewell: it goes out even where the channel is full, and the channel's own end bounds it.
                    while let frame = machine.next() { write(frame, to: outlet) }
                    outlet.close(why.closeCode, why.rawValue)
                case .abandon:
                    attachment.hub.figures.abandon()
                    outlet.abandon()
                case .subscribe, .unsubscribe, .page: attachment.hub.submit(.effect(effect, of: attachment.id))
                }
            }
        }

        private func write(_ frame: Session.Frame, to outlet: any WebSocketOutlet) {
            outlet.write(frame.head)
            if let tail = frame.tail { outlet.write(tail) }
            attachment.givenBytes += Int64(frame.bytes)
        }
    }
}
