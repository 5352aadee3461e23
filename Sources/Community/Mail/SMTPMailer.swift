import SMTP

/// Hands each mail to a mail server, over a connection of its own.
package struct SMTPMailer: Mailer {
    private let client: SMTPClient
    private let sender: MailSender
    private let clock: any WallClock

    package init(_ client: SMTPClient, sender: MailSender, clock: any WallClock) {
        self.client = client
        self.sender = sender
        self.clock = clock
    }

    package func send(_ mail: Mail) async throws {
        let message = try mail.message(from: sender, at: clock.now())
        try await client.deliver(message, from: sender.address, to: mail.to)
    }
}
