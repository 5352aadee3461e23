import Logging
import Postgres
import ServiceLifecycle

/// Holds one of the 1,024 node numbers for this process, so that no other process makes the same identifiers.
///
/// A row of `node_lease` names the holder and runs out after 60 s by the database's clock; it is renewed every 15 s. The maker is told
/// to stop 10 s before that, measured from the moment at which the renewal was *sent*. A process that lost its number (the database
/// was away for a minute) takes another one and goes on.
package actor NodeLease: Service {
    static let seconds: Int64 = 60
    static let margin: Duration = .seconds(10)
    static let renewal: Duration = .seconds(15)

    private let database: Database
    private let ids: IDMaker
    private let holder: String
    private let logger: Logger
    private var node: Int64?

    /// `random` names the holder: two processes never have the same name.
    package init(database: Database, ids: IDMaker, random: any RandomSource, logger: Logger) {
        self.database = database
        self.ids = ids
        self.holder = random.bytes(16).base64URL
        self.logger = logger
    }

    /// The node number held, if any.
    package var number: Int? { node.map { Int($0) } }

    /// Takes a number, so that identifiers can be made. Call it once before `run()`. Throws `Failure.busy` when all are held.
    package func acquire() async throws {
        for _ in 0..<16 {
            let sent = ContinuousClock.now
            if let taken = try await database.first(Take(holder: holder, seconds: Self.seconds)) {
                node = taken
                ids.hold(node: Int(taken), until: validity(from: sent))
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
                do { try await Task.sleep(for: Self.renewal) } catch { return }
                await self.keep()
            }
        }
        await release()
    }

    /// One renewal: prolongs the number, or takes another one where it was lost.
    func keep() async {
        do {
            let sent = ContinuousClock.now
            if let node {
                if try await database.run(Renew(node: node, holder: holder, seconds: Self.seconds)) == 1 {
                    ids.hold(node: Int(node), until: validity(from: sent))
                    return
                }
                logger.warning("node number lost, taking another", metadata: ["node": "\(node)"])
                self.node = nil
            }
            try await acquire()
        } catch {
            logger.warning("node number not renewed", metadata: ["error": "\(error)"])
        }
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

    private func validity(from sent: ContinuousClock.Instant) -> ContinuousClock.Instant {
        sent.advanced(by: .seconds(Self.seconds) - Self.margin)
    }
}
