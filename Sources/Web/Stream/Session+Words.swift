import Community
import EventLog
import NIOCore

/// What a session, its shell and the hub say to each other.
extension EventStream.Session {
    /// What the shell must do, in order.
    enum Effect: Sendable, Hashable {
        case subscribe(token: UInt64, EventStream.Name, from: Start)
        case unsubscribe(EventStream.Name)
        /// Read what follows `after` on the chain.
        case page(token: UInt64, EventStream.Name, after: Int64)
        /// Write what is queued, then the close frame, then end the connection.
        case close(EventStream.CloseReason)
        /// End the connection now: nobody is there.
        case abandon
    }

    /// Where a subscription is to begin.
    enum Start: Sendable, Hashable {
        case now
        case cursor(StreamCursor)
        /// A cursor that this server did not sign.
        case foreign

        /// Reads what a client says: `now`, or a cursor. `nil` for anything else.
        init?(text: String, signedBy secret: SecretKey) {
            guard text != "now" else {
                self = .now
                return
            }
            do throws(StreamCursor.Refusal) {
                self = .cursor(try StreamCursor(text: text, signedBy: secret))
            } catch {
                guard error == .foreign else { return nil }
                self = .foreign
            }
        }
    }

    /// The hub's answer to `Effect.subscribe`.
    struct Opening: Sendable {
        let token: UInt64
        let name: EventStream.Name
        let position: StreamCursor
        /// Events in the log between the position and the hub's offers.
        let replay: Int
        let reset: EventStream.ResetReason?
    }

    /// The hub's answer to `Effect.page`.
    struct Page: Sendable {
        enum Content: Sendable {
            /// In order: all that is to be sent up to `through`; `isLast` where nothing more comes before the hub's offers.
            case parcels([EventStream.Parcel], through: Int64, isLast: Bool)
            /// Part of it has expired: begin anew.
            case reset(EventStream.ResetReason, StreamCursor)
            /// The log could not be read.
            case failed
        }
        let token: UInt64
        let name: EventStream.Name
        let content: Content
    }

    /// A topic with a log.
    struct Chain: Sendable {
        let token: UInt64
        let id: Int64?
        var subscription = Subscription<EventStream.Parcel>()
        /// The last seq that the client was sent here, or where it began.
        var link: Int64 = 0
        /// Since when it has not been live.
        var behindSince: Int64

        /// The client is sent the event at `seq`. Gives what it was sent before that.
        mutating func pass(_ seq: Int64) -> Int64 {
            defer { link = seq }
            return link
        }

        /// What an event that is offered changes: by so much more is held, it passes behind that one, the chain waits for a page now.
        struct Offered {
            let bytes: Int
            let events: Int
            let passesAfter: Int64?
            let fellBehind: Bool
        }

        mutating func offer(_ parcel: EventStream.Parcel, hasRoom: Bool, now: Int64) -> Offered {
            let (bytes, events) = (subscription.heldBytes, subscription.heldCount)
            let wasLive = subscription.phase == .live
            let offer = subscription.offer(parcel, seq: parcel.seq, bytes: parcel.bytes, hasRoom: hasRoom)
            let fellBehind = wasLive && subscription.phase == .behind
            if fellBehind { behindSince = now }
            return Offered(
                bytes: subscription.heldBytes - bytes, events: subscription.heldCount - events,
                passesAfter: offer == .pass ? pass(parcel.seq) : nil, fellBehind: fellBehind)
        }
    }

    /// A topic of which only the latest counts.
    struct StateTopic: Sendable {
        let token: UInt64
        let id: Int64?
        /// The client has been answered.
        var isOpen = false
        /// What it was sent last; 0 for nothing.
        var version: Int64 = 0

        /// Whether `version` is to be sent: it is then the last.
        mutating func take(_ version: Int64) -> Bool {
            guard isOpen, version > self.version else { return false }
            self.version = version
            return true
        }
    }

    /// A frame that waits: its parts go out one right after the other.
    struct Frame: Sendable {
        let head: ByteBuffer
        let tail: ByteBuffer?
        /// Of which topic it is an event or the state; `nil` for whatever else is said.
        let topic: EventStream.Name?
        var bytes: Int { head.readableBytes + (tail?.readableBytes ?? 0) }
    }
}

extension EventStream.Session.Frame {
    /// An event behind the one at `link`: on a reader's own chain it names that one, on others all get the same bytes.
    init(_ parcel: EventStream.Parcel, after link: Int64) {
        let (name, rest) = (parcel.topic, parcel.buffer)
        guard name.isOwnChain else {
            self.init(head: rest, tail: nil, topic: name)
            return
        }
        let head = EventStream.Wrapper.head(.event, on: name, seq: parcel.seq, prev: link, rest: rest.readableBytes)
        self.init(head: head, tail: rest, topic: name)
    }
}
