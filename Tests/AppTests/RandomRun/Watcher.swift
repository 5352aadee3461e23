import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Client

/// Somebody who looks at all that there is while others write, and notes where the secret word stood.
final class Watcher: Sendable {
    /// A way on which something comes to a reader.
    enum Way: String, Sendable, CaseIterable {
        case response, push, notification, mail, log, export
    }

    private struct State {
        var looked: [Way: Int] = [:]
        var found: [Way: [String]] = [:]
        var placeholders = 0
    }

    let account: Account
    let token: String?
    private let servers: [CommonplaceClient]
    private let state = Mutex(State())

    init(_ name: String, at servers: [CommonplaceClient]) async throws {
        let signedIn = try await servers[0].register(
            username: name, email: "\(name)@example.org", password: UUID().uuidString)
        account = signedIn.account
        token = signedIn.client.token
        self.servers = servers
    }

    func looked(_ way: Way) -> Int { state.withLock { $0.looked[way, default: 0] } }
    /// Where the word stood, as far as it was noted.
    func found(_ way: Way) -> [String] { state.withLock { $0.found[way, default: []] } }
    /// Events of which only the place was pushed.
    var placeholders: Int { state.withLock { $0.placeholders } }

    /// Looks for the word in what came.
    func search(_ bytes: [UInt8], of place: @autoclosure () -> String, by way: Way) {
        let isFound = Secret.isIn(bytes)
        state.withLock { state in
            state.looked[way, default: 0] += 1
            guard isFound, state.found[way, default: []].count < 100_000 else { return }
            state.found[way, default: []].append(place())
        }
    }

    // MARK: Calls

    /// Calls one of the servers, and looks through the answer. Gives the body where it is one.
    @discardableResult
    func call(
        _ method: HTTPCall.Method, _ path: String, _ body: JSONValue? = nil, by way: Way = .response,
        at server: Int = 0
    ) async throws -> JSONValue? {
        var call = HTTPCall(
            method, "/api/v1" + path, body: try body.map { try JSONEncoder().bytes($0) } ?? [],
            key: method == .get ? nil : UUID().uuidString)
        call.token = token
        var answer = try await servers[server].transport.perform(call)
        // Again, under the same key, while the server is too busy.
        try await eventually(within: .seconds(60), "\(path) is never answered") {
            if answer.status == 503 { answer = try await servers[server].transport.perform(call) }
            return answer.status != 503
        }
        search(answer.body, of: "\(method.rawValue) \(path)", by: way)
        #expect(answer.status < 500, "\(path): \(String(decoding: answer.body, as: UTF8.self))")
        guard (200..<300).contains(answer.status) else { return nil }
        return try? JSONDecoder().decode(JSONValue.self, from: Data(answer.body))
    }

    /// The bytes of an answer that is no JSON.
    func bytes(of path: String) async throws -> [UInt8] {
        var call = HTTPCall(.get, "/api/v1" + path)
        call.token = token
        return try await servers[0].transport.perform(call).body
    }

    /// Looks at one page at random.
    func look(at known: RandomRun.Known, _ usernames: [String], _ random: TestRandom) async throws {
        let pages = Self.pages(of: known, usernames, random)
        guard let page = random.element(of: pages) else { return }
        let way: Way = page.hasPrefix("/notifications") ? .notification : .response
        try await call(.get, page, by: way, at: random.number(in: 0..<servers.count))
    }

    /// A page of each kind.
    private static func pages(
        of known: RandomRun.Known, _ usernames: [String], _ random: TestRandom
    ) -> [String] {
        let sorts = ["oldest", "newest", "tree", "reactions"]
        let sort = sorts[random.number(in: 0..<sorts.count)]
        var pages = [
            "/feed", "/notifications?limit=100", "/boards/search?limit=100&q=\(Secret.neighbour)", "/me/threads",
            "/me/posts", "/me/reveals", "/conversations", "/bootstrap", "/groups", "/friends/suggestions",
        ]
        if let book = random.element(of: known.books) {
            pages += [
                "/books/\(book)", "/books/\(book)/threads?limit=100", "/books/\(book)/reviews?limit=100",
                "/books/\(book)/gate", "/books/\(book)/friends",
                "/books/\(book)/threads/search?q=\(Secret.neighbour)",
            ]
        }
        if let thread = random.element(of: known.threads) { pages += Self.pages(ofThread: thread, sort) }
        if let post = random.element(of: known.posts) { pages += Self.pages(ofPost: post) }
        if let review = random.element(of: known.reviews) { pages += Self.pages(ofReview: review) }
        if let group = random.element(of: known.groups) {
            pages += ["/groups/\(group)", "/groups/\(group)/threads?limit=100"]
        }
        if let username = random.element(of: usernames) {
            pages += ["/readers/\(username)", "/readers/\(username)/posts?limit=100"]
        }
        return pages
    }

    private static func pages(ofThread thread: String, _ sort: String) -> [String] {
        [
            "/threads/\(thread)", "/threads/\(thread)/posts?limit=100&sort=\(sort)",
            "/threads/\(thread)/posts/search?q=\(Secret.neighbour)",
        ]
    }

    private static func pages(ofPost post: String) -> [String] {
        ["/posts/\(post)", "/posts/\(post)/replies?limit=100", "/posts/\(post)/history"]
    }

    private static func pages(ofReview review: String) -> [String] {
        ["/reviews/\(review)", "/reviews/\(review)/history", "/reviews/\(review)/replies"]
    }

    /// Looks at everything that is known, once.
    func lookAtAll(_ known: RandomRun.Known) async throws {
        var pages = known.threads.flatMap { Self.pages(ofThread: $0, "newest") }
        pages += known.posts.flatMap(Self.pages(ofPost:)) + known.reviews.flatMap(Self.pages(ofReview:))
        pages += known.books.flatMap { ["/books/\($0)/threads?limit=100", "/books/\($0)/reviews?limit=100"] }
        pages += known.groups.map { "/groups/\($0)/threads?limit=100" }
        for page in pages { try await call(.get, page) }
        try await call(.get, "/notifications?limit=100", by: .notification)
        for conversation in try await call(.get, "/conversations?limit=100")?["items"]?.array ?? [] {
            guard let id = conversation["id"]?.string else { continue }
            try await call(.get, "/conversations/\(id)/messages?limit=100")
        }
    }

    // MARK: The stream

    /// Listens until the task is cancelled. `whenReady`: everything that happens from then on comes.
    func listen(to topics: [String], whenReady: @Sendable () -> Void) async throws {
        let client = servers[1].signedIn(with: token)
        let starts = Dictionary(topics.map { ($0, StreamStart.now) }) { first, _ in first }
        do {
            try await client.withStream(starts) { updates in
                var waiting = Set(topics)
                for try await update in updates {
                    switch update {
                    case .subscribed(let topic, _):
                        waiting.remove(topic)
                        if waiting.isEmpty { whenReady() }
                    case .event(let event):
                        let data = try JSONEncoder().bytes(event.data)
                        search(data, of: "\(event.kind) on \(event.topic)", by: .push)
                    case .gated(let placeholder):
                        let data = try JSONEncoder().bytes(placeholder.data)
                        search(data, of: "a placeholder on \(placeholder.topic)", by: .push)
                        state.withLock { $0.placeholders += 1 }
                    case .closed, .reset: break
                    }
                }
            }
        } catch is CancellationError {
            // The run is over.
        }
    }
}
