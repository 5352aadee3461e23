import Postgres
import TestSupport
import Testing

@testable import Community
@testable import MarkdownReading

/// Posts as cards: each of the two is shown what they may see of a post, when they look.
@Suite(.database)
struct MessagesCardTests {
    /// What `reader` is shown of the post that a message shows, as one message and in the page.
    private func shown(
        _ message: Messages.Message, to reader: Signed, in world: World
    ) async throws -> Boards.Shown? {
        let store = world.community.messages
        let one = try await store.message(message.id, for: reader.id)
        let page = try await store.messages(in: message.conversation, for: reader.id, page: PageRequest())
        #expect(page.items.first { $0.id == message.id } == one)
        guard case .shown(_, let post)? = one.card else {
            Issue.record("\(String(describing: one.card))")
            return nil
        }
        return post
    }

    @Test func `a card is whole for whom the post opens, and a placeholder until then`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob, id) = try await world.given.correspondents()
            let book = try await world.given.book()
            try await world.given.shelved(book, .read, by: ann.id)
            let thread = try await world.given.thread(
                on: book, by: try await world.given.reader(), kind: .question, scope: .finished, body: "The butler")

            let sent = try await world.given.message("Look", in: id, by: ann, post: thread.post)

            guard case .whole(let whole)? = try await shown(sent, to: ann, in: world) else {
                Issue.record("not whole")
                return
            }
            #expect(whole.id == thread.post && whole.text.body == "The butler")
            #expect(sent.card == .shown(thread.post, .whole(whole)))
            let placeholder = Gate.Placeholder(id: thread.post.rawValue, kind: "question", position: 10_000)
            #expect(try await shown(sent, to: bob, in: world) == .gated(placeholder))
            #expect(try await world.community.messages.conversation(id, of: bob.id).last?.hasCard == true)

            try await world.community.gate.reveal(.post(thread.post), by: bob.id)

            #expect(try await shown(sent, to: bob, in: world) == .whole(whole))
            let edited = try await world.community.messages.edit(sent.id, to: "See", by: ann.identity)
            #expect(edited.card == sent.card)
            try await world.community.messages.delete(sent.id, by: ann.id)
            #expect(try await world.community.messages.message(sent.id, for: ann.id).card == nil)
            #expect(try await world.asSuperuser("select post_id, html from message") == [[nil, nil]])
        }
    }

    @Test(arguments: ["deleted", "hidden", "thread", "block", "private"])
    func `a card is empty where its post is gone or may not be seen any more`(why: String) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, bob, id) = try await world.given.correspondents()
            let author = try await world.given.account()
            let thread = try await world.given.thread(on: try await world.given.book(), by: author.id)
            let sent = try await world.given.message(in: id, by: ann, post: thread.post)
            #expect(try await shown(sent, to: bob, in: world) != nil)
            let change =
                switch why {
                case "deleted": "update post set deleted_at = now(), text_id = null where id = \(thread.post)"
                case "hidden": "update post set hidden_at = now() where id = \(thread.post)"
                case "thread": "update thread set hidden_at = now() where id = \(thread.id)"
                case "block": "insert into block values (\(author.id), \(bob.id), now())"
                default: "insert into privacy (reader_id, discussions) values (\(author.id), 0)"
                }

            try await world.asSuperuser(change)

            #expect(try await shown(sent, to: bob, in: world) == nil, "\(why)")
            if why == "block" { #expect(try await shown(sent, to: ann, in: world) != nil) }
        }
    }

    @Test func `who sends a card sees its post, has come so far, and shows one thing`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, _, id) = try await world.given.correspondents()
            let (book, author) = (try await world.given.book(), try await world.given.account())
            let ahead = try await world.given.thread(on: book, by: author.id, scope: .finished)
            let open = try await world.given.thread(on: book, by: author.id)
            func why(_ post: ID<Boards.Post>, book: ID<Catalog.Work>? = nil) async throws -> String? {
                try await MessagesRefusal.of { try await world.given.message(in: id, by: ann, book: book, post: post) }
            }
            #expect(try await why(ahead.post) == "post_gated")
            #expect(try await why(ID(rawValue: 7)) == "not_found")
            #expect(try await why(open.post, book: book) == "/post_id mismatch")
            #expect(try await why(open.post) == nil)
            try await world.asSuperuser("insert into block values (\(author.id), \(ann.id), now())")
            #expect(try await why(open.post) == "not_found")
            #expect(try await world.community.messages.conversation(id, of: ann.id).lastSeq == 1)
        }
    }

    @Test func `each card of a page is that of its own message`() async throws {
        try await withWorld(leaving: [.outbox, .jobs], settings: { $0.limitsRates = false }) { world in
            let (ann, bob, id) = try await world.given.correspondents()
            let (book, author) = (try await world.given.book(), try await world.given.reader())
            let thread = try await world.given.thread(on: book, by: author)
            var posts = [thread.post, thread.post]
            for _ in 0..<5 { posts.append(try await world.given.post(in: thread.id, by: author)) }
            for post in posts { try await world.given.message(in: id, by: ann, post: post) }
            try await world.given.message(in: id, by: ann, book: book)
            try await world.given.message(in: id, by: bob)
            let store = world.community.messages
            let first = try await store.messages(in: id, for: bob.id, page: PageRequest(limit: 4))
            let rest = try await store.messages(
                in: id, for: bob.id, page: PageRequest(.after(try #require(first.next)), limit: 100))
            let cards = (first.items + rest.items).map(\.card)
            #expect(cards.count == 9 && cards[0] == nil && cards[1]?.work == book)
            #expect(cards[2...].map { $0?.post } == posts.reversed())
            for card in cards[2...] {
                guard case .shown(let post, .whole(let whole)?)? = card else {
                    Issue.record("\(String(describing: card))")
                    return
                }
                #expect(whole.id == post)
            }
        }
    }
}

/// What messages say, as HTML.
@Suite(.database)
struct MessagesHTMLTests {
    @Test func `text is rendered when it is written, anew when it is edited, and gone with the message`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob, id) = try await world.given.correspondents()
            let store = world.community.messages
            let sent = try await world.given.message("*So* >!she dies!<", in: id, by: ann)
            #expect(sent.html == "<p><em>So</em> <span class=\"spoiler\">she dies</span></p>")
            #expect(try await store.message(sent.id, for: bob.id).html == sent.html)
            let edited = try await store.edit(sent.id, to: "**No**", by: ann.identity)
            #expect(edited.html == "<p><strong>No</strong></p>")
            #expect(try await store.message(sent.id, for: bob.id) == edited)
            // Written before there was HTML.
            try await world.asSuperuser("update message set html = null")
            #expect(try await store.message(sent.id, for: bob.id) == edited)

            try await store.delete(sent.id, by: ann.id)

            #expect(try await store.message(sent.id, for: bob.id).html == nil)
            #expect(try await world.asSuperuser("select html from message") == [[nil]])
        }
    }

    @Test func `no script is in what comes out`() async throws {
        try await withWorld(leaving: .outbox, settings: { $0.limitsRates = false }) { world in
            let (ann, bob, id) = try await world.given.correspondents()
            for payload in ScriptPayloads.all.filter({ !$0.utf8.contains(0) }).prefix(40) {
                let sent = try await world.given.message("a " + payload, in: id, by: ann)
                let read = try await world.community.messages.message(sent.id, for: bob.id)
                #expect(MarkdownFragment(try #require(read.html)).faults == [], "\(payload.debugDescription)")
                #expect(read.body == "a " + payload)
            }
        }
    }

    @Test func `the longest HTML of a message has room`() {
        let most = Limits.messages.bodyBytes * Markdown.growth + Markdown.fixedGrowth
        #expect(most <= 262_144)
    }
}
