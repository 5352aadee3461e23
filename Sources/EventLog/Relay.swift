import Logging
import Postgres

extension EventLog {
    /// Moves committed events from the outbox into the log and gives them their places.
    ///
    /// Every process has a relay; the one whose connection holds the advisory lock leads, the others wait to take over and pass their
    /// hints on. Leadership only saves work: what makes seqs dense and unique is the row lock on `event_head`, which every move takes first.
    /// So a follower that sees nobody move what waits stands in for the leader, who may be stopped or cut off and keep its lock for hours;
    /// and a leader that goes on after that does no harm.
    ///
    /// A move is one message to the server, on a connection of the relay's own: a process that stops leaves it done or not begun.
    package struct Relay: Sendable {
        /// Events in one move.
        package static let batch = 500
        /// How often an idle leader looks without being told: the longest that a commit in a dying process waits.
        package static let pollInterval: Duration = .milliseconds(25)
        /// How often leadership is proved again, and how soon another process takes over.
        package static let leadershipInterval: Duration = .seconds(1)
        /// How long a follower sees the log stand still, while something waits, before it stands in: by its own steady clock, which
        /// no difference between the clocks of machines can fool.
        package static let patience: Duration = .seconds(1)
        /// How long an event stays in the log.
        package static let retention: Duration = .seconds(30 * 86_400)
        /// Rung by code that committed an event elsewhere.
        package static let outboxChannel = "commonplace_outbox"
        /// Rung after a move; each tail listens.
        package static let logChannel = "commonplace_log"

        private let database: Database
        private let bell: Bell
        private let moved: @Sendable () -> Void
        private let logger: Logger

        /// `bell` is the hint that something was committed; `moved` is called after each move that brought something. While it leads or
        /// stands in, the relay holds one connection of the pool.
        package init(database: Database, bell: Bell, logger: Logger, moved: @escaping @Sendable () -> Void) {
            self.database = database
            self.bell = bell
            self.logger = logger
            self.moved = moved
        }

        /// Works until the task is cancelled. A lost database is waited for; nothing is thrown.
        package func run() async {
            let watch = Watch()
            var standsIn = false
            var hasFailed = false
            while !Task.isCancelled {
                do {
                    try await serve(standsIn: standsIn, announces: !hasFailed, watch)
                } catch let end as Turn {
                    standsIn = end == .standIn
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
            try await database.session { connection in
                try await connection.run(Statements.Terms())
                var moves = 0
                while try await moveOnce(on: connection) { moves += 1 }
                return moves
            }
        }

        /// Deletes up to `limit` events that were logged longer than `age` ago, from the old end. True where there may be more.
        package func forget(olderThan age: Duration, limit: Int) async throws -> Bool {
            try await database.session { try await forget(olderThan: age, limit: limit, on: $0) }
        }

        private func forget(olderThan age: Duration, limit: Int, on connection: HeldConnection) async throws -> Bool {
            let statement = Statements.OldestToKeep(limit: limit, age: age)
            guard let oldest = try await connection.one(statement) else { return false }
            try await connection.batch { batch in
                batch.run(Statements.MoveOldest(oldest: oldest))
                batch.run(Statements.ForgetIndex(oldest: oldest))
                batch.run(Statements.Forget(oldest: oldest))
            }
            return true
        }

        /// Leads, stands in or follows, until it throws. `announces`: that it stands in is new.
        private func serve(standsIn: Bool, announces: Bool, _ watch: Watch) async throws {
            try await database.session { connection in
                try await connection.run(Statements.Terms())
                let leads = try await connection.one(Statements.Lead())
                guard leads || standsIn else { return }
                if !leads, announces {
                    logger.warning("Nobody moves events: this process stands in for the one that leads")
                }
                let duty = Duty(leads: leads)
                try await bell.listen(atLeastEvery: Self.pollInterval) {
                    try await Deadline.within(.seconds(10)) { try await work(duty, on: connection) }
                }
            }
            try await follow(watch)
        }

        /// One look of the leader or its stand-in, on the connection that holds the lock: a process that lost the lock moves nothing.
        private func work(_ duty: Duty, on connection: HeldConnection) async throws {
            if await duty.mustProve() {
                if await duty.leads {
                    try await connection.run(Statements.Prove())
                } else if try await connection.one(Statements.Lead()) {
                    await duty.lead()
                }
            }
            let leads = await duty.leads
            if try await leads ? connection.one(Statements.OutboxWaits()) : waits(duty, on: connection) {
                while try await moveOnce(on: connection) {
                    moved()
                    await duty.announce()
                }
                if !leads { await duty.left(at: try await connection.one(Statements.Look()).seq) }
            } else if leads, await duty.mustForget() {
                let hasMore = try await forget(olderThan: Self.retention, limit: 200, on: connection)
                await duty.forgot(moreLeft: hasMore)
            }
            if await duty.mustRing() { try await connection.run(Statements.Ring(channel: Self.logChannel)) }
        }

        /// Whether anything is left to move for who stands in; throws where somebody else has moved something.
        private func waits(_ duty: Duty, on connection: HeldConnection) async throws -> Bool {
            let look = try await connection.one(Statements.Look())
            guard await duty.wasLeft(at: look.seq) else { throw Turn.askAgain }
            return look.waits
        }

        /// Another process leads: tell it of what was committed here, until it is time to ask again who leads, or to stand in.
        private func follow(_ watch: Watch) async throws {
            let end = ContinuousClock.now.advanced(by: Self.leadershipInterval)
            try await bell.listen(atLeastEvery: Self.pollInterval) {
                try await Deadline.within(.seconds(10)) {
                    let look = try await database.one(Statements.Look())
                    if await watch.isStill(look, at: .now) { throw Turn.standIn }
                    if ContinuousClock.now >= end { throw Turn.askAgain }
                    guard look.waits else { return }
                    try await database.run(Statements.Ring(channel: Self.outboxChannel))
                    // Bounds how often.
                    try await Task.sleep(for: Duty.ringInterval)
                }
            }
        }

        private func moveOnce(on connection: HeldConnection) async throws -> Bool {
            try await connection.batch { batch in
                batch.run(Statements.LockHead())
                batch.run(Statements.MoveOutbox(limit: Self.batch))
            }.last == 1
        }
    }
}

extension EventLog.Relay {
    /// What a look at outbox and log shows.
    struct Look: Sendable, Hashable {
        /// Something is committed and has no place yet.
        let waits: Bool
        /// Where the log ends.
        let seq: Int64
    }

    /// Notices that nobody moves what waits.
    actor Watch {
        private var last: Look?
        private var since: ContinuousClock.Instant?

        /// True where something has waited for `patience` while the log stood still.
        func isStill(_ look: Look, at now: ContinuousClock.Instant) -> Bool {
            if look.waits, look == last, let since { return now - since >= EventLog.Relay.patience }
            last = look
            since = now
            return false
        }
    }

    /// Why a relay looks again what its part is.
    private enum Turn: Error {
        /// It is time to, or somebody else moves.
        case askAgain
        /// Nobody moves what waits.
        case standIn
    }
}

/// What a process that moves events remembers from one waking to the next.
private actor Duty {
    /// Notifications go out at most this often, however many moves there were.
    static let ringInterval: Duration = .milliseconds(10)
    private static let forgetInterval: Duration = .seconds(600)

    private var proveAt: ContinuousClock.Instant = .now
    private var forgetAt: ContinuousClock.Instant = .now
    private var ringAt: ContinuousClock.Instant = .now
    private var owesRing = false
    private(set) var leads: Bool
    /// Where this process left the log, as long as it stands in.
    private var seq: Int64?

    init(leads: Bool) { self.leads = leads }

    func lead() { leads = true }

    func left(at seq: Int64) { self.seq = seq }

    /// True at the first question.
    func wasLeft(at seq: Int64) -> Bool {
        defer { self.seq = seq }
        return self.seq ?? seq == seq
    }

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
