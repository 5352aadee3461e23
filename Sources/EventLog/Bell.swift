/// Wakes one listener, however often it is rung meanwhile: a hint without content, which may be lost or superfluous.
package struct Bell: Sendable {
    private let rings: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    package init() {
        (rings, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Never waits; safe from any thread.
    package func ring() { continuation.yield() }

    /// Runs `body` once for each waking, and at least once each `interval`, until the task is cancelled. One listener only.
    package func listen(atLeastEvery interval: Duration, _ body: @escaping @Sendable () async -> Void) async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                while !Task.isCancelled {
                    ring()
                    try? await Task.sleep(for: interval)
                }
            }
            for await _ in rings { await body() }
            group.cancelAll()
        }
    }
}
