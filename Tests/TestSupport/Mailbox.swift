import Community
import Synchronization

/// Keeps what it is given to send.
package final class Mailbox: Mailer {
    private let mails: Mutex<[Mail]> = Mutex([])

    package init() {}

    package func send(_ mail: Mail) async throws { mails.withLock { $0.append(mail) } }

    /// Everything that was sent, in order.
    package var sent: [Mail] { mails.withLock { $0 } }

    /// What was sent to one address, in order.
    package func sent(to address: String) -> [Mail] { sent.filter { $0.to == address } }
}
