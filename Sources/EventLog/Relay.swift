import Logging
import Postgres

extension EventLog {
    /// Moves committed events from the outbox into the log and gives them their places.
    ///
    /// Every process has a relay; the one whose connection holds the advisory lock leads, the others wait to take over and pass their
    /// hints on. Leadership only saves work: what makes seqs dense and unique is the row lock on `event_head`, which every move takes first,
    /// so that a leader that lost its connection and has not noticed does no harm.
    package struct Relay: Sendable {
        /// Events in one move.
        package static let batch = 500
        /// How often an idle leader looks without being told: the longest that a commit in a dying process waits.
        package static let pollInterval: Duration = .milliseconds(25)
        /// How often leadership is proved again, and how soon another process takes over.
        package static let leadershipInterval: Duration = .seconds(1)
        /// How long an event stays in the log.
        package static let retention: Duration = .seconds(30 * 86_400)
        /// Rung by whoever committed an event elsewhere.
        package static let outboxChannel = "commonplace_outbox"
        /// Rung after a move; each tail listens.
        package static let logChannel = "commonplace_log"

        private let database: Database
        private let bell: Bell
        private let moved: @Sendable () -> Void
        private let logger: Logger

        /// `database` has one shared and one exclusive connection of the relay's own: a lock of the session stays with them. `bell` is the
        /// hint that something was committed here; `moved` is called after each move that brought something.
        package init(database: Database, bell: Bell, logger: Logger, moved: @escaping @Sendable () -> Void) {
            self.database = database
            self.bell = bell
            self.logger = logger
            self.moved = moved
        }

        /// Works until the task is cancelled. A lost database is waited for; nothing is thrown.
        package func run() async {
            let duty = Duty()
            await bell.listen(atLeastEvery: Self.pollInterval) {
                do {
                    try await Deadline.within(.seconds(10)) { try await turn(duty) }
                } catch is CancellationError {
                    return
                } catch {
                    guard !Task.isCancelled else { return }
                    if await duty.failed() { logger.warning("The relay cannot move events", metadata: ["error": "\(error)"]) }
                    try? await Task.sleep(for: .milliseconds(250))
                }
            }
        }

        /// Moves everything that is committed now, without asking who leads. Gives the number of moves that brought something.
        @discardableResult
        package func moveAll() async throws -> Int {
            var moves = 0
            while try await moveOnce() { moves += 1 }
            return moves
        }

        /// Deletes up to `limit` events that were logged longer than `age` ago, from the old end. True where there may be more.
        package func forget(olderThan age: Duration, limit: Int) async throws -> Bool {
            let statement = Statements.OldestToKeep(limit: limit, age: age)
            guard let oldest = try await database.one(statement) else { return false }
            try await database.batch { batch in
                batch.run(Statements.MoveOldest(oldest: oldest))
                batch.run(Statements.ForgetIndex(oldest: oldest))
                batch.run(Statements.Forget(oldest: oldest))
            }
            return true
        }

        private func turn(_ duty: Duty) async throws {
            if await duty.mustProve() { await duty.proved(try await database.one(Statements.Lead())) }
            let waits = try await database.one(Statements.OutboxWaits())
            guard await duty.leads else {
                // Not ours to move: tell the leader. Sleeping here bounds how often.
                guard waits else { return }
                try await database.run(Statements.Ring(channel: Self.outboxChannel))
                return try await Task.sleep(for: Duty.ringInterval)
            }
            if waits {
                while try await moveOnce() {
                    moved()
                    await duty.announce()
                }
            } else if await duty.mustForget() {
                await duty.forgot(moreLeft: try await forget(olderThan: Self.retention, limit: 200))
            }
            if await duty.mustRing() { try await database.run(Statements.Ring(channel: Self.logChannel)) }
        }

        private func moveOnce() async throws -> Bool {
            try await database.batch { batch in
                batch.run(Statements.LockHead())
                batch.run(Statements.MoveOutbox(limit: Self.batch))
            }.last == 1
        }
    }
}

/// What the relay must remember between two turns.
private actor Duty {
    /// Notifications go out at most this often, however many moves there were.
    static let ringInterval: Duration = .milliseconds(10)
    private static let forgetInterval: Duration = .seconds(600)

    private(set) var leads = false
    private var proveAt: ContinuousClock.Instant = .now
    private var forgetAt: ContinuousClock.Instant = .now
    private var ringAt: ContinuousClock.Instant = .now
    private var owesRing = false
    private var hasFailed = false

    func mustProve() -> Bool { ContinuousClock.now >= proveAt }

    func proved(_ leads: Bool) {
        self.leads = leads
        hasFailed = false
        proveAt = .now.advanced(by: EventLog.Relay.leadershipInterval)
    }

    /// Leadership may have gone with the connection. True for the first of a row of failures.
    func failed() -> Bool {
        defer { hasFailed = true }
        leads = false
        proveAt = .now
        return !hasFailed
    }

    func announce() { owesRing = true }

    func mustRing() -> Bool {
        guard owesRing, ContinuousClock.now >= ringAt else { return false }
        owesRing = false
        ringAt = .now.advanced(by: Self.ringInterval)
        return true
    }

    func mustForget() -> Bool { ContinuousClock.now >= forgetAt }

    func forgot(moreLeft: Bool) {
        if !moreLeft { forgetAt = .now.advanced(by: Self.forgetInterval) }
    }
}
