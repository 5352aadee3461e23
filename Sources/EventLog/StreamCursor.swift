/// A position in the log. Clients have it as one opaque signed string (`Web/Stream/StreamCursor+Text.swift`).
///
/// Epoch and seq travel together, so that no client can pair the one of one database with the other of another. The position is the log's,
/// not a topic's: a cursor from any frame or REST answer serves for any topic.
package struct StreamCursor: Hashable, Sendable {
    /// Names the history: another after a restore.
    package let epoch: Int64
    /// Everything up to and including this place has been seen.
    package let seq: Int64

    package init(epoch: Int64, seq: Int64) {
        self.epoch = epoch
        self.seq = seq
    }

    /// Bytes of the plain form.
    package static let byteCount = 16

    /// The plain form: epoch, seq, big-endian.
    package var bytes: [UInt8] {
        withUnsafeBytes(of: epoch.bigEndian, Array.init) + withUnsafeBytes(of: seq.bigEndian, Array.init)
    }

    /// `nil` unless there are 16 bytes and the seq is not negative.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        func integer(_ part: some Sequence<UInt8>) -> Int64 {
            Int64(bitPattern: part.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }
        self.init(epoch: integer(bytes.prefix(8)), seq: integer(bytes.dropFirst(8)))
        guard seq >= 0 else { return nil }
    }
}
