import Synchronization

extension Database {
    /// Calls `listener` after each transaction and each batch that this pool has committed, whatever was in it: a hint for code that watches a
    /// table, in this process only and without a promise. It must be quick and never wait.
    package func whenCommitted(_ listener: @escaping @Sendable () -> Void) {
        commitListeners.withLock { $0.append(listener) }
    }

    func tellOfCommit() {
        for listener in commitListeners.withLock({ $0 }) { listener() }
    }
}
