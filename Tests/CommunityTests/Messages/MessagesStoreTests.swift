import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct MessagesStoreTests {
    @Test func `friends have one conversation, opened by either, and the other sees it from the first message on`()
        async throws
    {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob) = (try await world.given.account("ann", name: "Ann"), try await world.given.account("bob"))
            try await world.given.friendship(ann, bob)
            let store = world.community.messages

            let made = try await store.open(with: "BOB", by: ann.identity)
            guard case .made(let conversation) = made else {
                Issue.record("\(made)")
                return
            }
            #expect(conversation.reader?.id == bob.id && conversation.canWrite && conversation.last == nil)
            #expect(try await store.open(with: "bob", by: ann.identity) == .found(conversation))
            let back = try await store.open(with: "ann", by: bob.identity).conversation
            #expect(back.id == conversation.id && back.reader?.name == "Ann")
            #expect(try await list(of: ann, in: world) == [conversation.id])
            #expect(try await list(of: bob, in: world) == [])

            try await world.given.message("Hello", in: conversation.id, by: ann)

            #expect(try await list(of: bob, in: world) == [conversation.id])
            let seen = try await store.conversation(conversation.id, of: bob.id)
            #expect((seen.unread, seen.lastSeq, seen.readSeq) == (1, 1, 0))
            #expect(seen.last?.text == "Hello" && seen.last?.author?.id == ann.id)
            #expect(try await store.conversation(conversation.id, of: ann.id).unread == 0)
            #expect(try await store.unread(of: bob.id) == 1)
            #expect(try await world.everyDifference() == [])
        }
    }

    private func list(
        of reader: Signed, archived: Bool = false, in world: World
    ) async throws -> [ID<Messages.Conversation>] {
        try await world.community.messages.conversations(of: reader.id, archived: archived, page: PageRequest()).items
            .map(\.id)
    }

    @Test func `messages stand at 1, 2, 3, with what they answer and the book that they show`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob, id) = try await world.given.correspondents()
            let book = try await world.given.book("Emma")
            let first = try await world.given.message("Read this", in: id, by: ann, book: book)
            let second = try await world.given.message("I did", in: id, by: bob, reply: first.id)
            let third = try await world.given.message("So?", in: id, by: ann)

            let page = try await world.community.messages.messages(in: id, for: bob.id, page: PageRequest()).items

            #expect(page == [third, second, first])
            #expect(page.map(\.seq) == [3, 2, 1])
            #expect(page[1].reply == Messages.Answered(id: first.id, seq: 1))
            guard case .book(let shown)? = page[2].card else {
                Issue.record("no card")
                return
            }
            #expect(shown.id == book && shown.title == "Emma")
            #expect(try await world.community.messages.message(second.id, for: ann.id) == second)
        }
    }

    @Test func `a text is kept as posts are, without what turns directions around`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob, id) = try await world.given.correspondents()

            let sent = try await world.given.message("a\u{202E}b\r\nc\u{1}", in: id, by: ann)

            #expect(sent.body == "ab\nc" && sent.html == "<p>ab<br>c</p>")
            #expect(try await world.community.messages.message(sent.id, for: bob.id) == sent)
            let same = try await world.community.messages.edit(sent.id, to: "ab\nc\u{7F}", by: ann.identity)
            #expect(same == sent, "nothing that is kept has changed")
            let unseen = "\u{200B}\u{2060}"
            let why = try await MessagesRefusal.of { try await world.given.message(unseen, in: id, by: ann) }
            #expect(why == "/body too_short")
        }
    }

    @Test func `what names another message or no book is refused`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob, id) = try await world.given.correspondents()
            let (_, cid, other) = try await world.given.correspondents()
            let foreign = try await world.given.message(in: other, by: cid)
            let gone = try await world.given.message(in: id, by: ann)
            try await world.community.messages.delete(gone.id, by: ann.id)
            for reply in [foreign.id, gone.id, ID(rawValue: 7)] {
                let why = try await MessagesRefusal.of { try await world.given.message(in: id, by: bob, reply: reply) }
                #expect(why == "/reply_to unknown")
            }
            let why = try await MessagesRefusal.of {
                try await world.given.message(in: id, by: bob, book: ID(rawValue: 7))
            }
            #expect(why == "/book_id unknown")
            #expect(try await world.community.messages.conversation(id, of: bob.id).lastSeq == 1)
        }
    }

    @Test func `a page is read at any place, in both directions`() async throws {
        try await withWorld(leaving: .outbox, settings: { $0.limitsRates = false }) { world in
            let (ann, bob, id) = try await world.given.correspondents()
            for number in 1...25 { try await world.given.message("\(number)", in: id, by: number % 2 == 0 ? ann : bob) }
            let store = world.community.messages
            var seqs: [Int64] = []
            var page = try await store.messages(in: id, for: ann.id, page: PageRequest(limit: 10))
            #expect(page.previous == nil)
            seqs += page.items.map(\.seq)
            while let next = page.next {
                page = try await store.messages(in: id, for: ann.id, page: PageRequest(.after(next), limit: 10))
                seqs += page.items.map(\.seq)
            }
            #expect(seqs == Array((1...25).reversed()))
            let back = try await store.messages(
                in: id, for: ann.id, page: PageRequest(.before(try #require(page.previous)), limit: 10))
            #expect(back.items.map(\.seq) == Array((6...15).reversed()))
        }
    }

    @Test func `an edit makes a version and keeps nothing of what was said; the same again makes none`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob, id) = try await world.given.correspondents()
            let store = world.community.messages
            let sent = try await world.given.message("First words", in: id, by: ann)
            world.clock.advance(by: .seconds(5))

            let edited = try await store.edit(sent.id, to: "Second words", by: ann.identity, ifVersion: .version(1))

            #expect(edited.version == 2 && edited.body == "Second words" && edited.createdAt == sent.createdAt)
            #expect(edited.editedAt == world.clock.now())
            #expect(try await store.message(sent.id, for: bob.id) == edited)
            #expect(try await store.edit(sent.id, to: "Second words", by: ann.identity) == edited)
            let stale = try await MessagesRefusal.of {
                _ = try await store.edit(sent.id, to: "x", by: ann.identity, ifVersion: .version(1))
            }
            #expect(stale == "precondition_failed")
            let foreign = try await MessagesRefusal.of {
                _ = try await store.edit(sent.id, to: "x", by: bob.identity)
            }
            #expect(foreign == "not_sender")
            #expect(try await store.unread(of: bob.id) == 1)
            #expect(try await world.asSuperuser("select 1 from message where body ~ 'First'").isEmpty)
        }
    }

    @Test func `a deleted message stays in its place, empty, and is unread no more`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob, id) = try await world.given.correspondents()
            let store = world.community.messages
            let book = try await world.given.book()
            let sent = try await world.given.message("Secret", in: id, by: ann, book: book)
            let kept = try await world.given.message("Kept", in: id, by: ann)
            let foreign = try await MessagesRefusal.of { try await store.delete(sent.id, by: bob.id) }
            #expect(foreign == "not_sender")

            try await store.delete(sent.id, by: ann.id, ifVersion: .version(1))
            try await store.delete(sent.id, by: ann.id)

            let tombstone = try await store.message(sent.id, for: bob.id)
            #expect(tombstone.body == nil && tombstone.card == nil && tombstone.version == 2)
            #expect(tombstone.seq == 1 && tombstone.author?.id == ann.id && tombstone.deletedAt != nil)
            #expect(try await store.unread(of: bob.id) == 1)
            #expect(try await world.asSuperuser("select 1 from message where body ~ 'Secret'").isEmpty)
            let again = try await MessagesRefusal.of { _ = try await store.edit(sent.id, to: "x", by: ann.identity) }
            #expect(again == "message_deleted")
            _ = try await store.read(id, upTo: 2, by: bob.id)
            try await store.delete(kept.id, by: ann.id)
            #expect(try await store.unread(of: bob.id) == 0)
            #expect(try await store.conversation(id, of: bob.id).last?.text == nil)
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test func `how far one has read never goes back`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob, id) = try await world.given.correspondents()
            let store = world.community.messages
            for number in 1...5 { try await world.given.message("\(number)", in: id, by: number == 3 ? bob : ann) }
            #expect(try await store.unread(of: bob.id) == 4)

            #expect(try await store.read(id, upTo: 2, by: bob.id) == Messages.Reading(readSeq: 2, unread: 2))
            #expect(try await store.read(id, upTo: 1, by: bob.id) == Messages.Reading(readSeq: 2, unread: 2))
            #expect(try await store.read(id, upTo: 5, by: bob.id) == Messages.Reading(readSeq: 5, unread: 0))
            #expect(try await store.unread(of: bob.id) == 0)
            #expect(try await store.conversation(id, of: ann.id).theirReadSeq == 5)
            for seq in [6, -1] as [Int64] {
                let why = try await MessagesRefusal.of { _ = try await store.read(id, upTo: seq, by: bob.id) }
                #expect(why == "/seq out_of_range")
            }
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test func `an archived conversation comes back with a new message, unless it is muted`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob, id) = try await world.given.correspondents()
            let store = world.community.messages
            try await world.given.message(in: id, by: ann)
            let archived = Messages.Filing(isArchived: true)
            #expect(try await store.file(id, archived, by: bob.id).isArchived)
            #expect(try await list(of: bob, in: world) == [])
            #expect(try await list(of: bob, archived: true, in: world) == [id])
            #expect(try await list(of: ann, in: world) == [id])

            try await world.given.message(in: id, by: ann)
            #expect(try await list(of: bob, in: world) == [id])

            _ = try await store.file(id, Messages.Filing(isArchived: true, isMuted: true), by: bob.id)
            try await world.given.message(in: id, by: ann)
            #expect(try await list(of: bob, in: world) == [])
            #expect(try await store.unread(of: bob.id) == 3)
            // Who writes in it has it back.
            try await world.given.message(in: id, by: bob)
            #expect(try await list(of: bob, in: world) == [id])
            #expect(try await store.conversation(id, of: bob.id).isMuted)
            #expect(try await !store.conversation(id, of: ann.id).isMuted)
        }
    }

    @Test func `conversations are listed last active first, and paged in both directions`() async throws {
        try await withWorld(leaving: .outbox, settings: { $0.limitsRates = false }) { world in
            let ann = try await world.given.account()
            var ids: [ID<Messages.Conversation>] = []
            for _ in 0..<7 {
                let friend = try await world.given.account()
                try await world.given.friendship(ann, friend)
                ids.append(try await world.given.conversation(of: friend, with: ann))
            }
            for (place, id) in ids.enumerated() {
                // Some at the same instant.
                if place % 3 == 0 { world.clock.advance(by: .seconds(1)) }
                try await world.given.message(in: id, by: ann)
            }
            world.clock.advance(by: .seconds(1))
            try await world.given.message(in: ids[2], by: ann)
            let expected = [ids[2], ids[6], ids[5], ids[4], ids[3], ids[1], ids[0]]
            let store = world.community.messages
            var found: [ID<Messages.Conversation>] = []
            var page = try await store.conversations(of: ann.id, archived: false, page: PageRequest(limit: 3))
            found += page.items.map(\.id)
            while let next = page.next {
                page = try await store.conversations(
                    of: ann.id, archived: false, page: PageRequest(.after(next), limit: 3))
                found += page.items.map(\.id)
            }
            #expect(found == expected)
            let back = try await store.conversations(
                of: ann.id, archived: false, page: PageRequest(.before(try #require(page.previous)), limit: 3))
            #expect(back.items.map(\.id) == Array(expected[3..<6]))
        }
    }

    @Test func `without receipts neither sees how far the other has read`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob, id) = try await world.given.correspondents()
            let store = world.community.messages
            try await world.given.message(in: id, by: ann)
            try await world.given.message(in: id, by: bob)
            _ = try await store.read(id, upTo: 2, by: ann.id)
            _ = try await store.read(id, upTo: 1, by: bob.id)
            #expect(try await store.conversation(id, of: ann.id).theirReadSeq == 1)
            #expect(try await store.settings(of: bob.id) == Messages.Settings())

            try await store.change(Messages.Settings(readReceipts: false), of: bob.id)

            #expect(try await store.settings(of: bob.id) == Messages.Settings(readReceipts: false))
            for reader in [ann, bob] {
                let seen = try await store.conversation(id, of: reader.id)
                #expect(seen.theirReadSeq == nil && seen.readSeq > 0)
            }
            try await store.change(Messages.Settings(readReceipts: true), of: bob.id)
            #expect(try await store.conversation(id, of: bob.id).theirReadSeq == 2)
        }
    }
}
