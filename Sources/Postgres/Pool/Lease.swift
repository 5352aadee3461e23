/// A connection held alone, from the moment that it is asked for.
///
/// `@unchecked Sendable`: fields are written by the I/O thread before it resumes the continuation, and read by the holder after that.
final class Lease: @unchecked Sendable {
    /// When waiting for the connection is given up.
    let waitsUntil: ContinuousClock.Instant
    /// Where notifications go: for a listener, whose connection is outside the pool's count.
    let sink: NotificationSink?
    var continuation: UnsafeContinuation<Void, any Error>?
    var abandoned: PostgresError.Code?
    /// The connection's place in the pool, once granted.
    var slot = -1
    /// Which connection of that place: a later one is not the holder's.
    var generation = 0

    init(waitsUntil: ContinuousClock.Instant, sink: NotificationSink? = nil) {
        self.waitsUntil = waitsUntil
        self.sink = sink
    }
}
