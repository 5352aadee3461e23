import Logging
import Postgres
import ServiceLifecycle

/// Holds one of the 1,024 node numbers for this process, so that no other process makes the same identifiers.
///
/// A row of `node_lease` names the holder and runs out after 60 s by the database's clock; it is renewed every 15 s,
/// and every half second from a renewal that failed until one succeeds. The maker is told to stop 10 s before the row
/// runs out, measured from the moment at which the renewal was *sent*. A process that lost its number (the database was
/// away for a minute) takes another one and goes on.
package actor NodeLease: Service {
    static let seconds: Int64 = 60
    static let margin: Duration = .seconds(10)
    static let renewal: Duration = .seconds(15)
    /// How often the lease looks whether a renewal is due: short, and in small steps, because a machine that slept
    /// wakes with its timers as they were.
    static let look: Duration = .milliseconds(500)
    /// How long one renewal may wait for its answer.
    static let patience: Duration = .seconds(2)

    private let database: Database
    private let ids: IDMaker
    private let holder: String
    private let logger: Logger
    private var node: Int64?
    private var renewAt: ContinuousClock.Instant = .now
    private var hasFailed = false

    /// `random` names the holder: two processes never have the same name.
    package init(database: Database, ids: IDMaker, random: any RandomSource, logger: Logger) {
        self.database = database
        self.ids = ids
        self.holder = random.bytes(16).base64URL
        self.logger = logger
    }

    /// The node number held, if any.
    package var number: Int? { node.map { Int($0) } }

    /// Takes a number, so that identifiers can be made. Call it once before `run()`. Throws `Failure.busy` when all are
    /// held.
    package func acquire() async throws {
        for _ in 0..<16 {
            let sent = ContinuousClock.now
            if let taken = try await database.first(Take(holder: holder, seconds: Self.seconds)) {
                node = taken
                hold(taken, from: sent)
                return
            }
        }
        throw Failure.busy("no node number is free", retryAfter: .seconds(Self.seconds))
    }

    /// Renews until graceful shutdown, then gives the number back. Errors of the database are logged and tried again.
    package func run() async throws {
        if node == nil { try await acquire() }
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do { try await Task.sleep(for: Self.look) } catch { return }
                if await self.isDue { await self.keep() }
            }
        }
        await release()
    }

    /// The time for a renewal has come, or identifiers cannot be made without one.
    private var isDue: Bool { ContinuousClock.now >= renewAt || !ids.holdsNode }

    /// One renewal: prolongs the number, or takes another one where it was lost.
    func keep() async {
        do {
            try await Deadline.within(Self.patience) { @Sendable in try await self.renew() }
            if hasFailed { logger.notice("node number renewed again") }
            hasFailed = false
        } catch {
            // Due again at the next look.
            renewAt = .now
            if !hasFailed { logger.warning("node number not renewed", metadata: ["error": "\(error)"]) }
            hasFailed = true
        }
    }

    private func renew() async throws {
        let sent = ContinuousClock.now
        if let node {
            if try await database.run(Renew(node: node, holder: holder, seconds: Self.seconds)) == 1 {
                return hold(node, from: sent)
            }
            logger.warning("node number lost, taking another", metadata: ["node": "\(node)"])
            self.node = nil
        }
        try await acquire()
    }

    private func hold(_ node: Int64, from sent: ContinuousClock.Instant) {
        ids.hold(node: Int(node), until: sent.advanced(by: .seconds(Self.seconds) - Self.margin))
        renewAt = sent.advanced(by: Self.renewal)
    }

    /// Gives the number back; the maker stops at once.
    package func release() async {
        guard let node else { return }
        self.node = nil
        ids.hold(node: Int(node), until: .now)
        do {
            try await database.run(Release(node: node, holder: holder))
        } catch {
            logger.info("node number not given back; it runs out by itself", metadata: ["error": "\(error)"])
        }
    }
}
