import Community
import HTTPTypes
import NIOCore
import TestSupport
import Testing
import Web

/// The server on a real socket, and clients that mean it ill.
@Suite(.database) struct SocketTests {
    private static let get = "GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

    @Test func `pipelined requests are answered in order, each its own`() async throws {
        try await withApp { app in
            try await app.serving { server in
                let connection = try await server.connect()
                await connection.send(
                    (1...20).map { "GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Request-Id: n\($0).\r\n\r\n" }.joined())
                try await eventually { connection.statuses.count == 20 }

                let order = (1...20).map { connection.text.firstRange(of: "X-Request-Id: n\($0).\r\n")?.lowerBound }
                #expect(order.allSatisfy { $0 != nil })
                #expect(order.compactMap(\.self) == order.compactMap(\.self).sorted())
                #expect(!connection.isClosed)
                await connection.close()
            }
        }
    }

    @Test(arguments: [
        ("two lengths", "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcde"),
        ("two equal lengths", "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\nabcd"),
        ("a list of lengths", "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 4, 4\r\n\r\nabcd"),
        (
            "length and chunks",
            "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        (
            "chunks and length",
            "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n"
        ),
        (
            "two codings",
            "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n"
        ),
        ("a coding we do not know", "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
        ("a disguised coding", "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
        ("a coding after a space", "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n"),
        ("a folded header", "GET / HTTP/1.1\r\nHost: a\r\nX-A: b\r\n c\r\n\r\n"),
        ("two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
        ("no host", "GET / HTTP/1.1\r\n\r\n"),
        ("NUL in a header", "GET / HTTP/1.1\r\nHost: a\r\nX-A: b\u{0}c\r\n\r\n"),
        ("a bare CR in a header", "GET / HTTP/1.1\r\nHost: a\r\nX-A: b\rX-B: c\r\n\r\n"),
        ("a space in a header's name", "GET / HTTP/1.1\r\nHost: a\r\nX A: b\r\n\r\n"),
        ("a negative length", "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n"),
        ("a length in hexadecimal", "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 0x4\r\n\r\nabcd"),
        ("an endless length", "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n"),
        (
            "a broken chunk",
            "POST /api/v1/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"
        ),
        (
            "a negative chunk",
            "POST /api/v1/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n{}\r\n0\r\n\r\n"
        ),
        ("another protocol", "SSH-2.0-OpenSSH_9.2\r\n\r\n"), ("TLS", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}"),
        ("HTTP/2 by surprise", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), ("HTTP/0.9", "GET /livez\r\n"),
        ("version 3", "GET / HTTP/3.0\r\nHost: a\r\n\r\n"),

        ("an address of another", "GET http://a/ HTTP/1.1\r\nHost: b\r\n\r\n"),
        ("an address that is none", "GET x HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("CONNECT", "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n"),
    ])
    func `a request that could be read in two ways, or in none, ends the connection with 4xx`(
        name: String, request: String
    ) async throws {
        try await withApp { app in
            try await app.serving { server in
                let connection = try await server.connect()
                // What stands behind must not be taken for a second request.
                await connection.send(request + Self.get)
                try await eventually { connection.isClosed }

                let statuses = connection.statuses
                #expect(
                    statuses.count <= 1 && statuses.allSatisfy { (400...599).contains($0) && $0 != 500 && $0 != 200 },
                    "\(name): \(statuses)")
                let next = try await server.connect()
                await next.send(Self.get)
                try await eventually { next.statuses == [200] }
                await connection.close()
                await next.close()
            }
        }
    }

    @Test func `headers that are too long or too many are 431, a path that is too long 414`() async throws {
        try await withApp { app in
            try await app.serving { server in
                let long = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: \(String(repeating: "a", count: 40_000))\r\n\r\n"
                let many = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\((1...200).map { "X-\($0): a\r\n" }.joined())\r\n"
                let path = "GET /\(String(repeating: "a", count: 10_000)) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
                let headers = "headers_too_long"
                for (request, status, code) in [
                    (long, 431, headers), (many, 431, headers), (path, 414, "address_too_long"),
                ] {
                    let connection = try await server.connect()
                    await connection.send(request)
                    try await eventually { connection.isClosed }
                    #expect(connection.statuses == [status])
                    #expect(connection.text.contains("\"code\":\"\(code)\""))
                    await connection.close()
                }
            }
        }
    }

    @Test func `a body that is too large is refused before it is read, declared or not`() async throws {
        try await withApp { app in
            try await app.serving { server in
                let head = "POST /api/v1/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                let declared = try await server.connect()
                await declared.send(head + "Content-Length: 10000000000\r\n\r\n{")
                let endless = try await server.connect()
                await endless.send(head + "Transfer-Encoding: chunked\r\n\r\n")
                let chunk = "10000\r\n" + String(repeating: " ", count: 0x10000) + "\r\n"
                for _ in 0..<8 where !endless.isClosed { await endless.send(chunk) }

                for connection in [declared, endless] {
                    try await eventually { connection.isClosed }
                    #expect(connection.statuses == [413])
                    #expect(
                        connection.text.contains("payload_too_large")
                            && connection.text.lowercased().contains("connection: close"))
                    await connection.close()
                }
            }
        }
    }

    @Test func `slow headers, a trickling body, silence and an answer that nobody reads end the connection`()
        async throws
    {
        let short: (inout ServerLimits) -> Void = { limits in
            limits.headTime = .milliseconds(300)
            limits.bodyGrace = .milliseconds(300)
            limits.keepAlive = .milliseconds(400)
            limits.writeStall = .milliseconds(500)
            limits.linger = .milliseconds(100)
            limits.tick = .milliseconds(20)
        }
        try await withApp(limits: short, routes: { $0.large() }) { app in
            try await app.serving { server in
                let silent = try await server.connect()
                let slowHead = try await server.connect()
                await slowHead.send("GET /livez HTTP/1.1\r\nHost: 127")
                let slowBody = try await server.connect()
                await slowBody.send(
                    "POST /api/v1/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
                )
                let idle = try await server.connect()
                await idle.send(Self.get)
                let deaf = try await server.connect(reads: false)
                for _ in 0..<40 { await deaf.send("GET /api/v1/large HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") }

                let stalled = ["silent": silent, "slow head": slowHead, "slow body": slowBody, "idle": idle]
                for (name, connection) in stalled {
                    try await eventually("\(name) is open: \(connection.statuses)") { connection.isClosed }
                }
                #expect(slowHead.statuses == [408])
                #expect(slowBody.statuses == [408])
                #expect(idle.statuses == [200])
                // The deaf one cannot see that it was closed: the server has no connection left.
                try await eventually { app.server.connections == 0 }
                await deaf.close()
            }
        }
    }

    @Test func `there are so many connections and no more`() async throws {
        try await withApp(limits: { $0.connections = 3 }) { app in
            try await app.serving { server in
                var connections: [RawConnection] = []
                for _ in 0..<3 {
                    let connection = try await server.connect()
                    await connection.send(Self.get)
                    try await eventually { connection.statuses == [200] }
                    connections.append(connection)
                }
                let refused = try await server.connect()
                try await eventually { refused.isClosed }

                await connections.removeLast().close()
                try await eventually { app.server.connections == 2 }
                let next = try await server.connect()
                await next.send(Self.get)
                try await eventually { next.statuses == [200] }
                connections.append(next)
                for connection in connections { await connection.close() }
                await refused.close()
            }
        }
    }

    @Test func `bodies that trickle hold no place, and together no more memory than allowed`() async throws {
        let few: (inout ServerLimits) -> Void = { limits in
            (limits.inFlight, limits.backlog, limits.bodies) = (1, 0, 100)
        }
        try await withApp(limits: few) { app in
            try await app.serving { server in
                let head = "POST /api/v1/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                var slow: [RawConnection] = []
                for _ in 0..<10 {
                    let connection = try await server.connect()
                    await connection.send(head + "Content-Length: 100\r\n\r\n{\"login\":")
                    slow.append(connection)
                }
                try await eventually { app.server.bodyBytes == 90 }
                let other = try await server.connect()
                await other.send("GET /api/v1/server HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                try await eventually { other.statuses == [200] }

                let beyond = try await server.connect()
                await beyond.send(head + "Content-Length: 100\r\n\r\n{\"login\":\"somebody\"")
                try await eventually { beyond.statuses == [503] }
                #expect(beyond.text.contains("Retry-After") && beyond.text.contains("\"busy\""))
                for connection in slow + [other, beyond] { await connection.close() }
                try await eventually { app.server.bodyBytes == 0 }
            }
        }
    }

    @Test func `a refused Upgrade is answered and ends its connection, and what comes behind it is thrown away`()
        async throws
    {
        let offer = UpgradeOffer(upgraders: []) { _, channel in channel.eventLoop.makeSucceededFuture(false) }
        try await withApp(limits: { $0.linger = .milliseconds(100) }) { app in
            try await app.serving(upgraders: { offer }) { server in
                let h2c = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"
                let asking = "GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\(h2c)\r\n"
                let first = try await server.connect()
                await first.send(asking + Self.get)
                try await eventually { first.isClosed }
                #expect(first.statuses == [200] && first.text.lowercased().contains("connection: close"))

                let later = try await server.connect()
                await later.send(Self.get)
                try await eventually { later.statuses == [200] }
                await later.send(asking)
                try await eventually { later.isClosed }
                #expect(later.statuses == [200, 200] && later.text.lowercased().contains("connection: close"))

                let withBody = try await server.connect()
                await withBody.send(
                    "POST /api/v1/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\n\(h2c)Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
                )
                try await eventually { withBody.isClosed }
                #expect(withBody.statuses == [422])
                for connection in [first, later, withBody] { await connection.close() }
            }
        }
    }

    @Test func `while an Upgrade is decided on nothing more is read`() async throws {
        try await withApp { app in
            let decision = SlowCall()
            let offer: UpgradeOffer = UpgradeOffer(upgraders: []) { _, channel in
                channel.eventLoop.makeFutureWithTask {
                    await decision.wait()
                    return false
                }
            }
            try await app.serving(upgraders: { offer }) { server in
                let connection = try await server.connect()
                await connection.send(
                    "GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
                try await eventually { decision.isUnderWay }
                // More than the kernel holds on both sides: the write ends only once the server reads.
                async let sent: Void = connection.send([UInt8](repeating: 0x61, count: 48 << 20))
                decision.finish()
                await sent
                try await eventually { connection.isClosed }
                #expect(connection.statuses == [200])
                await connection.close()
            }
        }
    }

    @Test func `who waits for leave to send the body gets it, unless the body is refused anyway`() async throws {
        try await withApp { app in
            try await app.serving { server in
                let head = "POST /api/v1/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                let waiting = try await server.connect()
                await waiting.send(Self.get + head + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n")
                try await eventually { waiting.statuses == [200, 100] }
                await waiting.send("{}")
                try await eventually { waiting.statuses == [200, 100, 422] }
                #expect(!waiting.isClosed)

                let large = try await server.connect()
                await large.send(head + "Expect: 100-continue\r\nContent-Length: 10000000\r\n\r\n")
                try await eventually { large.statuses == [413] }

                let picture = "POST /api/v1/books/1/photos HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: image/jpeg\r\n"
                let asks = "Expect: 100-continue\r\nContent-Length: 10000000\r\n\r\n"
                let stranger = try await server.connect()
                await stranger.send(picture + asks)
                try await eventually { stranger.statuses == [401] }
                let ann = try await app.world.given.account()
                let known = try await server.connect()
                await known.send(picture + "Authorization: Bearer \(ann.token)\r\n" + asks)
                try await eventually { known.statuses.first == 100 }
                for connection in [waiting, large, stranger, known] { await connection.close() }
            }
        }
    }

    @Test func `requests before the one that closes are all answered`() async throws {
        try await withApp { app in
            try await app.serving { server in
                let connection = try await server.connect()
                let last = "GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
                await connection.send(Self.get + Self.get + last)
                try await eventually { connection.isClosed }
                #expect(connection.statuses == [200, 200, 200])
                await connection.close()
            }
        }
    }

    @Test func `HTTP/1.0 and Connection: close are answered and then closed`() async throws {
        try await withApp { app in
            try await app.serving { server in
                for request in [
                    "GET /livez HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n",
                    "GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Close\r\n\r\n",
                ] {
                    let connection = try await server.connect()
                    await connection.send(request)
                    try await eventually { connection.isClosed }
                    #expect(connection.statuses == [200])
                    await connection.close()
                }
            }
        }
    }

    @Test func `a server that ends finishes what it has begun and closes the rest`() async throws {
        try await withApp(routes: { $0.slow() }) { app in
            try await app.serving { server in
                let idle = try await server.connect()
                await idle.send(Self.get)
                try await eventually { idle.statuses == [200] }
                let busy = try await server.connect()
                await busy.send("GET /api/v1/slow HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                try await eventually { slowCalls.isUnderWay }

                await server.drain()
                try await eventually { idle.isClosed }
                #expect(busy.statuses.isEmpty)
                slowCalls.finish()
                try await eventually { busy.isClosed }

                #expect(busy.statuses == [204])
                #expect(busy.text.lowercased().contains("connection: close"))
                await busy.close()
                await idle.close()
            }
        }
    }

    @Test func `a request on its way to a server that ends is answered, as the last one of its connection`()
        async throws
    {
        try await withApp(limits: { $0.farewell = .seconds(30) }) { app in
            try await app.serving { server in
                let kept = try await server.connect()
                await kept.send(Self.get)
                try await eventually { kept.statuses == [200] }

                await server.drain()
                // The connection hears of it some time later, and closes behind the first answer after that.
                try await eventually {
                    await kept.send(Self.get)
                    return kept.text.lowercased().contains("connection: close")
                }
                try await eventually(within: .seconds(20)) { kept.isClosed }
                #expect(kept.statuses.count >= 2 && kept.statuses.allSatisfy { $0 == 200 })
                await kept.close()
            }
        }
    }

    @Test func `what has not arrived when a server ends is answered with 408`() async throws {
        try await withApp(limits: { $0.lastRequest = .milliseconds(400) }) { app in
            try await app.serving { server in
                let head = try await server.connect()
                await head.send("GET /livez HTTP/1.1\r\nHost: 127")
                let body = try await server.connect()
                await body.send(
                    "POST /api/v1/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"
                )
                try await eventually { app.server.bodyBytes == 1 }

                await server.drain()
                try await eventually { head.isClosed && body.isClosed }

                #expect(head.statuses == [408] && body.statuses == [408])
                #expect(body.text.contains("too_slow") && body.text.lowercased().contains("connection: close"))
                await head.close()
                await body.close()
            }
        }
    }

    @Test func `mutated requests are answered below 500 or not at all, and the next one gets its own answer`()
        async throws
    {
        let random = TestRandom()
        let seeds = [
            Self.get,
            "POST /api/v1/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 28\r\n\r\n"
                + #"{"login":"a","password":"b"}"#,
            "POST /api/v1/accounts HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
            "GET /api/v1/books?limit=20&cursor=abc HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer x\r\nIf-None-Match: \"a\"\r\n\r\n",
            "PUT /api/v1/books/1/review HTTP/1.1\r\nHost: 127.0.0.1\r\nIdempotency-Key: k\r\nContent-Length: 2\r\n\r\n{}",
        ].map { Array($0.utf8) }
        let interesting = Array("\r\n\0\t :;,/%{}\"0123456789abcHTP.-\u{7F}".utf8) + [0x80, 0xFF, 0xC3]
        try await withApp { app in
            try await app.serving { server in
                for round in 0..<ProofCount.of(4_000) {
                    var request = random.element(of: seeds) ?? []
                    for _ in 0..<random.number(in: 1...4) {
                        let place = random.number(in: 0..<max(1, request.count))
                        switch random.number(in: 0...3) {
                        case 0: request[place] = random.element(of: interesting) ?? 0
                        case 1: request.insert(random.element(of: interesting) ?? 0, at: place)
                        case 2: request.remove(at: place)
                        default: request.insert(contentsOf: request[place..<min(request.count, place + 12)], at: place)
                        }
                    }
                    let connection = try await server.connect()
                    // Whatever it was, behind it comes the end of what the client says: the server then has nothing to wait for.
                    await connection.send(request + Array("\r\n\r\n".utf8))
                    await connection.finish()
                    if round % 50 == 0 {
                        let canary = try await server.connect()
                        await canary.send(
                            "GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Request-Id: canary\(round)\r\n\r\n")
                        try await eventually { canary.statuses == [200] && canary.text.contains("canary\(round)\r\n") }
                        await canary.close()
                    }
                    try await eventually { connection.isClosed }
                    let worst = connection.statuses.max() ?? 0
                    #expect(worst < 500 || worst == 505, "\(String(decoding: request, as: UTF8.self).debugDescription)")
                    await connection.close()
                }
            }
        }
    }
}

extension RouteTable {
    fileprivate mutating func large() {
        get("/large", summary: "Much.", reply: nil) { _, _ in .text(.ok, String(repeating: "a", count: 1 << 20)) }
    }

    fileprivate mutating func slow() {
        get("/slow", summary: "Waits for the test.", reply: nil) { _, _ in
            await slowCalls.wait()
            return .noContent
        }
    }
}

/// Holds the one slow call until the test lets it go.
private let slowCalls = SlowCall()
