import NIOCore

@testable import Web

/// A frame from the server, read as a client reads it.
struct ServerFrame {
    let type: String
    let members: [String: JSONValue]

    var topic: String? { text("topic") }
    var cursor: String? { text("cursor") }
    var seq: Int64? { number("seq") }
    var prev: Int64? { number("prev") }

    func text(_ name: String) -> String? {
        if case .string(let text) = members[name] { text } else { nil }
    }

    func number(_ name: String) -> Int64? {
        if case .number(let digits) = members[name] { Int64(digits) } else { nil }
    }

    /// `nil` for anything but a JSON object with a type.
    init?(payload: [UInt8]) {
        guard case .object(let members)? = try? JSONValue.parse(payload).value, case .string(let type) = members["type"]
        else {
            return nil
        }
        self.type = type
        self.members = members
    }

    /// The payload of an unmasked, uncut text frame.
    init?(wire: ByteBuffer) {
        var wire = wire
        guard wire.readInteger(as: UInt8.self) == 0x81, let short = wire.readInteger(as: UInt8.self) else { return nil }
        let length: Int?
        switch short {
        case 126: length = wire.readInteger(as: UInt16.self).map(Int.init)
        case 127: length = wire.readInteger(as: UInt64.self).map(Int.init)
        default: length = Int(short)
        }
        guard let length, wire.readableBytes == length else { return nil }
        self.init(payload: Array(wire.readableBytesView))
    }
}

/// What a careful client keeps of one topic, and every way in which the server could have wronged it.
struct FollowedTopic {
    let isOwnChain: Bool
    /// Where the present run of events began, and the seqs that came in it.
    private(set) var start: Int64 = 0
    private(set) var seqs: [Int64] = []
    private(set) var visible: Set<Int64> = []
    private(set) var gated: Set<Int64> = []
    private(set) var last: Int64 = 0
    /// From where to come back; `nil` before the first answer.
    private(set) var cursor: String?
    private(set) var isOpen = false
    private(set) var wrongs: [String] = []

    init(isOwnChain: Bool) { self.isOwnChain = isOwnChain }

    /// As what `seq`, which came, did so.
    func form(of seq: Int64) -> EventStream.Form {
        visible.contains(seq) ? .event : gated.contains(seq) ? .gated : .skip
    }

    /// A new connection or subscription: nothing may come before `subscribed`.
    mutating func reopen() { isOpen = false }

    /// Gives the run that `frame` ends, if it does.
    mutating func receive(_ frame: ServerFrame) -> (start: Int64, seqs: [Int64])? {
        guard let seq = frame.seq, let cursor = frame.cursor else {
            wrongs.append("a \(frame.type) without seq or cursor")
            return nil
        }
        switch frame.type {
        case "subscribed":
            if isOpen { wrongs.append("subscribed twice") }
            isOpen = true
            guard self.cursor == nil || frame.members["is_recovered"] == .boolean(false) else {
                // What was asked for: the run goes on from here.
                if seq < last { wrongs.append("subscribed at \(seq), before \(last)") }
                self.cursor = cursor
                if isOwnChain { last = seq }
                return nil
            }
            return begin(at: seq, cursor)
        case "reset":
            if !isOpen { wrongs.append("reset before subscribed") }
            return begin(at: seq, cursor)
        case "event", "gated", "skip":
            if !isOpen { wrongs.append("\(frame.type) before subscribed") }
            let prev = frame.prev ?? -1
            if seq <= last { wrongs.append("\(seq) again after \(last)") }
            if isOwnChain ? prev != last : prev > last { wrongs.append("gap: \(seq) after \(last), prev \(prev)") }
            last = seq
            seqs.append(seq)
            if frame.type == "event" { visible.insert(seq) }
            if frame.type == "gated" { gated.insert(seq) }
            self.cursor = cursor
            return nil
        default:
            return nil
        }
    }

    private mutating func begin(at seq: Int64, _ cursor: String) -> (start: Int64, seqs: [Int64]) {
        defer {
            (start, seqs, visible, gated) = (seq, [], [], [])
            (last, self.cursor) = (seq, cursor)
        }
        return (start, seqs)
    }
}
