import TestSupport
import Testing
import Web

@testable import Community

/// Where a word stands in a thread.
enum CanaryPlace: CaseIterable {
    case title, first, firstSpoiler, reply, replySpoiler

    var isOfFirst: Bool { self != .reply && self != .replySpoiler }
    var isSpoiler: Bool { self == .firstSpoiler || self == .replySpoiler }
}

/// A thread whose posts all give away the same, with a word of its own in each place.
struct Cage {
    let thread: MadeThread
    let reply: ID<Boards.Post>
    let scope: Int
    let also: Int
    let words: [CanaryPlace: String]
}

/// A reader in some position.
struct Onlooker {
    let name: String
    let app: TestApp
    /// Gates for the book and for the later one.
    var level = 0
    var other = 0
    var isAuthor = false
    var isBlocked = false
    /// Threads, and first posts, that they have revealed.
    var isThreadRevealed = false
    var isFirstRevealed = false

    func opens(_ place: CanaryPlace, in cage: Cage) -> Bool {
        guard !isBlocked else { return false }
        return isAuthor || isThreadRevealed || isFirstRevealed && place.isOfFirst
            || cage.scope <= level && cage.also <= other
    }

    /// Whether inline spoilers are shown to them, where they stand in what opens.
    func unveils(_ place: CanaryPlace) -> Bool {
        isAuthor || level == Gate.end || isFirstRevealed && place.isOfFirst
    }
}

/// Threads that give away more and more of a book, or something of a later one, and readers in every position.
struct Canaries {
    static let position = 5_000

    let app: TestApp
    let book: ID<Catalog.Work>
    let author: Signed
    private(set) var cages: [Cage] = []
    private let other: ID<Catalog.Work>

    init(in app: TestApp) async throws {
        let given = app.world.given
        self.app = app
        (book, other, author) = (try await given.book(), try await given.book(), try await given.account("ada"))
        let scopes = [(0, 0), (Self.position, 0), (Self.position + 1, 0), (Gate.end, 0), (0, 1), (0, Gate.end)]
        for (scope, also) in scopes { cages.append(try await cage(scope: scope, also: also)) }
    }

    /// A word that stands nowhere else, of letters alone.
    static func word(in world: World) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz")
        return "canary" + String((0..<14).map { _ in world.random.element(of: letters) ?? "z" })
    }

    private func cage(scope: Int, also: Int) async throws -> Cage {
        let given = app.world.given
        let words = Dictionary(
            uniqueKeysWithValues: CanaryPlace.allCases.map { ($0, Self.word(in: app.world)) })
        func said(_ place: CanaryPlace) -> String { words[place] ?? "" }
        let level = try #require(Gate.Scope(position: scope))
        let spoils = also == 0 ? nil : Boards.Also(book: other, scope: try #require(Gate.Scope(position: also)))
        let thread = try await given.thread(
            on: book, by: author.id, title: said(.title), scope: level, also: spoils,
            body: said(.first) + " >!" + said(.firstSpoiler) + "!<", veiled: said(.first))
        let reply = try await given.post(
            in: thread.id, by: author.id, answering: thread.post, scope: level, also: spoils,
            body: said(.reply) + " >!" + said(.replySpoiler) + "!<", veiled: said(.reply))
        return Cage(thread: thread, reply: reply, scope: scope, also: also, words: words)
    }

    // MARK: Onlookers

    func onlookers() async throws -> [Onlooker] {
        var own = Onlooker(name: "author", app: app.as(author))
        own.isAuthor = true
        return [Onlooker(name: "anonymous", app: app.with(token: nil)), own] + (try await readers())
            + (try await revealers())
    }

    /// By what they read and how their gates are set.
    private func readers() async throws -> [Onlooker] {
        let there = "status = 'reading', position = \(Self.position)"
        let finished = "status = 'read', times_read = 1"
        let nobody = try await signed("wanting") { _ in "select 1" }
        var reading = try await signed("reading") { shelf($0, book, there) }
        reading.level = Self.position
        var read = try await signed("finished") { shelf($0, book, finished) }
        read.level = Gate.end
        var both = try await signed("finished both") { shelf($0, book, finished) + shelf($0, other, "times_read = 1") }
        (both.level, both.other) = (Gate.end, Gate.end)
        var again = try await signed("gated again") {
            shelf($0, book, "times_read = 1, " + there)
                + "insert into gate_setting (reader_id, gates_rereads, at) values (\($0), true, now())"
        }
        again.level = Self.position
        var off = try await signed("off") {
            "insert into gate_setting (reader_id, is_off, at) values (\($0), true, now())"
        }
        (off.level, off.other) = (Gate.end, Gate.end)
        var blocked = try await signed("blocked") {
            "insert into block (blocker_id, blocked_id, at) values (\(author.id), \($0), now())"
        }
        blocked.isBlocked = true
        return [nobody, reading, read, both, again, off, blocked]
    }

    private func revealers() async throws -> [Onlooker] {
        func reveal(_ reader: ID<Accounts.Account>, _ column: String, _ ids: [String]) -> String {
            ids.map { "insert into reveal (id, reader_id, \(column), at) values (\($0), \(reader), \($0), now());" }
                .joined()
        }
        var thread = try await signed("revealed threads") { reveal($0, "thread_id", cages.map(\.thread.id.text)) }
        thread.isThreadRevealed = true
        var first = try await signed("revealed posts") { reveal($0, "post_id", cages.map(\.thread.post.text)) }
        first.isFirstRevealed = true
        var whole = try await signed("revealed the book") { reveal($0, "work_id", [book.text]) }
        whole.level = Gate.end
        return [thread, first, whole]
    }

    private func signed(_ name: String, _ sql: (ID<Accounts.Account>) -> String) async throws -> Onlooker {
        let world = app.world
        let account = try await world.given.account()
        for work in [book, other] { try await world.given.shelved(work, .want, by: account.id) }
        try await world.asSuperuser(sql(account.id))
        return Onlooker(name: name, app: app.as(account))
    }

    private func shelf(_ reader: ID<Accounts.Account>, _ work: ID<Catalog.Work>, _ set: String) -> String {
        "update shelf_entry set \(set) where reader_id = \(reader) and work_id = \(work);"
    }
}
