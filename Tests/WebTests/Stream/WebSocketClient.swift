import Foundation
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import Web

/// One WebSocket as a client has it: real TCP, and every byte in the test's hand, so that it can also say what no library would.
final class WebSocketClient: Sendable {
    private let channel: any Channel
    private let inbox: Inbox

    /// What came, and whether the server has ended the connection.
    private final class Inbox: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        let state = Mutex<(bytes: ByteBuffer, isClosed: Bool)>((ByteBuffer(), false))

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var buffer = Self.unwrapInboundIn(data)
            state.withLock { _ = $0.bytes.writeBuffer(&buffer) }
        }

        func channelInactive(context: ChannelHandlerContext) { state.withLock { $0.isClosed = true } }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    private init(channel: any Channel, inbox: Inbox) {
        self.channel = channel
        self.inbox = inbox
    }

    /// Connects and sends the handshake; `token` goes into `Authorization`.
    static func open(port: Int, token: String?, headers: [String] = [], path: String = "/api/v1/stream") async throws
        -> WebSocketClient
    {
        let client = try await connect(port: port)
        var lines = [
            "GET \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Connection: Upgrade", "Upgrade: websocket",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        if let token { lines.append("Authorization: Bearer \(token)") }
        client.send(Array(((lines + headers).joined(separator: "\r\n") + "\r\n\r\n").utf8))
        return client
    }

    static func connect(port: Int) async throws -> WebSocketClient {
        ServerCalls.note()
        let inbox = Inbox()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.socketOption(.so_rcvbuf), value: 16 * 1024)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(inbox) }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return WebSocketClient(channel: channel, inbox: inbox)
    }

    // MARK: Saying

    func send(_ bytes: [UInt8]) { channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }
    func say(_ text: String) { send(Self.frame(0x1, Array(text.utf8))) }

    func subscribe(_ topic: String, from: String = "now", id: Int = 1) {
        say(#"{"type":"subscribe","id":\#(id),"topic":"\#(topic)","from":"\#(from)"}"#)
    }

    /// A client's frame. `first` overrides the first byte, for what must be refused.
    static func frame(
        _ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true, first: UInt8? = nil, isMasked: Bool = true
    ) -> [UInt8] {
        var frame: [UInt8] = [first ?? (isFinal ? 0x80 : 0) | opcode]
        let mask: UInt8 = isMasked ? 0x80 : 0
        switch payload.count {
        case 0...125: frame.append(mask | UInt8(payload.count))
        case 126...0xFFFF: frame += [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default: frame += [mask | 127] + (0..<8).reversed().map { UInt8(payload.count >> ($0 * 8) & 0xFF) }
        }
        let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
        guard isMasked else { return frame + payload }
        return frame + key + payload.enumerated().map { $1 ^ key[$0 % 4] }
    }

    /// Takes nothing more until `sip`, which takes some of what has come, or `resumeReading`.
    func stopReading() async throws { try await channel.setOption(.autoRead, value: false).get() }
    func sip() { channel.read() }
    func resumeReading() async throws {
        try await channel.setOption(.autoRead, value: true).get()
        channel.read()
    }

    /// Ends the connection without a word: with an RST where `isAbrupt`.
    func cut(isAbrupt: Bool) async {
        if isAbrupt {
            try? await (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        }
        try? await channel.close().get()
    }

    // MARK: Hearing

    var isClosed: Bool { inbox.state.withLock { $0.isClosed } }
    private var bytes: ByteBuffer { inbox.state.withLock { $0.bytes } }

    /// The status of the answer to the handshake; `nil` until the head is whole.
    var status: Int? {
        let text = String(buffer: bytes)
        guard text.contains("\r\n\r\n") else { return nil }
        return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }

    var text: String { String(buffer: bytes) }

    /// Whole frames so far: opcode and payload.
    var rawFrames: [(opcode: UInt8, payload: [UInt8])] {
        var buffer = bytes
        guard let head = buffer.readableBytesView.firstRange(of: Array("\r\n\r\n".utf8)) else { return [] }
        buffer.moveReaderIndex(to: head.upperBound)
        var frames: [(opcode: UInt8, payload: [UInt8])] = []
        while let first = buffer.readInteger(as: UInt8.self), let short = buffer.readInteger(as: UInt8.self) {
            var length: Int? = Int(short)
            if short == 126 { length = buffer.readInteger(as: UInt16.self).map(Int.init) }
            if short == 127 { length = buffer.readInteger(as: UInt64.self).map(Int.init) }
            guard let length, let payload = buffer.readBytes(length: length) else { break }
            frames.append((first & 0x0F, payload))
        }
        return frames
    }

    var frames: [ServerFrame] { rawFrames.filter { $0.opcode == 1 }.compactMap { ServerFrame(payload: $0.payload) } }

    func frames(_ type: String, on topic: String? = nil) -> [ServerFrame] {
        frames.filter { $0.type == type && (topic == nil || $0.topic == topic) }
    }

    /// The code of the server's close frame: 0 for one without a code.
    var closeCode: Int? {
        rawFrames.last { $0.opcode == 8 }.map {
            $0.payload.count >= 2 ? Int($0.payload[0]) << 8 | Int($0.payload[1]) : 0
        }
    }

    /// Waits for the first frame of this type.
    @discardableResult
    func hear(
        _ type: String, on topic: String? = nil, within limit: Duration = .seconds(60),
        sourceLocation: SourceLocation = #_sourceLocation
    )
        async throws -> ServerFrame
    {
        try await eventually(
            within: limit, "no \(type); heard: \(self.text.suffix(300))", sourceLocation: sourceLocation
        ) {
            !self.frames(type, on: topic).isEmpty
        }
        return try #require(frames(type, on: topic).first)
    }
}
