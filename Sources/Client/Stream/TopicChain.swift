/// One topic as a client has it: the gap rule. Decides, and does no I/O.
///
/// The server sends each event at least once; by `seq` it is applied once. Each event names the one before it (`prev`): one that does not
/// hang on what came shows that something is missing, and the topic is asked for again from the last cursor.
struct TopicChain: Sendable {
    enum Verdict: Equatable, Sendable {
        /// New: pass it on.
        case apply
        /// Had already.
        case drop
        /// Something is missing before it: subscribe again from `cursor`.
        case gap
    }

    /// The `id` of this topic's subscriptions on the wire.
    let number: Int
    private(set) var start: StreamStart
    /// The last position that was had; `nil` before the first `subscribed`.
    private(set) var last: Int64?

    init(_ start: StreamStart, number: Int = 1) {
        self.start = start
        self.number = number
    }

    /// What to say in `from`.
    var from: String {
        switch start {
        case .now: "now"
        case .after(let cursor): cursor
        }
    }

    /// The server's answer to a subscription: its position is where the topic goes on.
    mutating func subscribed(cursor: String, seq: Int64) {
        last = seq
        start = .after(cursor)
    }

    /// The server cannot continue: its position is where the topic begins anew.
    mutating func reset(cursor: String, seq: Int64) { subscribed(cursor: cursor, seq: seq) }

    /// An event in any of its forms: whole, gated or skipped.
    mutating func received(seq: Int64, prev: Int64, cursor: String) -> Verdict {
        guard let last else { return .gap }
        guard seq > last else { return .drop }
        guard prev <= last else { return .gap }
        self.last = seq
        start = .after(cursor)
        return .apply
    }

    /// The last position that the server says it has sent.
    func heard(head: Int64) -> Verdict {
        guard let last, head <= last else { return .gap }
        return .drop
    }
}
