import CLibpq
import Glibc

/// Starts threads: for libpq's blocking calls, for the I/O loop, and for other work that must keep no shared thread.
package enum SystemThread {
    private final class Box {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Lets the scheduler wake the calling thread without taking the processor from the thread that runs. While it waits its turn more answers
    /// and more questions gather, and it handles them in one go; where a processor is free it makes no difference.
    static func waitForOthers() {
        // SCHED_BATCH of <sched.h>, which Swift does not see.
        let batch: Int32 = 3
        var parameters = sched_param()
        pthread_setschedparam(pthread_self(), batch, &parameters)
    }

    /// Runs `body` on a thread of its own, which ends with it. False where the system has no thread left.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let box = Unmanaged.passRetained(Box(body))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, 512 * 1024)
        defer { pthread_attr_destroy(&attributes) }
        var thread = pthread_t()
        let status = pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, box.toOpaque())
        if status != 0 { box.release() }
        return status == 0
    }
}
