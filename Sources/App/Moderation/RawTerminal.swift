import Dispatch
import FoundationEssentials
import Glibc

/// A terminal that gives each key at once and shows none. It is as it was before on every way out: when `body` ends or throws, and when a
/// signal ends or stops the program.
enum RawTerminal {
    /// Read by signal handlers, so they stand at a fixed place.
    nonisolated(unsafe) private static let before = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    nonisolated(unsafe) private static let raw = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    static var isThere: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// Throws `CommandError` without a terminal.
    static func with<Result>(_ body: () async throws -> Result) async throws -> Result {
        guard isThere, tcgetattr(STDIN_FILENO, before) == 0 else {
            throw CommandError(.invalid, "this needs a terminal; in scripts use `reports list`, `show` and `resolve`")
        }
        raw.pointee = before.pointee
        raw.pointee.c_lflag &= ~tcflag_t(ICANON | ECHO)
        withUnsafeMutableBytes(of: &raw.pointee.c_cc) { bytes in
            bytes[Int(VMIN)] = 1
            bytes[Int(VTIME)] = 0
            // Ctrl-C is a key, so that who reads it can put things in order first.
            bytes[Int(VINTR)] = 0
        }
        for number in ending { signal(number, leave) }
        signal(SIGTSTP, leave)
        signal(SIGCONT, comeBack)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, raw)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, before)
            for number in ending + [SIGTSTP, SIGCONT] { signal(number, SIG_DFL) }
        }
        return try await body()
    }

    /// The next key; `nil` where the terminal is gone. Of a key that sends several bytes, such as an arrow, only the escape.
    static func key() async -> Character? {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var byte: UInt8 = 0
                var count = read(STDIN_FILENO, &byte, 1)
                while count < 0, errno == EINTR { count = read(STDIN_FILENO, &byte, 1) }
                guard count == 1 else { return continuation.resume(returning: nil) }
                if byte == 0x1B { skipSequence() }
                continuation.resume(returning: Character(UnicodeScalar(byte)))
            }
        }
    }

    /// What follows the escape of a key that sends several bytes: `[` or `O`, and all up to a letter or a tilde.
    private static func skipSequence() {
        var byte: UInt8 = 0
        var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        func next() -> Bool { poll(&waiting, 1, 20) == 1 && read(STDIN_FILENO, &byte, 1) == 1 }
        guard next(), byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") else { return }
        while next(), !(0x40...0x7E).contains(byte) {}
    }

    /// Puts the terminal back, and lets the signal do what it does.
    private static let leave: @convention(c) (Int32) -> Void = { number in
        tcsetattr(STDIN_FILENO, TCSANOW, before)
        signal(number, SIG_DFL)
        raise(number)
    }

    private static let comeBack: @convention(c) (Int32) -> Void = { _ in
        signal(SIGTSTP, leave)
        tcsetattr(STDIN_FILENO, TCSANOW, raw)
    }
}
