import Synchronization

extension Jobs {
    /// Tells one running job that it must end, and why. The first reason stays.
    final class Stop: Sendable {
        private let bell = Bell()
        private let given = Mutex<StopReason?>(nil)

        var reason: StopReason? { given.withLock { $0 } }

        func give(_ reason: StopReason) {
            given.withLock { given in
                if given == nil { given = reason }
            }
            bell.ring()
        }

        /// Returns when a reason is given, after `limit` (which is then the reason), or when the task is cancelled.
        func wait(atMost limit: Duration) async {
            await bell.wait(atMost: limit)
            if reason == nil, !Task.isCancelled { give(.timedOut) }
        }
    }
}
