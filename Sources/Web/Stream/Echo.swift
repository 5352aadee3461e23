import NIOCore

extension EventStream {
    /// Sends each message back whole, without sign-in: a test suite of RFC 6455 talks to it. `serve --conformance` has it, on loopback.
    ///
    /// Frames take the same way as on the stream. The bounds are wider, and there is no rate.
    final class Echo: WebSocketApplication {
        static let path = Admission.path + "/echo"
        /// Bytes of a message, and of one frame.
        static let messageBytes = 16 * 1024 * 1024
        static let limits = WebSocketMessages.Limits(messageBytes: messageBytes, fragments: 1_000_000)

        private weak var outlet: (any WebSocketOutlet)?

        func opened(_ socket: any WebSocketOutlet, on eventLoop: any EventLoop) { outlet = socket }
        func received(text: ByteBuffer) { send(0x1, text) }
        func received(binary: ByteBuffer) { send(0x2, binary) }
        func received(ping: ByteBuffer) { send(0xA, ping) }
        func receivedPart() {}
        func heard() {}
        func becameWritable() {}
        func mustLeave() { outlet?.close(CloseReason.drain.closeCode, CloseReason.drain.rawValue) }
        func closed() { outlet = nil }

        /// Ends the connection of a client that sends and does not read: two messages wait at most.
        private func send(_ opcode: UInt8, _ payload: ByteBuffer) {
            guard let outlet else { return }
            guard outlet.waitingBytes <= Self.messageBytes else { return outlet.abandon() }
            outlet.write(WebSocketFrames.header(opcode, payload: payload.readableBytes))
            outlet.write(payload)
            outlet.flush()
        }
    }
}
