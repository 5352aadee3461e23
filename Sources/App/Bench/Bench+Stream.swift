import ArgumentParser
import Client
import FoundationEssentials
import PlainText
import Synchronization

/// `commonplace bench stream URL`: how long a review takes from the writer's hand to the friend's open socket.
///
/// Registers ten writers and one friend of all of them, posts reviews at a fixed rate, whatever the server does with them (open loop),
/// and measures each from the moment it was to be sent until the friend's socket had it, and from the server's answer. Deletes its
/// readers afterwards.
struct BenchStream: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stream",
        abstract: "Measure the way of a review to a friend's open socket, on a running server with a demonstration.")

    @Argument(help: "Address of the server, such as http://127.0.0.1:8080.")
    var url: String

    @Option(help: "Reviews a second.")
    var rate = 100

    @Option(help: "Seconds that count.")
    var seconds = 20

    @Option(help: "Seconds before them that do not count.")
    var warmup = 3

    @Flag(help: "Print one line of JSON.")
    var json = false

    func validate() throws {
        guard (1...10_000).contains(rate), (1...600).contains(seconds), (0...60).contains(warmup) else {
            throw ValidationError("rate is 1...10000, seconds 1...600, warmup 0...60")
        }
    }

    func run() async throws {
        let client = try CommonplaceClient(url)
        let party = try await Party.gather(on: client)
        do {
            let times = try await measure(party)
            try await party.leave()
            report(times)
        } catch {
            try? await party.leave()
            throw error
        }
    }

    private func measure(_ party: Party) async throws -> Times {
        let times = Times()
        let total = rate * (warmup + seconds)
        return try await party.friend.client.withStream(["home": .now]) { updates in
            try await withThrowingTaskGroup(of: Void.self) { group in
                let isListening = Mutex(false)
                group.addTask {
                    for try await update in updates {
                        switch update {
                        case .subscribed: isListening.withLock { $0 = true }
                        case .gated, .closed: continue
                        case .reset(_, let why, _): throw CommandError(.failure, "the stream was reset: \(why)")
                        case .event(let event):
                            guard let number = event.data["review"]?["body"]?.string.flatMap(Self.number) else {
                                continue
                            }
                            if times.arrived(number) == total { return }
                        }
                    }
                }
                while !isListening.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
                try await withThrowingTaskGroup(of: Void.self) { writers in
                    let start = ContinuousClock.now
                    for number in 0..<total {
                        let due = start.advanced(by: .seconds(Double(number) / Double(rate)))
                        try await ContinuousClock().sleep(until: due)
                        writers.addTask {
                            times.sent(number, at: due)
                            try await party.write(number)
                            times.answered(number)
                        }
                    }
                    try await writers.waitForAll()
                }
                group.addTask {
                    try await Task.sleep(for: .seconds(10))
                    throw CommandError(.failure, "10 s after the last review, \(total - times.arrivals) had not come")
                }
                try await group.next()
                group.cancelAll()
            }
            return times
        }
    }

    /// The number in a text that `Party.write` made.
    private static func number(_ text: String) -> Int? { text.split(separator: " ").last.flatMap { Int($0) } }

    private func report(_ times: Times) {
        let whole = times.milliseconds(from: warmup * rate, since: \.sent)
        let answered = times.milliseconds(from: warmup * rate, since: \.answered)
        func quantile(_ sorted: [Double], _ part: Double) -> Double {
            sorted.isEmpty ? .nan : sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
        }
        func text(_ value: Double) -> String { String(format: "%.1f", value) }
        let figures = [
            ("p50_ms", quantile(whole, 0.5)), ("p99_ms", quantile(whole, 0.99)), ("max_ms", whole.last ?? .nan),
            ("accepted_p50_ms", quantile(answered, 0.5)), ("accepted_p99_ms", quantile(answered, 0.99)),
        ]
        if json {
            let members = figures.map { "\"\($0.0)\":\(text($0.1))" }.joined(separator: ",")
            print("{\"rate\":\(rate),\"reviews\":\(whole.count),\(members)}")
        } else {
            print("\(whole.count) reviews at \(rate)/s, sent until on the friend's socket, in ms:")
            print("p50 \(text(figures[0].1))  p99 \(text(figures[1].1))  max \(text(figures[2].1))")
            print("after the server's answer: p50 \(text(figures[3].1))  p99 \(text(figures[4].1))")
        }
    }
}

/// When each review was sent, answered and seen.
private final class Times: Sendable {
    struct Moments: Sendable {
        var sent: ContinuousClock.Instant?
        var answered: ContinuousClock.Instant?
        var arrived: ContinuousClock.Instant?
    }

    private let moments: Mutex<(all: [Int: Moments], arrivals: Int)> = Mutex(([:], 0))

    var arrivals: Int { moments.withLock { $0.arrivals } }

    func sent(_ number: Int, at time: ContinuousClock.Instant) {
        moments.withLock { $0.all[number, default: Moments()].sent = time }
    }

    func answered(_ number: Int) {
        let now = ContinuousClock.now
        moments.withLock { $0.all[number, default: Moments()].answered = now }
    }

    /// Gives how many have arrived.
    func arrived(_ number: Int) -> Int {
        let now = ContinuousClock.now
        return moments.withLock { moments in
            moments.all[number, default: Moments()].arrived = now
            moments.arrivals += 1
            return moments.arrivals
        }
    }

    /// Ascending; a review that was on the socket before its answer counts as 0 after it.
    func milliseconds(from first: Int, since start: KeyPath<Moments, ContinuousClock.Instant?>) -> [Double] {
        moments.withLock { $0.all }.compactMap { number, moments -> Double? in
            guard number >= first, let begin = moments[keyPath: start], let end = moments.arrived else { return nil }
            return max(0, (end - begin) / .milliseconds(1))
        }.sorted()
    }
}

/// Ten writers and the friend of all of them.
private struct Party: Sendable {
    let writers: [SignedIn]
    let friend: SignedIn
    let books: [String]
    let password: String

    static func gather(on client: CommonplaceClient) async throws -> Party {
        let password = UUID().uuidString
        let tail = String(UInt32.random(in: .min ... .max), radix: 36)
        func register(_ name: String) async throws -> SignedIn {
            try await client.register(username: name, email: "\(name)@example.org", password: password)
        }
        let books = try await client.books(limit: 100).items.map(\.id)
        guard !books.isEmpty else {
            throw CommandError(.failure, "the server has no books; load the demonstration first")
        }
        let friend = try await register("friend_\(tail)")
        var writers: [SignedIn] = []
        for number in 0..<10 {
            let writer = try await register("writer_\(number)_\(tail)")
            let request = try await friend.client.requestFriendship(with: writer.account.username)
            try await writer.client.acceptFriendship(request)
            writers.append(writer)
        }
        return Party(writers: writers, friend: friend, books: books, password: password)
    }

    /// Review `number`: each writer says something new about each book in turn, so that every one is an event. Comes again when a busy
    /// server says to, as an app does: the wait counts.
    func write(_ number: Int) async throws {
        let writer = writers[number % writers.count]
        let book = books[(number / writers.count) % books.count]
        let key = UUID().uuidString
        for _ in 0..<10 {
            do {
                return try await writer.client.review(
                    book: book, rating: Double(1 + number % 20) / 4, body: "Bench review \(number)", key: key)
            } catch ClientError.refused(let problem) where problem.code == "busy" {
                try await Task.sleep(for: problem.retryAfter ?? .seconds(1))
            }
        }
        throw CommandError(.failure, "review \(number) met a busy server ten times")
    }

    func leave() async throws {
        for reader in writers + [friend] { try await reader.client.deleteAccount(password: password) }
    }
}
