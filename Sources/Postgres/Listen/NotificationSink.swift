import CLibpq
import DequeModule
import Synchronization

/// What another session sent with `notify`: a hint that something happened.
package struct Notification: Hashable, Sendable {
    package let channel: String
    /// Up to 8,000 bytes, often empty.
    package let payload: String

    init(_ notification: PGnotify) {
        channel = String(cString: notification.relname)
        payload = String(cString: notification.extra)
    }
}

/// What a listener hears.
package enum ListenEvent: Hashable, Sendable {
    case notification(Notification)
    /// The server listens for us from now on. What was sent before, since the start or since the connection was lost, may have been
    /// missed: look for yourself once.
    case reconnected
}

/// Passes notifications from the I/O thread to one listener. Holds at most 1,024; beyond that it forgets them all and says that some
/// were missed.
final class NotificationSink: Sendable {
    static let capacity = 1024

    private struct State {
        var events: Deque<ListenEvent> = []
        var reader: UnsafeContinuation<ListenEvent?, Never>?
        var isClosed = false
        /// The probe whose echo is awaited.
        var probe: String?
        var isLost = false
        var keeper: UnsafeContinuation<Void, Never>?
    }

    let probeChannel: String
    private let state = Mutex(State())

    init(probeChannel: String) { self.probeChannel = probeChannel }

    // MARK: From the I/O thread

    func deliver(_ notification: Notification) {
        if notification.channel == probeChannel {
            signal { state in if state.probe == notification.payload { state.probe = nil } }
        } else {
            deliver(.notification(notification))
        }
    }

    func deliver(_ event: ListenEvent) {
        let reader = state.withLock { state -> UnsafeContinuation<ListenEvent?, Never>? in
            if let reader = state.reader {
                state.reader = nil
                return reader
            }
            if state.events.count >= NotificationSink.capacity {
                state.events = [.reconnected]
            } else {
                state.events.append(event)
            }
            return nil
        }
        reader?.resume(returning: event)
    }

    /// The connection is gone.
    func lose() { signal { $0.isLost = true } }

    // MARK: For the listener

    /// The next event; `nil` once the task is cancelled or the sink is closed.
    func next() async -> ListenEvent? {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let event = state.withLock { state -> ListenEvent?? in
                    if let event = state.events.popFirst() { return .some(event) }
                    if state.isClosed || Task.isCancelled { return .some(nil) }
                    state.reader = continuation
                    return nil
                }
                if let event { continuation.resume(returning: event) }
            }
        } onCancel: {
            close()
        }
    }

    func close() {
        let reader = state.withLock { state in
            state.isClosed = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }

    // MARK: For the keeper of the connection

    func begin() { state.withLock { $0.isLost = false } }
    func expectEcho(of probe: String) { state.withLock { $0.probe = probe } }
    var isLost: Bool { state.withLock { $0.isLost } }
    /// The last probe has not come back.
    var isMissingEcho: Bool { state.withLock { $0.probe != nil } }

    /// Changes the state and wakes the keeper.
    private func signal(_ change: (inout State) -> Void) {
        let keeper = state.withLock { state in
            change(&state)
            defer { state.keeper = nil }
            return state.keeper
        }
        keeper?.resume()
    }

    /// Waits until the connection is lost, an echo comes or the task is cancelled.
    func waitForSignal() async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isDue = state.withLock { state in
                    if state.isLost || Task.isCancelled { return true }
                    state.keeper = continuation
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            signal { _ in }
        }
    }
}
