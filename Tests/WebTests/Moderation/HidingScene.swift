import Community
import EventLog
import Postgres
import TestSupport
import Testing
import Web

/// Ann writes, Ben is her friend, Eve is nobody to her.
struct HidingScene {
    let app: TestApp
    let ann: Signed, ben: Signed, eve: Signed
    let book: ID<Catalog.Work>
    let walk = CanaryWalk()

    var world: World { app.world }
    var author: TestApp { app.as(ann) }
    var friend: TestApp { app.as(ben) }

    init(_ app: TestApp) async throws {
        let given = app.world.given
        self.app = app
        (ann, ben, eve) = (try await given.elder(), try await given.elder(), try await given.account())
        try await given.friendship(ann, ben)
        book = try await given.book()
    }

    /// Does it once more than it takes: the second time nothing is left to do.
    func act<Kind: Moderated>(_ verb: Moderation.Verb, on id: ID<Kind>) async throws {
        for isFirst in [true, false] {
            let change = try await world.database.transaction { transaction in
                try await Kind.perform(
                    Moderation.Order(verb, by: .terminal("test"), reason: "it is spam"), on: id.rawValue,
                    of: world.services, in: transaction)
            }
            #expect((change != nil) == isFirst, "\(verb.rawValue)")
        }
        #expect(try await world.everyDifference() == [])
    }

    /// Whether `word` is in any answer, for each of those who might look.
    func readers(of word: String, _ names: [String: String]) async throws -> [String] {
        let moderator = app.as(try await world.given.account(role: .moderator))
        var found: [String] = []
        for (name, caller) in [
            ("author", author), ("friend", friend), ("reader", app.as(eve)), ("anybody", app),
            ("moderator", moderator),
        ] {
            let known = names.merging(["book": book.text, "username": ann.username]) { own, _ in own }
            let sights = try await walk.look(with: known, as: caller)
            // What moderators look through has hidden things, too.
            let seen = sights.contains { !$0.path.contains("/moderation") && $0.text.contains(word) }
            if seen { found.append(name) }
        }
        return found
    }

    /// Who would hear of the last event of a kind now.
    func hearers(of kind: String) async throws -> [Bool] {
        let rows = try await world.asSuperuser(
            """
            select owner_id, subject_kind, subject_id, topics[1] from outbox where kind = '\(kind)'
             order by position desc limit 1
            """)
        let row = try #require(rows.first)
        let topic = Topic(try #require(row[3]))
        let event = LoggedEvent(
            seq: 1, id: 1, kind: kind, version: 1, places: [.init(topic: topic, prev: 0)],
            owner: row[0].flatMap { Int64($0) }, subjectKind: row[1], subject: row[2].flatMap { Int64($0) },
            at: Timestamp(seconds: 0), data: JSON(bytes: Array("{}".utf8)))
        let audience = Feed.Audience(world.database, of: Community.domains)
        let viewers = [ann.id.rawValue, ben.id.rawValue]
        let seen = try await audience.visible([event], to: viewers)[0]
        return viewers.map(seen.contains)
    }

    /// What is told to somebody, without who wants to be their friend.
    func notices(of caller: TestApp) async throws -> [String] {
        let items = try await caller.get("/api/v1/me/notifications").json["items"]?.elements ?? []
        return items.compactMap { $0["kind"]?.text }.filter { $0 != "friend.requested" }
    }

    static let everybody = ["author", "friend", "reader", "anybody", "moderator"]
}
