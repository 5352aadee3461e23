import EventLog
import NIOCore

extension EventStream {
    /// What the hub talks to: a WebSocket or an event stream. All calls come on its channel's event loop.
    protocol Listener: AnyObject {
        /// One form of one event, out of a batch. True for the first since `settle`, which follows the last.
        func take(_ parcel: Parcel, now: Int64) -> Bool
        /// Writes what there is room for and does what was decided.
        func settle()
        func opened(_ opening: Session.Opening)
        func received(_ page: Session.Page)
        func opened(_ opening: SourceSession.Opening)
        func received(_ page: SourceSession.Page)
        func told(_ frame: ByteBuffer, of name: Name, version: Int64)
        func closed(_ name: Name, token: UInt64)
        func reset(_ why: ResetReason, to position: StreamCursor)
        func leave(_ why: CloseReason)
        /// Time went by. Counts in `backlog` what waits.
        func tick(_ backlog: inout Backlog)
    }

    /// A listener as the hub knows it: whatever is told to it happens on its event loop, in order.
    struct Port: Sendable {
        let id: Switchboard.SocketID
        let loop: any EventLoop
        let listener: NIOLoopBound<any Listener>

        /// On `loop`.
        init(id: Switchboard.SocketID, loop: any EventLoop, listener: any Listener) {
            self.id = id
            self.loop = loop
            self.listener = NIOLoopBound(listener, eventLoop: loop)
        }

        func opened(_ opening: Session.Opening) { loop.execute { listener.value.opened(opening) } }
        func received(_ page: Session.Page) { loop.execute { listener.value.received(page) } }
        func opened(_ opening: SourceSession.Opening) { loop.execute { listener.value.opened(opening) } }
        func received(_ page: SourceSession.Page) { loop.execute { listener.value.received(page) } }
        func told(_ frame: ByteBuffer, of name: Name, version: Int64) {
            loop.execute { listener.value.told(frame, of: name, version: version) }
        }
        func closed(_ name: Name, token: UInt64) { loop.execute { listener.value.closed(name, token: token) } }
        func reset(_ why: ResetReason, to position: StreamCursor) {
            loop.execute { listener.value.reset(why, to: position) }
        }
        func leave(_ why: CloseReason) { loop.execute { listener.value.leave(why) } }
    }
}

// A WebSocket follows each of its topics by itself, and hears nothing that is for all of them together.
extension EventStream.Listener {
    func opened(_ opening: EventStream.SourceSession.Opening) {}
    func received(_ page: EventStream.SourceSession.Page) {}
}
