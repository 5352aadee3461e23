import Community
import HTTPTypes
import JSONWriting
import Postgres
import TestSupport
import Testing
import Web

/// No word and no file of a photograph comes to anybody whom its level, its gate, a block, a moderator or the end of an
/// account excludes: not in any answer, byte by byte.
@Suite(.database)
struct PhotosCanaryTests {
    /// Photographs that say a word of their own in each place, by the name of who may see them.
    private struct Cage {
        let name: String
        let id: ID<Photos.Photo>

        var words: [String] { ["canary\(name)comment", "canary\(name)alt"] }
        /// The words in it are its reader's alone.
        var ownWords: String { "canary\(name)words" }
    }

    private struct Onlooker {
        let name: String
        let app: TestApp
        /// Cages that they may look into; of the others that are `gated` they may know.
        let sees: Set<String>
        var isOwner = false
    }

    private func cage(
        _ name: String, of book: ID<Catalog.Work>, by owner: Signed, _ visibility: Visibility?, scope: Int = 0,
        in world: World
    ) async throws -> Cage {
        let photo = try await world.given.photo(
            of: book, by: owner.id, comment: "canary\(name)comment", alt: "canary\(name)alt",
            words: "canary\(name)words",
            scope: scope, visibility: visibility)
        return Cage(name: name, id: photo)
    }

    @Test(.requirement("UPL-5", "UPL-X"))
    func `what is not for somebody is in no answer to them, and what is for them is`() async throws {
        try await withApp(leaving: [.outbox, .jobs], hasPages: true) { app in
            let (world, given) = (app.world, app.world.given)
            let book = try await given.book()
            let ada = try await given.account("ada")
            let (friend, member) = (try await given.account("fred"), try await given.account("mimi"))
            let (blocked, blocker) = (try await given.account("blond"), try await given.account("bruno"))
            let finisher = try await given.account("fiona")
            let moderator = try await given.account("looker", role: .moderator)
            for reader in [friend, blocked, blocker] { try await given.friendship(ada, reader) }
            try await given.shelved(book, .read, by: finisher.id)
            try await world.community.friends.block("blond", by: ada.id)
            try await world.community.friends.block("ada", by: blocker.id)
            let cages = [
                try await cage("own", of: book, by: ada, .private, in: world),
                try await cage("usual", of: book, by: ada, nil, in: world),
                try await cage("members", of: book, by: ada, .members, in: world),
                try await cage("public", of: book, by: ada, .public, in: world),
                try await cage("gated", of: book, by: ada, .public, scope: 7_000, in: world),
                try await cage("hidden", of: book, by: ada, .public, in: world),
            ]
            let change = try await world.database.transaction {
                try await Photos.Photo.setHidden(true, cages[5].id, of: world.services, in: $0)
            }
            #expect(change)
            let walk = CanaryWalk()
            let everything = Set(cages.map(\.name))
            func onlookers() -> [Onlooker] {
                [
                    Onlooker(name: "owner", app: app.as(ada), sees: everything, isOwner: true),
                    Onlooker(name: "friend", app: app.as(friend), sees: ["usual", "members", "public"]),
                    Onlooker(name: "member", app: app.as(member), sees: ["members", "public"]),
                    Onlooker(name: "finisher", app: app.as(finisher), sees: ["members", "public", "gated"]),
                    Onlooker(name: "anonymous", app: app, sees: ["public"]),
                    Onlooker(name: "blocked", app: app.as(blocked), sees: []),
                    Onlooker(name: "blocker", app: app.as(blocker), sees: []),
                    Onlooker(name: "moderator", app: app.as(moderator), sees: ["members", "public"]),
                ]
            }
            for onlooker in onlookers() { try await look(at: cages, as: onlooker, in: book, walk) }
            #expect(!walk.unanswered.contains { $0.contains("photo") }, "\(walk.unanswered)")

            // Limited, its reader's voice carries to friends alone; suspended, to nobody; then it is gone.
            try await world.community.accounts.limit("ada", by: World.terminal, reason: "test")
            for onlooker in onlookers().dropFirst() {
                let sees: Set<String> = onlooker.name == "friend" ? ["usual", "members", "public"] : []
                let now = Onlooker(name: "limited: " + onlooker.name, app: onlooker.app, sees: sees)
                try await look(at: cages, as: now, in: book, walk)
            }
            try await world.community.accounts.suspend("ada", by: World.terminal, reason: "test")
            for onlooker in onlookers().dropFirst() {
                try await look(at: cages, as: Onlooker(name: "suspended", app: onlooker.app, sees: []), in: book, walk)
            }
            try await world.community.accounts.close(ada.id)
            for onlooker in onlookers().dropFirst() {
                try await look(at: cages, as: Onlooker(name: "closed", app: onlooker.app, sees: []), in: book, walk)
            }
            #expect(try await world.work() == 0)
            #expect(try storedFiles(of: world).isEmpty)
            #expect(!world.log.lines.joined().contains("canary"))
            #expect(try await world.everyDifference() == [])
        }
    }

    private func look(
        at cages: [Cage], as onlooker: Onlooker, in book: ID<Catalog.Work>, _ walk: CanaryWalk
    ) async throws {
        let names = ["book": book.text, "username": "ada", "width": "320"]
        var lists = try await walk.look(
            with: names,
            and: [
                "/api/v1/books/\(book)?include=photos", "/api/v1/readers/ada?include=photos",
                "/api/v1/books/\(book)/photos?direction=ascending",
            ], as: onlooker.app)
        // Moderators look through what readers said, hidden or not.
        lists.removeAll { $0.path.contains("/moderation/") }
        for cage in cages {
            let sees = onlooker.sees.contains(cage.name)
            var sights = lists
            for width in ["320", "1280", "4096"] {
                sights += try await walk.look(
                    with: ["photo": cage.id.text, "width": width], all: false, as: onlooker.app)
            }
            let text = sights.map(\.text).joined()
            for word in cage.words {
                #expect(text.contains(word) == sees, "\(onlooker.name), \(cage.name): \(word)")
            }
            #expect(text.contains(cage.ownWords) == onlooker.isOwner, "\(onlooker.name), \(cage.name): the words in it")
            let one = try await onlooker.app.get("/api/v1/photos/\(cage.id)")
            let file = try await onlooker.app.get("/api/v1/photos/\(cage.id)/320")
            #expect(file.status == (sees ? .ok : .notFound), "\(onlooker.name), \(cage.name)")
            guard !sees, one.status == .ok else { continue }
            #expect(
                one.json == ["id": .string(cage.id.text), "state": "gated", "kind": "photo", "position": 7_000],
                "\(onlooker.name): \(one.text)")
        }
        // Its files have no address among those that everybody may fetch.
        for hash in try await onlooker.app.world.asSuperuser("select encode(hash, 'hex') from media_file") {
            #expect(try await onlooker.app.get("/media/\(hash[0] ?? "")").status == .notFound)
        }
    }

    @Test func `an export holds the photographs of its reader, and nobody else's`() async throws {
        try await withApp(leaving: [.outbox, .jobs], hasPages: true) { app in
            let (world, given) = (app.world, app.world.given)
            let book = try await given.book()
            let (ann, ben) = (try await given.account(), try await given.account())
            try await given.friendship(ann, ben)
            _ = try await given.photo(
                of: book, by: ann.id, comment: "canaryann", words: "canaryinann", visibility: .public)
            _ = try await given.photo(
                of: book, by: ben.id, comment: "canaryben", words: "canaryinben", visibility: .public)
            #expect(try await app.as(ann).post("/api/v1/me/export").status == .accepted)
            #expect(try await world.work() == 0)
            let archive = try await app.as(ann).get("/api/v1/me/export/archive")
            let files = try CanaryTests.unpacked(archive.body)
            let text = files.map { String(decoding: $0.value, as: UTF8.self) }.joined()
            #expect(text.contains("canaryann") && text.contains("canaryinann") && !text.contains("ben"))
            #expect(files.filter { $0.key.hasPrefix("files/") }.count == 3)
        }
    }
}
