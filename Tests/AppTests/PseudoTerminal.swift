import Foundation
import Synchronization
import TestSupport
import Testing

/// A terminal that is none, with somebody at it who types and reads.
final class PseudoTerminal: Sendable {
    private let keyboard: Int32
    /// What a program reads and writes.
    let screen: Int32
    private let shown = Mutex<[UInt8]>([])

    init() throws {
        keyboard = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // TIOCSPTLCK and TIOCGPTN, whose macros Swift does not read: it is opened, and has a number.
        var (locked, number): (Int32, Int32) = (0, 0)
        guard keyboard >= 0, ioctl(keyboard, 0x4004_5431, &locked) == 0, ioctl(keyboard, 0x8004_5430, &number) == 0
        else { throw ProgramEnded(description: "no pseudo-terminal") }
        screen = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        let keyboard = keyboard
        Thread.detachNewThread { [weak self] in
            var bytes = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(keyboard, &bytes, bytes.count)
                guard count > 0, let self else { return }
                shown.withLock { $0 += bytes.prefix(count) }
            }
        }
    }

    deinit {
        close(screen)
        close(keyboard)
    }

    /// All that was shown.
    var text: String { String(decoding: shown.withLock { $0 }, as: UTF8.self) }

    func type(_ text: String) { _ = Array(text.utf8).withUnsafeBytes { write(keyboard, $0.baseAddress, $0.count) } }

    /// Waits until `text` is shown, `times` in all.
    func wait(for text: String, times: Int = 1) async throws {
        try await eventually(within: .seconds(30), "\(text) is not shown: \(self.text)") {
            self.text.ranges(of: text).count >= times
        }
    }

    /// How it treats what is typed: whether it shows it and waits for whole lines.
    var isCooked: Bool {
        var now = termios()
        tcgetattr(screen, &now)
        return now.c_lflag & tcflag_t(ECHO | ICANON) == tcflag_t(ECHO | ICANON)
    }
}
