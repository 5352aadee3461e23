import Foundation
import NIOCore
import NIOPosix

@testable import Client

/// What comes over a stream's connection, taken apart without a library in between: RFC 6455 as far as a server's
/// frames need it.
struct EarWire {
    /// A connection, and what comes over it until its end.
    struct Connection: Sendable {
        let channel: any Channel
        let chunks: AsyncStream<ByteBuffer>
    }

    enum Said: Equatable {
        /// The answer to the handshake.
        case head([UInt8], status: Int)
        /// A whole message, its fragments joined.
        case text([UInt8])
        case ping([UInt8])
        /// A pong, a close frame or one of another kind.
        case other([UInt8])
    }

    private final class Inlet: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        let chunks: AsyncStream<ByteBuffer>.Continuation

        init(_ chunks: AsyncStream<ByteBuffer>.Continuation) { self.chunks = chunks }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { chunks.yield(Self.unwrapInboundIn(data)) }
        func channelInactive(context: ChannelHandlerContext) { chunks.finish() }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    private var buffer = ByteBuffer()
    /// Of the answer to the handshake; 0 before it came.
    private var status = 0
    private var message: [UInt8] = []

    // MARK: Saying

    static func connect(to server: ServerAddress) async throws -> Connection {
        let (chunks, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Inlet(continuation))
                }
            }
            .connect(host: server.host, port: server.port).get()
        return Connection(channel: channel, chunks: chunks)
    }

    static func handshake(_ server: ServerAddress, _ token: String?) -> String {
        var lines = [
            "GET \(server.path)/api/v1/stream HTTP/1.1", "Host: \(server.authority)", "Connection: Upgrade",
            "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        if let token { lines.append("Authorization: Bearer \(token)") }
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// A client's whole frame, masked, of at most 65,535 bytes.
    static func frame(_ opcode: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
        let length: [UInt8] =
            payload.count < 126
            ? [0x80 | UInt8(payload.count)] : [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        return [0x80 | opcode] + length + key + payload.enumerated().map { $1 ^ key[$0 % 4] }
    }

    // MARK: Hearing

    /// What is whole with these bytes, in order.
    mutating func take(_ chunk: ByteBuffer) throws -> [Said] {
        buffer.writeImmutableBuffer(chunk)
        var said: [Said] = []
        if status == 0 {
            guard let head = takeHead() else { return [] }
            said.append(head)
        }
        // Of a refusal what follows is no frame.
        guard status == 101 else { return said }
        while let (first, payload) = takeFrame() {
            switch first & 0x0F {
            case 0x0, 0x1:
                message += payload
                guard first & 0x80 != 0 else { continue }
                said.append(.text(message))
                message = []
            case 0x9: said.append(.ping(payload))
            default: said.append(.other(payload))
            }
        }
        buffer.discardReadBytes()
        return said
    }

    private mutating func takeHead() -> Said? {
        let bytes = Array(buffer.readableBytesView)
        guard let end = String(decoding: bytes, as: UTF8.self).range(of: "\r\n\r\n") else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        let head = Array(text[..<end.upperBound].utf8)
        buffer.moveReaderIndex(forwardBy: head.count)
        status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return .head(head, status: status)
    }

    /// The first byte and the payload of the next frame; `nil` until it is whole. A server masks nothing.
    private mutating func takeFrame() -> (first: UInt8, payload: [UInt8])? {
        var rest = buffer
        guard let first = rest.readInteger(as: UInt8.self), let short = rest.readInteger(as: UInt8.self) else {
            return nil
        }
        let length: Int?
        switch short & 0x7F {
        case 126: length = rest.readInteger(as: UInt16.self).map(Int.init)
        case 127: length = rest.readInteger(as: UInt64.self).flatMap { Int(exactly: $0) }
        default: length = Int(short & 0x7F)
        }
        guard let length, let payload = rest.readBytes(length: length) else { return nil }
        buffer = rest
        return (first, payload)
    }
}
