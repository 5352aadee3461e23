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
    @Test func `a word that a reader may not read is answered as one that nobody wrote, and every other one is found`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let canaries = try await Canaries(in: app)
            let gone = try await wordsOfTheGone(on: canaries.book, by: canaries.author.id, in: app.world)
            let unknown = Canaries.word(in: app.world)
            for onlooker in try await canaries.onlookers() {
                for cage in canaries.cages {
                    try await look(for: cage, unknown, as: onlooker, book: canaries.book)
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
        for place in CanaryPlace.allCases {
            guard let word = cage.words[place] else { continue }
            // Each place once for each reader, within what one may ask for in a minute.
            let path =
                switch place {
                case .title, .firstSpoiler: "/api/v1/boards/search"
                case .first, .replySpoiler: "/api/v1/books/\(book)/threads/search"
                case .reply: "/api/v1/threads/\(cage.thread.id)/posts/search"
                }
            guard mayFind(place, in: cage, as: onlooker) else {
                try await compare(word, unknown, at: path, as: onlooker)
                continue
            }
            let answer = try await onlooker.app.get("\(path)?q=\(word)")
            let found = answer.json["items"]?.elements.compactMap { $0["post"]?["id"]?.text }
            let expected = place == .reply ? cage.reply : cage.thread.post
            #expect(found == [expected.text], "\(onlooker.name) does not find \(place) at \(cage.scope), \(cage.also)")
            #expect(answer.json["next_cursor"] == .null)
            for (place, word) in cage.words where !mayFind(place, in: cage, as: onlooker) {
                let isShown = place.isSpoiler && onlooker.opens(place, in: cage) && onlooker.unveils(place)
                #expect(isShown || !answer.text.contains(word), "\(onlooker.name) reads \(place)")
            }
        }
    }

    /// Inline spoilers are found by nobody.
    private func mayFind(_ place: CanaryPlace, in cage: Cage, as onlooker: Onlooker) -> Bool {
        !place.isSpoiler && onlooker.opens(place, in: cage)
    }

    /// What was edited away, deleted and hidden: nobody finds it, who wrote it neither.
    private func wordsOfTheGone(
        on book: ID<Catalog.Work>, by author: ID<Accounts.Account>, in world: World
    ) async throws -> [String] {
        let words = (0..<5).map { _ in Canaries.word(in: world) }
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
}
