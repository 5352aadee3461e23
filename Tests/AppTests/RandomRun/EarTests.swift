import NIOCore
import TestSupport
import Testing

/// What the watch of the random run hears with, without a server.
@Suite struct EarTests {
    @Test(arguments: [1, 7, 1_000_000]) func `frames are taken apart however they were cut`(size: Int) throws {
        // given
        let head = Array("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n".utf8)
        let texts = [0, 125, 126, 70_000].map { [UInt8](repeating: 0x61, count: $0) }
        var bytes = head
        for text in texts { bytes += Self.frame(0x81, text) }
        bytes += Self.frame(0x01, Array("in two ".utf8)) + Self.frame(0x89, Array("ping".utf8))
        bytes += Self.frame(0x80, Array("parts".utf8)) + Self.frame(0x88, [0x03, 0xE8])

        // when
        var wire = EarWire()
        var said: [EarWire.Said] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            said += try wire.take(ByteBuffer(bytes: bytes[start..<min(start + size, bytes.count)]))
        }

        // then
        #expect(
            said == [.head(head, status: 101)] + texts.map { .text($0) }
                + [.ping(Array("ping".utf8)), .text(Array("in two parts".utf8)), .other([0x03, 0xE8])])
    }

    @Test func `the body of a refusal is no frame`() throws {
        var wire = EarWire()
        let answer = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 12\r\n\r\nnot a frame!"
        let said = try wire.take(ByteBuffer(string: answer)) + wire.take(ByteBuffer(string: "nor this"))
        guard case .head(_, status: 401)? = said.first, said.count == 1 else {
            Issue.record("\(said)")
            return
        }
    }

    @Test(arguments: Secret.Place.marked) func `a secret tells where it was written, also cut off and in capitals`(
        place: Secret.Place
    ) throws {
        let text = Secret.text(TestRandom(), in: place)
        let tokens = Secret.tokens(in: Array("{\"html\":\"<p>\(text.uppercased())</p>\",\"body\":\"\(text)\"}".utf8))
        #expect(tokens.count == 2 && Set(tokens).count == 1)
        #expect(tokens.allSatisfy { Secret.place(of: $0) == place })
        #expect(Secret.tokens(in: "… \(Secret.word)a").map(Secret.place(of:)) == [nil])
        #expect(Secret.tokens(in: "The \(Secret.neighbour) did it.").isEmpty)
    }

    private static func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let length: [UInt8] =
            switch payload.count {
            case 0...125: [UInt8(payload.count)]
            case 126...0xFFFF: [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
            default: [127] + (0..<8).reversed().map { UInt8(payload.count >> ($0 * 8) & 0xFF) }
            }
        return [first] + length + payload
    }
}
