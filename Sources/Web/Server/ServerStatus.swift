import Synchronization

/// Whether this process should get requests, and what it knows about its parts.
package final class ServerStatus: Sendable {
    /// One part that readiness depends on.
    package struct Check: Sendable {
        package let name: String
        /// What `/readyz?verbose` shows of it. Throws where the part is not ready; the error is not shown.
        package let run: @Sendable () async throws -> String

        package init(_ name: String, _ run: @escaping @Sendable () async throws -> String) {
            self.name = name
            self.run = run
        }
    }

    package struct Finding: Sendable, Encodable {
        package let name: String
        package let isReady: Bool
        package let detail: String?
    }

    private let draining = Atomic<Bool>(false)
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

    /// Every check, in order, all at once.
    package func findings() async -> [Finding] {
        await withTaskGroup(of: (Int, Finding).self) { group in
            for (index, check) in checks.enumerated() {
                group.addTask {
                    do {
                        return (index, Finding(name: check.name, isReady: true, detail: try await check.run()))
                    } catch {
                        return (index, Finding(name: check.name, isReady: false, detail: nil))
                    }
                }
            }
            var findings: [(Int, Finding)] = []
            for await finding in group { findings.append(finding) }
            return findings.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}
