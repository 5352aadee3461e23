import Logging
import Postgres
import Synchronization

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
        /// How often an idle leader looks without being told: the longest that a commit in a dying process waits. At 25 ms a server that did
        /// nothing took 2 % of a core for it, and as much of Postgres.
        package static let pollInterval: Duration = .milliseconds(100)
        /// How often leadership is proved again, and how soon another process takes over.
        package static let leadershipInterval: Duration = .seconds(1)
        /// How long a follower sees the log stand still, while something waits, before it stands in: by its own steady clock, which
        /// no difference between the clocks of machines can fool.
        package static let patience: Duration = .seconds(1)
        /// Notifications go out at most this often, however many commits and moves there were.
        package static let ringInterval: Duration = .milliseconds(5)
        /// Rung by code that committed an event elsewhere.
        package static let outboxChannel = "commonplace_outbox"
        /// Rung after a move; each tail listens.
        package static let logChannel = "commonplace_log"

        private let database: Database
        private let bell: Bell
        /// Names this process where it rings.
        let ringer = Int64.random(in: 0 ... .max)
        private let moved: @Sendable () -> Void
        private let logger: Logger
        private let leadership = Leadership()

        /// Whether this process leads, as far as it knows: one that was stopped hears of its end when it goes on.
        package var leads: Bool { leadership.isHeld }

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
                try await moveWaiting(on: connection) { moves += 1 }
                return moves
            }
        }

        /// Leads, stands in or follows, until it throws. `announces`: that it stands in is new.
        private func serve(standsIn: Bool, announces: Bool, _ watch: Watch) async throws {
            try await database.session { connection in
                try await connection.run(Statements.Terms())
                let leads = try await connection.one(Statements.Lead())
                guard leads || standsIn else { return }
                leadership.isHeld = leads
                defer { leadership.isHeld = false }
                if !leads, announces {
                    logger.warning("Nobody moves events: this process stands in for the one that leads")
                }
                let (duty, others) = (Duty(), Bell())
                try await withThrowingDiscardingTaskGroup { group in
                    group.addTask { try await tell(of: others) }
                    try await bell.listen(atLeastEvery: Self.pollInterval) {
                        try await Deadline.within(.seconds(10)) { try await work(duty, on: connection, others) }
                    }
                }
            }
            try await follow(watch)
        }

        /// One look of the leader or its stand-in, on the connection that holds the lock: a process that lost the lock moves nothing.
        private func work(_ duty: Duty, on connection: HeldConnection, _ others: Bell) async throws {
            if await duty.mustProve() {
                if leads {
                    try await connection.run(Statements.Prove())
                } else if try await connection.one(Statements.Lead()) {
                    leadership.isHeld = true
                }
            }
            if try await leads ? connection.one(Statements.OutboxWaits()) : waits(duty, on: connection) {
                try await moveWaiting(on: connection) {
                    moved()
                    others.ring()
                }
                if !leads { await duty.left(at: try await connection.one(Statements.Look()).seq) }
            }
        }

        /// Tells other processes of moves, beside the connection that moves: of the first at once.
        private func tell(of moves: Bell) async throws {
            try await moves.listen {
                // They look by themselves where it fails.
                _ = try? await Deadline.within(.seconds(10)) {
                    try await database.run(Statements.Ring(channel: Self.logChannel, ringer: ringer))
                }
                try await Task.sleep(for: Self.ringInterval)
            }
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
                    try await database.run(Statements.Ring(channel: Self.outboxChannel, ringer: ringer))
                    // Bounds how often.
                    try await Task.sleep(for: Self.ringInterval)
                }
            }
        }

        /// Moves batch after batch until one is not full, and reports each that brought something. Who commits meanwhile rings again.
        private func moveWaiting(on connection: HeldConnection, _ report: () -> Void) async throws {
            var count: Int
            repeat {
                count = try await connection.batch { batch in
                    batch.run(Statements.LockHead())
                    batch.run(Statements.MoveOutbox(limit: Self.batch))
                }[1]
                if count > 0 { report() }
            } while count == Self.batch
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
    private var proveAt: ContinuousClock.Instant = .now
    /// Where this process left the log, as long as it stands in.
    private var seq: Int64?

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
}

/// Whether this process holds the lock of the one that leads.
private final class Leadership: Sendable {
    private let state = Atomic(false)

    var isHeld: Bool {
        get { state.load(ordering: .relaxed) }
        set { state.store(newValue, ordering: .relaxed) }
    }
}
