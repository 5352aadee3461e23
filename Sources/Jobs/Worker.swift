import FoundationEssentials
import Logging
import Postgres
import ServiceLifecycle
import Synchronization

extension Jobs {
    /// Runs jobs: leases what is due, hands it to the handlers, keeps the leases alive, takes over from lost workers, keeps schedules.
    ///
    /// Register handlers and schedules first, then `run()` it as a service, or `drain()` it in a test. Any number of workers may run on
    /// one database, in one process or in many.
    package final class Worker: Service {
        let database: Database
        let logger: Logger
        let timing: Timing
        /// Host, process and a random part, shown in `job.worker`.
        let name: String
        let jitter: @Sendable (ClosedRange<Double>) -> Double
        /// Whether this process can do any job now. While it cannot it leases none, and a run that fails is no attempt.
        let isReady: @Sendable () -> Bool
        let state = Mutex(State())

        struct State {
            var handlers: [String: Handler] = [:]
            var limits: [String: Int] = [:]
            /// The queues that this worker is to work on; `nil`: all that it has handlers for.
            var served: Set<String>?
            var schedules: [Schedule] = []
            var bells: [Bell] = []
            var held: [Lease: Held] = [:]
            /// Until when a job that may be what kills workers keeps others like it away: it runs here, or is being looked for.
            var suspectUntil: ContinuousClock.Instant?
            var isStopping = false
        }

        /// Jobs of one queue that run at a time, where `limit(_:to:)` was not called.
        package static let defaultLimit = 4

        package init(
            database: Database, logger: Logger, timing: Timing = Timing(),
            jitter: @escaping @Sendable (ClosedRange<Double>) -> Double = { Double.random(in: $0) },
            isReady: @escaping @Sendable () -> Bool = { true }
        ) {
            self.database = database
            self.logger = logger
            self.timing = timing
            self.jitter = jitter
            self.isReady = isReady
            let process = ProcessInfo.processInfo
            let random = String(UInt32.random(in: .min ... .max), radix: 36)
            self.name = "\(process.hostName) \(process.processIdentifier) \(random)"
        }

        /// Says how jobs of one kind are run. A kind has one handler.
        package func handle<J: Job>(_: J.Type, _ run: @escaping @Sendable (J, Attempt) async throws -> Void) {
            let handler = Handler(queue: J.queue, timeout: J.timeout) { payload, attempt in
                try await run(JSONDecoder().decode(J.self, from: Data(payload.bytes)), attempt)
            }
            let former = state.withLock { $0.handlers.updateValue(handler, forKey: J.kind) }
            precondition(former == nil, "two handlers for jobs of kind \(J.kind)")
        }

        /// How many jobs of `queue` this worker runs at a time. 1...64.
        package func limit(_ queue: String, to limit: Int) {
            precondition((1...64).contains(limit), "a queue's limit is 1...64")
            state.withLock { $0.limits[queue] = limit }
        }

        /// Enqueues a job at every multiple of `interval` since 1970 plus `offset`, by the database's clock, once however many workers
        /// keep this schedule. Slots that passed while no worker ran are not made up for, but for the latest. At least 1 ms.
        package func schedule<J: Job>(
            _ task: String, every interval: Duration, offset: Duration = .zero, _ make: @escaping @Sendable () -> J
        ) {
            add(Schedule(task: task, interval: interval, offset: offset) { $0 == nil ? try Enqueue(make()) : nil })
        }

        /// Likewise, a job that `run(task:asOf:)` can do as of another time.
        package func schedule<J: DatedJob>(_ task: String, every interval: Duration, _: J.Type) {
            add(Schedule(task: task, interval: interval, offset: .zero) { try Enqueue(J(asOf: $0)) })
        }

        private func add(_ schedule: Schedule) {
            let (task, interval) = (schedule.task, schedule.interval)
            precondition(
                interval >= .milliseconds(1) && schedule.offset < interval, "schedule \(task) has no such interval")
            state.withLock { state in
                precondition(!state.schedules.contains { $0.task == task }, "two schedules named \(task)")
                state.schedules.append(schedule)
            }
        }

        /// Every queue that some kind of job waits in, by name, with how many of its jobs this worker runs at a time.
        package var queues: [(name: String, limit: Int)] {
            let state = state.withLock { $0 }
            return Set(state.handlers.values.map(\.queue)).sorted().map { ($0, state.limits[$0] ?? Self.defaultLimit) }
        }

        /// Works on these queues alone; before that, on all. Schedules are kept all the same.
        package func serve(only queues: Set<String>) { state.withLock { $0.served = queues } }

        /// Makes idle queues look at once instead of at the next poll: the worker itself put jobs there, or is to stop.
        func wake() {
            for bell in state.withLock({ $0.bells }) { bell.ring() }
        }

        /// Works until graceful shutdown or cancellation.
        ///
        /// At shutdown it leases nothing more, waits up to 20 s for the jobs that run, then cancels those and gives them back.
        package func run() async throws {
            let lanes = makeLanes()
            state.withLock { $0.bells = lanes.map(\.bell) }
            await withTaskCancellationOrGracefulShutdownHandler {
                await withTaskGroup(of: Void.self) { upkeep in
                    upkeep.addTask { await self.sayPresent(in: lanes) }
                    upkeep.addTask { await self.renewLeases() }
                    upkeep.addTask { await self.rescueJobs() }
                    upkeep.addTask { await self.keepSchedules() }
                    upkeep.addTask { await self.sweep() }
                    await withTaskGroup(of: Void.self) { group in
                        for lane in lanes { group.addTask { await self.serve(lane) } }
                    }
                    upkeep.cancelAll()
                }
            } onCancelOrGracefulShutdown: {
                self.stop()
            }
            await trying("that this worker has ended was not said") {
                try await database.run(Jobs.ForgetWorker(worker: name))
            }
        }

        /// Runs every job that is due, one after the other, those that they enqueue included, and returns when none is. For tests and tools.
        @discardableResult
        package func drain() async throws -> Drained {
            var drained = Drained()
            while true {
                var ranAny = false
                for lane in makeLanes() {
                    for claimed in try await claim(from: lane, atMost: 1) {
                        ranAny = true
                        switch await perform(claimed) {
                        case .done: drained.done += 1
                        case .failed(let error): drained.failures.append(error)
                        case .givenBack: break
                        }
                    }
                }
                if !ranAny { return drained }
            }
        }

        /// What `drain()` did.
        package struct Drained: Sendable {
            /// Runs that succeeded.
            package var done = 0
            /// What the other runs threw, in order.
            package var failures: [any Error] = []
        }

        /// One queue and the kinds that this worker has handlers for in it.
        struct Lane: Sendable {
            let queue: String
            let kinds: [String]
            let limit: Int
            let bell = Bell()
        }

        private func makeLanes() -> [Lane] {
            state.withLock { state in
                let byQueue = Dictionary(grouping: state.handlers) { $0.value.queue }
                return byQueue.filter { state.served?.contains($0.key) ?? true }.map { queue, handlers in
                    Lane(
                        queue: queue, kinds: handlers.map(\.key).sorted(),
                        limit: state.limits[queue] ?? Self.defaultLimit)
                }.sorted { $0.queue < $1.queue }
            }
        }

        func stop() {
            state.withLock { $0.isStopping = true }
            wake()
        }
    }
}
