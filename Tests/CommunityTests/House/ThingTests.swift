import EventLog
import Postgres
import TestSupport
import Testing

@testable import Community

/// A domain that is made up here: poems about books. What all domains share works for it, by this registration alone.
private enum Poems: Domain {
    enum Poem: ThingKind {
        static let facts = ThingFacts(
            name: "poem", table: "poem", joins: "left join privacy on privacy.reader_id = poem.author_id",
            author: "poem.author_id", title: "poem.title", isHidden: "(poem.hidden_at is not null)", isMerged: true,
            isHeld: true)

        static func isSeen<S: ForViewer>() -> SQL<S> {
            Visibility.predicate(viewer: .viewer, owner: "poem.author_id", level: "coalesce(privacy.notes, 2)")
        }
    }

    static let things: [any ThingKind.Type] = [Poem.self]
    static let eventSubjects = [
        EventSubject(
            name: "poem", joins: "left join poem on asked.kind = 'poem' and poem.id = asked.value",
            isTold: """
                poem.hidden_at is null
                and \(Visibility.predicate(viewer: "viewer.id", owner: "poem.author_id", level: "2"))
                """)
    ]
    static let workMerge = [
        MergeStep<Catalog.Work>("move", "update poem set work_id = \(\.into) where work_id = \(\.from)")
    ]
    static let recounts = [
        Recount("lines", "Every poem has a line.", "select 'poem ' || id || ' has none' from poem where lines = 0")
    ]

    static func accountEnds(
        _ account: ID<Accounts.Account>, of house: House, in transaction: Transaction
    ) async throws {
        try await transaction.run(Forget(author: account))
    }

    struct Forget: Statement {
        static let name = "poems.forget"
        static let sql: SQL<Self> = "delete from poem where author_id = \(\.author)"
        let author: ID<Accounts.Account>
    }
}

@Suite(.database)
struct ThingTests {
    /// Poems by `author` about one book, with these ids.
    private func poems(_ ids: [Int64], by author: Signed, in world: World) async throws -> ID<Catalog.Work> {
        let book = try await world.given.book()
        try await world.asSuperuser(
            """
            create table if not exists poem (
                id bigint primary key, author_id bigint, work_id bigint, title text not null, lines integer not null,
                merged_into bigint, hidden_at timestamptz);
            grant all on poem to commonplace_app;
            truncate poem;
            insert into poem (id, author_id, work_id, title, lines)
            select id, \(author.id), \(book), 'Ode ' || id, 3 from unnest(array[\(ids.map(String.init).joined(separator: ", "))]) id
            """)
        return book
    }

    @Test func `a kind of things that is made up is seen, hidden, reported, told, merged and counted`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, ben, eve) = (
                try await world.given.account(), try await world.given.account(), try await world.given.account()
            )
            let book = try await poems([1, 2], by: ann, in: world)
            let poem = Thing(Poems.Poem.self, 1)
            func seen(_ thing: Thing, by reader: Signed) async throws -> Thing.Sight? {
                try await thing.seen(by: .reader(reader.id), in: world.database)
            }
            func told(_ reader: Signed) async throws -> Bool {
                let event = LoggedEvent.about(1, of: ann.id.rawValue, kind: Poems.eventSubjects[0])
                let audience = Feed.Audience(world.database, of: Community.domains + [Poems.self])
                return try await !audience.visible([event], to: [reader.id.rawValue])[0].isEmpty
            }

            // Seen by those whom its author lets see it, with what a card says of it.
            let sight = try #require(try await seen(poem, by: ben))
            #expect(sight == Thing.Sight(thing: poem, author: ann.id, title: "Ode 1"))
            #expect(try await told(ben))
            try await world.community.friends.block(eve.username, by: ann.id)
            #expect(try await seen(poem, by: eve) == nil)
            #expect(try await !told(eve))
            #expect(try await seen(Thing(Poems.Poem.self, 9), by: ben) == nil)

            // Acted on by a moderator: the record names it, and nobody sees it.
            try await world.asSuperuser("update poem set hidden_at = now() where id = 1")
            let moderation = Moderation.Store(world.house)
            try await moderation.record(
                "poem.hide", on: poem, by: World.terminal, reason: "Not a poem.", before: [:], after: [:],
                in: world.database)
            #expect(try await moderation.history(of: poem).map(\.action) == ["poem.hide"])
            #expect(try await seen(poem, by: ben) == nil)
            #expect(try await seen(poem, by: ann) == nil)
            #expect(try await !told(ben))
            #expect(poem.missing == .notFound("poem 1"))

            // Merged: who asks for the one finds the other, and what hangs on books goes along.
            try await world.asSuperuser("update poem set hidden_at = null, merged_into = 2 where id = 1")
            #expect(try await seen(poem, by: ben)?.thing == Thing(Poems.Poem.self, 2))
            let other = try await world.given.book()
            try await world.database.transaction { transaction in
                let merge = Merge<Catalog.Work>(from: book, into: other, at: world.clock.now())
                try await Poems.worksMerge(merge, of: world.house, in: transaction)
            }
            #expect(
                try await world.asSuperuser("select distinct work_id from poem where merged_into is null")
                    == [[other.text]])

            // Counted, and gone with its author.
            #expect(try await world.database.differences(of: Poems.self) == [])
            try await world.asSuperuser("update poem set lines = 0 where id = 2")
            #expect(try await world.database.differences(of: Poems.self) == ["poem 2 has none"])
            try await world.database.transaction { transaction in
                try await Poems.accountEnds(ann.id, of: world.house, in: transaction)
            }
            #expect(try await world.asSuperuser("select id from poem") == [])
        }
    }

    @Test func `each kind is called by one word, and a word is of one kind`() {
        let names = Community.things.map { $0.facts.name }
        #expect(Set(names).count == names.count && names.count >= 8)
        #expect(Thing.post(ID(rawValue: 4)) == Thing(Boards.Post.self, 4))
        #expect(Thing.post(ID(rawValue: 4)) != Thing.thread(ID(rawValue: 4)))
        #expect(Thing.book(ID(rawValue: 4)).id(as: Boards.Post.self) == nil)
    }
}
