import Postgres
import Synchronization

/// Whether this process should get requests, and what it knows about its parts.
package final class ServerStatus: Sendable {
    /// One part that readiness depends on.
    package struct Check: Sendable {
        /// What cannot be done where the part is not ready.
        package enum Need: Sendable {
            case everything
            /// Reads go on.
            case writes
        }

        package let name: String
        package let need: Need
        /// What `/readyz?verbose` shows of it. Throws where the part is not ready; the error is not shown.
        package let run: @Sendable () async throws -> String

        package init(
            _ name: String, for need: Need = .everything, _ run: @escaping @Sendable () async throws -> String
        ) {
            self.name = name
            self.need = need
            self.run = run
        }
    }

    package struct Finding: Sendable, Encodable {
        package let name: String
        package let isReady: Bool
        package let detail: String?
        package let need: Check.Need

        private enum CodingKeys: CodingKey {
            case name, isReady, detail
        }
    }

    /// What this process can do.
    package enum Readiness: String, CaseIterable, Sendable {
        case ok
        /// Reads are answered, writes get 503.
        case readsOnly = "reads_only"
        case notReady = "not_ready"
        case draining

        package var answersReads: Bool { self == .ok || self == .readsOnly }
    }

    /// How long a full disk is believed in after the database last spoke of one.
    private static let memory = Duration.seconds(30)

    /// How long what the checks have found is believed.
    private static let freshness = Duration.milliseconds(250)
    /// How long the checks may take.
    private static let patience = Duration.seconds(2)

    /// The checks that run or ran last.
    private struct Look {
        let task: Task<[Finding], Never>
        var end: ContinuousClock.Instant?
    }

    private let last = Mutex<Look?>(nil)
    private let draining = Atomic<Bool>(false)
    private let fullUntil = Mutex<ContinuousClock.Instant?>(nil)
    package let checks: [Check]
    /// What the program adds to `/readyz?verbose` and does not wait for: the unsafe database flag, say.
    package let notes: [String]

    package init(checks: [Check] = [], notes: [String] = []) {
        self.checks = checks
        self.notes = notes
    }

    /// From now on `/readyz` answers 503, so that a balancer sends nothing more.
    package func drain() { draining.store(true, ordering: .relaxed) }
    package var isDraining: Bool { draining.load(ordering: .relaxed) }

    /// The database had no room for what a call wanted to write.
    package func diskWasFull() { fullUntil.withLock { $0 = .now.advanced(by: Self.memory) } }

    private var disk: Finding {
        let isFull = fullUntil.withLock { until in until.map { $0 > .now } ?? false }
        return Finding(name: "disk", isReady: !isFull, detail: isFull ? nil : "takes writes", need: .writes)
    }

    package func readiness(after findings: [Finding]) -> Readiness {
        if isDraining { return .draining }
        let missing = findings.filter { !$0.isReady }
        if missing.isEmpty { return .ok }
        return missing.allSatisfy { $0.need == .writes } ? .readsOnly : .notReady
    }

    /// Every check, in order, all at once; then whether the database has room. Callers share the checks of the last 250 ms: however many ask,
    /// the database is asked a few times a second.
    package func findings() async -> [Finding] {
        let task = last.withLock { last in
            if let last, last.end.map({ $0.duration(to: .now) < Self.freshness }) ?? true { return last.task }
            // Of no caller: one that goes away takes nothing from the others.
            let task = Task.detached {
                let found = await Deadline.within(Self.patience) { await self.checked() }
                self.last.withLock { $0?.end = .now }
                return found
            }
            last = Look(task: task)
            return task
        }
        return await task.value + [disk]
    }

    private func checked() async -> [Finding] {
        await withTaskGroup(of: (Int, Finding).self) { group in
            for (index, check) in checks.enumerated() {
                group.addTask {
                    do {
                        let detail = try await check.run()
                        return (index, Finding(name: check.name, isReady: true, detail: detail, need: check.need))
                    } catch {
                        return (index, Finding(name: check.name, isReady: false, detail: nil, need: check.need))
                    }
                }
            }
            var findings: [(Int, Finding)] = []
            for await finding in group { findings.append(finding) }
            return findings.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}
