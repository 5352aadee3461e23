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

    /// What came, noted by the task that hears or calls for this reader.
    private final class Notes: Sendable {
        let state = Mutex(State())

        /// `isCard`: the bytes are a page of messages, in which no other text gives anything away.
        func search(_ bytes: [UInt8], of place: @autoclosure () -> String, by way: Way, isCard: Bool = false) {
            let secrets = Secret.tokens(in: bytes)
            state.withLock { state in
                state.looked[way, default: 0] += 1
                guard !secrets.isEmpty else { return }
                state.secrets[way, default: []].formUnion(secrets)
                if isCard { state.cards.formUnion(secrets) }
                guard state.found[way, default: []].count < 100_000 else { return }
                state.found[way, default: []].append(place())
            }
        }
    }

    private struct State {
        var looked: [Way: Int] = [:]
        var found: [Way: [String]] = [:]
        /// The secrets that came, by the way on which they did.
        var secrets: [Way: Set<String>] = [:]
        /// Those that came with a message, in the post that it shows.
        var cards: Set<String> = []
    }

    let account: Account
    let token: String?
    /// On the live stream of the second server.
    let ear: Ear
    private let servers: [CommonplaceClient]
    private let notes: Notes

    init(_ name: String, at servers: [CommonplaceClient]) async throws {
        let signedIn = try await servers[0].register(
            username: name, email: "\(name)@example.org", password: UUID().uuidString)
        account = signedIn.account
        token = signedIn.client.token
        self.servers = servers
        let notes = Notes()
        self.notes = notes
        ear = Ear(servers[1].address, token: token) { notes.search($0, of: $1, by: .push) }
    }

    func looked(_ way: Way) -> Int { notes.state.withLock { $0.looked[way, default: 0] } }
    /// Where the word stood, as far as it was noted.
    func found(_ way: Way) -> [String] { notes.state.withLock { $0.found[way, default: []] } }
    /// The secrets that came in this way.
    func secrets(_ way: Way) -> Set<String> { notes.state.withLock { $0.secrets[way, default: []] } }
    /// The secrets that came in any way.
    var secrets: Set<String> { notes.state.withLock { $0.secrets.values.reduce(into: []) { $0.formUnion($1) } } }
    /// The secrets of posts that messages showed.
    var cards: Set<String> { notes.state.withLock { $0.cards } }

    /// How many of the secrets that came stood in such a place.
    func count(in place: Secret.Place) -> Int {
        place == .card ? cards.count : secrets.count { Secret.place(of: $0) == place }
    }

    /// Looks for the word in what came.
    func search(_ bytes: [UInt8], of place: @autoclosure () -> String, by way: Way) {
        notes.search(bytes, of: place(), by: way)
    }

    // MARK: Calls

    /// Calls one of the servers, and looks through the answer. Gives the body where it is one.
    @discardableResult
    func call(
        _ method: HTTPCall.Method, _ path: String, _ body: JSONValue? = nil, by way: Way = .response,
        at server: Int = 0
    ) async throws -> JSONValue? {
        let answer = try await answer(method, path, body, by: way, at: server)
        guard (200..<300).contains(answer.status) else { return nil }
        return try? JSONDecoder().decode(JSONValue.self, from: Data(answer.body))
    }

    /// A call that must be done. Gives the body, null where there is none.
    @discardableResult
    func write(
        _ method: HTTPCall.Method, _ path: String, _ body: JSONValue? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> JSONValue {
        let answer = try await answer(method, path, body)
        let text = String(decoding: answer.body, as: UTF8.self)
        try #require(
            (200..<300).contains(answer.status), "\(method) \(path): \(answer.status) \(text)",
            sourceLocation: sourceLocation)
        return answer.body.isEmpty ? .null : try JSONDecoder().decode(JSONValue.self, from: Data(answer.body))
    }

    private func answer(
        _ method: HTTPCall.Method, _ path: String, _ body: JSONValue?, by way: Way = .response, at server: Int = 0
    ) async throws -> HTTPAnswer {
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
        notes.search(
            answer.body, of: "\(method.rawValue) \(path)", by: way,
            isCard: path.hasPrefix("/conversations/") && path.contains("/messages"))
        #expect(answer.status < 500, "\(path): \(String(decoding: answer.body, as: UTF8.self))")
        return answer
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
        let way: Way = page.hasPrefix("/me/notifications") ? .notification : .response
        let shown = try await call(.get, page, by: way, at: random.number(in: 0..<servers.count))
        guard page == "/me/conversations" else { return }
        for id in shown?["items"]?.array?.compactMap({ $0["id"]?.string }) ?? [] { ear.follow("conversation:\(id)") }
    }

    /// A page of each kind.
    private static func pages(
        of known: RandomRun.Known, _ usernames: [String], _ random: TestRandom
    ) -> [String] {
        let sorts = ["oldest", "newest", "tree", "reactions"]
        let sort = sorts[random.number(in: 0..<sorts.count)]
        var pages = [
            "/me/feed", "/me/notifications?limit=100", "/boards/search?limit=100&q=\(Secret.neighbour)", "/me/threads",
            "/me/posts", "/me/reveals", "/me/conversations", "/me/bootstrap", "/groups", "/me/friend-suggestions",
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
            pages += ["", "/posts?limit=100", "/reviews?limit=100"].map { "/readers/\(username)" + $0 }
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
        ["/reviews/\(review)", "/reviews/\(review)/history", "/reviews/\(review)/replies?limit=100"]
    }

    /// Looks at everything that is known, once, and at these pages.
    func lookAtAll(_ known: RandomRun.Known, and paths: [String]) async throws {
        var pages = paths
        pages += known.threads.flatMap { Self.pages(ofThread: $0, "newest") }
        pages += known.posts.flatMap(Self.pages(ofPost:)) + known.reviews.flatMap(Self.pages(ofReview:))
        pages += known.books.flatMap { ["/books/\($0)/threads?limit=100", "/books/\($0)/reviews?limit=100"] }
        pages += known.groups.map { "/groups/\($0)/threads?limit=100" }
        for page in pages { try await call(.get, page) }
        try await call(.get, "/me/notifications?limit=100", by: .notification)
        for conversation in try await call(.get, "/me/conversations?limit=100")?["items"]?.array ?? [] {
            guard let id = conversation["id"]?.string else { continue }
            try await call(.get, "/conversations/\(id)/messages?limit=100")
        }
    }
}
