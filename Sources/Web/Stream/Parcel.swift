import EventLog
import NIOCore
import Postgres

extension EventStream {
    /// How one event stands on a chain.
    enum Form: String, Sendable, Hashable, CaseIterable {
        /// The event, whole.
        case event
        /// That it is there, with what may be known of it before its gate opens.
        case gated
        /// That there was something.
        case skip
    }

    /// What one socket gets of one event.
    struct Parcel: Sendable {
        let topic: Name
        let seq: Int64
        /// The place of the event in the log, as clients have it.
        let cursor: String
        /// On a topic's own chain the finished frame, one for all who get this form of it. On a reader's own chain what follows
        /// `"prev":…,`: the beginning is written for each.
        let buffer: ByteBuffer

        /// Bytes on the wire, within a few of the truth for a chain of one's own.
        var bytes: Int { topic.isOwnChain ? buffer.readableBytes + 80 : buffer.readableBytes }
    }

    /// Wraps one event for everybody who gets it, live and from the log alike: each form is encoded once, when the first who gets it comes.
    ///
    /// A frame is `{"type":…,"topic":…,"seq":…,"prev":…,` and what follows. On a topic's own chain the whole frame is the same for all; on
    /// a reader's own chain only what follows is.
    struct Wrapper {
        private let event: LoggedEvent
        private let verdict: Verdict
        private let cursor: String
        private var rests: [Form: ByteBuffer] = [:]
        /// A handful: an event stands on few topics, and each has three forms at most.
        private var done: [(form: Form, parcel: Parcel)] = []

        init(_ event: LoggedEvent, _ verdict: Verdict, cursor: String) {
            self.event = event
            self.verdict = verdict
            self.cursor = cursor
        }

        /// `nil` where nothing is said: a chain of one's own holds only what its reader sees whole.
        mutating func parcel(for reader: Int64, on name: Name) -> Parcel? {
            slot(for: reader, on: name).map { self[$0] }
        }

        /// The form of the parcel at `slot`.
        func form(at slot: Int) -> Form { done[slot].form }

        /// The parcels made so far, 0, 1, … in the order in which they were first needed.
        subscript(slot: Int) -> Parcel { done[slot].parcel }

        /// The slot of what `reader` gets on `name`, made where it is new; `nil` where nothing is said.
        mutating func slot(for reader: Int64, on name: Name) -> Int? {
            let form = form(for: reader)
            guard form == .event || !name.isOwnChain else { return nil }
            if let slot = done.firstIndex(where: { $0.form == form && $0.parcel.topic == name }) { return slot }
            done.append((form, Parcel(topic: name, seq: event.seq, cursor: cursor, buffer: buffer(form, on: name))))
            return done.count - 1
        }

        private func form(for reader: Int64) -> Form {
            if verdict.hidden.contains(reader) { return .skip }
            return verdict.gated.contains(reader) ? .gated : .event
        }

        private mutating func buffer(_ form: Form, on name: Name) -> ByteBuffer {
            let rest = rest(form)
            guard !name.isOwnChain else { return rest }
            var buffer = Self.head(
                form, on: name, seq: event.seq, prev: event.prev(on: name), rest: rest.readableBytes,
                room: rest.readableBytes)
            buffer.writeImmutableBuffer(rest)
            return buffer
        }

        private mutating func rest(_ form: Form) -> ByteBuffer {
            if let rest = rests[form] { return rest }
            var rest = ByteBuffer()
            switch form {
            case .event:
                rest.reserveCapacity(event.data.bytes.count + 160)
                rest.writeString(
                    "\"cursor\":\"\(cursor)\",\"id\":\"\(event.id)\",\"kind\":\"\(event.kind)\",\"created_at\":\"\(event.at.text)\",\"data\":"
                )
                rest.writeBytes(event.data.bytes)
            case .gated:
                // Not the event's kind, id or time: of what is gated only the placeholder leaves the server.
                rest.writeString("\"cursor\":\"\(cursor)\",\"data\":")
                rest.writeBytes(verdict.placeholder?.bytes ?? Array("{}".utf8))
            case .skip:
                rest.writeString("\"cursor\":\"\(cursor)\"")
            }
            rest.writeInteger(UInt8(ascii: "}"))
            rests[form] = rest
            return rest
        }

        /// A frame from its first byte to the end of `"prev":…,`, where `rest` bytes follow, in a buffer with space for `room` more.
        static func head(
            _ form: Form, on name: Name, seq: Int64, prev: Int64, rest: Int, room: Int = 0
        ) -> ByteBuffer {
            let text = "{\"type\":\"\(form.rawValue)\",\"topic\":\"\(name.text)\",\"seq\":\(seq),\"prev\":\(prev),"
            var head = WebSocketFrames.header(payload: text.utf8.count + rest, room: text.utf8.count + room)
            head.writeString(text)
            return head
        }
    }
}

extension LoggedEvent {
    /// The seq before this one on the chain of a topic that is followed under its own name.
    func prev(on name: EventStream.Name) -> Int64 {
        places.first { $0.topic.name == name.text }?.prev ?? 0
    }
}
