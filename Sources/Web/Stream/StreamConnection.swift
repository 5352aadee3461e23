import EventLog
import NIOCore

extension EventStream {
    /// What one connection's protocol decides, however it goes onto the wire.
    protocol Machine {
        /// Bytes of events that wait to be written, and of those that wait for a page of the log.
        var queuedBytes: Int { get }
        var heldBytes: Int { get }
        /// Whether something waits to be read from the log.
        var isBehind: Bool { get }

        mutating func offer(_ parcel: Parcel, now: Int64)
        mutating func told(_ frame: ByteBuffer, of name: Name, version: Int64)
        mutating func closed(_ name: Name, token: UInt64)
        mutating func reset(_ why: ResetReason, to position: StreamCursor)
        mutating func leave(_ why: CloseReason, retryAfter: Int)
        mutating func tick(now: Int64, accepted: Int64, waiting: Int)
    }

    /// How a connection hangs on the hub and on the clock.
    struct Attachment {
        let id: Switchboard.SocketID
        let reader: Int64
        let session: Int64
        let hub: Hub
        /// Bytes given to the channel since the stream began.
        var givenBytes: Int64 = 0
        fileprivate var ticker: (ticker: Ticker, turn: Int)?
        /// Has been offered something that is not written yet.
        fileprivate var isDue = false

        init(reader: Int64, session: Int64, hub: Hub) {
            id = hub.numbers.next()
            (self.reader, self.session, self.hub) = (reader, session, hub)
        }
    }

    /// One reader's open stream, of either kind, on its channel's event loop: what it does when the hub or the clock speaks.
    protocol StreamConnection: Listener {
        associatedtype Decider: Machine
        var machine: Decider { get set }
        var attachment: Attachment { get set }
        /// Bytes given to the channel that the peer's machine has not taken; `nil` once the channel is gone.
        var waitingBytes: Int? { get }
        /// Writes what there is room for and does what the machine decided.
        func write()
    }

    /// Milliseconds of the clock that all machines are told of.
    static var now: Int64 { Int64(NIODeadline.now().uptimeNanoseconds / 1_000_000) }

    /// Milliseconds after which a client comes back: those that were cut off together must not come back together.
    static func retryAfter() -> Int { Int.random(in: 500...8_000) }

    /// Bounds what the kernel keeps for a peer that does not read, so that our own queue is the one that counts.
    static func boundSendBuffer(of channel: any Channel) throws {
        guard let options = channel.syncOptions, channel.remoteAddress?.protocol != .unix else { return }
        try options.setOption(.socketOption(.so_sndbuf), value: 128 * 1024)
    }
}

extension EventStream.StreamConnection {
    func attach(on loop: any EventLoop) {
        let port = EventStream.Port(id: attachment.id, loop: loop, listener: self)
        attachment.hub.submit(.attach(port, reader: attachment.reader, session: attachment.session))
        let ticker = attachment.hub.tickers.ticker(of: loop)
        attachment.ticker = (ticker, ticker.add(self, on: loop))
    }

    func detach() {
        if let (ticker, turn) = attachment.ticker { ticker.remove(self, from: turn) }
        attachment.ticker = nil
        attachment.hub.submit(.detach(attachment.id))
    }

    func settle() {
        attachment.isDue = false
        write()
    }

    func take(_ parcel: EventStream.Parcel, now: Int64) -> Bool {
        machine.offer(parcel, now: now)
        defer { attachment.isDue = true }
        return !attachment.isDue
    }

    func tick(_ backlog: inout EventStream.Backlog) {
        guard let waiting = waitingBytes else { return }
        backlog.add(bytes: machine.queuedBytes + machine.heldBytes, isBehind: machine.isBehind)
        machine.tick(
            now: EventStream.now, accepted: attachment.givenBytes - Int64(waiting), waiting: waiting)
        settle()
    }

    func told(_ frame: ByteBuffer, of name: EventStream.Name, version: Int64) {
        machine.told(frame, of: name, version: version)
        settle()
    }

    func closed(_ name: EventStream.Name, token: UInt64) {
        machine.closed(name, token: token)
        settle()
    }

    func reset(_ why: EventStream.ResetReason, to position: StreamCursor) {
        attachment.hub.figures.reset(why)
        machine.reset(why, to: position)
        settle()
    }

    func leave(_ why: EventStream.CloseReason) {
        machine.leave(why, retryAfter: EventStream.retryAfter())
        settle()
    }
}
