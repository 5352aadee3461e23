import Community
import HTTPTypes
import Postgres
import TestSupport
import Testing
import Web

/// The promise of the gate, byte by byte: every `GET` that names a board, a thread, a post or a reader is made by readers in every position,
/// and no word that lies ahead of them is anywhere in the answer.
@Suite(.database)
struct BoardsReadCanaryTests {
    /// A word of its own in one place of one thread.
    private struct Canary {
        enum Place: CaseIterable { case title, first, firstSpoiler, reply, replySpoiler }
        let place: Place
        let word: String
    }

    /// A thread whose posts all give away the same, and the words in it.
    private struct Cage {
        let thread: MadeThread
        let reply: ID<Boards.Post>
        let scope: Int
        let also: Int
        let canaries: [Canary]
    }

    private struct Onlooker {
        let name: String
        let app: TestApp
        /// Gates for the book and for the later one.
        var level = 0
        var other = 0
        var isAuthor = false
        /// Threads, and first posts, that they have revealed.
        var isThreadRevealed = false
        var isFirstRevealed = false

        func mayRead(_ canary: Canary, in cage: Cage) -> Bool {
            let isOfFirst = canary.place != .reply && canary.place != .replySpoiler
            let opens =
                isAuthor || isThreadRevealed || isFirstRevealed && isOfFirst
                || cage.scope <= level && cage.also <= other
            switch canary.place {
            case .title, .first, .reply: return opens
            case .firstSpoiler, .replySpoiler:
                return opens && (isAuthor || level == Gate.end || isFirstRevealed && isOfFirst)
            }
        }
    }

    private static let position = 5_000

    @Test(.requirement("DIS-1", "DIS-4"))
    func `no word that lies ahead of a reader is in any answer, and every word that does not is`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let (book, other, author) = (
                try await given.book(), try await given.book(), try await given.account("ada")
            )
            var cages: [Cage] = []
            for (scope, also) in [
                (0, 0), (Self.position, 0), (Self.position + 1, 0), (Gate.end, 0), (0, 1), (0, Gate.end),
            ] {
                cages.append(
                    try await makeCage(on: book, other, by: author.id, scope: scope, also: also, in: app.world))
            }
            for onlooker in try await onlookers(of: cages, book, other, author, in: app) {
                try await look(at: cages, as: onlooker, book: book)
            }
        }
    }

    /// Every `GET` route with a place for one of `names`, and for no other thing.
    private func paths(_ names: [String: String], in app: TestApp) -> [String] {
        app.server.table.routes.filter { $0.method == .get && !$0.isExempt }.compactMap { route in
            let path = names.reduce(route.path) { $0.replacing("{\($1.key)}", with: $1.value) }
            return path.contains("{") || !route.path.contains("{") ? nil : path
        }
    }

    private func look(at cages: [Cage], as onlooker: Onlooker, book: ID<Catalog.Work>) async throws {
        var paths = paths(["book": book.text, "username": "author"], in: onlooker.app)
        paths += ["/api/v1/me/posts?limit=100", "/api/v1/readers/ada/posts?limit=100"]
        paths += Boards.ThreadSort.allCases.map { "/api/v1/books/\(book)/threads?limit=100&sort=\($0.rawValue)" }
        for cage in cages {
            let (thread, reply) = (cage.thread.id.text, cage.reply.text)
            paths += self.paths(["thread": thread, "post": cage.thread.post.text], in: onlooker.app)
            paths += self.paths(["post": reply], in: onlooker.app)
            paths += Boards.PostSort.allCases.map { "/api/v1/threads/\(thread)/posts?sort=\($0.rawValue)" }
            paths += ["unread=true", "from_number=2"].map { "/api/v1/threads/\(thread)/posts?" + $0 }
        }
        var read = Set<String>()
        for path in paths {
            let answer = try await onlooker.app.get(path)
            // Headers are looked at, too: links and tags.
            let bytes = answer.text + answer.headers.map { $0.value }.joined(separator: "\n")
            for cage in cages {
                for canary in cage.canaries where bytes.contains(canary.word) {
                    read.insert(canary.word)
                    #expect(
                        onlooker.mayRead(canary, in: cage),
                        "\(onlooker.name) reads \(canary.place) at \(cage.scope), \(cage.also) in \(path)")
                }
            }
        }
        for cage in cages {
            for canary in cage.canaries where onlooker.mayRead(canary, in: cage) {
                #expect(
                    read.contains(canary.word),
                    "\(onlooker.name) is not shown \(canary.place) at \(cage.scope), \(cage.also)")
            }
        }
    }

    private func makeCage(
        on book: ID<Catalog.Work>, _ other: ID<Catalog.Work>, by author: ID<Accounts.Account>, scope: Int, also: Int,
        in world: World
    ) async throws -> Cage {
        let canaries = Canary.Place.allCases.map {
            Canary(
                place: $0, word: "canary" + String(world.random.number(in: UInt64.min...UInt64.max), radix: 36) + "x")
        }
        func word(_ place: Canary.Place) -> String { canaries.first { $0.place == place }?.word ?? "" }
        let level = try #require(Gate.Scope(position: scope))
        let spoils =
            also == 0 ? nil : Boards.Also(book: other, scope: try #require(Gate.Scope(position: also)))
        let thread = try await world.given.thread(
            on: book, by: author, title: word(.title), scope: level, also: spoils,
            body: word(.first) + " >!" + word(.firstSpoiler) + "!<", veiled: word(.first))
        let reply = try await world.given.post(
            in: thread.id, by: author, answering: thread.post, scope: level, also: spoils,
            body: word(.reply) + " >!" + word(.replySpoiler) + "!<", veiled: word(.reply))
        return Cage(thread: thread, reply: reply, scope: scope, also: also, canaries: canaries)
    }

    private func onlookers(
        of cages: [Cage], _ book: ID<Catalog.Work>, _ other: ID<Catalog.Work>, _ author: Signed, in app: TestApp
    ) async throws -> [Onlooker] {
        let world = app.world
        func signed(_ name: String, _ sql: (ID<Accounts.Account>) -> String) async throws -> Onlooker {
            let account = try await world.given.account()
            for work in [book, other] { try await world.given.shelved(work, .want, by: account.id) }
            try await world.asSuperuser(sql(account.id))
            return Onlooker(name: name, app: app.as(account))
        }
        func shelf(_ reader: ID<Accounts.Account>, _ work: ID<Catalog.Work>, _ set: String) -> String {
            "update shelf_entry set \(set) where reader_id = \(reader) and work_id = \(work);"
        }
        func reveal(_ reader: ID<Accounts.Account>, _ column: String, _ ids: [String]) -> String {
            ids.map { "insert into reveal (id, reader_id, \(column), at) values (\($0), \(reader), \($0), now());" }
                .joined()
        }
        let there = "status = 'reading', position = \(Self.position)"
        var reading = try await signed("reading") { shelf($0, book, there) }
        reading.level = Self.position
        var finished = try await signed("finished") { shelf($0, book, "status = 'read', times_read = 1") }
        finished.level = Gate.end
        var both = try await signed("finished both") {
            shelf($0, book, "status = 'read', times_read = 1") + shelf($0, other, "times_read = 1")
        }
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
        var thread = try await signed("revealed threads") { reveal($0, "thread_id", cages.map(\.thread.id.text)) }
        thread.isThreadRevealed = true
        var first = try await signed("revealed posts") { reveal($0, "post_id", cages.map(\.thread.post.text)) }
        first.isFirstRevealed = true
        var whole = try await signed("revealed the book") { reveal($0, "work_id", [book.text]) }
        whole.level = Gate.end
        var own = Onlooker(name: "author", app: app.as(author))
        own.isAuthor = true
        let nobody = try await signed("wanting") { _ in "select 1" }
        return [
            Onlooker(name: "anonymous", app: app.with(token: nil)), nobody, reading, finished, both, again, off, thread,
            first, whole, own,
        ]
    }

    @Test(.requirement("DIS-4")) func `a placeholder has four members and no other`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let (book, author) = (try await given.book(), try await given.account("ada"))
            let made = try await given.thread(on: book, by: author.id, kind: .question, scope: .finished)
            let reply = try await given.post(in: made.id, by: author.id, answering: made.post, scope: .finished)
            let thread: JSONValue = [
                "id": .string(made.id.text), "gated": true, "kind": "question", "position": 10_000,
            ]
            let first: JSONValue = [
                "id": .string(made.post.text), "gated": true, "kind": "question", "position": 10_000,
            ]
            let answer: JSONValue = ["id": .string(reply.text), "gated": true, "kind": "reply", "position": 10_000]

            #expect(try await app.get("/api/v1/threads/\(made.id)").json == thread)
            #expect(try await app.get("/api/v1/books/\(book)/threads").json["items"]?.elements == [thread])
            #expect(try await app.get("/api/v1/posts/\(made.post)").json == first)
            #expect(try await app.get("/api/v1/threads/\(made.id)/posts").json["items"]?.elements == [first, answer])
            #expect(try await app.get("/api/v1/posts/\(made.post)/replies").json["items"]?.elements == [answer])
            #expect(try await app.get("/api/v1/readers/ada/posts").json["items"]?.elements == [answer, first])
            #expect(try await app.as(author).get("/api/v1/me/posts").json["items"]?.elements.count == 2)
        }
    }
}
