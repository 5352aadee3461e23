import Synchronization

/// What other threads ask of the I/O thread.
enum Message: Sendable {
    case submit(Request)
    case submitOn(Request, Lease)
    case abandon(Request, PostgresError.Code)
    case acquire(Lease)
    case abandonLease(Lease, PostgresError.Code)
    case release(Lease, isClean: Bool)
    case connected(slot: Int, ConnectionHandle)
    case connectFailed(slot: Int, PostgresError)
    case cancelReturned(slot: Int, generation: Int)
    case shutdown
}

/// The I/O thread's letter box: many writers, one reader, who is woken only when it sleeps.
final class Inbox: Sendable {
    private struct State {
        var messages: [Message] = []
        var isReaderAsleep = false
    }

    private let state = Mutex(State())
    private let wakeup: Int32

    /// `wakeup` is the poller's eventfd.
    init(wakeup: Int32) { self.wakeup = wakeup }

    func post(_ message: Message) {
        let mustWake = state.withLock { state in
            state.messages.append(message)
            defer { state.isReaderAsleep = false }
            return state.isReaderAsleep
        }
        if mustWake { Poller.wake(wakeup) }
    }

    /// Moves all messages into `messages`, which comes empty and lends its storage. Where there are none and `mayIdle`, the reader
    /// counts as asleep until the next message, which will wake the poller.
    func take(into messages: inout [Message], mayIdle: Bool) {
        state.withLock { state in
            swap(&state.messages, &messages)
            state.isReaderAsleep = mayIdle && messages.isEmpty
        }
    }
}
