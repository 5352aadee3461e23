import Foundation
import NIOCore
import NIOSSL
import Synchronization
import TestSupport
import Testing

@testable import Community

/// What reaches this program from servers that are slow, broken or hostile, and where it refuses to go.
@Suite struct OutgoingTests {
    private func outgoing(
        _ stub: CatalogueStub, total: Duration = .seconds(60), idle: TimeAmount = .seconds(45)
    ) throws -> (Sources.Outgoing, Sources.Host) {
        let host = try #require(Sources.Host(loopback: stub.url))
        var bounds = Sources.Outgoing.Bounds()
        bounds.total = total
        bounds.idle = idle
        // How long a busy machine may take to connect is not what is tried here.
        bounds.connect = .seconds(45)
        bounds.answer = 64 * 1024
        return (Sources.Outgoing(allowed: [host], agent: "Commonplace/test", bounds: bounds), host)
    }

    /// What asking for `/x` ends with.
    private func trouble(
        _ answer: CatalogueStub.Answer, total: Duration = .seconds(60), idle: TimeAmount = .seconds(45)
    ) async throws -> Sources.Trouble? {
        try await CatalogueStub.serving(["/x": answer]) { stub in
            let (outgoing, host) = try outgoing(stub, total: total, idle: idle)
            do {
                _ = try await outgoing.get(Sources.Target(host, ["x"]))
                return nil
            } catch let trouble as Sources.Trouble {
                return trouble
            }
        }
    }

    @Test func `an answer comes whole, and says who asked`() async throws {
        try await CatalogueStub.serving(["/x": .json("{}"), "/no": .json("gone", status: 404)]) { stub in
            let (outgoing, host) = try outgoing(stub)
            let answer = try await outgoing.get(Sources.Target(host, ["x"], query: ["q": "a b"]))
            #expect(answer.status == 200 && answer.body == Array("{}".utf8))
            #expect(stub.asked == ["/x?q=a%20b"])
            #expect(stub.lastHead.lowercased().contains("user-agent: commonplace/test"))
            #expect(stub.lastHead.lowercased().contains("host: 127.0.0.1:\(stub.port)"))
            #expect(try await outgoing.get(Sources.Target(host, ["no"])).status == 404)
        }
    }

    @Test func `a server that says nothing, or too little at a time, is given up`() async throws {
        #expect(try await trouble(.isSilent, idle: .milliseconds(100)) == .timedOut)
        #expect(try await trouble(.isSilent, total: .milliseconds(150)) == .timedOut)
        let dripping = try await trouble(.drips, total: .milliseconds(300))
        #expect(dripping == .timedOut)
    }

    @Test func `an answer longer than the limit is not read to its end`() async throws {
        #expect(try await trouble(.endless) == .tooLarge)
        #expect(try await trouble(.head("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n")) == .tooLarge)
        let large = Array(repeating: UInt8(ascii: " "), count: 64 * 1024 + 1)
        #expect(try await trouble(.head("HTTP/1.1 200 OK\r\n", body: large)) == .tooLarge)
        let fitting = Array(large.dropLast())
        #expect(
            try await trouble(.head("HTTP/1.1 200 OK\r\nContent-Length: \(fitting.count)\r\n", body: fitting)) == nil)
    }

    @Test func `a small answer that unpacks to a large one is stopped`() async throws {
        let file = try TemporaryFile("bomb", Array(repeating: 0x20, count: 20_000_000))
        let gzip = Process()
        gzip.executableURL = URL(filePath: "/bin/sh")
        gzip.arguments = ["-c", "gzip -9 '\(file.path)'"]
        try gzip.run()
        gzip.waitUntilExit()
        let bomb = [UInt8](try Data(contentsOf: URL(filePath: file.path + ".gz")))
        #expect(bomb.count < 64 * 1024)
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n"
        #expect(try await trouble(.head(head, body: bomb)) == .tooLarge)
        let broken = Array(bomb.prefix(50)) + Array(repeating: 0xFF, count: 50)
        let answer = try await trouble(
            .head("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 100\r\n", body: broken))
        #expect(answer == .broken || answer == .tooLarge)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort", "HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\n",
        "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
    ])
    func `a broken answer is no answer`(bytes: String) async throws {
        #expect(try await trouble(.bytes(Array(bytes.utf8))) == .broken)
    }

    @Test func `headers without an end are not gathered`() async throws {
        let flood = (0..<20_000).map { "X-\($0): \(String(repeating: "a", count: 100))\r\n" }.joined()
        #expect(try await trouble(.bytes(Array(("HTTP/1.1 200 OK\r\n" + flood).utf8))) == .broken)
    }

    @Test func `statuses that ask for patience or say that something is wrong`() async throws {
        let busy = "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 120\r\nContent-Length: 0\r\n"
        #expect(try await trouble(.head(busy)) == .limited(seconds: 120))
        #expect(
            try await trouble(
                .head("HTTP/1.1 503 X\r\nRetry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\nContent-Length: 0\r\n"))
                == .limited(seconds: nil))
        #expect(try await trouble(.json("{}", status: 500)) == .status(500))
        #expect(try await trouble(.json("{}", status: 403)) == .status(403))
        #expect(try await trouble(.hangsUp) == .broken)
    }

    @Test func `nobody listening is unreachable`() async throws {
        let port = try await CatalogueStub.serving { $0.port }
        let host = try #require(Sources.Host(loopback: "http://127.0.0.1:\(port)"))
        let outgoing = Sources.Outgoing(allowed: [host], agent: "t", bounds: .patient)
        await #expect(throws: Sources.Trouble.unreachable) { try await outgoing.get(Sources.Target(host, ["x"])) }
    }

    @Test func `redirects lead to allowed hosts only, and not for ever`() async throws {
        try await CatalogueStub.serving(["/secret": .json("{}")]) { inside in
            for location in [
                inside.url + "/secret", "http://10.0.0.1/", "http://169.254.169.254/latest/meta-data/",
                "https://127.0.0.1:\(inside.port)/", "http://localhost:\(inside.port)/secret",
            ] {
                guard case .forbiddenHost = try await trouble(.redirect(location)) else {
                    Issue.record("\(location) was followed")
                    continue
                }
            }
            #expect(inside.asked.isEmpty)
        }
        #expect(try await trouble(.redirect("/x")) == .redirect)
        #expect(try await trouble(.redirect("mailto:a@example.org")) == .redirect)
        #expect(try await trouble(.head("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n")) == .redirect)
        try await CatalogueStub.serving(["/x": .redirect("/y"), "/y": .json("{}")]) { stub in
            let (outgoing, host) = try outgoing(stub)
            #expect(try await outgoing.get(Sources.Target(host, ["x"])).status == 200)
        }
    }

    @Test(arguments: ["10.0.0.1", "127.0.0.1", "169.254.169.254", "192.168.1.1", "::1", "fd00::1", "::ffff:127.0.0.1"])
    func `a name that leads into a private network is not connected to`(address: String) async throws {
        try await CatalogueStub.serving(["/x": .json("{}")]) { stub in
            let host = Sources.Host(isSecure: false, name: "openlibrary.org", port: stub.port)
            let asked = Mutex(0)
            let outgoing = Sources.Outgoing(allowed: [host], agent: "t", bounds: .patient) { _, port in
                asked.withLock { $0 += 1 }
                return try SocketAddress(ipAddress: address, port: port)
            }
            await #expect(throws: Sources.Trouble.privateAddress) {
                try await outgoing.get(Sources.Target(host, ["x"]))
            }
            #expect(asked.withLock { $0 } == 1)
            #expect(stub.asked.isEmpty)
        }
    }

    @Test func `the certificate is checked against the name, at the very address that was resolved`() async throws {
        let context = try TestCertificate.serverContext()
        let secured: @Sendable (any Channel) throws -> Void = {
            try $0.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
        }
        try await CatalogueStub.serving(["/x": .json("{}")], prepare: secured) { stub in
            var bounds = Sources.Outgoing.Bounds.patient
            bounds.mayVisit = { $0.isLoopback }
            func get(_ name: String, _ trust: NIOSSLTrustRoots) async throws -> Sources.Outgoing.Answer {
                let host = Sources.Host(isSecure: true, name: name, port: stub.port)
                let outgoing = Sources.Outgoing(allowed: [host], agent: "t", bounds: bounds, trust: trust) { _, port in
                    try SocketAddress(ipAddress: "127.0.0.1", port: port)
                }
                return try await outgoing.get(Sources.Target(host, ["x"]))
            }
            for (name, trust) in [
                ("openlibrary.org", try TestCertificate.trust()), ("localhost", NIOSSLTrustRoots.default),
            ] {
                await #expect(throws: Sources.Trouble.self) { try await get(name, trust) }
            }
            #expect(stub.asked.isEmpty)
            #expect(try await get("localhost", TestCertificate.trust()).status == 200)
            #expect(stub.lastHead.lowercased().contains("host: localhost:\(stub.port)"))
        }
    }

    @Test func `an address in the place of a name must be this machine's own base`() async throws {
        let host = Sources.Host(isSecure: true, name: "10.0.0.1", port: 443)
        let outgoing = Sources.Outgoing(allowed: [host], agent: "t", bounds: .patient)
        await #expect(throws: Sources.Trouble.privateAddress) { try await outgoing.get(Sources.Target(host, ["x"])) }
        let other = Sources.Host(isSecure: true, name: "example.org", port: 443)
        await #expect(throws: Sources.Trouble.forbiddenHost("example.org")) {
            try await outgoing.get(Sources.Target(other, ["x"]))
        }
    }

    @Test func `hosts of an allowed domain are asked over TLS at their own port, and none that only ends like it`()
        async throws
    {
        let host = Sources.Host(isSecure: true, name: "covers.example.org", port: 443)
        let outgoing = Sources.Outgoing(allowed: [host], domains: ["archive.example"], agent: "t", bounds: .patient) {
            _, port in
            // A call that gets here was let through the list.
            try SocketAddress(ipAddress: "10.0.0.1", port: port)
        }
        func trouble(_ name: String, isSecure: Bool = true, port: Int = 443) async -> Sources.Trouble? {
            do {
                let host = Sources.Host(isSecure: isSecure, name: name, port: port)
                _ = try await outgoing.get(Sources.Target(host, ["x"]))
                return nil
            } catch {
                return error as? Sources.Trouble
            }
        }
        for name in ["covers.example.org", "archive.example", "ia8.us.archive.example"] {
            #expect(await trouble(name) == .privateAddress, "\(name)")
        }
        for name in ["example.org", "notarchive.example", "archive.example.org", "archive.example.evil.org"] {
            #expect(await trouble(name) == .forbiddenHost(name))
        }
        #expect(await trouble("archive.example", isSecure: false, port: 80) == .forbiddenHost("archive.example"))
        #expect(await trouble("archive.example", port: 8443) == .forbiddenHost("archive.example"))
    }

    @Test func `a name is looked up once for all redirects of a request`() async throws {
        try await CatalogueStub.serving(["/x": .redirect("/y"), "/y": .redirect("/z"), "/z": .json("{}")]) { stub in
            let host = Sources.Host(isSecure: false, name: "openlibrary.org", port: stub.port)
            let asked = Mutex(0)
            var bounds = Sources.Outgoing.Bounds.patient
            bounds.mayVisit = { $0.isLoopback }
            let outgoing = Sources.Outgoing(allowed: [host], agent: "t", bounds: bounds) { _, port in
                asked.withLock { $0 += 1 }
                return try SocketAddress(ipAddress: "127.0.0.1", port: port)
            }
            for count in 1...2 {
                let answer = try await outgoing.get(Sources.Target(host, ["x"]))
                #expect(answer.status == 200 && asked.withLock { $0 } == count)
            }
        }
    }

    @Test func `the time of a request is told by the clock that it was given`() async throws {
        try await CatalogueStub.serving(["/x": .isSilent]) { stub in
            let host = try #require(Sources.Host(loopback: stub.url))
            let timer = HastyClock()
            let outgoing = Sources.Outgoing(allowed: [host], agent: "t", timer: timer)
            await #expect(throws: Sources.Trouble.timedOut) { try await outgoing.get(Sources.Target(host, ["x"])) }
            #expect(timer.slept == [.seconds(Limits.sources.lookUpSeconds)])
        }
    }

    @Test func `a name that cannot be resolved says so`() async throws {
        let host = Sources.Host(isSecure: true, name: "openlibrary.org", port: 443)
        let outgoing = Sources.Outgoing(allowed: [host], agent: "t", bounds: .patient) { _, _ in
            throw ChannelError.connectPending
        }
        await #expect(throws: Sources.Trouble.unresolved) { try await outgoing.get(Sources.Target(host, ["x"])) }
    }

    @Test func `a caller who goes away takes the request along`() async throws {
        try await CatalogueStub.serving(["/x": .isSilent]) { stub in
            let (outgoing, host) = try outgoing(stub)
            let call = Task { try await outgoing.get(Sources.Target(host, ["x"])) }
            try await eventually { !stub.asked.isEmpty }
            call.cancel()
            await #expect(throws: CancellationError.self) { _ = try await call.value }
        }
    }
}

extension Sources.Outgoing.Bounds {
    /// For a busy machine, where time is not what is tried.
    fileprivate static var patient: Self {
        var bounds = Self()
        bounds.total = .seconds(60)
        bounds.connect = .seconds(45)
        bounds.idle = .seconds(45)
        return bounds
    }
}
