/// Decides when the server has stopped answering: a stopped process, a machine that is gone, a network that swallows everything. No socket
/// and no clock, as in `PoolMachine`.
///
/// A statement may take long, so an answer that does not come proves nothing. Where nothing at all has come for a while, on no connection,
/// one more connection is made: a server that does not answer even that in its time is silent, and callers need not wait for it.
struct Silence {
    typealias Instant = ContinuousClock.Instant

    enum Verdict {
        case wait
        /// Make another connection, to hear of the server.
        case ask
        /// It did not answer that either.
        case silent
    }

    /// How long a request may go without any sign of the server.
    static let patience = Duration.seconds(1)
    /// The same where the server has answered others since: what is under way is known to take long.
    static let longPatience = Duration.seconds(3)
    /// How long the server has to take another connection.
    static let answerTime = Duration.milliseconds(2_500)
    /// How often somebody looks while requests are under way; the times above are exact to this.
    static let interval = Duration.milliseconds(250)
    /// A look that comes so long after the one before says that this machine is too busy to hear anybody.
    static let lateness = Duration.seconds(1)

    /// When the server last said anything.
    private(set) var heardAt: Instant
    private var askedAt: Instant?
    private var lookedAt: Instant?

    init(now: Instant) { heardAt = now }

    mutating func heard(_ now: Instant) {
        heardAt = now
        askedAt = nil
    }

    /// `sentAt`: when the requests that are under way were sent.
    mutating func look(_ sentAt: [Instant], now: Instant) -> Verdict {
        guard let first = sentAt.min() else {
            (askedAt, lookedAt) = (nil, nil)
            return .wait
        }
        // The server has its whole time to answer in which somebody listens.
        if let lookedAt, now - lookedAt >= Self.lateness, askedAt != nil { askedAt = now }
        lookedAt = now
        if let askedAt { return now - askedAt >= Self.answerTime ? .silent : .wait }
        // Those that were sent since wait for a first sign.
        let unanswered = sentAt.filter { $0 > heardAt }.min()
        let isOverdue =
            unanswered.map { now - $0 >= Self.patience } ?? false
            || first <= heardAt && now - heardAt >= Self.longPatience
        guard isOverdue else { return .wait }
        askedAt = now
        return .ask
    }
}
