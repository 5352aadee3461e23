import FoundationEssentials

/// One answer of a mail server: its code and its lines without the code.
struct SMTPReply: Equatable, Sendable {
    let code: Int
    let lines: [String]

    /// 2xx or 3xx.
    var isPositive: Bool { (200..<400).contains(code) }

    /// For logs: the code and the enhanced code (`550 5.1.1`), never the text, which may hold an address.
    var summary: String {
        guard let word = lines.first?.prefix(while: { $0 != " " }), !word.isEmpty,
            word.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") })
        else { return String(code) }
        return "\(code) \(word.prefix(12))"
    }
}

/// What to say to a mail server, and when: RFC 5321 with STARTTLS and AUTH. Does no I/O.
struct SMTPConversation {
    enum Action: Equatable {
        /// Write these bytes and wait for the next reply.
        case send([UInt8])
        /// Put TLS under the connection, then call `secured()`.
        case startTLS
        /// The mail was taken: write these bytes and close.
        case finish([UInt8])
        /// Close; the mail was not taken.
        case fail(MailError)
    }

    private enum Stage: String {
        case greeting, hello, startTLS, secureHello, authPlain, authLogin, authUser, authPassword, sender, recipient,
            data, body
    }

    private let server: SMTPServer
    private let sender: String
    private let recipient: String
    private let message: [UInt8]
    private let ownName: String
    private var stage = Stage.greeting
    private var extensions: [String] = []

    init(server: SMTPServer, sender: String, recipient: String, message: [UInt8], ownName: String) {
        self.server = server
        self.sender = sender
        self.recipient = recipient
        self.message = message
        self.ownName = ownName
    }

    mutating func received(_ reply: SMTPReply) -> Action {
        guard reply.isPositive else { return refused(reply) }
        switch stage {
        case .greeting: return say("EHLO \(ownName)", .hello)
        case .hello:
            extensions = reply.lines.dropFirst().map { $0.uppercased() }
            return secureOrGoOn()
        case .startTLS: return .startTLS
        case .secureHello:
            extensions = reply.lines.dropFirst().map { $0.uppercased() }
            return authenticate()
        case .authLogin: return say(encoded(server.credentials?.user ?? ""), .authUser)
        case .authUser: return say(encoded(server.credentials?.password ?? ""), .authPassword)
        case .authPlain, .authPassword: return beginMail()
        case .sender: return say("RCPT TO:<\(recipient)>", .recipient)
        case .recipient: return say("DATA", .data)
        case .data:
            stage = .body
            return .send(Self.stuffed(message))
        case .body: return .finish(Array("QUIT\r\n".utf8))
        }
    }

    /// TLS stands: begin again, and forget what was offered in the clear.
    mutating func secured() -> Action {
        extensions = []
        return say("EHLO \(ownName)", .secureHello)
    }

    private mutating func secureOrGoOn() -> Action {
        let isOffered = extensions.contains("STARTTLS")
        switch server.security {
        case .implicit, .none: return authenticate()
        case .startTLSWhereOffered where !isOffered: return authenticate()
        case .startTLS where !isOffered: return .fail(.temporary("the mail server offers no STARTTLS"))
        case .startTLS, .startTLSWhereOffered: return say("STARTTLS", .startTLS)
        }
    }

    private mutating func authenticate() -> Action {
        guard let credentials = server.credentials else { return beginMail() }
        let ways =
            extensions.first { $0.hasPrefix("AUTH ") || $0.hasPrefix("AUTH=") }?.dropFirst(5).split(separator: " ")
            ?? []
        if ways.contains("PLAIN") {
            return say("AUTH PLAIN " + encoded("\0\(credentials.user)\0\(credentials.password)"), .authPlain)
        }
        if ways.contains("LOGIN") { return say("AUTH LOGIN", .authLogin) }
        return .fail(.temporary("the mail server offers neither AUTH PLAIN nor AUTH LOGIN"))
    }

    private mutating func beginMail() -> Action {
        let isForeign = !(sender + recipient).utf8.allSatisfy { $0 < 128 }
        guard !isForeign || extensions.contains("SMTPUTF8") else {
            return .fail(.refused("the mail server takes ASCII addresses only"))
        }
        return say("MAIL FROM:<\(sender)>" + (isForeign ? " SMTPUTF8" : ""), .sender)
    }

    /// Only what the server says about this receiver and this mail is final. Anything else may be a wrong setting that
    /// somebody mends.
    private func refused(_ reply: SMTPReply) -> Action {
        let why = "the mail server answered \(reply.summary) at \(stage.rawValue)"
        let isAboutMail = stage == .recipient || stage == .body
        return .fail(isAboutMail && (500..<600).contains(reply.code) ? .refused(why) : .temporary(why))
    }

    private mutating func say(_ line: String, _ next: Stage) -> Action {
        stage = next
        return .send(Array((line + "\r\n").utf8))
    }

    private func encoded(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    /// A point at the start of a line is doubled, and a line with one alone is the end (RFC 5321 §4.5.2).
    static func stuffed(_ message: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(message.count + 16)
        var isLineStart = true
        for byte in message {
            if isLineStart, byte == UInt8(ascii: ".") { output.append(byte) }
            output.append(byte)
            isLineStart = byte == UInt8(ascii: "\n")
        }
        return output + Array(".\r\n".utf8)
    }
}
