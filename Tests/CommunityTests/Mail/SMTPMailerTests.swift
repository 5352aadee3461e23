import NIOCore
import NIOPosix
import NIOSSL
import TestSupport
import Testing

@testable import Community
@testable import SMTP

@Suite struct SMTPMailerTests {
    private let mail = Mail(
        to: "ann@example.org", subject: "Hi", text: "Hello\n.\n..dots\n", messageID: "1@example.org")

    private func mailer(
        _ url: String, security: SMTPServer.Security? = nil, trust: NIOSSLTrustRoots = .default,
        limits: SMTPClient.Limits = .init()
    ) throws -> SMTPMailer {
        var server = try SMTPServer(url: url)
        if let security { server.security = security }
        let client = try SMTPClient(
            server, group: MultiThreadedEventLoopGroup.singleton, limits: limits, trust: trust)
        return SMTPMailer(
            client, sender: try MailSender(name: "Commonplace", address: "books@example.org"), clock: TestClock())
    }

    @Test func `a mail is handed over whole, points at line starts included`() async throws {
        try await SMTPStub.serving { stub in
            try await mailer("smtp://127.0.0.1:\(stub.port)").send(mail)

            try await eventually { stub.connections.count == 1 }
            let taken = try #require(stub.connections.first)
            #expect(
                Array(taken.commands.prefix(4))
                    == ["EHLO example.org", "MAIL FROM:<books@example.org>", "RCPT TO:<ann@example.org>", "DATA"])
            #expect(taken.message.contains("Message-ID: <1@example.org>"))
            #expect(taken.message.hasSuffix("\n\nHello\n.\n..dots\n"))
        }
    }

    @Test func `a second try carries the same Message-ID`() async throws {
        try await SMTPStub.serving { stub in
            let mailer = try mailer("smtp://127.0.0.1:\(stub.port)")
            try await mailer.send(mail)
            try await mailer.send(mail)

            try await eventually { stub.connections.count == 2 }
            #expect(stub.connections.allSatisfy { $0.message.contains("Message-ID: <1@example.org>") })
        }
    }

    @Test(arguments: ["CONNECT", "EHLO", "MAIL", "RCPT", "DATA", "MESSAGE"])
    func `a server that hangs up is a temporary fault`(verb: String) async throws {
        try await SMTPStub.serving([verb: .hangsUp]) { stub in
            await #expect(throws: MailError.temporary("the mail server hung up")) {
                try await mailer("smtp://127.0.0.1:\(stub.port)").send(mail)
            }
        }
    }

    @Test(arguments: [SMTPStub.Answer.isSilent, .drips], ["CONNECT", "RCPT", "MESSAGE"])
    func `a server that takes too long is left, even while it sends`(answer: SMTPStub.Answer, verb: String) async throws
    {
        try await SMTPStub.serving([verb: answer]) { stub in
            await #expect(throws: MailError.temporary("the mail server is too slow")) {
                try await mailer("smtp://127.0.0.1:\(stub.port)", limits: .init(step: .milliseconds(200))).send(mail)
            }
        }
    }

    @Test(arguments: [
        (
            "RCPT", "550 5.1.1 no ann@example.org here",
            MailError.refused("the mail server answered 550 5.1.1 at recipient")
        ),
        ("MESSAGE", "554 5.7.1 spam", .refused("the mail server answered 554 5.7.1 at body")),
        ("RCPT", "451 4.7.1 greylisted", .temporary("the mail server answered 451 4.7.1 at recipient")),
        ("MAIL", "550 5.7.1 not you", .temporary("the mail server answered 550 5.7.1 at sender")),
        ("CONNECT", "554 no service", .temporary("the mail server answered 554 at greeting")),
        ("EHLO", "hello", .temporary("the mail server does not speak SMTP")),
    ])
    func `only what the server says about this mail is final`(verb: String, reply: String, expected: MailError)
        async throws
    {
        try await SMTPStub.serving([verb: .says(reply)]) { stub in
            await #expect(throws: expected) { try await mailer("smtp://127.0.0.1:\(stub.port)").send(mail) }
        }
    }

    @Test func `a server that is not there is a temporary fault`() async throws {
        let port = try await SMTPStub.serving { $0.port }

        await #expect(throws: MailError.temporary("the mail server cannot be reached")) {
            try await mailer("smtp://127.0.0.1:\(port)").send(mail)
        }
    }

    @Test func `a reply without end is cut off`() async throws {
        let long = (0..<2000).map { "250-\($0) and so on" }.joined(separator: "\r\n")
        try await SMTPStub.serving(["EHLO": .says(long)]) { stub in
            await #expect(throws: MailError.temporary("the mail server's reply is too long")) {
                try await mailer("smtp://127.0.0.1:\(stub.port)").send(mail)
            }
        }
    }

    @Test(arguments: ["AUTH PLAIN LOGIN", "AUTH LOGIN"])
    func `the password goes over TLS and nowhere else`(ways: String) async throws {
        try await SMTPStub.serving(offering: ["STARTTLS", ways]) { stub in
            let mailer = try mailer(
                "smtp://ann:s%40crt@localhost:\(stub.port)", security: .startTLS, trust: TestCertificate.trust())
            try await mailer.send(mail)

            try await eventually { stub.connections.count == 1 }
            let taken = try #require(stub.connections.first)
            #expect(taken.isSecure)
            let commands = taken.commands
            let start = try #require(commands.firstIndex(of: "STARTTLS"))
            let auth = try #require(commands.firstIndex { $0.hasPrefix("AUTH") })
            #expect(start < auth)
            #expect(commands.contains(ways.contains("PLAIN") ? "AUTH PLAIN AGFubgBzQGNydA==" : "c0BjcnQ="))
        }
    }

    @Test func `TLS from the first byte`() async throws {
        try await SMTPStub.serving(tls: true) { stub in
            try await mailer("smtps://localhost:\(stub.port)", trust: TestCertificate.trust()).send(mail)

            try await eventually { stub.connections.count == 1 }
            #expect(stub.connections.first?.message.contains("Hello") == true)
        }
    }

    @Test func `with a password, a server without STARTTLS gets nothing`() async throws {
        try await SMTPStub.serving(offering: ["AUTH PLAIN"]) { stub in
            await #expect(throws: MailError.temporary("the mail server offers no STARTTLS")) {
                try await mailer("smtp://ann:secret@localhost:\(stub.port)", security: .startTLS).send(mail)
            }
            try await eventually { stub.connections.count == 1 }
            #expect(stub.connections.first?.commands.contains { $0.hasPrefix("AUTH") } == false)
        }
    }

    @Test func `a certificate that nobody vouches for, or of another name, ends it`() async throws {
        try await SMTPStub.serving(offering: ["STARTTLS"]) { stub in
            for (host, trust) in [("localhost", NIOSSLTrustRoots.default), ("127.0.0.1", try TestCertificate.trust())] {
                let mailer = try mailer("smtp://\(host):\(stub.port)", security: .startTLSWhereOffered, trust: trust)
                let error = await #expect(throws: MailError.self) { try await mailer.send(mail) }
                #expect(error?.description.contains("TLS with the mail server failed") == true)
            }
            try await eventually { stub.connections.count == 2 }
            #expect(!stub.connections.contains { $0.commands.contains { $0.hasPrefix("MAIL") } })
        }
    }

    @Test func `words that stand behind the answer to STARTTLS are not taken for the server's`() async throws {
        let injected = "220 go ahead\r\n250 injected"
        try await SMTPStub.serving(["STARTTLS": .says(injected)], offering: ["STARTTLS"]) { stub in
            await #expect(throws: MailError.temporary("the mail server spoke before TLS")) {
                try await mailer("smtp://localhost:\(stub.port)", security: .startTLS).send(mail)
            }
        }
    }

    @Test(arguments: [
        "http://localhost", "smtp://", "localhost:25", "smtp://ann@localhost", "smtp://localhost/path",
        "smtp://localhost?tls=no", "",
    ])
    func `a URL that is no mail server's is refused`(url: String) {
        #expect(throws: MailError.self) { try SMTPServer(url: url) }
    }

    @Test func `security follows from scheme, host and password`() throws {
        #expect(try SMTPServer(url: "smtps://mail.example.org").security == .implicit)
        #expect(try SMTPServer(url: "smtps://mail.example.org").port == 465)
        #expect(try SMTPServer(url: "smtp://mail.example.org").security == .startTLSWhereOffered)
        #expect(try SMTPServer(url: "smtp://mail.example.org").port == 587)
        #expect(try SMTPServer(url: "smtp://a:b@mail.example.org").security == .startTLS)
        #expect(try SMTPServer(url: "smtp://a:b@[::1]:2525").security == SMTPServer.Security.none)
    }
}
