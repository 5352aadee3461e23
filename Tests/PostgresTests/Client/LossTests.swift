import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite(.database(.empty)) struct LossTests {
    @Test func `killed connections fail 100 waiting callers with a typed error and the pool heals, without leaks`()
        async throws
    {
        let rounds = ProofCount.of(1000)
        print("rounds \(rounds)")
        try await withDatabase({ $0.applicationName = "killer" }) { killer in
            try await withDatabase({
                $0.applicationName = "victim"
                $0.exclusiveConnections = 4
            }) { database in
                var warm = 0
                for round in 0..<rounds {
                    try await kill(database, by: killer)
                    if round == rounds / 4 { warm = residentKiB() }
                }
                #expect(residentKiB() - warm < 24 * 1024, "memory grew")
                try await eventually {
                    try await killer.one(Activity(application: "victim")).connections <= 2 + 4
                }
            }
            try await eventually { try await killer.one(Activity(application: "victim")).connections == 0 }
        }
    }

    private func kill(_ database: Database, by killer: Database) async throws {
        let failed = Tally()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<100 {
                group.addTask {
                    let error = await postgresError {
                        if caller % 25 == 0 {
                            _ = try await database.transaction { try await $0.run(Sleep(seconds: 20)) }
                        } else {
                            _ = try await database.run(Sleep(seconds: 20))
                        }
                    }
                    // A connection can be killed while it is being made, too.
                    #expect(error?.code == .connectionLost || error?.code == .connectionFailed)
                    failed.add()
                }
            }
            try await eventually { try await killer.one(Activity(application: "victim")).running >= 3 }
            try await eventually {
                _ = try await killer.all(Terminate(application: "victim"))
                return failed.count == 100
            }
            try await group.waitForAll()
        }
        try await eventually { (try? await database.one(Divide(by: 4))) == 25 }
    }

    @Test func `no server is an error at once, not a hang`() async throws {
        try await withDatabase({ $0.conninfo = "host=/nonexistent dbname=x user=y" }) { database in
            for _ in 0..<3 {
                let start = ContinuousClock.now
                let error = await postgresError { _ = try await database.one(Divide(by: 1)) }
                #expect(error?.code == .connectionFailed)
                let other = await postgresError {
                    try await database.transaction { _ = try await $0.one(Divide(by: 1)) }
                }
                #expect(other?.code == .connectionFailed)
                #expect(ContinuousClock.now - start < .seconds(2))
            }
        }
    }

    @Test func `a server that answers nothing any more fails its callers at once, and serves them again when it does`()
        async throws
    {
        let lane = try Lane.required()
        let proxy = try TCPProxy(to: lane.cluster.socketFolder + "/.s.PGSQL.5432")
        defer { proxy.stop() }
        let user = lane.cluster.superuser
        try await withDatabase({
            $0 = lane.settings(conninfo: "host=127.0.0.1 port=\(proxy.port) user=\(user) dbname=\(lane.name)")
            $0.exclusiveConnections = 2
        }) { database in
            #expect(try await database.one(Divide(by: 4)) == 25)
            proxy.freeze()
            // Without a deadline of their own: nothing but the silence ends them.
            try await withThrowingTaskGroup(of: PostgresError?.self) { group in
                for caller in 0..<40 {
                    group.addTask {
                        await postgresError {
                            if caller % 4 == 0 {
                                _ = try await database.transaction { try await $0.one(Divide(by: 4)) }
                            } else {
                                _ = try await database.one(Divide(by: 4))
                            }
                        }
                    }
                }
                for try await error in group { #expect(error?.isUnavailable == true) }
            }
            let refused = await postgresError { _ = try await database.one(Divide(by: 4)) }
            #expect(refused?.code == .connectionFailed)
            proxy.thaw()
            try await eventually { (try? await database.one(Divide(by: 4))) == 25 }
        }
    }

    @Test func `a server that stops behind the log-in is given up, as one that never answers`() async throws {
        let lane = try Lane.required()
        let proxy = try TCPProxy(to: lane.cluster.socketFolder + "/.s.PGSQL.5432")
        defer { proxy.stop() }
        proxy.stopsAfterLogIn.store(true, ordering: .relaxed)
        let user = lane.cluster.superuser
        try await withDatabase({
            $0 = lane.settings(conninfo: "host=127.0.0.1 port=\(proxy.port) user=\(user) dbname=\(lane.name)")
        }) { database in
            let error = await postgresError { _ = try await database.one(Divide(by: 4)) }
            #expect(error?.code == .connectionFailed)
            // Else its thread waits for ever.
            try await eventually { proxy.abandoned > 0 }
        }
    }

    @Test func `a statement that takes long is no silence`() async throws {
        _ = try await withDatabase({ $0.statementTimeout = .seconds(30) }) { database in
            // Longer than the silence that would end it, with nothing else under way.
            try await database.run(Sleep(seconds: 4.5))
        }
    }

    @Test func `several hosts are libpq's business: a dead one first, a living one second`() async throws {
        let lane = try Lane.required()
        let living = lane.superuserConninfo.split(separator: " ").first { $0.hasPrefix("host=") } ?? ""
        try await withDatabase({
            $0.conninfo = lane.superuserConninfo.replacing(living, with: "host=/nonexistent," + living.dropFirst(5))
        }) { database in
            let answer = try await database.one(Divide(by: 2))
            #expect(answer == 50)
        }
    }

    @Test func `target_session_attrs is passed through`() async throws {
        let lane = try Lane.required()
        try await withDatabase({ $0.conninfo = lane.superuserConninfo + " target_session_attrs=standby" }) { database in
            let error = await postgresError { _ = try await database.one(Divide(by: 2)) }
            #expect(error?.code == .connectionFailed)
            #expect(error?.message?.contains("standby") == true)
        }
    }

    @Test(arguments: [("disable", [0, 3, 0, 0]), ("require", [4, 210, 22, 47])] as [(String, [UInt8])])
    func `sslmode is passed through`(mode: String, request: [UInt8]) async throws {
        let listener = try Listener()
        let first = Task.detached { listener.firstBytes(8) }
        let conninfo = "host=127.0.0.1 port=\(listener.port) dbname=x user=y sslmode=\(mode) gssencmode=disable"
        try await withDatabase({ $0.conninfo = conninfo }) { database in
            let error = await postgresError { _ = try await database.one(Divide(by: 2)) }
            #expect(error?.code == .connectionFailed)
        }
        // The protocol number of a start-up packet, or the code that asks for TLS.
        #expect(await Array(first.value.dropFirst(4)) == request)
    }

    @Test func `a server that has become read-only is left for a new connection`() async throws {
        try await withDatabase({ $0.sharedConnections = 1 }) { database in
            try await database.script(tally)
            let name = try Lane.required().name
            try await database.script("alter database \(name) set default_transaction_read_only = on")
            try await withDatabase({ $0.sharedConnections = 1 }) { other in
                let error = await postgresError { try await other.run(Add()) }
                #expect(error?.sqlState == .readOnlyTransaction)
                #expect(error?.isUnavailable == true)
                try await database.script(
                    "begin read write; alter database \(name) reset default_transaction_read_only; commit")
                try await eventually { (try? await other.run(Add())) == 1 }
            }
        }
    }
}

/// A TCP server on a free loopback port that hears one client's first bytes and hangs up.
private struct Listener {
    private let socket: Int32
    let port: Int

    init() throws {
        let socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, length) }
        }
        try #require(bound == 0 && listen(socket, 1) == 0)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
        }
        self.socket = socket
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    func firstBytes(_ count: Int) -> [UInt8] {
        let client = accept(socket, nil, nil)
        var bytes = [UInt8](repeating: 0, count: count)
        let got = recv(client, &bytes, count, Int32(MSG_WAITALL))
        close(client)
        close(socket)
        return Array(bytes.prefix(max(0, got)))
    }
}
