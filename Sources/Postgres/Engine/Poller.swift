import CLibpq
import Glibc

/// Waits until sockets are ready or another thread wakes it: epoll with an eventfd. Used by one thread; only `wake` is for others.
struct Poller: ~Copyable {
    static let readable = EPOLLIN.rawValue
    static let writable = EPOLLOUT.rawValue

    private let epoll: Int32
    /// Others write here. The descriptor lives as long as the engine does.
    let wakeup: Int32
    private var events: [epoll_event] = Array(repeating: epoll_event(), count: 64)
    private static let wakeupTag = UInt64.max

    /// Throws where the process has no descriptors left.
    init() throws(PostgresError) {
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

    /// Blocks up to `milliseconds` (−1: for ever) and calls `body` with tag and events of every ready socket.
    mutating func wait(milliseconds: Int32, _ body: (Int, UInt32) -> Void) {
        let count = events.withUnsafeMutableBufferPointer { buffer in
            epoll_wait(epoll, buffer.baseAddress, Int32(buffer.count), milliseconds)
        }
        guard count > 0 else { return }
        for index in 0..<Int(count) {
            let event = events[index]
            if event.data.u64 == Poller.wakeupTag {
                var value: UInt64 = 0
                read(wakeup, &value, 8)
            } else {
                body(Int(event.data.u64), event.events)
            }
        }
    }
}
