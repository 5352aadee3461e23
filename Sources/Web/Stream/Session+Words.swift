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
        /// Write what is queued, then this close frame, then end the connection.
        case close(UInt16, String)
        /// End the connection now: nobody is there.
        case abandon
    }

    /// Where a subscription is to begin.
    enum Start: Sendable, Hashable {
        case now
        case cursor(StreamCursor)
        /// A cursor that this server did not sign.
        case foreign
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

    /// A frame that waits: its parts go out one right after the other.
    struct Frame: Sendable {
        let head: ByteBuffer
        let tail: ByteBuffer?
        /// Of which topic it is an event; `nil` for whatever else is said.
        let topic: EventStream.Name?
        var bytes: Int { head.readableBytes + (tail?.readableBytes ?? 0) }
    }
}
