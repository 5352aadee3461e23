import Synchronization

/// What other threads ask of the I/O thread.
enum Message: Sendable {
    case submit(Request)
    case submitOn(Request, Lease)
    /// The next step of the COPY that `request` began on the lease's connection.
    case copy(CopyStep, Request, Lease)
    case abandon(Request, PostgresError.Code)
    case acquire(Lease)
    case abandonLease(Lease, PostgresError.Code)
    case release(Lease, isClean: Bool)
    case connected(slot: Int, ConnectionHandle)
    indirect case connectFailed(slot: Int, PostgresError)
    case cancelReturned(slot: Int, generation: Int)
    case shutdown
}

/// The I/O thread's letter box: many writers, one reader, who is woken only when it sleeps.
final class Inbox: Sendable {
    private struct State {
        var messages: [Message] = []
        var isReaderAsleep = false
        var isClosed = false
    }

    private let state = Mutex(State())
    private let wakeup: Int32

    /// `wakeup` is the poller's eventfd.
    init(wakeup: Int32) { self.wakeup = wakeup }

    /// False where the I/O thread has ended: the message is not taken.
    @discardableResult
    func post(_ message: Message) -> Bool {
        let (isTaken, mustWake) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.messages.append(message)
            defer { state.isReaderAsleep = false }
            return (true, state.isReaderAsleep)
        }
        if mustWake { Poller.wake(wakeup) }
        return isTaken
    }

    /// Gives the last messages and takes no more.
    func close() -> [Message] {
        state.withLock { state in
            state.isClosed = true
            defer { state.messages = [] }
            return state.messages
        }
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
