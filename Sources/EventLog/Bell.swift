/// Wakes one listener, however often it is rung meanwhile: a hint without content, which may be lost or superfluous.
package struct Bell: Sendable {
    private let rings: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    package init() {
        (rings, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Never waits; safe from any thread.
    package func ring() { continuation.yield() }

    /// Runs `body` once for each waking until it throws or the task is cancelled. One listener at a time; once its task has been cancelled
    /// the bell is of no more use.
    package func listen(_ body: @Sendable () async throws -> Void) async throws {
        for await _ in rings { try await body() }
        throw CancellationError()
    }

    /// The same, at once and then at least each `interval`.
    package func listen(atLeastEvery interval: Duration, _ body: @Sendable () async throws -> Void) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask {
                while !Task.isCancelled {
                    ring()
                    try await Task.sleep(for: interval)
                }
            }
            try await listen(body)
        }
    }
}
