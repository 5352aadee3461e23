import ArgumentParser
import Client
import Community
import FoundationEssentials
import PlainText

/// `commonplace bench suspension URL`: how long it takes until the last open socket of a wave of accounts is closed, and until a reader who
/// follows the topic `server` has heard of all of them.
///
/// Registers the accounts and the reader, opens a socket for each, and suspends the accounts by one act. The server does it.
struct BenchSuspension: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suspension",
        abstract: "Measure how soon suspended accounts are off their sockets, on a running server to throw away.")

    @OptionGroup var options: GlobalOptions

    @Argument(help: "Address of the server, such as http://127.0.0.1:8080; its database is that of the settings.")
    var url: String

    @Option(help: "Accounts that are suspended. 1 to 1000.")
    var accounts = 100

    func validate() throws {
        guard (1...1_000).contains(accounts) else { throw ValidationError("accounts is 1...1000") }
    }

    func run() async throws {
        let (client, count) = (try CommonplaceClient(url), accounts)
        try await Runtime.open(options, as: "commonplace bench") { runtime in
            let tail = String(UInt32.random(in: .min ... .max), radix: 36)
            func register(_ name: String) async throws -> SignedIn {
                try await client.register(
                    username: name, email: "\(name)@example.org", password: UUID().uuidString)
            }
            let watcher = try await register("watcher_\(tail)")
            var wave: [SignedIn] = []
            for number in 0..<count { wave.append(try await register("wave_\(number)_\(tail)")) }
            let named = try wave.map {
                try Reference.read("reader:" + $0.account.username, of: Community.acted, at: "/target")
            }
            let order = Moderation.Order(.suspend, by: .terminal("bench"), reason: "a wave")
            let open = BenchBox(0)
            let times = try await withThrowingTaskGroup(of: (isClosed: Bool, at: ContinuousClock.Instant).self) {
                group in
                group.addTask { (false, try await Self.hears(of: count, watcher.client, open)) }
                for reader in wave { group.addTask { (true, await Self.isClosed(reader.client, open)) } }
                while open.value <= count { try await Task.sleep(for: .milliseconds(20)) }
                let began = ContinuousClock.now
                _ = try await runtime.community.moderation.act(order, on: .named(named))
                group.addTask {
                    try await Task.sleep(for: .seconds(30))
                    throw CommandError(.failure, "half a minute later somebody was on a socket yet, or not told")
                }
                var times = (closed: 0.0, told: 0.0)
                for _ in 0...count {
                    guard let one = try await group.next() else { break }
                    let time = (one.at - began) / .milliseconds(1)
                    if one.isClosed { times.closed = max(times.closed, time) } else { times.told = time }
                }
                group.cancelAll()
                return times
            }
            print(String(format: "{\"closed_ms\":%.0f,\"told_ms\":%.0f}", times.closed, times.told))
        }
    }

    /// When a reader has heard of so many who are seen no more.
    private static func hears(
        of count: Int, _ client: CommonplaceClient, _ open: BenchBox<Int>
    ) async throws -> ContinuousClock.Instant {
        try await client.withStream(["server": .now]) { updates in
            var heard = 0
            for try await update in updates {
                if case .subscribed = update { open.change { $0 += 1 } }
                guard case .event(let event) = update, event.kind == "readers.hidden" else { continue }
                heard += event.data["readers"]?.array?.count ?? 0
                if heard >= count { break }
            }
            return ContinuousClock.now
        }
    }

    /// When the server has closed a reader's socket.
    private static func isClosed(_ client: CommonplaceClient, _ open: BenchBox<Int>) async -> ContinuousClock.Instant {
        try? await client.withStream(["home": .now]) { updates in
            for try await update in updates {
                if case .subscribed = update { open.change { $0 += 1 } }
            }
        }
        return ContinuousClock.now
    }
}
