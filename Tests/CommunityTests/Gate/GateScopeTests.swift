import Postgres
import TestSupport
import Testing

@testable import Community

/// What moderators decide about scopes.
@Suite(.database) struct GateScopeTests {
    @Test func `only moderators lower a scope; that is recorded, and settles what readers said`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let gate = world.community.gate
            let (book, author) = (try await world.given.book(), try await world.given.reader())
            let thread = try await world.given.thread(on: book, by: author, scope: .finished)
            let reply = try await world.given.post(in: thread.id, by: author, scope: .finished)
            let reader = try await world.given.finisher(of: book)
            _ = try await gate.mark(reply, at: 9000, by: reader.identity)
            for role in [Accounts.Role.member, .librarian] {
                let nobody = try await world.given.account(role: role)
                await #expect(throws: Failure.forbidden(code: .notModerator, "only moderators may do that")) {
                    try await gate.setScope(of: reply, to: .free, reason: "No", by: nobody.identity)
                }
            }
            let moderator = try await world.given.account(role: .moderator)
            await #expect(throws: Failure.self) {
                try await gate.setScope(of: reply, to: .free, reason: " ", by: moderator.identity)
            }
            await #expect(throws: Failure.notFound("post 7")) {
                try await gate.setScope(of: ID(rawValue: 7), to: .free, reason: "No", by: moderator.identity)
            }
            try await world.clearOutbox()

            try await gate.setScope(of: reply, to: try world.upto(2000), reason: "No more", by: moderator.identity)

            #expect(try await world.scope(of: reply) == 2000)
            #expect(try await world.scope(of: thread.post) == 10_000)
            #expect(try await world.boardIsExact())
            #expect(try await world.outbox().map(\.kind) == ["post.lowered", "post.lowered"])
            let acts = try await world.asSuperuser(
                "select actor, action, subject_id, reason, before, after from moderation_action where subject_kind = 'post'"
            )
            #expect(
                acts == [
                    [
                        "account:\(moderator.id)", "post.scope", reply.text, "No more",
                        #"{"marks": "1", "scope": "10000"}"#,
                        #"{"scope": "2000"}"#,
                    ]
                ])
            #expect(try await world.database.differences(of: Gate.self, "sources") == [])
            // One more mark is one mark: those from before are settled.
            let other = try await world.given.finisher(of: book)
            #expect(try await gate.mark(reply, at: 9000, by: other.identity).scope == world.upto(2000))
        }
    }

    /// Ways in which a moderator says what a post gives away.
    enum Decision: String, CaseIterable, Sendable {
        case confirmed, lowered, raised, edited

        var position: Int {
            switch self {
            case .confirmed: 4000
            case .lowered, .edited: 2000
            case .raised: 5000
            }
        }
    }

    @Test(arguments: Decision.allCases)
    func `what a moderator decides settles the marks before it, also where the scope stays, and is recorded`(
        decision: Decision
    ) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let gate = world.community.gate
            let (book, author) = (try await world.given.book(), try await world.given.reader())
            let thread = try await world.given.thread(on: book, by: author, scope: try world.upto(4000))
            var readers: [Signed] = []
            for _ in 0..<3 { readers.append(try await world.given.finisher(of: book)) }
            _ = try await gate.mark(thread.post, at: 9000, by: readers[0].identity)
            try await world.clearOutbox()

            let (moderator, scope) = (
                try await world.given.account(role: .moderator), try world.upto(decision.position)
            )
            if decision == .edited {
                let change = Boards.Change(scope: .scope(scope), reason: "Looked at")
                try await gate.reveal(.post(thread.post), by: moderator.id)
                _ = try await world.community.boards.edit(thread.post, change, by: moderator.id)
            } else {
                try await gate.setScope(
                    of: thread.post, to: scope, reason: "Looked at", by: moderator.identity)
            }

            // Author and thread are told, of whichever call it was; nobody hears of a scope that stays.
            let told: [String] =
                switch decision {
                case .confirmed: []
                case .raised: ["post.raised", "post.raised"]
                case .lowered, .edited: ["post.lowered", "post.lowered"]
                }
            #expect(try await world.outbox().map(\.kind) == told)
            let acts = try await world.asSuperuser(
                """
                select action, before ->> 'scope', after ->> 'scope', before ->> 'marks'
                  from moderation_action where subject_kind = 'post'
                """)
            #expect(acts == [["post.scope", "4000", "\(decision.position)", "1"]])
            // The mark is kept, and does not count; said anew it does.
            #expect(try await world.asSuperuser("select count(*) from spoiler_mark") == [["1"]])
            #expect(try await gate.mark(thread.post, at: 9000, by: readers[1].identity).scope == scope)
            #expect(try await gate.mark(thread.post, at: 9000, by: readers[2].identity).scope == world.upto(9000))
            _ = try await gate.mark(thread.post, at: 9500, by: readers[0].identity)
            #expect(try await world.boardIsExact())
        }
    }

    @Test func `a scope lowered by PATCH is not raised again by an old mark`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (gate, boards) = (world.community.gate, world.community.boards)
            let (book, author) = (try await world.given.book(), try await world.given.reader())
            let thread = try await world.given.thread(on: book, by: author, scope: try world.upto(1000))
            for _ in 0..<2 {
                let reader = try await world.given.finisher(of: book)
                _ = try await gate.mark(thread.post, at: 9000, by: reader.identity)
            }
            let moderator = try await world.given.account(role: .moderator)
            try await gate.reveal(.post(thread.post), by: moderator.id)
            let titled = Boards.Change(title: "Hush", scope: .scope(try world.upto(2000)), reason: "No more")

            let changed = try await boards.edit(thread.post, titled, by: moderator.id)

            #expect(changed.scope == (try world.upto(2000)))
            let third = try await world.given.finisher(of: book)
            #expect(try await gate.mark(thread.post, at: 3000, by: third.identity).scope == world.upto(2000))
            #expect(try await world.scope(of: thread.post) == 2000)
            // The scope and the title are two acts; the former title still stands under what it stood under.
            let acts = try await world.asSuperuser(
                "select action from moderation_action where subject_kind = 'post' order by id")
            #expect(acts == [["post.scope"], ["post.edit"]])
            let scopes = try await world.asSuperuser(
                "select scope from post_text where post_id = \(thread.post) order by id")
            #expect(scopes.first == ["9000"])
            #expect(try await world.boardIsExact())
        }
    }

    @Test func `a mark of a moderator raises nothing of their own rank or above`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let gate = world.community.gate
            let moderator = try await world.given.elder(role: .moderator)
            let refused = Failure.forbidden(
                code: .roleTooLow, "only somebody above the role moderator may do that")
            let author = try await world.given.account(role: .moderator)
            let thread = try await world.given.thread(on: try await world.given.book(), by: author.id)

            await #expect(throws: refused) {
                _ = try await gate.mark(thread.post, at: 5000, by: moderator.identity)
            }

            #expect(try await world.asSuperuser("select count(*) from spoiler_mark") == [["0"]])
            let admin = try await world.given.elder(role: .admin)
            #expect(try await gate.mark(thread.post, at: 5000, by: admin.identity).scope == world.upto(5000))
        }
    }

    @Test func `a moderator sets no scope for somebody of the same role or a higher one`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let gate = world.community.gate
            let moderator = try await world.given.account(role: .moderator)
            for role in [Accounts.Role.moderator, .admin] {
                let author = try await world.given.account(role: role)
                let thread = try await world.given.thread(
                    on: try await world.given.book(), by: author.id, scope: .finished)
                await #expect(throws: Failure.self) {
                    try await gate.setScope(of: thread.post, to: .free, reason: "No", by: moderator.identity)
                }
                #expect(try await world.scope(of: thread.post) == 10_000)
                // One's own is another thing.
                if role == .moderator {
                    try await gate.setScope(of: thread.post, to: .free, reason: "Mine", by: author.identity)
                    #expect(try await world.scope(of: thread.post) == 0)
                }
            }
        }
    }
}
