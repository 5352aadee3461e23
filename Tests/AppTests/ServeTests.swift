import Foundation
import TestSupport
import Testing

@testable import Client

/// What `commonplace serve` refuses, what it tells, and how it ends.
@Suite struct ServeTests {
    @Test func `demonstration readers are not shown to the world without --keep-demo`() async throws {
        try await withProgram { program in
            try #require(try await program.run("demo").status == 0)
            let open = [
                "COMMONPLACE_LISTEN": "0.0.0.0:\(program.port)", "PUBLIC_URL": "https://books.example.org",
                "COMMONPLACE_RATE_LIMITS": "on", "COMMONPLACE_NEW_ACCOUNT_HOURS": "24",
            ]
            let refused = try await program.run("serve", environment: open)
            #expect(refused.status == 78)
            #expect(refused.errors.contains("demo --remove") && refused.errors.contains("--keep-demo"))

            let kept = try await program.serve("--keep-demo", environment: open)
            #expect(await kept.stop() == 0)
            #expect(try await program.run("demo", "--remove").status == 0)
            let empty = try await program.serve(environment: open)
            #expect(await empty.stop() == 0)
        }
    }

    @Test func `a database that may lose writes is refused, but for tests on a Unix socket, and is then told of`()
        async throws
    {
        try await withProgram { program in
            try #require(try await program.run("migrate", "up").status == 0)
            // An address of this machine that no other Postgres listens on.
            let address = "127.\(Int.random(in: 2...250)).\(Int.random(in: 2...250)).\(Int.random(in: 2...250))"
            let data = program.folder + "/data/postgres/data"
            try append("fsync = off\nlisten_addresses = '\(address)'\n", to: data + "/postgresql.conf")
            try replace("reject", by: "trust", in: data + "/pg_hba.conf")

            let refused = try await program.run("serve")
            #expect(refused.status == 78)
            #expect(refused.errors.contains("fsync is off") && refused.errors.contains("COMMONPLACE_UNSAFE_DATABASE=1"))

            let unsafe = ["COMMONPLACE_UNSAFE_DATABASE": "1"]
            let server = try await program.serve(environment: unsafe)
            let probe = HTTPTransport(try ServerAddress(program.url), timeout: .seconds(5))
            let brief = try await probe.perform(HTTPCall(.get, "/readyz"))
            #expect(!String(decoding: brief.body, as: UTF8.self).contains("UNSAFE"))
            let verbose = try await probe.perform(HTTPCall(.get, "/readyz?verbose"))
            #expect(String(decoding: verbose.body, as: UTF8.self).contains("COMMONPLACE_UNSAFE_DATABASE=1"))

            // The same database over the network, with the flag and without.
            let away = ["DATABASE_URL": "postgres://commonplace_app@\(address)/commonplace"]
            let port = try Program.freePort()
            let far = try await program.run(
                "serve", "--listen", "127.0.0.1:\(port)", environment: away.merging(unsafe) { $1 })
            #expect(far.status == 78)
            #expect(far.errors.contains("Unix socket"))
            let plain = try await program.run("serve", "--listen", "127.0.0.1:\(port)", environment: away)
            #expect(plain.status == 78)
            #expect(plain.errors.contains("fsync is off"))
            #expect(await server.stop() == 0)
        }
    }

    @Test func `the echo for conformance suites comes when asked for, and beyond loopback not at all`() async throws {
        try await withProgram { program in
            let site = ["PUBLIC_URL": "https://books.example.org", "COMMONPLACE_RATE_LIMITS": "on"]
            for listen in ["0.0.0.0", "127.0.0.1"] {
                let refused = try await program.run(
                    "serve", "--conformance",
                    environment: site.merging([
                        "COMMONPLACE_LISTEN": "\(listen):\(program.port)", "COMMONPLACE_NEW_ACCOUNT_HOURS": "24",
                    ]) { $1 })
                #expect(refused.status == 64)
                #expect(refused.errors.contains("--conformance is for loopback only"), "\(refused.errors)")
            }
            #expect(!FileManager.default.fileExists(atPath: program.folder + "/data"))

            let server = try await program.serve("--conformance")
            let caller = try await RawConnection.open(port: program.port)
            await caller.send(
                "GET /api/v1/stream/echo HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
            )
            try await eventually { caller.statuses == [101] }
            await caller.send([0x81, 0x82, 0, 0, 0, 0] + Array("hi".utf8))
            try await eventually { Array(caller.received.suffix(4)) == [0x81, 2, 0x68, 0x69] }
            await caller.close()
            #expect(await server.stop() == 0)
        }
    }

    @Test func `a port that is taken is named`() async throws {
        try await withProgram { program in
            let server = try await program.serve()
            let second = try await program.run("serve")
            #expect(second.status == 1)
            #expect(second.errors.contains("127.0.0.1:\(program.port) cannot be listened on"), "\(second.errors)")
            #expect(await server.stop() == 0)
        }
    }

    @Test func `the first signal waits for what is under way, and a second one does not`() async throws {
        try await withProgram { program in
            let server = try await program.serve()
            let ann = try await program.client().register(
                username: "ann", email: "ann@example.org", password: "a long enough password")
            // A call whose body never comes to its end.
            let caller = try await RawConnection.open(port: program.port)
            await caller.send(
                "POST /api/v1/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
            )
            // Answered after the connection's bytes have been read: one loop serves both.
            _ = try await ann.client.me()

            server.signal(SIGTERM)
            try await eventually { server.errors.contains("a second signal ends at once") }
            #expect(server.status == nil)
            let first = ContinuousClock.now
            server.signal(SIGTERM)
            #expect(await server.exit() == -SIGTERM)
            #expect(ContinuousClock.now - first < .seconds(5), "the call could have gone on for ten")
            await caller.close()

            // What was acknowledged is there.
            let again = try await program.serve()
            #expect(try await ann.client.me().username == "ann")
            #expect(await again.stop() == 0)
        }
    }

    @Test func `a signal alone lets a call end and then ends with 0`() async throws {
        try await withProgram { program in
            let server = try await program.serve()
            let caller = try await RawConnection.open(port: program.port)
            await caller.send(
                "POST /api/v1/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{"
            )
            try await eventually { await Self.isServing(program) }
            server.signal(SIGTERM)
            try await eventually { server.errors.contains("a second signal ends at once") }
            #expect(server.status == nil)
            await caller.send("}")
            try await eventually { caller.statuses == [422] }
            #expect(await server.exit() == 0)
            #expect(server.errors.contains("\"stopped\""), "the last line is written before the end")
        }
    }

    private static func isServing(_ program: Program) async -> Bool {
        guard let address = try? ServerAddress(program.url) else { return false }
        return (try? await HTTPTransport(address, timeout: .seconds(5)).perform(HTTPCall(.get, "/livez")))?.status
            == 200
    }

    private func append(_ text: String, to path: String) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }

    private func replace(_ word: String, by other: String, in path: String) throws {
        let text = try String(contentsOfFile: path, encoding: .utf8).replacing(word, with: other)
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }
}
