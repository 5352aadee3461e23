import NIOCore
import NIOWebSocket

/// Turns a client's frames into messages, by RFC 6455 to the letter: NIO's decoder finds frames and checks lengths of control frames;
/// masks, reserved bits, opcodes, fragments, text and close codes are checked here.
struct WebSocketMessages: Sendable {
    struct Limits: Sendable {
        var messageBytes: Int
        var fragments: Int
    }

    enum Received: Sendable, Equatable {
        /// Part of a message, or a pong: nothing to answer.
        case part
        case text(ByteBuffer)
        case binary(ByteBuffer)
        /// To be answered by a pong with the same bytes.
        case ping(ByteBuffer)
        /// The client closes; to be answered by a close frame with this code, or none.
        case close(UInt16?)
        /// The connection must be failed with this code.
        case violation(WebSocketErrorCode, String)
    }

    private struct Partial: Sendable {
        let isText: Bool
        var bytes: ByteBuffer
        var fragments: Int
    }

    private let limits: Limits
    private var partial: Partial?
    private var check = UTF8Check()

    init(limits: Limits) { self.limits = limits }

    mutating func receive(_ frame: WebSocketFrame) -> Received {
        guard frame.maskKey != nil else { return .violation(.protocolError, "a client's frame must be masked") }
        guard !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
            return .violation(.protocolError, "no extension was agreed on: reserved bits must be 0")
        }
        switch frame.opcode {
        case .text, .binary: return begin(frame)
        case .continuation: return extend(by: frame)
        case .ping: return .ping(frame.unmaskedData)
        case .pong: return .part
        case .connectionClose: return close(frame.unmaskedData)
        default: return .violation(.protocolError, "the opcode is not defined")
        }
    }

    private mutating func begin(_ frame: WebSocketFrame) -> Received {
        guard partial == nil else { return .violation(.protocolError, "a message began inside another") }
        check = UTF8Check()
        partial = Partial(isText: frame.opcode == .text, bytes: ByteBuffer(), fragments: 0)
        return extend(by: frame)
    }

    private mutating func extend(by frame: WebSocketFrame) -> Received {
        guard var message = partial else { return .violation(.protocolError, "a continuation without a beginning") }
        // Held twice, the bytes would be copied for each fragment.
        partial = nil
        var data = frame.unmaskedData
        guard message.bytes.readableBytes + data.readableBytes <= limits.messageBytes else {
            return .violation(.messageTooLarge, "a message has at most \(limits.messageBytes) bytes")
        }
        message.fragments += 1
        guard message.fragments <= limits.fragments else {
            return .violation(.messageTooLarge, "a message has at most \(limits.fragments) fragments")
        }
        if message.isText {
            guard check.accepts(data.readableBytesView), !frame.fin || check.isWhole else {
                return .violation(.dataInconsistentWithMessage, "text must be UTF-8")
            }
        }
        if message.fragments == 1 {
            message.bytes = data
        } else {
            message.bytes.writeBuffer(&data)
        }
        guard frame.fin else {
            partial = message
            return .part
        }
        return message.isText ? .text(message.bytes) : .binary(message.bytes)
    }

    private func close(_ data: ByteBuffer) -> Received {
        var data = data
        guard data.readableBytes > 0 else { return .close(nil) }
        guard let code = data.readInteger(as: UInt16.self) else {
            return .violation(.protocolError, "a close frame holds two bytes of code, or nothing")
        }
        guard Self.mayBeSent(code) else {
            return .violation(.protocolError, "the close code is not one that may be sent")
        }
        var check = UTF8Check()
        guard check.accepts(data.readableBytesView), check.isWhole else {
            return .violation(.dataInconsistentWithMessage, "a close reason must be UTF-8")
        }
        return .close(code)
    }

    /// RFC 6455 §7.4 with the codes that IANA has registered since.
    private static func mayBeSent(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
