import HTTPTypes
import TestSupport
import Testing

@testable import Web

/// The echo of `serve --conformance`. `deploy/conformance` holds it to all of RFC 6455.
@Suite(.database)
struct EchoTests {
    /// A socket on the echo's path, or its refusal.
    private static func open(_ stream: StreamServer, headers: [String] = []) async throws -> WebSocketClient {
        let client = try await WebSocketClient.open(
            port: stream.port, token: nil, headers: headers, path: EventStream.Echo.path)
        try await eventually { client.status != nil }
        return client
    }

    @Test func `where nobody asked for the echo there is none`() async throws {
        try await withStream(followsLog: false) { stream in
            let client = try await Self.open(stream)
            #expect(client.status == 404)
            await client.cut(isAbrupt: false)
        }
    }

    @Test func `the echo is for no plain call, for no page of another site, and in no document`() async throws {
        try await withStream(followsLog: false, echoes: true) { stream in
            let page = try await Self.open(stream, headers: ["Origin: http://evil.example"])
            #expect(page.status == 404)
            await page.cut(isAbrupt: false)
            #expect(try await stream.app.get(EventStream.Echo.path).status == .notFound)
            let document = try await stream.app.get("/api/v1/openapi.json").text
            #expect(document.contains("/stream/tickets") && !document.contains("/stream/echo"))
        }
    }

    @Test(.requirement("TRE-6")) func `each message comes back whole, without signing in`() async throws {
        try await withStream(followsLog: false, echoes: true) { stream in
            let client = try await Self.open(stream)
            #expect(client.status == 101)
            let long = TestRandom().bytes(1 << 20)
            client.say("a page")
            client.send(WebSocketClient.frame(2, [0, 255, 128]))
            // Cut within a character, with a ping between.
            client.send(WebSocketClient.frame(1, [0x35, 0xE2], isFinal: false))
            client.send(WebSocketClient.frame(9, [1, 2, 3]))
            client.send(WebSocketClient.frame(0, [0x82], isFinal: false))
            client.send(WebSocketClient.frame(0, [0xAC]))
            client.send(WebSocketClient.frame(2, long))
            client.send(WebSocketClient.frame(1, []))
            client.send(WebSocketClient.frame(8, [0x0F, 0xA0]))

            try await eventually { client.isClosed }
            let frames = client.rawFrames
            #expect(frames.map { $0.opcode } == [1, 2, 10, 1, 2, 1, 8])
            let expected: [[UInt8]] = [
                Array("a page".utf8), [0, 255, 128], [1, 2, 3], [0x35, 0xE2, 0x82, 0xAC], long, [], [0x0F, 0xA0],
            ]
            // A difference in a million bytes is not to be printed.
            let isWhole = frames.map { $0.payload } == expected
            #expect(isWhole)
        }
    }

    @Test(.requirement("TRE-6")) func `what breaks RFC 6455 closes the echo with the right code`() async throws {
        let tooLong = EventStream.Echo.messageBytes + 1
        let length: [UInt8] = (0..<8).reversed().map { UInt8(tooLong >> ($0 * 8) & 0xFF) }
        let faults: [(name: String, bytes: [UInt8], code: Int)] = [
            ("a reserved bit", WebSocketClient.frame(1, [], first: 0xC1), 1002),
            ("text that is not UTF-8", WebSocketClient.frame(1, [0xC0, 0xAF]), 1007),
            ("a frame of more than 16 MiB", [0x82, 0xFF] + length, 1009),
        ]
        try await withStream(followsLog: false, echoes: true) { stream in
            for fault in faults {
                let client = try await Self.open(stream)
                client.send(fault.bytes)
                try await eventually("\(fault.name)") { client.closeCode != nil }
                #expect(client.closeCode == fault.code, "\(fault.name)")
                await client.cut(isAbrupt: false)
            }
        }
    }

    @Test func `who sends to the echo and never reads is cut off`() async throws {
        try await withStream(followsLog: false, echoes: true) { stream in
            let client = try await Self.open(stream)
            try await client.stopReading()
            let frame = WebSocketClient.frame(2, [UInt8](repeating: 0, count: 1 << 20))
            for _ in 0..<40 { client.send(frame) }
            try await eventually { stream.app.server.connections == 0 }
            await client.cut(isAbrupt: false)
        }
    }
}
