import EventLog
import Postgres
import TestSupport
import Testing

@testable import Community

/// Who gets what of a post that is told of, at the time of delivery.
@Suite(.database)
struct FeedTextsTests {
    private struct Scene {
        let world: World
        let book: ID<Catalog.Work>
        let author: Signed
        /// In the book at its start, at half of it, and through with it.
        let starter: Signed
        let half: Signed
        let finisher: Signed
        /// Never had it in hand.
        let stranger: Signed
        var viewers: [Int64] { [author, starter, half, finisher, stranger].map(\.id.rawValue) }

        init(_ world: World) async throws {
            let given = world.given
            self.world = world
            book = try await given.book()
            author = try await given.account()
            (starter, half) = (try await given.account(), try await given.account())
            (finisher, stranger) = (try await given.account(), try await given.account())
            for (reader, position) in [(starter, 100), (half, 5_000)] {
                try await given.shelved(book, .reading, by: reader.id)
                try await given.position(.part(position), in: book, by: reader.id)
            }
            try await given.shelved(book, .read, by: finisher.id)
        }

        func verdicts(on posts: [PostRow], topics: [Topic]? = nil) async throws -> [Hearing] {
            let events = posts.map { post in
                LoggedEvent(
                    seq: 1, id: 1, kind: "post.created", version: 1,
                    places: (topics ?? [.thread(post.thread)]).map { .init(topic: $0, prev: 0) },
                    owner: post.author.rawValue, subjectKind: EventSubject.text.name, subject: post.text,
                    at: world.clock.now(), data: JSON(bytes: Array("{}".utf8)))
            }
            return try await Feed.Audience(world.database).verdicts(on: events, for: viewers)
        }

        func names(_ readers: Set<Int64>) -> String {
            let cast = [("author", author), ("starter", starter), ("half", half), ("finisher", finisher)]
            return (cast + [("stranger", stranger)]).filter { readers.contains($0.1.id.rawValue) }.map(\.0)
                .joined(separator: " ")
        }
    }

    @Test
    func `a post is whole for readers past it, and a place with kind and position for all others`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let first = try await world.given.threadRow(
                by: scene.author.id, on: scene.book, kind: .question, scope: 5_000)
            let posts = [
                first, try await world.given.postRow(by: scene.author.id, in: first.thread),
                try await world.given.postRow(by: scene.author.id, in: first.thread, scope: 10_000),
            ]

            let verdicts = try await scene.verdicts(on: posts)

            #expect(
                verdicts.map { scene.names($0.seen) } == [
                    "author half finisher", "author starter half finisher stranger", "author finisher",
                ])
            #expect(
                verdicts.map { scene.names($0.gated) } == ["starter stranger", "", "starter half stranger"])
            #expect(
                verdicts.map { $0.placeholder?.text } == [
                    #"{"post":{"id":"\#(posts[0].id)","state":"gated","kind":"question","position":5000}}"#, nil,
                    #"{"post":{"id":"\#(posts[2].id)","state":"gated","kind":"reply","position":10000}}"#,
                ])
        }
    }

    @Test func `progress, a raised scope and another book that is given away count from the next question on`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let sequel = try await world.given.book()
            let first = try await world.given.threadRow(by: scene.author.id, on: scene.book)
            let posts = [
                try await world.given.postRow(by: scene.author.id, in: first.thread, scope: 3_000),
                try await world.given.postRow(
                    by: scene.author.id, in: first.thread, scope: 3_000, also: (sequel, 10_000)),
            ]
            let before = try await scene.verdicts(on: posts)
            #expect(before.map { scene.names($0.seen) } == ["author half finisher", "author"])

            try await world.given.position(.part(4_000), in: scene.book, by: scene.starter.id)
            try await world.given.shelved(sequel, .read, by: scene.finisher.id)
            try await world.asSuperuser("update post set scope = 4500 where id = \(posts[0].id)")

            let verdicts = try await scene.verdicts(on: posts)
            #expect(verdicts.map { scene.names($0.seen) } == ["author half finisher", "author finisher"])
            #expect(
                verdicts.map { $0.placeholder?.text } == [
                    #"{"post":{"id":"\#(posts[0].id)","state":"gated","kind":"reply","position":4500}}"#,
                    #"{"post":{"id":"\#(posts[1].id)","state":"gated","kind":"reply","position":10000}}"#,
                ], "the position is the one that holds now, and the end where another book is given away, too")
        }
    }

    @Test func `what a post said before, and what was deleted or hidden, is for nobody, not even as a place`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let first = try await world.given.threadRow(by: scene.author.id, on: scene.book)
            var posts = [first]
            for _ in 0..<3 {
                posts.append(try await world.given.postRow(by: scene.author.id, in: first.thread, scope: 5_000))
            }
            let after = try await world.given.edited(posts[1])
            try await world.asSuperuser(
                """
                update post set deleted_at = now(), text_id = null where id = \(posts[2].id);
                update post set hidden_at = now() where id = \(posts[3].id)
                """)
            let nobody = Hearing()
            let verdicts = try await scene.verdicts(on: [posts[1], posts[2], posts[3], after])
            #expect(Array(verdicts.prefix(3)) == [nobody, nobody, nobody])
            #expect(scene.names(verdicts[3].seen) == "author half finisher")
            #expect(scene.names(verdicts[3].gated) == "starter stranger")

            try await world.asSuperuser("update thread set hidden_at = now() where id = \(first.thread)")
            #expect(try await scene.verdicts(on: [first, after]) == [nobody, nobody])
        }
    }

    @Test func `blocks, levels and suspension come before the gate: who may not know of a post has no place of it`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let post = try await world.given.threadRow(by: scene.author.id, on: scene.book, scope: 5_000)
            func found() async throws -> [String] {
                let verdict = try await scene.verdicts(on: [post])[0]
                return [scene.names(verdict.seen), scene.names(verdict.gated)]
            }
            try await world.community.friends.block(scene.author.username, by: scene.stranger.id)
            #expect(try await found() == ["author half finisher", "starter"])

            try await world.given.friendship(scene.author, scene.half)
            try await world.community.profiles.change([.discussions: .friends], for: scene.author.id)
            #expect(try await found() == ["author half", ""])

            try await world.community.accounts.suspend(scene.author.username, by: World.terminal, reason: "test")
            #expect(try await found() == ["author", ""])
        }
    }

    @Test func `an answer is seen where its thread is: not in one whose opener does not show it`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let opener = try await world.given.account()
            let first = try await world.given.threadRow(by: opener.id, on: scene.book)
            let answer = try await world.given.postRow(by: scene.author.id, in: first.thread, scope: 5_000)
            func found() async throws -> [String] {
                let verdict = try await scene.verdicts(on: [answer])[0]
                return [scene.names(verdict.seen), scene.names(verdict.gated)]
            }
            try await world.community.friends.block(scene.finisher.username, by: opener.id)
            #expect(try await found() == ["author half", "starter stranger"])

            try await world.given.friendship(opener, scene.half)
            try await world.community.profiles.change([.discussions: .friends], for: opener.id)
            let befriended = try await found()
            #expect(befriended == ["half", ""])

            try await world.asSuperuser("update post set hidden_at = now() where id = \(first.id)")
            #expect(try await found() == ["author half finisher", "starter stranger"])
        }
    }

    @Test func `in an inbox it is for its reader alone, among events of every other kind`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let post = try await world.given.threadRow(by: scene.author.id, on: scene.book, scope: 5_000)
            let inboxes = [scene.half, scene.starter].map { Topic.inbox($0.id.rawValue) }
            let review = try await world.given.review(by: scene.author.id, of: scene.book)
            let audience = Feed.Audience(world.database)
            func event(_ topic: Topic, _ kind: String?, _ subject: Int64?) -> LoggedEvent {
                LoggedEvent(
                    seq: 1, id: 1, kind: "x.y", version: 1, places: [.init(topic: topic, prev: 0)],
                    owner: kind.map { _ in scene.author.id.rawValue }, subjectKind: kind, subject: subject,
                    at: world.clock.now(), data: JSON(bytes: Array("{}".utf8)))
            }

            let verdicts = try await audience.verdicts(
                on: [
                    event(inboxes[0], "text", post.text),
                    event(.book(scene.book.rawValue), "review", review.id.rawValue),
                    event(inboxes[1], "text", post.text), event(.thread(post.thread), nil, nil),
                    event(.thread(post.thread), "text", 17),
                ], for: scene.viewers)

            #expect(
                verdicts.map { scene.names($0.seen) } == [
                    "half", "author starter half finisher stranger", "", "author starter half finisher stranger", "",
                ])
            #expect(verdicts.map { scene.names($0.gated) } == ["", "", "starter", "", ""])
        }
    }

    @Test func `a book is followed where it is listed, a thread where it may be seen`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let scene = try await Scene(world)
            let audience = Feed.Audience(world.database)
            let first = try await world.given.threadRow(by: scene.author.id, on: scene.book)
            let thread = first.thread
            func followed(_ topic: Topic) async throws -> String {
                var readers: Set<Int64> = []
                for viewer in scene.viewers where try await audience.mayFollow(topic, reader: viewer) {
                    readers.insert(viewer)
                }
                return scene.names(readers)
            }
            let all = "author starter half finisher stranger"
            #expect(try await followed(.book(scene.book.rawValue)) == all)
            #expect(try await followed(.thread(thread)) == all)
            for topic in [Topic.book(17), .thread(17), .reader(scene.author.id.rawValue), .control, Topic("book:x")] {
                #expect(try await followed(topic) == "", "\(topic)")
            }

            try await world.community.profiles.change([.discussions: .friends], for: scene.author.id)
            try await world.given.friendship(scene.author, scene.half)
            #expect(try await followed(.thread(thread)) == "author half")
            // What others have answered stays when the first post goes.
            try await world.asSuperuser("update post set deleted_at = now(), text_id = null where id = \(first.id)")
            #expect(try await followed(.thread(thread)) == all)
            try await world.asSuperuser("update thread set hidden_at = now() where id = \(thread)")
            #expect(try await followed(.thread(thread)) == "")
        }
    }

    @Test func `a closing is told on control, to whom it names`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let readers = [try await world.given.reader(), try await world.given.reader()]
            try await world.database.transaction {
                try await Groups.close(.conversation(7), to: readers, in: $0, services: world.services)
                try await Groups.close(.thread(8), to: nil, in: $0, services: world.services)
            }
            #expect(
                try await world.asSuperuser("select kind, topics::text, data::text from outbox order by position") == [
                    [
                        "topic.closed", "{control}",
                        #"{"topic": "conversation:7", "readers": ["\#(readers[0])", "\#(readers[1])"]}"#,
                    ], ["topic.closed", "{control}", #"{"topic": "thread:8"}"#],
                ])
        }
    }
}
