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

        /// `bell` is the hint that something was committed; `moved` is called after each move that brought something. While it leads, the relay
        /// holds one connection of the pool.
        package init(database: Database, bell: Bell, logger: Logger, moved: @escaping @Sendable () -> Void) {
            self.database = database
            self.bell = bell
            self.logger = logger
            self.moved = moved
        }

        /// Works until the task is cancelled. A lost database is waited for; nothing is thrown.
        package func run() async {
            var hasFailed = false
            while !Task.isCancelled {
                do {
                    let leads = try await database.session { connection in
                        guard try await connection.one(Statements.Lead()) else { return false }
                        try await lead(on: connection)
                        return true
                    }
                    if !leads { try await follow() }
                    hasFailed = false
                } catch is HasWaited {
                    hasFailed = false
                } catch {
                    guard !Task.isCancelled else { return }
                    if !hasFailed { logger.warning("The relay cannot move events", metadata: ["error": "\(error)"]) }
                    hasFailed = true
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

        /// Moves whatever comes, for as long as the connection that holds the lock lives.
        private func lead(on connection: HeldConnection) async throws {
            let duty = Duty()
            try await bell.listen(atLeastEvery: Self.pollInterval) {
                try await Deadline.within(.seconds(10)) {
                    if await duty.mustProve() { try await connection.run(Statements.Prove()) }
                    if try await database.one(Statements.OutboxWaits()) {
                        while try await moveOnce() {
                            moved()
                            await duty.announce()
                        }
                    } else if await duty.mustForget() {
                        await duty.forgot(moreLeft: try await forget(olderThan: Self.retention, limit: 200))
                    }
                    if await duty.mustRing() { try await database.run(Statements.Ring(channel: Self.logChannel)) }
                }
            }
        }

        /// Another process leads: tell it of what was committed here, for as long as it is not asked again who leads.
        private func follow() async throws {
            let end = ContinuousClock.now.advanced(by: Self.leadershipInterval)
            try await bell.listen(atLeastEvery: Self.pollInterval) {
                try await Deadline.within(.seconds(10)) {
                    if ContinuousClock.now >= end { throw HasWaited() }
                    guard try await database.one(Statements.OutboxWaits()) else { return }
                    try await database.run(Statements.Ring(channel: Self.outboxChannel))
                    // Bounds how often.
                    try await Task.sleep(for: Duty.ringInterval)
                }
            }
        }

        private func moveOnce() async throws -> Bool {
            try await database.batch { batch in
                batch.run(Statements.LockHead())
                batch.run(Statements.MoveOutbox(limit: Self.batch))
            }.last == 1
        }
    }
}

/// The time to ask again who leads.
private struct HasWaited: Error {}

/// When the leader did what it need not do at every waking.
private actor Duty {
    /// Notifications go out at most this often, however many moves there were.
    static let ringInterval: Duration = .milliseconds(10)
    private static let forgetInterval: Duration = .seconds(600)

    private var proveAt: ContinuousClock.Instant = .now
    private var forgetAt: ContinuousClock.Instant = .now
    private var ringAt: ContinuousClock.Instant = .now
    private var owesRing = false

    func mustProve() -> Bool {
        guard ContinuousClock.now >= proveAt else { return false }
        proveAt = .now.advanced(by: EventLog.Relay.leadershipInterval)
        return true
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
