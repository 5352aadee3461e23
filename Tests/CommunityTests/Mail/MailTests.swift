import Foundation
import Postgres
import SMTP
import TestSupport
import Testing

@testable import Community

@Suite struct MailTests {
    private let sender: MailSender
    private let date = Timestamp(seconds: 1_769_851_800)

    init() throws { sender = try MailSender(name: "Commonplace", address: "books@example.org") }

    @Test func `a plain mail is plain text with the headers that a mail needs`() throws {
        let mail = Mail(
            to: "ann@example.org", subject: "Welcome", text: "Hello Ann,\n\nhttp://x/?t=a=b\n",
            messageID: "1@example.org")

        let text = try String(decoding: mail.message(from: sender, at: date), as: UTF8.self)

        #expect(
            text == """
                From: "Commonplace" <books@example.org>\r
                To: <ann@example.org>\r
                Subject: Welcome\r
                Date: Sat, 31 Jan 2026 09:30:00 +0000\r
                Message-ID: <1@example.org>\r
                MIME-Version: 1.0\r
                Content-Type: text/plain; charset=utf-8\r
                Content-Transfer-Encoding: 7bit\r
                Auto-Submitted: auto-generated\r
                \r
                Hello Ann,\r
                \r
                http://x/?t=a=b\r\n
                """)
    }

    @Test(arguments: [
        ("ann@example.org\r\nBcc: all@example.org", "Hi", "1@x"),
        ("ann@example.org", "Hi\nBcc: all@example.org", "1@x"),
        ("ann@example.org", "Hi\r\n\r\nbody", "1@x"), ("ann@example.org", "Hi", "1@x>\r\nBcc: <all@example.org"),
        ("ann@example.org> SIZE=1", "Hi", "1@x"), ("<ann@example.org>", "Hi", "1@x"), ("ann", "Hi", "1@x"),
        ("@", "Hi", "1@x"),
        ("ann@example.org", "Hi\u{0}", "1@x"), ("ann@example.org", "Hi\u{2028}there", "1@x"),
        ("ann@example.org", "", "1@x"),
    ])
    func `what would forge a header is refused`(to: String, subject: String, messageID: String) throws {
        let mail = Mail(to: to, subject: subject, text: "Hello", messageID: messageID)

        #expect(throws: MailError.self) { try mail.message(from: sender, at: date) }
    }

    @Test func `a sender that holds a line break is refused`() {
        #expect(throws: MailError.self) { try MailSender(name: "A\r\nBcc: x", address: "a@example.org") }
        #expect(throws: MailError.self) { try MailSender(name: "A", address: "a@example.org\nX: y") }
    }

    @Test func `a subject beyond ASCII becomes encoded words that end between characters`() throws {
        let subject = String(repeating: "Bücher für Zoë 📚 ", count: 6)
        let encoded = Mail.encodedWords(subject)

        let words = encoded.components(separatedBy: "\r\n ")
        #expect(words.count > 1)
        #expect(words.allSatisfy { $0.utf8.count <= 75 && $0.hasPrefix("=?utf-8?B?") && $0.hasSuffix("?=") })
        let decoded = try words.map { word in
            let data = try #require(Data(base64Encoded: String(word.dropFirst(10).dropLast(2))))
            return try #require(String(data: data, encoding: .utf8), "a word holds half a character")
        }
        #expect(decoded.joined() == subject)
    }

    @Test func `text beyond ASCII and long lines go quoted-printable`() throws {
        let text = "Grüße, 1=1 \n" + String(repeating: "x", count: 2000) + "\nend"
        let mail = Mail(to: "ann@example.org", subject: "Hi", text: text, messageID: "1@example.org")

        let message = try String(decoding: mail.message(from: sender, at: date), as: UTF8.self)

        #expect(message.contains("Content-Transfer-Encoding: quoted-printable\r\n"))
        #expect(message.contains("Gr=C3=BC=C3=9Fe, 1=3D1=20\r\n"))
        #expect(message.components(separatedBy: "\r\n").allSatisfy { $0.utf8.count <= 76 })
        #expect(message.utf8.allSatisfy { $0 < 128 })
    }

    @Test func `a name is quoted or encoded`() {
        #expect(Mail.phrase(#"Ann "the" Reader"#) == #""Ann \"the\" Reader" "#)
        #expect(Mail.phrase("Zoë") == "=?utf-8?B?Wm/Dqw==?= ")
        #expect(Mail.phrase("") == "")
    }

    @Test func `a Message-ID is made on the host of the public address`() {
        let random = SystemRandom()
        let first = Mail(
            to: "a@b.c", subject: "s", text: "t", random: random, publicURL: "https://books.example.org:8443/x")
        let second = Mail(
            to: "a@b.c", subject: "s", text: "t", random: random, publicURL: "https://books.example.org:8443/x")

        #expect(first.messageID.hasSuffix("@books.example.org"))
        #expect(first.messageID != second.messageID)
    }

    @Test func `the spool holds one whole file a mail, readable by its owner alone`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "spool-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let spool = try SpoolMailer(folder: folder, sender: sender, clock: TestClock())
        let mail = Mail(to: "ann@example.org", subject: "Hi", text: "Hello", messageID: "../1/2@example.org")

        try await spool.send(mail)
        try await spool.send(mail)

        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names == [".._1_2@example.org.eml"])
        let path = folder + "/" + (names.first ?? "")
        #expect(try String(contentsOfFile: path, encoding: .utf8).hasSuffix("\r\n\r\nHello\r\n"))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func `a spool that cannot be written is a temporary fault`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "spool-\(UUID().uuidString)").path
        let spool = try SpoolMailer(folder: folder, sender: sender, clock: TestClock())
        try FileManager.default.removeItem(atPath: folder)

        await #expect(throws: MailError.self) {
            try await spool.send(Mail(to: "ann@example.org", subject: "Hi", text: "Hello", messageID: "1@example.org"))
        }
    }
}
