import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Client

/// Readers with two devices each, and a librarian, who do at random what the API lets them, through two servers of one community at once.
///
/// What each device wants comes from its own stream of the run's seed; what it gets depends on what the others do in the meantime.
final class RandomRun: Sendable {
    /// What is known of the community, by everybody.
    struct Known {
        var books: [String]
        var copies: [String] = []
        var threads: [String] = []
        var posts: [String] = []
        var reviews: [String] = []
        var groups: [String] = []
        /// Reviews that are marked as long as the run lasts, so that what answers them is gated whenever it comes.
        var markedReviews: [String] = []
        /// Posts in which the secret was written.
        var secretPosts: Set<String> = []
        /// How often the secret was written, and shown on a card, in each place.
        var written: [Secret.Place: Int] = [:]
        var done = 0
        var answers: [Act.Kind: [Int: Int]] = [:]
    }

    let servers: [CommonplaceClient]
    private let seats: [Seat]
    private let librarian: CommonplaceClient
    /// Readers beside those of the seats, to whom messages go, too.
    private let companions: [String]
    let known: Mutex<Known>
    private let total: Int

    /// - Parameters:
    ///   - total: Acts of all together.
    ///   - scene: What stands there already.
    init(
        _ total: Int, servers: [CommonplaceClient], librarian: CommonplaceClient, companions: [String], scene: Known
    ) async throws {
        self.total = total
        self.servers = servers
        self.librarian = librarian
        self.companions = companions
        known = Mutex(scene)
        var seats: [Seat] = []
        for number in 0..<10 { seats.append(try await Seat(number, at: servers[0])) }
        self.seats = seats
    }

    /// Acts until `total` are done.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for device in 0..<seats.count * 2 {
                group.addTask { try await self.use(device) }
            }
            group.addTask { try await self.tend() }
            try await group.waitForAll()
        }
    }

    var usernames: [String] { seats.map(\.username) }
    /// What everybody knows by now.
    var snapshot: Known { known.withLock { $0 } }

    /// How often each kind of act was answered with which status.
    var answers: [Act.Kind: [Int: Int]] { known.withLock { $0.answers } }

    /// How often acts of these kinds did something.
    func successes(_ kind: Act.Kind) -> Int {
        (answers[kind] ?? [:]).reduce(0) { $0 + ((200..<300).contains($1.key) ? $1.value : 0) }
    }

    private func isFinished() -> Bool {
        known.withLock { known in
            guard known.done < total else { return true }
            known.done += 1
            return false
        }
    }

    private func note(_ status: Int, of kind: Act.Kind) {
        known.withLock { $0.answers[kind, default: [:]][status, default: 0] += 1 }
    }

    // MARK: Readers

    private func use(_ device: Int) async throws {
        let random = TestRandom(for: "device \(device)")
        let seat = seats[device / 2]
        while !isFinished() {
            let kind = Act.Kind.drawn(by: random)
            if kind == .leave {
                try await leave(seat)
                continue
            }
            guard let act = try await act(kind, seat, random) else { continue }
            let status = try await perform(act, as: seat.token, random)
            note(status, of: kind)
        }
    }

    /// The call of an act; `nil` where there is nothing to do it to.
    private func act(_ kind: Act.Kind, _ seat: Seat, _ random: TestRandom) async throws -> Act? {
        let (books, copies) = known.withLock { ($0.books, $0.copies) }
        let other = random.element(of: seats.filter { $0 !== seat })
        guard let book = random.element(of: books), let other else { return nil }
        if kind.isTalk {
            let partner = random.once(in: 3) ? random.element(of: companions) : other.username
            return try await talk(kind, seat, about: book, with: partner ?? other.username, random)
        }
        switch kind {
        case .accept, .decline:
            guard let request = try await id(in: "/me/friend-requests", seat, random) else { return nil }
            return Act(.post, "/me/friend-requests/\(request)/\(kind == .accept ? "accept" : "decline")")
        case .unlist, .putOnList, .takeOffList, .changeList:
            guard let list = try await id(in: "/me/lists", seat, random) else { return nil }
            return Act.onList(kind, list, book, random)
        case .unmark:
            guard let bookmark = try await id(in: "/me/bookmarks", seat, random) else { return nil }
            return Act(.delete, "/bookmarks/\(bookmark)")
        case .addCopy:
            guard let library = try await id(in: "/me/libraries", seat, random) else { return nil }
            return Act(.post, "/libraries/\(library)/copies", ["book_id": .string(book)])
        case .askForCopy:
            return random.element(of: copies).map { Act(.post, "/copies/\($0)/loans") }
        case .settleLoan:
            let isLent = random.once(in: 2)
            guard let loan = try await id(in: "/me/loans?is_lent=\(isLent)", seat, random),
                let step = random.element(of: [
                    "accept", "accept", "hand-over", "hand-over", "return", "decline", "withdraw",
                ])
            else { return nil }
            return Act(.post, "/loans/\(loan)/\(step)")
        default:
            return Act(kind, book, other, random)
        }
    }

    /// The id of one of the first things of a list; `nil` where there is none.
    func id(in list: String, _ seat: Seat, _ random: TestRandom) async throws -> String? {
        var call = HTTPCall(.get, "/api/v1\(list)")
        call.token = seat.token
        let answer = try await answer(to: call, at: random.number(in: 0..<servers.count))
        guard answer.status == 200 else { return nil }
        let page = try JSONDecoder().decode(JSONValue.self, from: Data(answer.body))
        let items = page["items"]?.array ?? []
        let wanted = list.hasPrefix("/me/friend-requests") ? items.filter { $0["state"]?.string == "pending" } : items
        return random.element(of: wanted)?["id"]?.string
    }

    /// Ends the account and takes the seat with a new one.
    private func leave(_ seat: Seat) async throws {
        guard let password = seat.beginToLeave() else { return }
        var call = HTTPCall(
            .delete, "/api/v1/me", body: try JSONEncoder().bytes(["password": .string(password)]),
            key: UUID().uuidString)
        call.token = seat.token
        let answer = try await answer(to: call, at: 0)
        note(answer.status, of: .leave)
        #expect(
            answer.status == 204, "an account that cannot be ended: \(String(decoding: answer.body, as: UTF8.self))")
        try await seat.takeAgain(at: servers[0])
    }

    // MARK: The librarian

    /// Adds books, says where chapters begin, and merges the books into others, one in a hundred acts.
    private func tend() async throws {
        let random = TestRandom(for: "librarian")
        let steps = max(3, total / 100)
        for step in 0..<steps {
            try await eventually(within: .seconds(1_800)) { known.withLock { $0.done >= total * step / steps } }
            guard !isFinished() else { return }
            let twin = try await make("Twin \(step)")
            known.withLock { $0.books.append(twin) }
            // Let some readers come to it first.
            let goal = known.withLock { min(total, $0.done + total / steps / 2) }
            try await eventually(within: .seconds(1_800)) { known.withLock { $0.done >= goal } }
            let into = try #require(random.element(of: known.withLock { $0.books.filter { $0 != twin } }))
            let act = Act(.post, "/books/\(twin)/merge", ["into": .string(into), "reason": .string("the same book")])
            note(try await perform(act, as: librarian.token, random), of: .merge)
            if step % 3 == 0 {
                let copy = Act(.post, "/libraries/1/copies", ["book_id": .string(into)])
                note(try await perform(copy, as: librarian.token, random), of: .addCopy)
            }
        }
    }

    private func make(_ title: String) async throws -> String {
        var call = HTTPCall(
            .post, "/api/v1/books",
            body: try JSONEncoder().bytes([
                "title": .string(title), "authors": .array([.string("Ann Twin")]), "year": .number(1999),
                "is_confirmed": .bool(true),
            ]),
            key: UUID().uuidString)
        call.token = librarian.token
        let answer = try await answer(to: call, at: 1)
        let page = try JSONDecoder().decode(JSONValue.self, from: Data(answer.body))
        return try #require(page["id"]?.string, "\(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
    }

    // MARK: Calls

    /// Has an act done through one of the servers; one in eight through both at once, under the same key, which is one act all the same.
    private func perform(_ act: Act, as token: String?, _ random: TestRandom) async throws -> Int {
        var call = HTTPCall(
            act.method, "/api/v1\(act.path)", body: try act.body.map { try JSONEncoder().bytes($0) } ?? [],
            key: UUID().uuidString)
        call.token = token
        guard random.once(in: 8) else {
            let answer = try await answer(to: call, at: random.number(in: 0..<servers.count))
            keep(answer, of: act)
            return answer.status
        }
        let twice = call
        async let one = answer(to: twice, at: 0)
        async let other = answer(to: twice, at: 1)
        let answers = try await (one, other)
        keep(answers.0, of: act)
        if (200..<300).contains(answers.0.status), (200..<300).contains(answers.1.status) {
            #expect(isOne(answers.0, answers.1), "\(act) was done twice")
        }
        return min(answers.0.status, answers.1.status)
    }

    /// What others wrote is read anew for the second of the two, and may have changed meanwhile: then it is one thing all
    /// the same. Addresses of covers name the server that answers.
    private func isOne(_ one: HTTPAnswer, _ other: HTTPAnswer) -> Bool {
        func said(_ answer: HTTPAnswer) -> JSONValue? {
            let text = String(decoding: answer.body, as: UTF8.self)
                .replacing(/http:\/\/127\.0\.0\.1:\d+\//, with: "http://server/")
            return try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        }
        guard one.status == other.status else { return false }
        guard one.body != other.body, let first = said(one), let second = said(other) else {
            return one.body == other.body
        }
        return first["id"] != nil && first["id"] == second["id"] || first.unshelved == second.unshelved
    }

    /// Remembers what was made.
    private func keep(_ answer: HTTPAnswer, of act: Act) {
        guard (200..<300).contains(answer.status) else { return }
        noteSecrets(of: act, answer)
        guard act.method == .post || act.method == .put,
            let made = try? JSONDecoder().decode(JSONValue.self, from: Data(answer.body))
        else { return }
        known.withLock { known in
            if let thread = made["thread"]?["id"]?.string { known.threads.append(thread) }
            if let post = made["post"]?["id"]?.string { known.posts.append(post) }
            guard let id = made["id"]?.string else { return }
            if act.path.hasSuffix("/copies") { known.copies.append(id) }
            if act.path.hasSuffix("/review") { known.reviews.append(id) }
            if act.path == "/groups" { known.groups.append(id) }
        }
    }

    /// Counts what an act, which was done, wrote of the secret.
    private func noteSecrets(of act: Act, _ answer: HTTPAnswer) {
        guard let body = act.body, let sent = try? JSONEncoder().bytes(body) else { return }
        let places = Secret.tokens(in: sent).compactMap(Secret.place(of:))
        let made = try? JSONDecoder().decode(JSONValue.self, from: Data(answer.body))
        known.withLock { known in
            for place in places { known.written[place, default: 0] += 1 }
            if let shown = body["post_id"]?.string, known.secretPosts.contains(shown) {
                known.written[.card, default: 0] += 1
            }
            guard !places.isEmpty else { return }
            if let post = made?["post"]?["id"]?.string { known.secretPosts.insert(post) }
            if act.method == .patch, act.path.hasPrefix("/posts/") {
                known.secretPosts.insert(String(act.path.dropFirst("/posts/".count)))
            }
        }
    }

    /// The answer, asked for again under the same key while the server is too busy or another is at it.
    func answer(to call: HTTPCall, at server: Int) async throws -> HTTPAnswer {
        var last: HTTPAnswer?
        try await eventually(within: .seconds(60), "\(call.method) \(call.target) is never answered") {
            let answer = try await servers[server].transport.perform(call)
            last = answer
            let text = String(decoding: answer.body, as: UTF8.self)
            return answer.status != 503 && !text.contains("idempotency_in_progress")
        }
        let answer = try #require(last)
        #expect(
            answer.status < 500, "\(call.method) \(call.target): \(String(decoding: answer.body, as: UTF8.self))")
        return answer
    }
}

extension JSONEncoder {
    /// The same bytes for the same value.
    func bytes(_ value: JSONValue) throws -> [UInt8] {
        outputFormatting = .sortedKeys
        return [UInt8](try encode(value))
    }
}

extension JSONValue {
    /// Without the caller's shelf of each book, which is looked up when an answer is sent.
    fileprivate var unshelved: JSONValue {
        switch self {
        case .object(var members):
            members["shelf"] = nil
            return .object(members.mapValues(\.unshelved))
        case .array(let elements): return .array(elements.map(\.unshelved))
        default: return self
        }
    }
}
