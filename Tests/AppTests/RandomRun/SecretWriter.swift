import Synchronization
import TestSupport
import Testing

@testable import Client

/// Writes the secret in every kind of place, so that there is something to be found in each, whatever the others of a
/// run do.
final class SecretWriter: Sendable {
    /// One secret that was written.
    struct Said: Sendable {
        let place: Secret.Place
        /// The word with its mark and number.
        let token: String
        /// Of the post, review, reply or message in which it stands.
        let id: String
        /// Where it is read.
        let path: String
        /// The one reader for whom the path is; `nil`: for everybody.
        var reader: String?
    }

    /// Threads that are free.
    private static let free = 4

    private let writer: Watcher
    private let books: [String]
    /// The group on whose board it stands.
    let group: String
    /// Free, about the first books, and the posts that opened them.
    let threads: [String]
    let openings: [String]
    /// The first of these, in which it answers.
    let thread: String
    private let state = Mutex((said: [Said](), conversations: [String: String](), occasions: 0))

    /// - Parameter books: Of which one is written about at each occasion.
    init(at servers: [CommonplaceClient], books: [String]) async throws {
        let writer = try await Watcher("first_writer", at: servers)
        let group = try await writer.write(.post, "/groups", ["name": .string("Those who are through")])
        var made: [(thread: String, post: String)] = []
        for book in books.prefix(Self.free) { made.append(try await Self.ask(about: book, writer)) }
        self.group = try #require(group["id"]?.string)
        thread = try #require(made.first?.thread)
        threads = made.map(\.thread)
        openings = made.map(\.post)
        self.writer = writer
        self.books = books
    }

    private static func ask(about book: String, _ writer: Watcher) async throws -> (thread: String, post: String) {
        let question = JSONValue.string("What do you think?")
        let made = try await writer.write(
            .post, "/books/\(book)/threads", ["title": question, "body": question, "scope": .string("free")])
        return (try #require(made["thread"]?["id"]?.string), try #require(made["post"]?["id"]?.string))
    }

    /// What it wrote so far.
    var said: [Said] { state.withLock { $0.said } }
    /// Its conversation with a friend.
    func conversation(with reader: Watcher) -> String? { state.withLock { $0.conversations[reader.account.username] } }

    /// Makes friends with a reader, opens the conversation with them, and has them in the group.
    func meet(_ reader: Watcher) async throws {
        let asked = try await reader.write(
            .post, "/me/friend-requests", ["username": .string(writer.account.username)])
        let request = try #require(asked["id"]?.string)
        try await writer.write(.post, "/me/friend-requests/\(request)/accept")
        let opened = try await writer.write(.put, "/me/conversations/with/\(reader.account.username)")
        let conversation = try #require(opened["id"]?.string)
        state.withLock { $0.conversations[reader.account.username] = conversation }
        try await reader.write(.put, "/groups/\(group)/membership")
    }

    /// Says it in every kind of place, about one book more.
    @discardableResult
    func sayEverywhere(answering posts: [String] = []) async throws -> [Said] {
        let occasion = state.withLock { state in
            state.occasions += 1
            return state.occasions
        }
        let book = try #require(books.dropFirst(occasion - 1).first, "no book is left to write about")
        let random = TestRandom(for: "occasion \(occasion)")
        var said = try await sayOnBoard(book, random)
        let shown = try #require(said.first { $0.place == .post })
        said += try await answer(posts, random)
        said += try await sayOfReview(book, random)
        said += try await sayInGroup(book, random)
        said += try await showCards(of: shown)
        state.withLock { $0.said += said }
        return said
    }

    private func sayOnBoard(_ book: String, _ random: TestRandom) async throws -> [Said] {
        let (title, body) = (Secret.text(random, in: .title), Secret.text(random, in: .post))
        let made = try await writer.write(
            .post, "/books/\(book)/threads",
            ["title": .string(title), "body": .string(body), "scope": .string("finished")])
        let opened = try #require(made["thread"]?["id"]?.string)
        let first = try #require(made["post"]?["id"]?.string)
        let inline = Secret.text(random, in: .inline)
        let veiled = try await post(["body": .string("Only this much: >!\(inline)!<"), "scope": .string("free")])
        let edited = try await post(["body": .string("I shall say more."), "scope": .string("free")])
        let more = Secret.text(random, in: .edit)
        try await writer.write(
            .patch, "/posts/\(edited)", ["body": .string(more), "scope": .string("finished")])
        return [
            try said(.title, title, in: first, at: "/threads/\(opened)"), try said(.post, body, in: first),
            try said(.inline, inline, in: veiled), try said(.edit, more, in: edited),
        ]
    }

    private func answer(_ posts: [String], _ random: TestRandom) async throws -> [Said] {
        var all: [Said] = []
        for parent in posts {
            let body = Secret.text(random, in: .post)
            let made = try await post(
                ["body": .string(body), "parent_id": .string(parent), "scope": .string("finished")])
            all.append(try said(.post, body, in: made))
        }
        return all
    }

    private func sayOfReview(_ book: String, _ random: TestRandom) async throws -> [Said] {
        let (body, more) = (Secret.text(random, in: .review), Secret.text(random, in: .answer))
        let made = try await writer.write(
            .put, "/books/\(book)/review",
            [
                "rating": .null, "body": .string(body), "visibility": .string("public"), "has_spoilers": .bool(true),
            ])
        let review = try #require(made["id"]?.string)
        let reply = try await writer.write(.post, "/reviews/\(review)/replies", ["body": .string(more)])
        let answer = try #require(reply["id"]?.string)
        return [
            try said(.review, body, in: review, at: "/reviews/\(review)"),
            try said(.answer, more, in: answer, at: "/review-replies/\(answer)"),
        ]
    }

    private func sayInGroup(_ book: String, _ random: TestRandom) async throws -> [Said] {
        let (title, body) = (Secret.text(random, in: .heading), Secret.text(random, in: .group))
        let made = try await writer.write(
            .post, "/groups/\(group)/threads",
            [
                "title": .string(title), "body": .string(body), "scope": .string("finished"),
                "book_id": .string(book),
            ])
        let opened = try #require(made["thread"]?["id"]?.string)
        let first = try #require(made["post"]?["id"]?.string)
        return [try said(.heading, title, in: first, at: "/threads/\(opened)"), try said(.group, body, in: first)]
    }

    /// Shows the post to each friend.
    private func showCards(of shown: Said) async throws -> [Said] {
        var all: [Said] = []
        for (reader, conversation) in state.withLock({ $0.conversations }).sorted(by: { $0.key < $1.key }) {
            let made = try await writer.write(
                .post, "/conversations/\(conversation)/messages",
                ["body": .string("Read this."), "post_id": .string(shown.id)])
            all.append(
                Said(
                    place: .card, token: shown.token, id: try #require(made["id"]?.string),
                    path: "/conversations/\(conversation)/messages?limit=100", reader: reader))
        }
        return all
    }

    /// Answers in the free thread; gives the post.
    private func post(_ body: JSONValue) async throws -> String {
        let made = try await writer.write(.post, "/threads/\(thread)/posts", body)
        return try #require(made["post"]?["id"]?.string)
    }

    private func said(
        _ place: Secret.Place, _ text: String, in id: String, at path: String? = nil
    ) throws -> Said {
        let token = try #require(Secret.tokens(in: text).first)
        return Said(place: place, token: token, id: id, path: path ?? "/posts/\(id)")
    }
}
