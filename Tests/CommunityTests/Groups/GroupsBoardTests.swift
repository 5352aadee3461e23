import EventLog
import Postgres
import TestSupport
import Testing

@testable import Community

/// The board of a group: who reads, who writes, the gate, and what its moderators do.
@Suite(.database)
struct GroupsBoardTests {
    @Test func `members write about a book or about none; the gate is the book's`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob, book) = (
                try await world.given.reader(), try await world.given.reader(), try await world.given.book()
            )
            let boards = world.community.boards
            let id = try await world.given.club(by: ann, with: [(bob, .member)])
            let free = try await boards.open(.init(title: "Hello", body: "All"), in: id, about: nil, by: bob)
            #expect(free.post.scope == .free && free.scopeReason == .noBook && free.thread.book == nil)
            #expect(free.thread.group == id)
            let reply = try await boards.reply(.init(body: "Hi"), in: free.thread.id, by: ann)
            #expect(reply.post.scope == .free && reply.scopeReason == .noBook)
            let spoils = try await MessagesRefusal.of {
                _ = try await boards.reply(.init(body: "Hi", scope: .scope(.finished)), in: free.thread.id, by: ann)
            }
            #expect(spoils == "/scope no_book")
            let about = try await boards.open(.init(title: "The end", body: "Dies"), in: id, about: book, by: ann)
            #expect(about.post.scope == .finished && about.thread.book == book)

            let page = try await boards.threads(in: id, sort: .newest, for: .reader(bob), page: PageRequest())
            guard case .gated(let placeholder) = page.page.items.first else {
                Issue.record("the end is told")
                return
            }
            #expect(placeholder.position == Gate.end)
            #expect(page.page.items.count == 2)
            // Nothing of it stands on the book's own board.
            let own = try await boards.threads(on: book, for: .reader(ann), page: PageRequest())
            #expect(own.page.items.isEmpty && own.board.posts == 0)
            let kinds = try await world.outbox()
            #expect(kinds.map(\.kind) == ["thread.opened", "post.created", "thread.opened"])
            #expect(kinds[0].topics == "{group:\(id)}" && kinds[1].topics == "{thread:\(free.thread.id)}")
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test func `who is no member writes nothing in a public group, and for them there is no private one`()
        async throws
    {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob) = (try await world.given.reader(), try await world.given.reader())
            let boards = world.community.boards
            for visibility in Groups.Openness.allCases {
                let id = try await world.given.club(by: ann, visibility)
                let thread = try await world.given.thread(in: id, by: ann)
                let calls: [() async throws -> Void] = [
                    { _ = try await boards.open(.init(title: "T", body: "B"), in: id, about: nil, by: bob) },
                    { _ = try await boards.reply(.init(body: "B"), in: thread.id, by: bob) },
                    { try await world.community.reactions.react(.like, to: thread.post, by: bob) },
                ]
                let expected = visibility == .public ? "not_a_member" : "not_found"
                for call in calls { #expect(try await MessagesRefusal.of(call) == expected, "\(visibility)") }
                try await world.given.member(bob, of: id)
                for call in calls { #expect(try await MessagesRefusal.of(call) == nil, "\(visibility)") }
            }
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test func `who has left finds their own post, deletes it, and changes it no more`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob) = (try await world.given.reader(), try await world.given.reader())
            let boards = world.community.boards
            let id = try await world.given.club(by: ann, .private, with: [(bob, .member)])
            let thread = try await world.given.thread(in: id, by: ann)
            let mine = try await boards.reply(.init(body: "Mine"), in: thread.id, by: bob).post.id
            try await world.community.groups.leave(id, by: bob)
            let viewer = Viewer.reader(bob)
            for call in [
                { _ = try await boards.open(thread.id, for: viewer) },
                { _ = try await boards.post(thread.post, for: viewer) },
                { _ = try await boards.posts(in: thread.id, for: viewer, start: .page(PageRequest())) },
                { _ = try await world.community.texts.history(of: thread.post, for: viewer, page: PageRequest()) },
                { try await boards.markRead(thread.id, upTo: 1, by: bob) },
                { try await boards.watch(thread.id, as: .followed, by: bob) },
                { try await world.community.gate.reveal(.thread(thread.id), by: bob) },
                { try await world.community.gate.reveal(.post(thread.post), by: bob) },
            ] as [() async throws -> Void] { #expect(try await MessagesRefusal.of(call) == "not_found") }
            #expect(try await boards.followedThreads(of: bob, page: PageRequest()).items.isEmpty)
            #expect(try await boards.post(mine, for: viewer).whole?.id == mine)
            let edited = try await MessagesRefusal.of { _ = try await boards.edit(mine, .init(body: "New"), by: bob) }
            #expect(edited == "not_a_member")
            try await boards.delete(mine, by: bob)
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test func `what happens is told to those who read, at the time of delivery, and who may follow is asked`()
        async throws
    {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob, cid) = (
                try await world.given.reader(), try await world.given.reader(), try await world.given.reader()
            )
            let audience = Feed.Audience(world.database)
            for visibility in Groups.Openness.allCases {
                let id = try await world.given.club(by: ann, visibility, with: [(bob, .member)])
                let thread = try await world.given.thread(in: id, by: ann)
                func told(_ reader: ID<Accounts.Account>) async throws -> Bool {
                    let text = try await world.asSuperuser("select text_id from post where id = \(thread.post)")
                    var questions = EventQuestions()
                    let question = EventQuestion(
                        subject: EventSubject.text.name, owner: ann.rawValue, value: Int64(text[0][0] ?? "") ?? 0)
                    questions.ask(question, of: [reader.rawValue], isOpen: false)
                    return try await world.database.all(Boards.Statements.TextExceptions(questions: questions)).isEmpty
                }
                func follows(_ reader: ID<Accounts.Account>) async throws -> [Bool] {
                    [
                        try await audience.mayFollow(.group(id.rawValue), reader: reader.rawValue),
                        try await audience.mayFollow(.thread(thread.id.rawValue), reader: reader.rawValue),
                    ]
                }
                let isPublic = visibility == .public
                #expect(try await told(bob))
                #expect(try await told(cid) == isPublic)
                #expect(try await follows(bob) == [true, true])
                #expect(try await follows(cid) == [isPublic, isPublic])
                try await world.community.groups.leave(id, by: bob)
                #expect(try await told(bob) == isPublic)
                #expect(try await follows(bob) == [isPublic, isPublic])
                try await world.community.groups.close(id, by: ann)
                for reader in [ann, bob, cid] {
                    #expect(try await !told(reader), "\(visibility)")
                    #expect(try await follows(reader) == [false, false], "\(visibility)")
                }
            }
            let control = try await world.outboxKinds().filter { $0 == "topic.closed" || $0 == "membership.changed" }
            #expect(Set(control) == ["topic.closed", "membership.changed"])
        }
    }

    @Test func `owners and moderators of a group lock, pin and hide there, and nowhere else`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, bob, cid) = (
                try await world.given.account(), try await world.given.account(), try await world.given.account()
            )
            let boards = world.community.boards
            let id = try await world.given.club(by: ann.id, with: [(bob.id, .moderator), (cid.id, .member)])
            let other = try await world.given.club(by: cid.id)
            let thread = try await world.given.thread(in: id, by: cid.id)
            let mine = try await world.given.thread(in: id, by: ann.id)
            let foreign = try await world.given.thread(in: other, by: cid.id)
            let plain = try await world.given.thread(on: try await world.given.book(), by: cid.id)
            func act(_ who: Signed, _ act: Moderation.Verb, _ on: MadeThread) async throws -> String? {
                try await MessagesRefusal.of {
                    let moderator = try await boards.moderator(who.identity, of: on.id, reason: "why")
                    try await boards.moderate(on.id, act, by: moderator)
                }
            }
            func hide(_ who: Signed, _ post: ID<Boards.Post>) async throws -> String? {
                try await MessagesRefusal.of {
                    let moderator = try await boards.moderator(who.identity, of: post, reason: "why")
                    try await boards.moderate(post, .hide, by: moderator)
                }
            }
            for deed in Boards.Thread.verbs {
                #expect(try await act(bob, deed, thread) == nil)
                for refused in [foreign, plain] { #expect(try await act(bob, deed, refused) == "not_moderator") }
                #expect(try await act(cid, deed, thread) == "not_moderator")
            }
            #expect(try await act(bob, .lock, mine) == "role_too_low")
            #expect(try await hide(bob, mine.post) == "role_too_low")
            #expect(try await hide(cid, mine.post) == "not_moderator")
            #expect(try await hide(bob, thread.post) == nil)
            #expect(try await hide(ann, mine.post) == nil)
            // The role is asked for when it is done.
            let before = try await boards.moderator(bob.identity, of: thread.id, reason: "why")
            _ = try await world.community.groups.setRole(of: bob.username, to: .member, in: id, by: ann.id)
            let late = try await MessagesRefusal.of { try await boards.moderate(thread.id, .lock, by: before) }
            #expect(late == "not_moderator")
            #expect(try await world.everyDifference() == [])
        }
    }
}
