import NIOCore
import NIOPosix
import NIOSSL

/// Hands each mail to a mail server, over a connection of its own.
///
/// A reply may take 30 s, the whole mail 120 s. The server's certificate must be valid for its host name.
package struct SMTPClient: Sendable {
    /// How long the parts of a delivery may take.
    struct Limits: Sendable {
        var connect: TimeAmount = .seconds(10)
        var step: TimeAmount = .seconds(30)
        var whole: TimeAmount = .seconds(120)
    }

    private let server: SMTPServer
    private let group: any EventLoopGroup
    private let tls: NIOSSLContext
    private let limits: Limits

    /// Throws where the machine's certificates cannot be read.
    package init(_ server: SMTPServer) throws {
        try self.init(
            server, group: MultiThreadedEventLoopGroup.singleton, limits: Limits(), trust: .default)
    }

    init(_ server: SMTPServer, group: any EventLoopGroup, limits: Limits, trust: NIOSSLTrustRoots) throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = trust
        configuration.minimumTLSVersion = .tlsv12
        self.server = server
        self.group = group
        self.limits = limits
        self.tls = try NIOSSLContext(configuration: configuration)
    }

    /// Returns when the server has taken the message. Throws `MailError`.
    package func deliver(_ message: [UInt8], from sender: String, to recipient: String) async throws {
        let conversation = SMTPConversation(
            server: server, sender: sender, recipient: recipient, message: message,
            ownName: String(sender.drop { $0 != "@" }.dropFirst()))
        let loop = group.next()
        let outcome = loop.makePromise(of: Void.self)
        let channel: any Channel
        do {
            channel = try await connect(conversation, outcome, on: loop)
        } catch {
            outcome.fail(MailError.temporary("the mail server cannot be reached"))
            return try await outcome.futureResult.get()
        }
        let limit = loop.scheduleTask(in: limits.whole) { channel.close(promise: nil) }
        defer { limit.cancel() }
        try await withTaskCancellationHandler {
            try await outcome.futureResult.get()
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    private func connect(
        _ conversation: SMTPConversation, _ outcome: EventLoopPromise<Void>, on loop: any EventLoop
    ) async throws -> any Channel {
        let (tls, host, step) = (tls, server.host, limits.step)
        let isImplicit = server.security == .implicit
        return try await ClientBootstrap(group: loop)
            .connectTimeout(limits.connect)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if isImplicit { try pipeline.addHandler(Self.tlsHandler(tls, host)) }
                    try pipeline.addHandler(
                        SMTPHandler(conversation, stepLimit: step, outcome: outcome) { context in
                            try context.pipeline.syncOperations.addHandler(Self.tlsHandler(tls, host), position: .first)
                        })
                }
            }
            .connect(host: host, port: server.port)
            .get()
    }

    /// An address has no server name to send; its certificate has to name the address.
    private static func tlsHandler(_ tls: NIOSSLContext, _ host: String) throws -> NIOSSLClientHandler {
        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        return try NIOSSLClientHandler(context: tls, serverHostname: isAddress ? nil : host)
    }
}
