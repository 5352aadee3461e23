import CLibpq
import Glibc

/// Waits until sockets are ready or another thread wakes it: epoll with an eventfd. Used by one thread; only `wake` is for others.
struct Poller: ~Copyable {
    static let readable = EPOLLIN.rawValue
    static let writable = EPOLLOUT.rawValue

    private let epoll: Int32
    /// Others write here. The descriptor lives as long as the engine does.
    let wakeup: Int32
    private let events: UnsafeMutablePointer<epoll_event>
    private static let capacity = 64
    private static let wakeupTag = UInt64.max

    /// Throws where the process has no descriptors left.
    init() throws(PostgresError) {
        events = .allocate(capacity: Poller.capacity)
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        wakeup = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        guard epoll >= 0, wakeup >= 0 else {
            throw PostgresError(.connectionFailed, message: "no file descriptor left")
        }
        control(EPOLL_CTL_ADD, wakeup, Poller.readable, Poller.wakeupTag)
    }

    deinit {
        close(epoll)
        close(wakeup)
        events.deallocate()
    }

    func add(_ socket: Int32, events: UInt32, tag: Int) { control(EPOLL_CTL_ADD, socket, events, UInt64(tag)) }
    func change(_ socket: Int32, events: UInt32, tag: Int) { control(EPOLL_CTL_MOD, socket, events, UInt64(tag)) }
    func remove(_ socket: Int32) { control(EPOLL_CTL_DEL, socket, 0, 0) }

    private func control(_ operation: Int32, _ socket: Int32, _ events: UInt32, _ tag: UInt64) {
        var event = epoll_event(events: events, data: epoll_data_t(u64: tag))
        epoll_ctl(epoll, operation, socket, &event)
    }

    static func wake(_ descriptor: Int32) {
        var one: UInt64 = 1
        write(descriptor, &one, 8)
    }

    /// Blocks up to `milliseconds` (−1: for ever); gives how many sockets are ready.
    func wait(milliseconds: Int32) -> Int {
        max(0, Int(epoll_wait(epoll, events, Int32(Poller.capacity), milliseconds)))
    }

    /// Tag and events of the socket that the last `wait` found at `index`; `nil` for a wake-up, which is thereby taken.
    func event(_ index: Int) -> (tag: Int, events: UInt32)? {
        let event = events[index]
        if event.data.u64 != Poller.wakeupTag { return (Int(event.data.u64), event.events) }
        var value: UInt64 = 0
        read(wakeup, &value, 8)
        return nil
    }
}
