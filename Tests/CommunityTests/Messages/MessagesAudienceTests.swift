import EventLog
import Postgres
import TestSupport
import Testing

@testable import Community

/// Who may write, who sees what was written, and who is told.
@Suite(.database)
struct MessagesAudienceTests {
    private func writing(in id: ID<Messages.Conversation>, by reader: Signed, in world: World) async throws -> String? {
        try await MessagesRefusal.of { try await world.given.message(in: id, by: reader) }
    }

    @Test func `only friends open a conversation, and nobody with themselves`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob) = (try await world.given.account("ann"), try await world.given.account("bob"))
            let store = world.community.messages
            func opening(_ username: String, by reader: Signed) async throws -> String? {
                try await MessagesRefusal.of { _ = try await store.open(with: username, by: reader.identity) }
            }
            #expect(try await opening("bob", by: ann) == "not_friends")
            #expect(try await opening("ann", by: ann) == "/username oneself")
            #expect(try await opening("nobody", by: ann) == "not_found")
            _ = try await world.given.friendRequest(from: ann, to: bob)
            #expect(try await opening("bob", by: ann) == "not_friends")
            try await world.community.friends.block("bob", by: ann.id)
            #expect(try await opening("bob", by: ann) == "not_found")
            #expect(try await opening("ann", by: bob) == "not_found")
            let other = try await world.given.account("suspended", state: .suspended)
            try await world.asSuperuser(
                "insert into friendship select a, b, now() from (values (\(ann.id), \(other.id)), (\(other.id), \(ann.id))) pair (a, b)"
            )
            #expect(try await opening("suspended", by: ann) == "not_found")
            #expect(try await world.asSuperuser("select 1 from conversation").isEmpty)
        }
    }

    @Test func `who is frozen or unproven writes nothing, and reads`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob, id) = try await world.given.correspondents()
            let store = world.community.messages
            let sent = try await world.given.message(in: id, by: ann)
            let own = try await world.given.message(in: id, by: bob)
            let unproven = Accounts.Identity(
                account: bob.id, session: bob.identity.session, username: bob.username, role: .member, state: .active,
                isVerified: false, createdAt: bob.identity.createdAt, lastUsedAt: bob.identity.lastUsedAt, scopes: nil)
            let why = try await MessagesRefusal.of {
                _ = try await store.send(Messages.NewMessage("x"), in: id, by: unproven)
            }
            #expect(why == "email_unverified")
            // What the caller knew of the account is older than its end.
            try await world.asSuperuser("update account set state = 'frozen' where id = \(bob.id)")
            #expect(try await writing(in: id, by: bob, in: world) == "account_frozen")
            let edit = try await MessagesRefusal.of { _ = try await store.edit(own.id, to: "x", by: bob.identity) }
            let delete = try await MessagesRefusal.of { try await store.delete(own.id, by: bob.id) }
            let file = try await MessagesRefusal.of {
                _ = try await store.file(id, Messages.Filing(isMuted: true), by: bob.id)
            }
            #expect([edit, delete, file] == Array(repeating: "account_frozen", count: 3))
            #expect(try await store.message(sent.id, for: bob.id).body == "Hello")
            #expect(try await store.read(id, upTo: 2, by: bob.id).unread == 0)
            #expect(try await !store.conversation(id, of: bob.id).canWrite)
        }
    }

    @Test func `nobody else sees a conversation or what is in it`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, _, id) = try await world.given.correspondents()
            let eve = try await world.given.account()
            try await world.given.friendship(ann, eve)
            let sent = try await world.given.message(in: id, by: ann)
            let store = world.community.messages
            let refusals = [
                try await MessagesRefusal.of { _ = try await store.conversation(id, of: eve.id) },
                try await MessagesRefusal.of { _ = try await store.messages(in: id, for: eve.id, page: PageRequest()) },
                try await MessagesRefusal.of { _ = try await store.message(sent.id, for: eve.id) },
                try await MessagesRefusal.of { _ = try await store.read(id, upTo: 1, by: eve.id) },
                try await MessagesRefusal.of { _ = try await store.file(id, Messages.Filing(), by: eve.id) },
                try await MessagesRefusal.of { _ = try await store.edit(sent.id, to: "x", by: eve.identity) },
                try await MessagesRefusal.of { try await store.delete(sent.id, by: eve.id) },
                try await writing(in: id, by: eve, in: world),
            ]
            #expect(refusals == Array(repeating: "not_found", count: refusals.count))
            #expect(try await !store.isOpen(id, to: eve.id))
            #expect(try await store.isOpen(id, to: ann.id))
        }
    }

    @Test func `former friends read what they wrote, and take it back, and write no more until they are friends again`()
        async throws
    {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob, id) = try await world.given.correspondents()
            let store = world.community.messages
            let (first, second) = (
                try await world.given.message("One", in: id, by: ann),
                try await world.given.message("Two", in: id, by: ann)
            )
            try await world.community.friends.remove(bob.id, of: ann.id)

            #expect(try await writing(in: id, by: ann, in: world) == "not_friends")
            #expect(try await writing(in: id, by: bob, in: world) == "not_friends")
            let edit = try await MessagesRefusal.of { _ = try await store.edit(first.id, to: "x", by: ann.identity) }
            #expect(edit == "not_friends")
            try await store.delete(first.id, by: ann.id)
            let seen = try await store.conversation(id, of: bob.id)
            #expect(!seen.canWrite && seen.unread == 1 && seen.reader?.id == ann.id)
            #expect(try await store.message(second.id, for: bob.id).body == "Two")
            #expect(try await store.open(with: bob.username, by: ann.identity).conversation.id == id)

            try await world.given.friendship(bob, ann)
            #expect(try await world.given.message(in: id, by: bob).seq == 3)
            #expect(try await store.conversation(id, of: bob.id).canWrite)
        }
    }

    @Test func `a block hides it from both and out of every count; lifted, it is what former friends have`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob, id) = try await world.given.correspondents()
            let (store, friends) = (world.community.messages, world.community.friends)
            let sent = try await world.given.message(in: id, by: ann)
            try await world.given.message(in: id, by: bob)
            try await friends.block(bob.username, by: ann.id)
            // Both at the same moment: the second no longer finds the other.
            try await world.asSuperuser(
                "insert into block (blocker_id, blocked_id, at) values (\(bob.id), \(ann.id), now())")

            for reader in [ann, bob] {
                #expect(try await store.unread(of: reader.id) == 0)
                #expect(
                    try await store.conversations(of: reader.id, archived: false, page: PageRequest()).items.isEmpty)
                #expect(try await writing(in: id, by: reader, in: world) == "not_found")
                let refusals = [
                    try await MessagesRefusal.of { _ = try await store.conversation(id, of: reader.id) },
                    try await MessagesRefusal.of {
                        _ = try await store.messages(in: id, for: reader.id, page: PageRequest())
                    },
                    try await MessagesRefusal.of { _ = try await store.message(sent.id, for: reader.id) },
                    try await MessagesRefusal.of { _ = try await store.read(id, upTo: 2, by: reader.id) },
                    try await MessagesRefusal.of { try await store.delete(sent.id, by: reader.id) },
                ]
                #expect(refusals == Array(repeating: "not_found", count: refusals.count))
            }
            #expect(try await world.everyDifference() == [])
            try await friends.unblock(bob.username, by: ann.id)
            #expect(try await store.unread(of: ann.id) == 0, "the other block still stands")
            try await friends.unblock(ann.username, by: bob.id)

            for reader in [ann, bob] {
                let seen = try await store.conversation(id, of: reader.id)
                #expect(seen.unread == 1 && !seen.canWrite)
                #expect(try await store.unread(of: reader.id) == 1)
                #expect(try await writing(in: id, by: reader, in: world) == "not_friends")
            }
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test func `of who is suspended or leaves, neither name nor words are shown`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob, id) = try await world.given.correspondents()
            let store = world.community.messages
            try await world.given.message("Mine", in: id, by: bob)
            let sent = try await world.given.message("Theirs", in: id, by: ann)
            for state in ["suspended", "leaving"] {
                try await world.asSuperuser("update account set state = '\(state)' where id = \(ann.id)")
                let seen = try await store.conversation(id, of: bob.id)
                #expect(seen.reader == nil && !seen.canWrite && seen.theirReadSeq == nil)
                #expect(seen.last?.text == nil && seen.last?.author == nil && seen.last?.isHidden == true)
                let page = try await store.messages(in: id, for: bob.id, page: PageRequest()).items
                #expect(page.map(\.body) == [nil, "Mine"] && page.map(\.isHidden) == [true, false])
                #expect(page.map(\.author?.id) == [nil, bob.id])
                #expect(try await store.message(sent.id, for: bob.id).body == nil)
                #expect(try await writing(in: id, by: bob, in: world) == "not_friends")
            }
            try await world.asSuperuser("update account set state = 'active' where id = \(ann.id)")
            #expect(try await store.message(sent.id, for: bob.id).body == "Theirs")
        }
    }

    @Test func `what is new goes to the conversation and to the inbox of the other, unless muted`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob, id) = try await world.given.correspondents()
            let store = world.community.messages
            try await world.clearOutbox()
            let sent = try await world.given.message("One", in: id, by: ann)
            _ = try await store.edit(sent.id, to: "Two", by: ann.identity)
            _ = try await store.read(id, upTo: 1, by: bob.id)
            _ = try await store.file(id, Messages.Filing(isMuted: true), by: bob.id)
            try await store.delete(sent.id, by: ann.id)
            try await store.change(Messages.Settings(readReceipts: false), of: ann.id)
            try await world.given.message(in: id, by: ann)
            _ = try await store.read(id, upTo: 2, by: bob.id)

            let events = try await world.outbox()
            #expect(
                events.map(\.kind) == [
                    "message.sent", "message.edited", "conversation.read", "message.deleted", "message.sent",
                    "conversation.read",
                ])
            let (place, inbox) = ("conversation:\(id)", "inbox:\(bob.id)")
            #expect(
                events.map(\.topics) == [
                    "{\(place),\(inbox)}", "{\(place),\(inbox)}", "{\(inbox),\(place)}", "{\(place)}", "{\(place)}",
                    // Without receipts the other does not even hear that there was something.
                    "{\(inbox)}",
                ])
            #expect(events[0].data.contains("One") && events[1].data.contains("Two"))
            #expect(!events[3].data.contains("Two") && events[3].data.contains("deleted_at"))
        }
    }

    @Test func `a text is told to the two while it stands and nothing is between them`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob, id) = try await world.given.correspondents()
            let eve = try await world.given.account()
            let store = world.community.messages
            let everybody = [ann.id, bob.id, eve.id].map(\.rawValue)
            let both = Set([ann.id, bob.id].map(\.rawValue))
            func told(_ text: String, _ kind: EventSubject = .message, of owner: Signed) async throws -> Set<Int64> {
                let value = try #require(Int64(text))
                let places: [LoggedEvent.Place] = [
                    .init(topic: .conversation(id.rawValue), prev: 0), .init(topic: .inbox(bob.id.rawValue), prev: 0),
                ]
                let event = LoggedEvent(
                    seq: 1, id: 1, kind: "x.y", version: 1, places: places, owner: owner.id.rawValue,
                    subjectKind: kind.name, subject: value, at: Timestamp(seconds: 0),
                    data: JSON(bytes: Array("{}".utf8)))
                let rule = Feed.Rule(event, among: Feed.Subjects(of: Community.domains))
                // It stands in the inbox of one, and both follow the conversation.
                #expect(rule.candidates == nil && rule.questions.count == 1)
                var questions = EventQuestions()
                questions.ask(rule.questions[0], of: everybody, isOpen: false)
                let exceptions = try await Messages.exceptions(to: questions, in: world.database)[0]
                return Set(everybody).subtracting(exceptions.hidden)
            }
            func texts() async throws -> [String] {
                try await world.asSuperuser(
                    "select subject_id from outbox where subject_kind = 'message' order by position"
                ).compactMap { $0[0] }
            }
            let sent = try await world.given.message(in: id, by: ann)
            let first = try #require(try await texts().last)
            #expect(try await told(first, of: ann) == both)
            #expect(try await told(first, of: bob) == [])

            _ = try await store.edit(sent.id, to: "x", by: ann.identity)
            let second = try #require(try await texts().last)
            #expect(try await [told(first, of: ann), told(second, of: ann)] == [[], both])
            try await store.delete(sent.id, by: ann.id)
            let third = try #require(try await texts().last)
            #expect(try await [told(second, of: ann), told(third, of: ann)] == [[], both])
            #expect(try await told(id.text, .receipt, of: bob) == both)
            try await store.change(Messages.Settings(readReceipts: false), of: ann.id)
            #expect(try await told(id.text, .receipt, of: bob) == [bob.id.rawValue])
            try await world.community.friends.block(bob.username, by: ann.id)
            #expect(try await [told(third, of: ann), told(id.text, .receipt, of: bob)] == [[], []])
        }
    }

    @Test func `rates are those of the account's age`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, _, id) = try await world.given.correspondents()
            for _ in 0..<Limits.messages.messagesOnFirstDay { try await world.given.message(in: id, by: ann) }
            for _ in 0..<2 {
                #expect(try await writing(in: id, by: ann, in: world) == "limited messages_on_first_day")
                world.clock.advance(by: .seconds(3600))
            }
            world.clock.advance(by: .seconds(25 * 3600))
            for _ in 0..<Limits.messages.messagesPerMinute { try await world.given.message(in: id, by: ann) }
            #expect(try await writing(in: id, by: ann, in: world) == "limited messages")

            let bea = try await world.given.account()
            func open() async throws -> String? {
                let friend = try await world.given.account()
                try await world.given.friendship(bea.id, friend.id)
                return try await MessagesRefusal.of { _ = try await world.given.conversation(of: bea, with: friend) }
            }
            for _ in 0..<Limits.messages.conversationsOnFirstDay { #expect(try await open() == nil) }
            #expect(try await open() == "limited conversations")
            world.clock.advance(by: .seconds(25 * 3600))
            for _ in 0..<Limits.messages.conversationsPerDay { #expect(try await open() == nil) }
            #expect(try await open() == "limited conversations")
        }
    }

    @Test func `where rates are off nobody counts`() async throws {
        try await withWorld(leaving: .outbox, settings: { $0.limitsRates = false }) { world in
            let (ann, _, id) = try await world.given.correspondents()
            for _ in 0...Limits.messages.messagesPerMinute {
                #expect(try await writing(in: id, by: ann, in: world) == nil)
            }
            #expect(
                try await world.asSuperuser("select count(*) from message where conversation_id = \(id)")
                    == [["\(Limits.messages.messagesPerMinute + 1)"]])
            let bea = try await world.given.account()
            for _ in 0...Limits.messages.conversationsPerDay {
                let friend = try await world.given.account()
                try await world.given.friendship(bea.id, friend.id)
                let refused = try await MessagesRefusal.of {
                    _ = try await world.given.conversation(of: bea, with: friend)
                }
                #expect(refused == nil)
            }
        }
    }
}
