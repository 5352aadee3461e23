import Community
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// What a connection turned out to be.
package enum Connection: Sendable {
    case http(NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>)
    /// It speaks another protocol now, and handlers of its own see to it until it is over.
    case upgraded
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
        let refusal: UpgradeRefusal
    }

    package typealias Answer =
        @Sendable (Request, SocketAddress?, Presence, UpgradeRefusal, (any Channel)?) async throws -> Response

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
            let (presence, refusal) = (Presence(), UpgradeRefusal())
            guard counter.admits(channel) else {
                return Value(channel: channel, connection: nil, presence: presence, refusal: refusal)
            }
            // NIO keeps a connection's first buffer for as long as it is open. Of an idle stream its own 2 KB were the largest part.
            try channel.syncOptions?.setOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 512, maximum: 65_536))
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
            let gate = UpgradeGate(offer, state: state, refusal: refusal)
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
            return Value(
                channel: channel, connection: upgrade.upgradeResultFuture, presence: presence, refusal: refusal)
        }
    }

    package func handle(value: Value, logger: Logger) async {
        do {
            guard let connection = value.connection else { return try await value.channel.close().get() }
            switch try await connection.get() {
            case .http(let channel):
                let peer = channel.channel.remoteAddress
                let answer = answer
                let (presence, refusal) = (value.presence, value.refusal)
                let loop = RequestLoop { request, writer, channel in
                    let response = try await answer(request, peer, presence, refusal, channel)
                    do {
                        try await writer.write(response: response.head, body: response.body)
                    } catch is HTTPParserError {
                        // The loop would answer a second time.
                        throw ChannelError.ioOnClosedChannel
                    }
                }
                await loop.handleHTTP(asyncChannel: channel, logger: logger)
            case .upgraded: break
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
