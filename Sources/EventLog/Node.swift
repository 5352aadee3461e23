import Logging
import Postgres
import ServiceLifecycle

extension EventLog {
    /// One process's part in the log: its relay, its tail, the bells between them, the ear that rings them for other processes, and upkeep.
    /// While it runs it holds one connection of the pool for listening, and another while it leads.
    package struct Node: Service {
        private let database: Database
        private let relay: Relay
        private let tail: Tail
        private let upkeep: Upkeep
        private let outboxBell: Bell
        private let logBell: Bell

        /// `receiver` gets every event of the log from the moment at which `run` begins.
        package init(database: Database, receiver: any EventReceiver, keeping: Keeping = .standard, logger: Logger) {
            let outboxBell = Bell()
            let logBell = Bell()
            self.database = database
            self.outboxBell = outboxBell
            self.logBell = logBell
            relay = Relay(database: database, bell: outboxBell, logger: logger) { logBell.ring() }
            tail = Tail(reader: Reader(database), bell: logBell, receiver: receiver, logger: logger)
            upkeep = Upkeep(database: database, keeping: keeping, logger: logger)
            // Most commits bring no event; looking costs the relay less than being told late costs a reader.
            database.whenCommitted { outboxBell.ring() }
        }

        /// Asks how the log stands. Throws `PostgresError`.
        package func standing() async throws -> Standing {
            let read = try await database.one(Statements.ReadStanding())
            // The end of the log was read first: what the tail hands on meanwhile does not lag.
            let followed = await tail.seq ?? read.seq
            return Standing(
                outbox: read.outbox, waited: read.waited, lag: max(0, Int(read.seq - followed)), leads: relay.leads,
                oldest: read.oldest, kept: read.kept)
        }

        /// Works until graceful shutdown or cancellation. What is in the outbox then waits there for the next process.
        package func run() async throws {
            await cancelWhenGracefulShutdown {
                await withDiscardingTaskGroup { group in
                    group.addTask { await relay.run() }
                    group.addTask { await tail.run() }
                    group.addTask { await upkeep.run() }
                    group.addTask { await report() }
                    group.addTask { await hearOthers() }
                }
            }
        }

        /// Says in `/metrics` how the log stands, until the task is cancelled. The database's figures stay as they were while it is away.
        private func report() async {
            let figures = Figures()
            while !Task.isCancelled {
                let now = try? await Deadline.within(.seconds(5)) { try await standing() }
                figures.follow(now, leads: relay.leads)
                try? await Task.sleep(for: Figures.interval)
            }
        }

        /// Rings this process's bells for what other processes committed and moved, until the task is cancelled.
        private func hearOthers() async {
            let own = String(relay.ringer)
            await database.listen(to: [Relay.outboxChannel, Relay.logChannel]) { events in
                for await event in events {
                    switch event {
                    // It looked when it rang.
                    case .notification(let notification) where notification.payload == own: break
                    case .notification(let notification) where notification.channel == Relay.outboxChannel:
                        outboxBell.ring()
                    case .notification: logBell.ring()
                    case .reconnected:
                        outboxBell.ring()
                        logBell.ring()
                    }
                }
            }
        }
    }
}
