import Community
import EventLog
import NIOCore

/// What an event stream's session, its shell and the hub say to each other, and what goes onto the wire.
extension EventStream.SourceSession {
    /// Each topic is followed once, so all subscriptions of a stream have one token.
    static let token: UInt64 = 1

    /// What the shell must do, in order.
    enum Effect: Sendable, Hashable {
        /// Follow these, all from one place.
        case open([EventStream.Name], from: EventStream.Session.Start)
        /// Follow a topic of which only the latest counts, or ask for it again.
        case state(EventStream.Name)
        /// Read what follows `after` on all that is followed.
        case page(after: Int64)
        /// Write what is queued, then end the answer and the connection.
        case close(EventStream.CloseReason)
    }

    /// The hub's answer to `Effect.open`: for all topics of it that are not `closed`.
    struct Opening: Sendable {
        let position: StreamCursor
        /// Events in the log between the position and the hub's offers.
        let replay: Int
        let reset: EventStream.ResetReason?
    }

    /// The hub's answer to `Effect.page`.
    enum Page: Sendable {
        /// In order: all that is to be sent up to `through`; `isLast` where nothing more comes before the hub's offers.
        case bundles([Bundle], through: Int64, isLast: Bool)
        /// Part of it has expired: begin anew.
        case reset(EventStream.ResetReason, StreamCursor)
        /// The log could not be read.
        case failed
    }

    /// One event on all the topics on which this stream is told of it; at least one.
    struct Bundle: Sendable {
        let parcels: [EventStream.Parcel]
        let seq: Int64
        let cursor: String
        /// Bytes on the wire, within a few of the truth.
        let bytes: Int

        init?(_ parcels: [EventStream.Parcel]) {
            guard let last = parcels.last else { return nil }
            self.parcels = parcels
            (seq, cursor) = (last.seq, last.cursor)
            bytes = parcels.reduce(Entry.overhead) { $0 + $1.bytes + Entry.perFrame }
        }
    }

    /// What waits and goes out together: frames, and behind the last the `id` from which the stream may be resumed once they have arrived.
    /// None: a comment.
    struct Entry: Sendable {
        /// Bytes around all frames and around each.
        static let overhead = 48
        static let perFrame = 8

        var frames: [EventStream.Session.Frame]
        let id: String?
        /// After how many milliseconds the client comes back.
        let retry: Int?
        /// Events and states are bounded apart from what else is said.
        let isEvent: Bool
        private let isComment: Bool

        init(_ frames: [EventStream.Session.Frame], id: String? = nil, retry: Int? = nil) {
            self.frames = frames
            self.id = id
            self.retry = retry
            isEvent = frames.contains { $0.topic != nil }
            isComment = frames.isEmpty
        }

        /// All that it had to say was taken back.
        var isSpent: Bool { frames.isEmpty && !isComment }
        var bytes: Int { frames.reduce(Self.overhead) { $0 + $1.bytes + Self.perFrame } }

        func write(into buffer: inout ByteBuffer) {
            if let retry { buffer.writeString("retry: \(retry)\n") }
            for (place, frame) in frames.enumerated() {
                buffer.writeString("data: ")
                buffer.writeImmutableBuffer(WebSocketFrames.payload(of: frame.head))
                if let tail = frame.tail { buffer.writeImmutableBuffer(tail) }
                if place == frames.count - 1, let id { buffer.writeString("\nid: \(id)") }
                buffer.writeString("\n\n")
            }
            if isComment { buffer.writeString(":\n\n") }
        }
    }
}

extension WebSocketFrames {
    /// What a frame says, or its beginning, without its header.
    static func payload(of frame: ByteBuffer) -> ByteBuffer {
        let length = frame.getInteger(at: frame.readerIndex + 1, as: UInt8.self) ?? 0
        var payload = frame
        payload.moveReaderIndex(forwardBy: length == 127 ? 10 : length == 126 ? 4 : 2)
        return payload
    }
}
