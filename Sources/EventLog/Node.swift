import Logging
import Postgres
import ServiceLifecycle

extension EventLog {
    /// One process's part in the log: its relay, its tail, and the bells between them.
    package struct Node: Service {
        private let relay: Relay
        private let tail: Tail
        private let outboxBell: Bell

        /// `receiver` gets every event of the log from the moment at which `run` begins.
        package init(database: Database, receiver: any EventReceiver, logger: Logger) {
            let outboxBell = Bell()
            let logBell = Bell()
            self.outboxBell = outboxBell
            relay = Relay(database: database, bell: outboxBell, logger: logger) { logBell.ring() }
            tail = Tail(reader: Reader(database), bell: logBell, receiver: receiver, logger: logger)
            // Most commits bring no event; looking costs the relay less than being told late costs a reader.
            database.whenCommitted { outboxBell.ring() }
        }

        /// Works until graceful shutdown or cancellation. What is in the outbox then waits there for the next process.
        package func run() async throws {
            await cancelWhenGracefulShutdown {
                await withDiscardingTaskGroup { group in
                    group.addTask { await relay.run() }
                    group.addTask { await tail.run() }
                }
            }
        }
    }
}
