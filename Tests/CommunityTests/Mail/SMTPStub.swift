import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A mail server on loopback that does what a test wants: takes mails, refuses, is slow, hangs up.
final class SMTPStub: Sendable {
    /// What it does when it comes to one command. `CONNECT` and `MESSAGE` (the end of the text) are commands too.
    enum Answer: Sendable {
        case says(String)
        /// A byte every 5 ms, and never the end of a line.
        case drips
        case isSilent
        case hangsUp
    }

    struct Taken: Sendable, Equatable {
        var commands: [String] = []
        var message = ""
        var isSecure = false
    }

    let port: Int
    private let log: Log

    private init(port: Int, log: Log) {
        self.port = port
        self.log = log
    }

    /// Every connection that has ended, oldest first.
    var connections: [Taken] { log.taken.withLock { $0 } }

    /// Serves on a free port while `body` runs.
    @discardableResult
    static func serving<Result>(
        _ answers: [String: Answer] = [:], offering extensions: [String] = [], tls: Bool = false,
        _ body: (SMTPStub) async throws -> Result
    ) async throws -> Result {
        let log = Log()
        let context = try TestCertificate.serverContext()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context)) }
                    try channel.pipeline.syncOperations.addHandler(
                        SMTPStubHandler(answers: answers, extensions: extensions, tls: context, isSecure: tls) {
                            taken in
                            log.taken.withLock { $0.append(taken) }
                        })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        do {
            let result = try await body(SMTPStub(port: channel.localAddress?.port ?? 0, log: log))
            try await channel.close()
            return result
        } catch {
            try await channel.close()
            throw error
        }
    }

    private final class Log: Sendable {
        let taken = Mutex<[Taken]>([])
    }
}

/// One connection of the stub.
private final class SMTPStubHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answers: [String: SMTPStub.Answer]
    private let extensions: [String]
    private let tls: NIOSSLContext
    private let report: (SMTPStub.Taken) -> Void
    private var taken = SMTPStub.Taken()
    private var input = ByteBuffer()
    private var isInMessage = false

    init(
        answers: [String: SMTPStub.Answer], extensions: [String], tls: NIOSSLContext, isSecure: Bool,
        report: @escaping (SMTPStub.Taken) -> Void
    ) {
        self.answers = answers
        self.extensions = extensions
        self.tls = tls
        self.report = report
        taken.isSecure = isSecure
    }

    func channelActive(context: ChannelHandlerContext) {
        answer("CONNECT", else: "220 stub ready", context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) { report(taken) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        input.writeBuffer(&bytes)
        while let end = input.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
            // One character: `\r\n`.
            let line = (input.readString(length: end - input.readerIndex + 1) ?? "").dropLast()
            if isInMessage { text(String(line), context) } else { command(String(line), context) }
        }
    }

    private func text(_ line: String, _ context: ChannelHandlerContext) {
        guard line == "." else {
            taken.message += (line.hasPrefix("..") ? String(line.dropFirst()) : line) + "\n"
            return
        }
        isInMessage = false
        answer("MESSAGE", else: "250 2.0.0 taken", context)
    }

    private func command(_ line: String, _ context: ChannelHandlerContext) {
        taken.commands.append(line)
        let verb = line.prefix { $0 != " " }.uppercased()
        switch verb {
        case "EHLO":
            let lines = ["stub"] + extensions
            let reply = lines.enumerated().map { "250\($0.offset == lines.count - 1 ? " " : "-")\($0.element)" }
            answer(verb, else: reply.joined(separator: "\r\n"), context)
        case "STARTTLS":
            answer(verb, else: "220 go ahead", context)
            guard answers[verb] == nil else { return }
            taken.isSecure = true
            try? context.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls), position: .first)
        case "AUTH" where line.uppercased().hasPrefix("AUTH LOGIN"): answer(verb, else: "334 VXNlcm5hbWU6", context)
        case "AUTH": answer(verb, else: "235 2.7.0 welcome", context)
        case "DATA":
            isInMessage = true
            answer(verb, else: "354 go ahead", context)
        case "QUIT": answer(verb, else: "221 bye", context)
        case "MAIL", "RCPT": answer(verb, else: "250 2.1.0 fine", context)
        default:
            // The two lines of AUTH LOGIN: the user, then the password.
            let isUser = taken.commands.dropLast().last?.hasPrefix("AUTH") == true
            answer(verb, else: isUser ? "334 UGFzc3dvcmQ6" : "235 2.7.0 welcome", context)
        }
    }

    private func answer(_ verb: String, else usual: String, _ context: ChannelHandlerContext) {
        switch answers[verb] ?? .says(usual) {
        case .says(let reply): context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: reply + "\r\n")), promise: nil)
        case .drips: drip(context)
        case .isSilent: break
        case .hangsUp: context.close(promise: nil)
        }
    }

    private func drip(_ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "2")), promise: nil)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: .milliseconds(5)) {
            let (handler, context) = bound.value
            handler.drip(context)
        }
    }
}

/// A certificate for `localhost` that nobody trusts by itself. Made for these tests, secures nothing.
enum TestCertificate {
    static func serverContext() throws -> NIOSSLContext {
        let certificate = try NIOSSLCertificate(bytes: Array(certificatePEM.utf8), format: .pem)
        let key = try NIOSSLPrivateKey(bytes: Array(keyPEM.utf8), format: .pem)
        return try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: [.certificate(certificate)], privateKey: .privateKey(key)))
    }

    /// What a client trusts that accepts it.
    static func trust() throws -> NIOSSLTrustRoots {
        .certificates([try NIOSSLCertificate(bytes: Array(certificatePEM.utf8), format: .pem)])
    }

    private static let certificatePEM = """
        -----BEGIN CERTIFICATE-----
        MIIBljCCATugAwIBAgIUDumYZ4GWM6bz7XB5ySFctOxyD/0wCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA4MTIwOVoYDzIxMjYxMDI4
        MDgxMjA5WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAASj/Fdvq6orjz7yZvfXtRsGD4WlU0W0XaAV8rYsyMvwIiA61LNur9FP
        c2Tj9tUouBjnzuiUh0eEBCknXxoJaAiSo2kwZzAdBgNVHQ4EFgQU4oI+D9kVN/na
        JFQ8RcgGdBv6XfowHwYDVR0jBBgwFoAU4oI+D9kVN/naJFQ8RcgGdBv6XfowDwYD
        VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
        SQAwRgIhAOW5eHRpY8WpYWaC+ocIB/eCIfRIt3VGrhRl00R9HMHLAiEAh/reXyBI
        aXZ50S2ZRAoz/AoBuIuiT9F3UHVmW99olAg=
        -----END CERTIFICATE-----
        """

    private static let keyPEM = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg0Gz3k4yxFakBwj8I
        5j5+orzNasGFgXT/nUTTBfTjw4ihRANCAASj/Fdvq6orjz7yZvfXtRsGD4WlU0W0
        XaAV8rYsyMvwIiA61LNur9FPc2Tj9tUouBjnzuiUh0eEBCknXxoJaAiS
        -----END PRIVATE KEY-----
        """
}
