import EventLog
import MarkdownReading
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
        _ account: ID<Accounts.Account>, of services: Services, in transaction: Transaction
    ) async throws {
        try await transaction.run(Forget(author: account))
    }

    struct Forget: Statement {
        static let name = "poems.forget"
        static let sql: SQL<Self> = "delete from poem where author_id = \(\.author)"
        let author: ID<Accounts.Account>
    }
}

extension Poems.Poem: Reactable {
    static let reacting = ReactionFacts(
        event: "poem.reacted", topic: "'book:' || poem.work_id",
        data: "'poem', jsonb_build_object('id', poem.id::text)",
        subject: ("'poem'", "poem.id"))
}

extension Poems.Poem: Revised {
    typealias Mark = Bool
    static let revising = RevisionFacts(mark: "spoilers", formerly: "stands.*", kept: 3)
}

@Suite(.database)
struct ThingTests {
    /// Poems by `author` about one book, with these ids.
    private func poems(_ ids: [Int64], by author: Signed, in world: World) async throws -> ID<Catalog.Work> {
        let book = try await world.given.book()
        try await world.asSuperuser(
            """
            create table poem (
                id bigint primary key, author_id bigint, work_id bigint, title text not null, lines integer not null,
                merged_into bigint, hidden_at timestamptz, text_id bigint, reactions integer not null default 0);
            create table poem_reaction (
                poem_id bigint, reader_id bigint, name text, at timestamptz, primary key (poem_id, reader_id, name));
            create table poem_reaction_tally (
                poem_id bigint, name text, n integer, primary key (poem_id, name));
            create table poem_text (
                id bigint primary key, poem_id bigint, body text, html text, veiled_body text, veiled_html text,
                at timestamptz, spoilers boolean not null default false);
            grant all on poem, poem_reaction, poem_reaction_tally, poem_text to commonplace_app;
            insert into poem (id, author_id, work_id, title, lines)
            select id, \(author.id), \(book), 'Ode ' || id, 3 from unnest(array[\(ids.map(String.init).joined(separator: ", "))]) id
            """)
        return book
    }

    /// Leaves the database as all tests expect it.
    private func dropPoems(in world: World) async throws {
        try await world.asSuperuser("drop table poem, poem_reaction, poem_reaction_tally, poem_text")
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
            let moderation = Moderation.Store(world.services)
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
                try await Poems.worksMerge(merge, of: world.services, in: transaction)
            }
            #expect(
                try await world.asSuperuser("select distinct work_id from poem where merged_into is null")
                    == [[other.text]])

            // Counted, and gone with its author.
            #expect(try await world.database.differences(of: Poems.self) == [])
            try await world.asSuperuser("update poem set lines = 0 where id = 2")
            #expect(try await world.database.differences(of: Poems.self) == ["poem 2 has none"])
            try await world.database.transaction { transaction in
                try await Poems.accountEnds(ann.id, of: world.services, in: transaction)
            }
            #expect(try await world.asSuperuser("select id from poem") == [])
            try await dropPoems(in: world)
        }
    }

    @Test func `a kind of things that is made up is reacted to, by its registration alone`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, ben, eve) = (
                try await world.given.account(), try await world.given.account(), try await world.given.account()
            )
            _ = try await poems([1, 2], by: ann, in: world)
            let (reactions, poem) = (world.community.reactions, ID<Poems.Poem>(rawValue: 1))
            func counts() async throws -> [[String?]] {
                try await world.asSuperuser(
                    """
                    select poem.id, poem.reactions, (select count(*) from poem_reaction given where given.poem_id = poem.id),
                           (select string_agg(name || n, ' ' order by name) from poem_reaction_tally tally where tally.poem_id = poem.id)
                      from poem order by id
                    """)
            }

            for _ in 0..<2 { try await reactions.react(.wow, to: poem, by: ben.id) }
            try await reactions.react(.wow, to: poem, by: eve.id)
            try await reactions.react(.sad, to: poem, by: eve.id)
            #expect(try await counts() == [["1", "3", "3", "sad1 wow2"], ["2", "0", "0", nil]])
            #expect(
                try await world.asSuperuser(
                    "select kind, owner_id, subject_id, data ->> 'reactions' from outbox order by position desc limit 1"
                )
                    == [["poem.reacted", ann.id.text, "1", #"{"sad": 1, "wow": 2}"#]])
            #expect(try await world.database.differences(of: Poems.self) == [])

            // Taken back: of none there is no row.
            try await reactions.unreact(.sad, to: poem, by: eve.id)
            #expect(try await counts() == [["1", "2", "2", "wow2"], ["2", "0", "0", nil]])

            // Not one's own, and only what is seen.
            await #expect(throws: Failure.forbidden(code: .ownThing, "this poem is your own")) {
                try await reactions.react(.like, to: poem, by: ann.id)
            }
            try await world.community.friends.block(eve.username, by: ann.id)
            await #expect(throws: Failure.notFound("poem 1")) { try await reactions.react(.like, to: poem, by: eve.id) }
            await #expect(throws: Failure.notFound("poem 9")) {
                try await reactions.react(.like, to: ID<Poems.Poem>(rawValue: 9), by: ben.id)
            }

            // To one that was merged: to the one that it is now.
            try await world.asSuperuser("update poem set merged_into = 2 where id = 1")
            try await reactions.react(.like, to: poem, by: ben.id)
            #expect(try await counts() == [["1", "2", "2", "wow2"], ["2", "1", "1", "like1"]])

            // Gone with the account of who reacted.
            try await world.database.transaction { transaction in
                let given = try await transaction.all(
                    Reactions.Statements.ReactedTo<Poems.Poem>(reader: ben.id, after: .min, limit: 10))
                #expect(given.map(\.rawValue) == [1, 2])
                try await Reactions.drop(of: ben.id, to: given, at: world.clock.now(), in: transaction)
            }
            #expect(try await counts() == [["1", "1", "1", "wow1"], ["2", "0", "0", nil]])
            #expect(try await world.database.differences(of: Poems.self) == [])
            try await world.asSuperuser(
                "update poem set reactions = 5 where id = 1; update poem_reaction_tally set n = 5")
            #expect(try await world.database.differences(of: Poems.self).count == 2)
            try await dropPoems(in: world)
        }
    }

    @Test func `a kind of things that is made up keeps its former texts, by its registration alone`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, ben, eve) = (
                try await world.given.account(), try await world.given.account(), try await world.given.account()
            )
            _ = try await poems([1], by: ann, in: world)
            let poem = ID<Poems.Poem>(rawValue: 1)
            func write(_ words: String, over mark: Bool?) async throws {
                try await world.database.transaction { transaction in
                    let id: ID<ShownText> = try world.services.ids.make()
                    let new = Texts.Revision(
                        id: id, thing: poem, text: Markdown.render(words), at: world.clock.now())
                    try await transaction.batch { batch in
                        if let mark { new.replace(under: mark, in: &batch) } else { new.add(to: &batch) }
                    }
                    try await transaction.run(Name(text: id, poem: poem))
                }
            }
            func history(for reader: Signed) async throws -> [String] {
                try await world.community.texts.history(of: poem, for: .reader(reader.id), page: PageRequest()).items
                    .map {
                        if case .whole(_, let text, _) = $0.shown { text.body } else { "-" }
                    }
            }

            try await write("One", over: nil)
            for (words, mark) in [("Two", false), ("Three", true), ("Four", false)] {
                try await write(words, over: mark)
            }
            // The first one and the newest; each with what it stood under.
            #expect(try await history(for: ben) == ["Four", "Three", "One"])
            #expect(
                try await world.asSuperuser("select body, spoilers from poem_text order by id")
                    == [["One", "f"], ["Three", "f"], ["Four", "f"]])
            try await write("Five", over: true)
            #expect(
                try await world.asSuperuser("select body from poem_text where spoilers order by id") == [["Four"]])
            try await world.community.friends.block(eve.username, by: ann.id)
            await #expect(throws: Failure.notFound("poem 1")) { _ = try await history(for: eve) }
            try await dropPoems(in: world)
        }
    }

    private struct Name: Statement {
        static let name = "poems.name"
        static let sql: SQL<Self> = "update poem set text_id = \(\.text) where id = \(\.poem)"
        let text: ID<ShownText>, poem: ID<Poems.Poem>
    }

    @Test func `each kind is called by one word, and a word is of one kind`() {
        let names = Community.things.map { $0.facts.name }
        #expect(Set(names).count == names.count && names.count >= 8)
        #expect(Thing.post(ID(rawValue: 4)) == Thing(Boards.Post.self, 4))
        #expect(Thing.post(ID(rawValue: 4)) != Thing.thread(ID(rawValue: 4)))
        #expect(Thing.book(ID(rawValue: 4)).id(as: Boards.Post.self) == nil)
    }
}
