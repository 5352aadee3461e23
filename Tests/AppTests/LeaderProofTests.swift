import Foundation
import Postgres
import TestSupport
import Testing

@testable import Client

/// Two servers on a Postgres that nobody has set up for them. Whichever of them moves the events is killed or stopped, again and again, and
/// the other goes on by itself.
@Suite(.serialized, .database(.fresh)) struct LeaderProofTests {
    /// Reviews that each reader writes around one strike, one after the other.
    private static let waves = ProofCount.isFull ? 16 : 4
    /// How long a stopped server stands still, beyond what the waves take.
    private static let standstill = Duration.seconds(ProofCount.isFull ? 60 : 0)

    private enum Strike { case kill, stop }

    @Test(.long, .requirement("TRE-6"), .timeLimit(.minutes(60)))
    func `the leader is killed or stopped, and sockets on both servers have everything, once and in order`()
        async throws
    {
        let strikes: [Strike] = (0..<max(2, ProofCount.of(12))).map { $0 % 2 == 0 ? .kill : .stop }
        try await withProgram(["COMMONPLACE_UNSAFE_DATABASE": "1"]) { program in
            var servers = try await Pair(program, lane: Lane.required())
            let community = try await Writers.gather(8, on: program)
            let total = 8 * strikes.count * Self.waves
            var left = Deal(writers: 8, books: community.books, total: total)
            try #require(left.items.allSatisfy { $0.count == strikes.count * Self.waves })

            let heard = [Acknowledged(0), Acknowledged(0)]
            let ready = Acknowledged(0)
            let urls = servers.urls
            let seen = try await withThrowingTaskGroup(of: [StreamEvent].self) { group in
                for (url, heard) in zip(urls, heard) {
                    let friend = try community.through(url).friend
                    group.addTask {
                        try await friend.withStream(["home": .now]) { updates in
                            try await Listening.listen(updates, until: total, whenReady: ready.add, each: heard.add)
                        }
                    }
                }
                try await eventually { ready.done >= 2 }
                var longest = Duration.zero
                for (number, strike) in strikes.enumerated() {
                    let leader = try await servers.leader()
                    let survivor = try community.through(urls[1 - leader])
                    let goal = (number + 1) * 8 * Self.waves
                    for wave in 0..<Self.waves {
                        let next = left.takeOne()
                        async let written = survivor.write(next, Acknowledged(0))
                        if wave == 0 { await servers.strike(leader, strike) }
                        #expect(try await written.unanswered.isEmpty)
                        // Nobody else moves events now.
                        let waits = ContinuousClock.now
                        let wanted = goal - 8 * (Self.waves - wave - 1)
                        try await eventually { heard[1 - leader].done >= wanted }
                        longest = max(longest, ContinuousClock.now - waits)
                        if strike == .stop { try await Task.sleep(for: Self.standstill / Self.waves) }
                    }
                    try await servers.heal(leader, after: strike)
                    try await eventually(within: .seconds(180)) { heard[leader].done >= goal }
                }
                print("leader proof: \(total) reviews, \(strikes.count) strikes, longest silence \(longest)")
                if ProofCount.isFull { #expect(longest <= .seconds(2)) }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for events in seen { Listening.check(events, total, #_sourceLocation) }
            try await community.through(urls[0]).checkStored(total, #_sourceLocation)
            await servers.stop()
            let check = try await program.run("check", environment: servers.environment(0))
            #expect(check.status == 0, "\(check.output)\(check.errors)")
        }
    }

    /// Two servers, each named in its sessions with the database.
    private struct Pair {
        private let program: Program
        private let lane: Lane
        private let ports: [Int]
        private var running: [RunningProgram] = []

        init(_ program: Program, lane: Lane) async throws {
            self.program = program
            self.lane = lane
            ports = [program.port, try Program.freePort()]
            try #require(try await program.run("demo", environment: environment(0)).status == 0)
            for number in 0...1 { running.append(try await start(number)) }
        }

        var urls: [String] { ports.map { "http://127.0.0.1:\($0)" } }

        func environment(_ number: Int) -> [String: String] {
            ["DATABASE_URL": lane.conninfo + " application_name=server_\(number)"]
        }

        private func start(_ number: Int) async throws -> RunningProgram {
            try await program.serve(port: ports[number], environment: environment(number))
        }

        /// Who holds the relay's lock.
        func leader() async throws -> Int {
            let conninfo = lane.superuserConninfo
            let sql = """
                select right(application_name, 1)
                  from pg_locks join pg_stat_activity using (pid)
                 where locktype = 'advisory' and granted and application_name like 'server\\_%'
                   and database = (select oid from pg_database where datname = current_database())
                """
            var leader: Int?
            try await eventually {
                let name = try await DirectConnection.onThread {
                    try DirectConnection(conninfo, applicationName: "test").value(sql)
                }
                leader = name.flatMap { Int($0) }
                return leader != nil
            }
            return try #require(leader)
        }

        func strike(_ number: Int, _ strike: Strike) async {
            switch strike {
            case .kill: await running[number].kill()
            case .stop: running[number].signal(SIGSTOP)
            }
        }

        mutating func heal(_ number: Int, after strike: Strike) async throws {
            switch strike {
            case .kill: running[number] = try await start(number)
            case .stop: running[number].signal(SIGCONT)
            }
        }

        func stop() async {
            for server in running { #expect(await server.stop() == 0) }
        }
    }
}

extension Deal {
    /// The next review of each writer.
    fileprivate mutating func takeOne() -> Deal {
        var one = self
        one.items = items.indices.map { items[$0].popLast().map { [$0] } ?? [] }
        return one
    }
}
