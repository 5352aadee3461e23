import Community
import EventLog
import Postgres
import TestSupport
import Testing

@testable import Web

/// What may be followed, and what ends while it is.
@Suite(.database)
struct StreamTopicsTests {
    /// Lets everybody follow everything.
    private struct Open: TopicGate {
        func mayFollow(_ topic: Topic, reader: Int64) async throws -> Bool { true }
    }

    @Test func `what is not the reader's is answered as what does not exist`() async throws {
        try await withStream { stream in
            let (world, given) = (stream.world, stream.world.given)
            let (ann, bob) = (try await given.account(), try await given.account())
            let books = [try await given.book(), try await given.book(), try await given.book()]
            let threads = [
                try await given.threadRow(by: bob.id, on: books[0]).thread,
                try await given.threadRow(by: ann.id, on: books[0]).thread,
            ]
            try await world.asSuperuser("update work set withdrawn_at = now() where id = \(books[1])")
            try await world.asSuperuser("update work set merged_into = \(books[0]) where id = \(books[2])")
            try await world.asSuperuser("update thread set hidden_at = now() where id = \(threads[1])")
            try await world.community.friends.block(ann.username, by: bob.id)
            let refused = [
                "nonsense", "book:\(books[1])", "book:\(books[2])", "book:17", "thread:\(threads[0])",
                "thread:\(threads[1])", "thread:17", "conversation:17", "group:17",
            ]

            let client = try await stream.open(ann)
            for topic in refused { client.subscribe(topic, id: 3) }
            try await eventually { client.frames("error").count == refused.count }

            let answers = Set(client.frames("error").map { "\($0.text("code") ?? "") \($0.text("detail") ?? "")" })
            #expect(answers.count == 1 && answers.first?.hasPrefix("unknown_topic ") == true)
            #expect(client.frames("error").allSatisfy { $0.number("id") == 3 })
            for topic in ["home", "inbox", "book:\(books[0])"] {
                client.subscribe(topic)
                try await client.hear("subscribed", on: topic)
            }
            await client.cut(isAbrupt: false)
            try await eventually { await stream.hub.isEmpty }
        }
    }

    @Test(.requirement("FRI-2"))
    func `a conversation is followed by its two, and by neither from the moment of a block`() async throws {
        try await withStream { stream in
            let world = stream.world
            let (ann, bob, id) = try await world.given.correspondents()
            let (one, other) = (try await stream.open(ann), try await stream.open(bob))
            let stranger = try await stream.open(try await world.given.account())
            let topic = "conversation:\(id)"
            for client in [one, other] {
                client.subscribe(topic)
                try await client.hear("subscribed", on: topic)
            }
            stranger.subscribe(topic)
            #expect(try await stranger.hear("error").text("code") == "unknown_topic")
            try await world.given.message("Hello", in: id, by: ann)
            for client in [one, other] { #expect(try await client.hear("event").text("kind") == "message.sent") }

            try await world.community.friends.block(bob.username, by: ann.id)
            for client in [one, other] {
                #expect(try await client.hear("closed").topic == topic)
                client.subscribe(topic)
                #expect(try await client.hear("error").text("code") == "unknown_topic")
            }

            try await world.community.friends.unblock(bob.username, by: ann.id)
            one.subscribe(topic)
            try await eventually { one.frames("subscribed", on: topic).count == 2 }
            for client in [one, other, stranger] { await client.cut(isAbrupt: false) }
        }
    }

    @Test func `a topic that is closed ends for those that are named, and for nobody else`() async throws {
        try await withStream(topics: Open()) { stream in
            let (ann, bob) = (try await stream.world.given.account(), try await stream.world.given.account())
            let (one, other) = (try await stream.open(ann), try await stream.open(bob))
            for client in [one, other] {
                for topic in ["conversation:7", "conversation:8"] {
                    client.subscribe(topic)
                    try await client.hear("subscribed", on: topic)
                }
            }
            try await stream.publish(1, on: [.conversation(7)])
            try await stream.close(.conversation(7), to: [ann.id])
            try await stream.publish(2, on: [.conversation(7)])
            try await stream.publish(3, on: [.conversation(8)])

            try await eventually { other.frames("event").count == 3 }
            try await one.hear("event", on: "conversation:8")
            #expect(one.frames("closed").map(\.topic) == ["conversation:7"] && other.frames("closed").isEmpty)
            #expect(one.frames("event", on: "conversation:7").count == 1)
            let last = one.frames.last { $0.topic == "conversation:7" }
            #expect(last?.type == "closed" && last.map { Set($0.members.keys) } == ["type", "topic"])

            // To all; and a reader who may follow it again asks again.
            try await stream.close(.conversation(8), to: nil)
            for client in [one, other] {
                try await eventually { client.frames("closed", on: "conversation:8").count == 1 }
            }
            let cursor = try #require(one.frames("event", on: "conversation:7").first?.cursor)
            one.subscribe("conversation:7", from: cursor)
            try await eventually { one.frames("event", on: "conversation:7").count == 2 }
            for client in [one, other] { await client.cut(isAbrupt: false) }
            try await eventually { await stream.hub.isEmpty }
        }
    }

    @Test func `when a closing cannot be read, those whom it may concern come back and are asked again`() async throws {
        try await withStream(topics: Open()) { stream in
            let (ann, bob) = (try await stream.world.given.account(), try await stream.world.given.account())
            let (member, reader) = (try await stream.open(ann), try await stream.open(bob))
            member.subscribe("group:7")
            reader.subscribe("inbox")
            for client in [member, reader] { try await client.hear("subscribed") }
            try await stream.control("topic.closed", #"{"of": "group:7"}"#)

            #expect(try await member.hear("bye").text("why") == "drain")
            try await stream.publish(1, on: [.inbox(bob.id.rawValue)])
            try await reader.hear("event")
            for client in [member, reader] { await client.cut(isAbrupt: false) }
        }
    }

    /// The question is asked, and answered with yes, while the answer changes: whichever comes first, nobody is left following.
    @Test func `a topic that is closed while it is being asked for does not stay open`() async throws {
        try await withStream { stream in
            let given = stream.world.given
            let (author, reader) = (try await given.account(), try await given.account())
            let book = try await given.book()
            for round in 0..<ProofCount.of(200) {
                let thread = try await given.threadRow(by: author.id, on: book).thread
                let client = try await stream.open(reader)
                client.subscribe("thread:\(thread)")
                try await stream.world.asSuperuser("update thread set hidden_at = now() where id = \(thread)")
                try await stream.close(.thread(thread), to: nil)
                try await eventually("round \(round)") {
                    !client.frames("closed").isEmpty || !client.frames("error").isEmpty
                }
                #expect(client.frames("closed").count + client.frames("error").count == 1)
                await client.cut(isAbrupt: round % 2 == 0)
            }
            try await eventually { await stream.hub.isEmpty }
        }
    }
}

extension StreamServer {
    /// Puts what is told of a post into the log, with `body` for its text.
    func tell(_ post: PostRow, _ body: String, on topics: [Topic]) async throws {
        try await append(
            NewEvent(
                id: world.services.ids.make(Never.self).rawValue, kind: "post.created", topics: topics,
                owner: post.author.rawValue, subjectKind: EventSubject.text.name, subject: post.text,
                at: world.clock.now(),
                data: JSON(bytes: Array(#"{"post": {"id": "\#(post.id)", "body": "\#(body)"}}"#.utf8))))
    }

    func close(_ topic: Topic, to readers: [ID<Accounts.Account>]?) async throws {
        try await world.database.transaction {
            try await Groups.close(topic, to: readers, in: $0, services: world.services)
        }
    }

    func control(_ kind: String, _ data: String) async throws {
        try await append(
            NewEvent(
                id: world.services.ids.make(Never.self).rawValue, kind: kind, topics: [.control], at: world.clock.now(),
                data: JSON(bytes: Array(data.utf8))))
    }

    private func append(_ event: NewEvent) async throws {
        try await world.database.transaction { try await EventLog.append(event, in: $0) }
    }
}
