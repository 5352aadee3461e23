/// The instant at which the work of the current task is no longer wanted.
///
/// Bound around a request or a job; every database call below it, however deep, is cancelled on the server when it passes.
package enum Deadline {
    @TaskLocal package static var current: ContinuousClock.Instant?

    /// Runs `body` with at most `duration` from now; an earlier deadline that is already set stays.
    package static func within<Result>(_ duration: Duration, _ body: () async throws -> Result) async rethrows -> Result
    {
        let wanted = ContinuousClock.now.advanced(by: duration)
        return try await $current.withValue(min(current ?? wanted, wanted), operation: body)
    }
}
