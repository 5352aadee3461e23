import Community
import HTTPTypes
import Postgres
import TestSupport
import Testing
import Web

/// A search tells nobody which words stand in what they may not read: its answer is then, byte by byte, the one for a
/// word that nobody wrote.
@Suite(.database)
struct BoardsSearchCanaryTests {
    private enum Place: CaseIterable { case title, first, firstSpoiler, reply, replySpoiler }

    /// A thread whose posts all give away the same, with a word of its own in each place.
    private struct Cage {
        let thread: MadeThread
        let reply: ID<Boards.Post>
        let scope: Int
        let also: Int
        let words: [Place: String]
    }

    private struct Onlooker {
        let name: String
        let app: TestApp
        var level = 0
        var other = 0
        var isAuthor = false
        var isBlocked = false
        var isThreadRevealed = false
        var isFirstRevealed = false

        func mayFind(_ place: Place, in cage: Cage) -> Bool {
            guard !isBlocked, place != .firstSpoiler, place != .replySpoiler else { return false }
            return isAuthor || isThreadRevealed || isFirstRevealed && place != .reply
                || cage.scope <= level && cage.also <= other
        }
    }

    private static let position = 5_000

    private func word(in world: World) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz")
        return "canary" + String((0..<14).map { _ in world.random.element(of: letters) ?? "z" })
    }

    @Test(.requirement("DIS-1", "DIS-4"))
    func `a word that a reader may not read is answered as one that nobody wrote, and every other one is found`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let (book, other, author) = (
                try await given.book(), try await given.book(), try await given.account("ada")
            )
            var cages: [Cage] = []
            for (scope, also) in [(0, 0), (Self.position, 0), (Self.position + 1, 0), (Gate.end, 0), (0, 1)] {
                cages.append(
                    try await makeCage(on: book, other, by: author.id, scope: scope, also: also, in: app.world))
            }
            let gone = try await wordsOfTheGone(on: book, by: author.id, in: app.world)
            let unknown = word(in: app.world)
            for onlooker in try await onlookers(of: cages, book, other, author, in: app) {
                for cage in cages {
                    try await look(for: cage, unknown, as: onlooker, book: book)
                }
                for word in gone {
                    try await compare(word, unknown, at: "/api/v1/boards/search", as: onlooker)
                }
            }
        }
    }

    private func compare(_ word: String, _ unknown: String, at path: String, as onlooker: Onlooker) async throws {
        let answer = try await onlooker.app.get("\(path)?q=\(word)")
        let none = try await onlooker.app.get("\(path)?q=\(unknown)")
        #expect(answer.status == none.status && answer.status != .tooManyRequests)
        #expect(answer.headers[.link] == nil)
        // A path that is not there names itself in its answer: the same for both.
        #expect(
            answer.status != .ok || answer.body == none.body, "\(onlooker.name) learns of \(word) in \(path)")
    }

    private func look(for cage: Cage, _ unknown: String, as onlooker: Onlooker, book: ID<Catalog.Work>) async throws {
        for place in Place.allCases {
            guard let word = cage.words[place] else { continue }
            // Each place once for each reader, within what one may ask for in a minute.
            let path =
                switch place {
                case .title, .firstSpoiler: "/api/v1/boards/search"
                case .first, .replySpoiler: "/api/v1/books/\(book)/threads/search"
                case .reply: "/api/v1/threads/\(cage.thread.id)/posts/search"
                }
            guard onlooker.mayFind(place, in: cage) else {
                try await compare(word, unknown, at: path, as: onlooker)
                continue
            }
            let answer = try await onlooker.app.get("\(path)?q=\(word)")
            let found = answer.json["items"]?.elements.compactMap { $0["post"]?["id"]?.text }
            let expected = place == .reply ? cage.reply : cage.thread.post
            #expect(found == [expected.text], "\(onlooker.name) does not find \(place) at \(cage.scope), \(cage.also)")
            #expect(answer.json["next_cursor"] == .null)
            for (place, word) in cage.words where !onlooker.mayFind(place, in: cage) {
                let isOwnSpoiler = onlooker.isAuthor || onlooker.level == Gate.end || onlooker.isFirstRevealed
                #expect(isOwnSpoiler || !answer.text.contains(word), "\(onlooker.name) reads \(place)")
            }
        }
    }

    private func makeCage(
        on book: ID<Catalog.Work>, _ other: ID<Catalog.Work>, by author: ID<Accounts.Account>, scope: Int, also: Int,
        in world: World
    ) async throws -> Cage {
        let words = Dictionary(uniqueKeysWithValues: Place.allCases.map { ($0, word(in: world)) })
        func said(_ place: Place) -> String { words[place] ?? "" }
        let level = try #require(Gate.Scope(position: scope))
        let spoils = also == 0 ? nil : Boards.Also(book: other, scope: try #require(Gate.Scope(position: also)))
        let thread = try await world.given.thread(
            on: book, by: author, title: said(.title), scope: level, also: spoils,
            body: said(.first) + " >!" + said(.firstSpoiler) + "!<", veiled: said(.first))
        let reply = try await world.given.post(
            in: thread.id, by: author, answering: thread.post, scope: level, also: spoils,
            body: said(.reply) + " >!" + said(.replySpoiler) + "!<", veiled: said(.reply))
        return Cage(thread: thread, reply: reply, scope: scope, also: also, words: words)
    }

    /// What was edited away, deleted and hidden: nobody finds it, who wrote it neither.
    private func wordsOfTheGone(
        on book: ID<Catalog.Work>, by author: ID<Accounts.Account>, in world: World
    ) async throws -> [String] {
        let words = (0..<5).map { _ in word(in: world) }
        let (boards, given) = (world.community.boards, world.given)
        let chief = try await given.account(role: .moderator)
        let moderator = try Boards.Moderator(chief.identity, reason: "because")
        let thread = try await given.thread(on: book, by: author, title: words[0], body: words[1])
        _ = try await boards.edit(thread.post, Boards.Change(title: "Another", body: "Other words."), by: author)
        let deleted = try await given.post(in: thread.id, by: author, body: words[2])
        try await boards.delete(deleted, by: author)
        let hidden = try await given.post(in: thread.id, by: author, body: words[3])
        try await boards.moderate(hidden, .hide, by: moderator)
        let out = try await given.thread(on: book, by: author, body: "Something.")
        _ = try await given.post(in: out.id, by: chief.id, body: words[4])
        try await boards.moderate(out.post, .hide, by: moderator)
        return words
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
        var reading = try await signed("reading") {
            shelf($0, book, "status = 'reading', position = \(Self.position)")
        }
        reading.level = Self.position
        var finished = try await signed("finished") { shelf($0, book, "status = 'read', times_read = 1") }
        finished.level = Gate.end
        var off = try await signed("off") {
            "insert into gate_setting (reader_id, is_off, at) values (\($0), true, now())"
        }
        (off.level, off.other) = (Gate.end, Gate.end)
        var thread = try await signed("revealed threads") { reveal($0, "thread_id", cages.map(\.thread.id.text)) }
        thread.isThreadRevealed = true
        var first = try await signed("revealed posts") { reveal($0, "post_id", cages.map(\.thread.post.text)) }
        first.isFirstRevealed = true
        var blocked = try await signed("blocked") {
            "insert into block (blocker_id, blocked_id, at) values (\(author.id), \($0), now())"
        }
        blocked.isBlocked = true
        var own = Onlooker(name: "author", app: app.as(author))
        own.isAuthor = true
        let nobody = try await signed("wanting") { _ in "select 1" }
        let anonymous = Onlooker(name: "anonymous", app: app.with(token: nil))
        return [anonymous, nobody, reading, finished, off, thread, first, blocked, own]
    }
}
