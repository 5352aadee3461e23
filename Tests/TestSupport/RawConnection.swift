import NIOCore
import NIOPosix
import Synchronization

/// A TCP connection that says exactly what a test wants and keeps whatever comes back.
package final class RawConnection: Sendable {
    private let channel: any Channel
    private let state: Received

    /// What has come, and whether the other side has closed.
    fileprivate final class Received: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        let bytes = Mutex<[UInt8]>([])
        let isClosed = Atomic<Bool>(false)

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            bytes.withLock { $0.append(contentsOf: Self.unwrapInboundIn(data).readableBytesView) }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case ChannelEvent.inputClosed = event { isClosed.store(true, ordering: .sequentiallyConsistent) }
        }

        func channelInactive(context: ChannelHandlerContext) { isClosed.store(true, ordering: .sequentiallyConsistent) }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    private init(channel: any Channel, state: Received) {
        self.channel = channel
        self.state = state
    }

    /// Connects to this machine. With `reads` false nothing is taken from the socket before `sip` or `resume`; its buffer has `room` bytes, or is as
    /// small as it may be.
    package static func open(port: Int, reads: Bool = true, room: Int? = nil) async throws -> RawConnection {
        let state = Received()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: reads)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.socketOption(.so_rcvbuf), value: room ?? (reads ? 1 << 16 : 2048))
            .channelInitializer { $0.pipeline.addHandler(state) }
            .connect(host: "127.0.0.1", port: port).get()
        return RawConnection(channel: channel, state: state)
    }

    /// Writes; a connection that the other side has closed takes nothing, which is no error here.
    package func send(_ bytes: [UInt8]) async {
        try? await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }

    package func send(_ text: String) async { await send(Array(text.utf8)) }

    /// Says that nothing more will come, and goes on listening.
    package func finish() async { try? await channel.close(mode: .output).get() }

    /// Takes some of what has come.
    package func sip() { channel.read() }

    /// Takes everything from now on.
    package func resume() async throws {
        try await channel.setOption(.autoRead, value: true).get()
        channel.read()
    }

    package var received: [UInt8] { state.bytes.withLock { $0 } }
    package var text: String { String(decoding: received, as: UTF8.self) }
    package var isClosed: Bool { state.isClosed.load(ordering: .sequentiallyConsistent) }

    /// The status codes of the answers so far, in order.
    package var statuses: [Int] {
        text.split(separator: "HTTP/1.1 ", omittingEmptySubsequences: false).dropFirst().compactMap {
            Int($0.prefix(3))
        }
    }

    package func close() async { try? await channel.close().get() }
}
