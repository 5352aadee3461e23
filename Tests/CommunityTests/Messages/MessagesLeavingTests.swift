import EventLog
import Postgres
import TestSupport
import Testing

@testable import Community

/// What is left of messages when accounts end, and when books become one.
@Suite(.database)
struct MessagesLeavingTests {
    @Test func `who goes takes their words along; the other keeps their own, and has nothing left to read`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob, id) = try await world.given.correspondents()
            let store = world.community.messages
            let book = try await world.given.book()
            let gone = try await world.given.message("Going", in: id, by: ann, book: book)
            let kept = try await world.given.message("Staying", in: id, by: bob, reply: gone.id)
            try await world.given.message("Unread", in: id, by: ann)
            try await store.change(Messages.Settings(readReceipts: false), of: ann.id)

            try await world.community.accounts.close(ann.id)

            let seen = try await store.conversation(id, of: bob.id)
            #expect(seen.reader == nil && !seen.canWrite && seen.unread == 0 && seen.theirReadSeq == nil)
            #expect(try await store.unread(of: bob.id) == 0)
            let page = try await store.messages(in: id, for: bob.id, page: PageRequest()).items
            #expect(page.map(\.body) == [nil, "Staying", nil] && page.map(\.seq) == [3, 2, 1])
            #expect(page.map(\.author?.id) == [nil, bob.id, nil])
            #expect(page[0].deletedAt != nil && page[1].deletedAt == nil && page.allSatisfy { $0.card == nil })
            let why = try await MessagesRefusal.of { try await world.given.message(in: id, by: bob) }
            #expect(why == "not_friends")
            try await store.delete(kept.id, by: bob.id)
            #expect(try await world.asSuperuser("select 1 from message where body is not null").isEmpty)
            #expect(try await world.outbox().allSatisfy { !$0.data.contains("Going") })
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test func `a conversation goes with the second of its two`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob, id) = try await world.given.correspondents()
            let (_, cid, other) = try await world.given.correspondents()
            for (conversation, sender) in [(id, ann), (id, bob), (other, cid)] {
                try await world.given.message(in: conversation, by: sender)
            }
            try await world.community.friends.block(bob.username, by: ann.id)
            try await world.community.accounts.close(ann.id)
            // The block has gone with who made it.
            #expect(try await world.community.messages.conversation(id, of: bob.id).reader == nil)
            #expect(try await world.everyDifference() == [])
            try await world.community.accounts.close(bob.id)
            #expect(try await world.asSuperuser("select id from conversation") == [[other.text]])
            #expect(try await world.asSuperuser("select conversation_id from message") == [[other.text]])
            #expect(try await world.asSuperuser("select count(*) from conversation_reader") == [["2"]])
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test func `what is left of who has gone is found`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob) = (try await world.given.account(), try await world.given.account())
            try await world.community.accounts.close(ann.id)
            try await world.asSuperuser(
                """
                insert into conversation (id, opener_id, partner_id, created_at) values (1, \(bob.id), \(ann.id), now());
                insert into conversation_reader (conversation_id, reader_id, active_at) values (1, \(ann.id), now());
                insert into message (id, conversation_id, seq, sender_id, text_id, body, created_at)
                values (1, 1, 1, \(ann.id), 1, 'x', now());
                insert into message_setting (reader_id) values (\(ann.id));
                """)
            let tables = ["conversation", "conversation_reader", "message", "message_setting"]
            let remains = try await world.remains()
            for table in tables { #expect(remains.contains { $0.hasSuffix(" in \(table)") }, "\(table)") }
        }
    }

    @Test func `a wrong number is found`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob, id) = try await world.given.correspondents()
            try await world.given.message(in: id, by: ann)
            let spoils: [(String, String)] = [
                (
                    "unread",
                    "update conversation_reader set unread = 2 where reader_id = \(bob.id)"
                ),
                ("tallies", "update reader_tally set unread_messages = 7"),
                ("places", "update conversation set last_seq = 2"),
                ("hidden", "update conversation set is_hidden = true"),
                ("sides", "delete from conversation_reader where reader_id = \(ann.id)"),
            ]
            for (rule, spoil) in spoils {
                #expect(try await world.database.differences(of: Messages.self, rule).isEmpty, "\(rule)")
                try await world.asSuperuser(spoil)
                #expect(try await !world.database.differences(of: Messages.self, rule).isEmpty, "\(rule)")
                try await world.asSuperuser(
                    """
                    update conversation_reader set unread = 1 where reader_id = \(bob.id);
                    update reader_tally set unread_messages = 1 where reader_id = \(bob.id);
                    update conversation set last_seq = 1, is_hidden = false
                    """)
            }
        }
    }

    @Test func `a card shows the book that its own was merged into`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob, id) = try await world.given.correspondents()
            let librarian = Catalog.Helper(World.terminal)
            let (from, into) = (try await world.given.book("Ema"), try await world.given.book("Emma"))
            let sent = try await world.given.message(in: id, by: ann, book: from)

            try await world.community.catalog.merge(.book(from), into: .book(into), by: librarian)

            #expect(try await world.community.messages.message(sent.id, for: bob.id).card?.work == into)
            #expect(try await world.asSuperuser("select work_id from message") == [[into.text]])
            // By its old name it is still the same book.
            #expect(try await world.given.message(in: id, by: bob, book: from).card?.work == into)
        }
    }
}
