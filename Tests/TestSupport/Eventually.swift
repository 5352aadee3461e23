import Testing

/// Waits until `condition` holds, asking again every 5 to 50 ms, and records an issue at the caller's line when it does not within
/// `limit`. The only waiting that tests do: nothing sleeps for a fixed time and hopes.
package func eventually(
    within limit: Duration = .seconds(60), _ comment: @autoclosure () -> Comment? = nil,
    isolation: isolated (any Actor)? = #isolation, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    let clock = ContinuousClock()
    let end = clock.now.advanced(by: limit)
    var pause = Duration.milliseconds(5)
    while try await !condition() {
        guard clock.now < end else {
            Issue.record(comment() ?? "the condition did not hold within \(limit)", sourceLocation: sourceLocation)
            throw NeverHappened()
        }
        try await clock.sleep(for: pause)
        pause = min(pause * 2, .milliseconds(50))
    }
}

/// What `eventually` waited for did not happen.
package struct NeverHappened: Error {}
