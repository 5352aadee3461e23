import Community
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import Metrics
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Synchronization

/// What a connection turned out to be.
package enum Connection: Sendable {
    case http(NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>)
    /// It speaks another protocol now; `run` returns when the connection is over.
    case upgraded(run: @Sendable () async -> Void)
}

/// What one new connection is offered beside HTTP.
package typealias Upgraders = @Sendable () -> UpgradeOffer

/// One HTTP/1 connection: parser, clocks and guards, then Hummingbird's request loop, or an upgrade.
///
/// Hummingbird has no deadlines of its own; `ConnectionClock` is where ours are.
package struct HTTPChannel: ServerChildChannel {
    package struct Value: ServerChildChannelValue {
        package let channel: any Channel
        /// `nil`: refused, and closed already.
        let connection: EventLoopFuture<Connection>?
        let presence: Presence
    }

    package typealias Answer = @Sendable (Request, SocketAddress?, Presence) async throws -> Response

    /// Bytes of the body that a call may bring; `nil` for one whose body is not read whatever it is.
    package typealias Room = @Sendable (HTTPRequestHead) -> Int?

    private let limits: ServerLimits
    private let counter: ConnectionCounter
    private let upgraders: Upgraders
    private let room: Room
    private let answer: Answer

    package init(
        limits: ServerLimits, counter: ConnectionCounter, upgraders: @escaping Upgraders, room: @escaping Room,
        answer: @escaping Answer
    ) {
        self.limits = limits
        self.counter = counter
        self.upgraders = upgraders
        self.room = room
        self.answer = answer
    }

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let presence = Presence()
            guard counter.admits(channel) else {
                return Value(channel: channel, connection: nil, presence: presence)
            }
            let state = ConnectionState(limits: limits, room: room)
            var decoderLimits = NIOHTTPDecoderLimitConfiguration()
            decoderLimits.maxHeaderFieldSize = limits.headerField
            decoderLimits.maxHeaderListSize = limits.headers
            decoderLimits.maxHeaderFieldCount = limits.headerFields
            let encoder = HTTPResponseEncoder()
            let decoder = ByteToMessageHandler(
                HTTPRequestDecoder(
                    leftOverBytesStrategy: .forwardBytes, informationalResponseStrategy: .drop,
                    limitConfiguration: decoderLimits))
            let guardian = RequestGuard(state: state)
            let offer = upgraders()
            let gate = UpgradeGate(offer, state: state)
            let upgrade = NIOTypedHTTPServerUpgradeHandler(
                httpEncoder: encoder, extraHTTPHandlers: [decoder, guardian, gate],
                upgradeConfiguration: .init(upgraders: offer.upgraders, notUpgradingCompletionHandler: Self.speakHTTP))
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(TrafficHandler(state: state, presence: presence))
            try pipeline.addHandler(encoder)
            try pipeline.addHandler(decoder)
            try pipeline.addHandler(guardian)
            try pipeline.addHandler(gate)
            try pipeline.addHandler(upgrade)
            return Value(channel: channel, connection: upgrade.upgradeResultFuture, presence: presence)
        }
    }

    package func handle(value: Value, logger: Logger) async {
        do {
            guard let connection = value.connection else { return try await value.channel.close().get() }
            switch try await connection.get() {
            case .http(let channel):
                let peer = channel.channel.remoteAddress
                let answer = answer
                let presence = value.presence
                let loop = RequestLoop { request, writer, _ in
                    let response = try await answer(request, peer, presence)
                    do {
                        try await writer.write(response: response.head, body: response.body)
                    } catch is HTTPParserError {
                        // The loop would answer a second time.
                        throw ChannelError.ioOnClosedChannel
                    }
                }
                await loop.handleHTTP(asyncChannel: channel, logger: logger)
            case .upgraded(let run): await run()
            }
        } catch {
            logger.trace("a connection ended before its first request", metadata: ["error": "\(error)"])
            try? await value.channel.close().get()
        }
    }

    @Sendable private static func speakHTTP(_ channel: any Channel) -> EventLoopFuture<Connection> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            return .http(
                try NIOAsyncChannel(
                    wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true)))
        }
    }
}

/// Hummingbird's loop over the requests of one connection, with a responder made for that connection.
private struct RequestLoop: HTTPChannelHandler {
    typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>
    let responder: Responder

    init(_ responder: @escaping Responder) { self.responder = responder }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
    }

    func handle(value: Value, logger: Logger) async { await handleHTTP(asyncChannel: value, logger: logger) }
}

/// Counts open connections by address.
package final class ConnectionCounter: Sendable {
    private let limits: ServerLimits
    private let trusted: [AddressRange]
    private let open = Mutex<(all: Int, byAddress: [ClientAddress: Int])>((0, [:]))
    private let total = Gauge(label: "commonplace_http_connections")
    private let refused = Counter(label: "commonplace_http_connections_refused_total")

    package init(limits: ServerLimits, trusted: [AddressRange]) {
        self.limits = limits
        self.trusted = trusted
    }

    /// Connections that are open now.
    var count: Int { open.withLock { $0.all } }

    /// Counts `channel` until it closes; false where its address, or everyone, has too many already.
    func admits(_ channel: any Channel) -> Bool {
        let bytes = channel.remoteAddress?.addressBytes ?? []
        let address = ClientAddress(bytes)
        let isCounted = !address.isLoopback && !trusted.contains { $0.contains(bytes) }
        let key = isCounted ? address : .local
        let (isAdmitted, count) = open.withLock { open in
            guard open.all < limits.connections,
                !isCounted || open.byAddress[key, default: 0] < limits.connectionsPerAddress
            else { return (false, open.all) }
            open.byAddress[key, default: 0] += 1
            open.all += 1
            return (true, open.all)
        }
        guard isAdmitted else {
            refused.increment()
            return false
        }
        total.record(count)
        channel.closeFuture.whenComplete { [self] _ in
            let left = open.withLock { open in
                let remaining = open.byAddress[key, default: 1] - 1
                open.byAddress[key] = remaining > 0 ? remaining : nil
                open.all -= 1
                return open.all
            }
            total.record(left)
        }
        return true
    }
}
