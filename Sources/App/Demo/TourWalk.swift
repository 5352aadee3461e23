import Client
import FoundationEssentials
import PlainText

/// The walk of `commonplace tour`: what is done, in order, and how long each step takes.
struct TourWalk: Sendable {
    let server: CommonplaceClient
    let invitation: String?

    /// One step that was done.
    struct Step: Sendable {
        let text: String
        let took: Duration

        var milliseconds: Double { (took / .milliseconds(1) * 10).rounded() / 10 }

        var line: String { "\(String(format: "%8.1f", milliseconds)) ms  \(text)" }

        var jsonLine: String {
            let members: JSONValue = ["step": .string(text), "ms": .number(milliseconds)]
            return (try? JSONEncoder().encode(members)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
    }

    /// A reader of the tour's own.
    struct Guest: Sendable {
        let username: String
        let password: String
        let client: CommonplaceClient
    }

    /// How long the socket may take to receive the review.
    static let patience = Duration.seconds(15)

    /// Throws `NoServer`, or `ClientError` at the first step that fails; the guests are deleted all the same.
    func run(_ tell: @Sendable (Step) -> Void) async throws {
        try await step("the server answers", tell) { try await answer() }
        let book = try await step(
            "a book is found", tell,
            naming: { (book: Book) in "\u{201C}\(book.title ?? "a book without a title")\u{201D} is in the catalogue" }
        ) {
            guard let book = try await server.books(limit: 1).items.first else {
                throw ClientError.badAnswer("it has no books; load some with: commonplace demo")
            }
            return book
        }
        try await withGuest("the writer", tell) { writer in
            try await withGuest("the friend", tell) { friend in
                try await befriend(writer, friend, tell)
                try await watch(friend, while: writer, reviews: book, tell)
                try await step("the friend's home feed shows the review", tell) {
                    guard try await friend.client.feed().items.first?["review"]?["body"]?.string == text(by: writer)
                    else {
                        throw ClientError.badAnswer("the review is not the first thing in the friend's home feed")
                    }
                }
                try await keepNotebook(of: writer, about: book, beside: friend, tell)
                try await read(as: writer, tell)
            }
        }
    }

    /// There is no server at the address.
    struct NoServer: Error {}

    private func answer() async throws {
        do { _ = try await server.server() } catch ClientError.unreachable { throw NoServer() }
    }

    private func befriend(_ writer: Guest, _ friend: Guest, _ tell: @Sendable (Step) -> Void) async throws {
        let request = try await step("the writer asks for friendship", tell) {
            try await writer.client.requestFriendship(with: friend.username)
        }
        try await step("the friend accepts", tell) { try await friend.client.acceptFriendship(request) }
    }

    /// The friend's socket stands open while the writer reviews the book, and receives the review.
    private func watch(
        _ friend: Guest, while writer: Guest, reviews book: Book, _ tell: @Sendable (Step) -> Void
    ) async throws {
        try await friend.client.withStream(["home": .now]) { updates in
            try await step("the friend's socket follows home", tell) {
                try await first(in: updates) { if case .subscribed = $0 { true } else { false } }
            }
            let text = text(by: writer)
            let sent = ContinuousClock.now
            async let review: Void = step("the writer reviews the book", tell) {
                try await writer.client.review(book: book.id, rating: 4.5, body: text)
            }
            try await first(in: updates) { update in
                guard case .event(let event) = update, event.kind == "review.posted" else { return false }
                return event.data["review"]?["body"]?.string == text
            }
            let took = ContinuousClock.now - sent
            try await review
            tell(Step(text: "the friend's socket has received the review, counted from its sending", took: took))
        }
    }

    /// Waits for an update that `isWanted`. Throws `ClientError.timedOut` after `patience`.
    private func first(in updates: StreamUpdates, _ isWanted: @escaping @Sendable (StreamUpdate) -> Bool) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for try await update in updates where isWanted(update) { return }
                throw ClientError.badAnswer("the stream ended")
            }
            group.addTask {
                try await Task.sleep(for: Self.patience)
                throw ClientError.timedOut
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Registers a reader for `body` and deletes it again, also when `body` throws.
    private func withGuest(
        _ role: String, _ tell: @Sendable (Step) -> Void, _ body: (Guest) async throws -> Void
    ) async throws {
        let username = "tour_" + UUID().uuidString.prefix(8).lowercased()
        let password = UUID().uuidString
        let guest = try await step("\(role) registers as \(username)", tell) {
            let signedIn = try await server.register(
                username: username, email: "\(username)@tour.invalid", password: password, invitation: invitation)
            return Guest(username: username, password: password, client: signedIn.client)
        }
        do {
            try await body(guest)
        } catch {
            try? await guest.client.deleteAccount(password: password)
            throw error
        }
        try await step("\(role) leaves", tell) { try await guest.client.deleteAccount(password: password) }
    }

    private func text(by writer: Guest) -> String {
        "A book worth walking about with. (Written by \(writer.username) on a tour of this server.)"
    }

    @discardableResult
    func step<Result: Sendable>(
        _ text: String, _ tell: @Sendable (Step) -> Void, naming: ((Result) -> String)? = nil,
        _ work: () async throws -> Result
    ) async throws -> Result {
        let started = ContinuousClock.now
        let result = try await work()
        tell(Step(text: naming?(result) ?? text, took: ContinuousClock.now - started))
        return result
    }
}
