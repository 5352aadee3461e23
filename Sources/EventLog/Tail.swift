import Logging
import Postgres

/// Takes what the tail of the log brings.
package protocol EventReceiver: Sendable {
    /// The log is at `head`: the start of following, and again whenever its history is not the one that was followed (another epoch, a
    /// head that went back after a failover, or events that expired before they were read). Everything given before is void.
    func begin(at head: EventLog.Head) async

    /// The next events, in order and without a hole after the last ones. The tail reads on when this returns. When it throws, or takes
    /// longer than the tail has patience, the same events come again, half as many at a time.
    func receive(_ events: [LoggedEvent]) async throws
}

extension EventLog {
    /// Reads the log as it grows and hands each batch on. One for each process.
    package struct Tail: Sendable {
        package static let batch = 500
        /// How long reading a batch may take, and handing it on; six times as long where it is one event.
        static let patience: Duration = .seconds(10)
        /// How often the tail looks without being told.
        package static let pollInterval: Duration = .milliseconds(200)
        /// How often the tail proves that it still follows the same history.
        package static let headInterval: Duration = .seconds(1)

        private let reader: Reader
        private let bell: Bell
        private let receiver: any EventReceiver
        private let logger: Logger
        private let place = Place()

        /// The last event that was handed on, or that was there when following began; `nil` before that.
        package var seq: Int64? { get async { await place.followed } }

        package init(reader: Reader, bell: Bell, receiver: any EventReceiver, logger: Logger) {
            self.reader = reader
            self.bell = bell
            self.receiver = receiver
            self.logger = logger
        }

        /// Follows until the task is cancelled. A lost database is waited for; nothing is thrown.
        package func run() async {
            while !Task.isCancelled {
                do {
                    try await bell.listen(atLeastEvery: Self.pollInterval) { try await follow() }
                } catch {
                    guard !Task.isCancelled else { return }
                    if await place.failed() {
                        logger.warning("The tail cannot read the log", metadata: ["error": "\(error)"])
                    }
                    try? await Task.sleep(for: .milliseconds(250))
                }
            }
        }

        private func follow() async throws {
            if await place.mustProve() {
                let head = try await Deadline.within(Self.patience) { try await reader.head() }
                if await place.proved(head) { await receiver.begin(at: head) }
            }
            while true {
                let (seq, limit) = await (place.seq, place.batch)
                let events = try await Deadline.within(Self.patience) {
                    try await reader.events(after: seq, limit: limit)
                }
                guard let last = events.last else { return }
                guard isNext(events[0], after: seq) else { return await place.distrust() }
                await place.reads(through: last.seq)
                try await Deadline.within(events.count == 1 ? Self.patience * 6 : Self.patience) {
                    try await receiver.receive(events)
                }
                await place.moved(to: last.seq)
                if events.count < limit { return }
            }
        }

        /// Seqs are dense: a jump means that events expired before they were read, so that what follows is no continuation.
        private func isNext(_ event: LoggedEvent, after seq: Int64) -> Bool {
            if event.seq == seq + 1 { return true }
            logger.error("The log has a hole", metadata: ["after": "\(seq)", "next": "\(event.seq)"])
            return false
        }
    }
}

/// Where one tail is.
private actor Place {
    private var epoch: Int64?
    private(set) var seq: Int64 = 0
    /// The receiver may know of events up to here, though it has not taken them.
    private var known: Int64 = 0
    /// Events that are read at once: fewer after a failure, since all of a batch are handed on or none.
    private(set) var batch = EventLog.Tail.batch
    private var proveAt: ContinuousClock.Instant = .now
    private var hasFailed = false

    var followed: Int64? { epoch == nil ? nil : seq }

    func mustProve() -> Bool { epoch == nil || ContinuousClock.now >= proveAt }

    /// True where following must begin anew at `head`.
    func proved(_ head: EventLog.Head) -> Bool {
        hasFailed = false
        proveAt = .now.advanced(by: EventLog.Tail.headInterval)
        // What has expired before it was read leaves nothing to read on from.
        if epoch == head.epoch, head.seq >= max(seq, known), head.holdsAll(after: seq) { return false }
        epoch = head.epoch
        (seq, known) = (head.seq, head.seq)
        return true
    }

    /// A smaller batch after a failure ends before what the receiver has seen already.
    func reads(through seq: Int64) { known = max(known, seq) }

    func moved(to seq: Int64) {
        self.seq = seq
        batch = min(2 * batch, EventLog.Tail.batch)
    }

    func distrust() { epoch = nil }

    /// True for the first of a row of failures.
    func failed() -> Bool {
        defer { hasFailed = true }
        proveAt = .now
        batch = max(1, batch / 2)
        return !hasFailed
    }
}
