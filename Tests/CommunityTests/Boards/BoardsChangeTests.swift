import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct BoardsChangeTests {
    private func position(_ place: Int) throws -> Gate.Scope { try #require(Gate.Scope(position: place)) }

    @Test func `an edit is another text, told in the place of the former one`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.reader()
            let book = try await world.given.book()
            let thread = try await world.given.thread(on: book, by: ann, title: "Old")
            let former = try await world.asSuperuser("select text_id from post")[0][0]
            world.clock.advance(by: .seconds(5))

            let post = try await world.community.boards.edit(
                thread.post, Boards.Change(title: "New", body: "Other words."), by: ann)

            #expect(post.version == 2 && post.text.body == "Other words." && post.editedAt == world.clock.now())
            #expect(try await world.asSuperuser("select title, version from thread") == [["New", "2"]])
            #expect(
                try await world.asSuperuser("select title, body, scope from post_text order by id")
                    == [["Old", "What I think.", "0"], ["New", "Other words.", nil]])
            let event = try await world.asSuperuser(
                """
                select kind, array_to_string(topics, ','), subject_id = (select text_id from post), subject_id <> \(former ?? ""),
                       data -> 'thread' ->> 'title', data -> 'post' ->> 'version'
                  from outbox
                """)
            #expect(event == [["post.edited", "thread:\(thread.id),book:\(book)", "t", "t", "New", "2"]])
            #expect(try await world.boardMiscounts() == [])

            let rows = try await world.boardRows()
            let same = try await world.community.boards.edit(
                thread.post, Boards.Change(title: " New ", body: "Other words.", scope: .scope(.free)), by: ann)
            #expect(same == post)
            #expect(try await world.boardRows() == rows)
        }
    }

    @Test func `its author raises a scope and only moderators lower it, with a reason`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, mod) = (
                try await world.given.account("ann"), try await world.given.account("mia", role: .moderator)
            )
            let thread = try await world.given.thread(
                on: try await world.given.book(), by: ann.id, scope: try position(1000))
            let boards = world.community.boards
            func move(_ place: Int, by editor: Signed, reason: String? = nil) async -> String? {
                await refusal {
                    let scope = Boards.SaidScope.scope(try position(place))
                    _ = try await boards.edit(
                        thread.post, Boards.Change(scope: scope, reason: reason), by: editor.id)
                }
            }
            #expect(await move(2000, by: ann) == nil)
            #expect(
                try await world.asSuperuser("select scope, posts from board_scope where posts > 0") == [["2000", "1"]])
            #expect(try await world.asSuperuser("select edited_at, version from post") == [[nil, "2"]])
            #expect(await move(500, by: ann) == "not_moderator")
            #expect(await move(500, by: mod) == "post_gated")
            try await world.asSuperuser(
                "insert into reveal (id, reader_id, post_id, at) values (1, \(mod.id), \(thread.post), now())")
            #expect(await move(500, by: mod) == "/reason required")
            #expect(await move(500, by: mod, reason: "no spoiler") == nil)
            #expect(
                try await world.asSuperuser("select scope, posts from board_scope where posts > 0") == [["500", "1"]])
            let acts = try await world.asSuperuser(
                "select actor, action, subject_kind, subject_id, reason, before ->> 'scope', after ->> 'scope' from moderation_action where subject_kind = 'post'"
            )
            #expect(
                acts == [["account:\(mod.id)", "post.scope", "post", thread.post.text, "no spoiler", "2000", "500"]])
            // The author's own, then the moderator's, of which author and thread are told.
            #expect(try await world.outboxKinds().filter { $0 == "post.edited" }.count == 1)
            #expect(try await world.outboxKinds().filter { $0 == "post.lowered" }.count == 2)
            #expect(try await world.boardMiscounts() == [])
        }
    }

    @Test func `what is not one's own, locked, gone or unseen is not changed`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, ben) = (try await world.given.account("ann"), try await world.given.account("ben"))
            let (mod, admin) = (
                try await world.given.account("mia", role: .moderator),
                try await world.given.account("adm", role: .admin)
            )
            let book = try await world.given.book()
            let thread = try await world.given.thread(on: book, by: ann.id)
            let reply = try await world.given.post(in: thread.id, by: ann.id)
            let above = try await world.given.post(in: thread.id, by: admin.id)
            let boards = world.community.boards
            func edit(
                _ post: ID<Boards.Post>, _ change: Boards.Change, by editor: Signed, version: Precondition = .none
            ) async -> String? {
                await refusal { _ = try await boards.edit(post, change, by: editor.id, ifVersion: version) }
            }
            let before = try await world.boardRows()
            #expect(await edit(thread.post, .init(body: "x"), by: ben) == "not_author")
            #expect(await edit(thread.post, .init(title: "x"), by: ben) == "not_author")
            #expect(await edit(thread.post, .init(body: "x", reason: "r"), by: mod) == "not_author")
            #expect(await edit(above, .init(scope: .scope(.finished), reason: "r"), by: mod) == "role_too_low")
            #expect(await edit(reply, .init(title: "x"), by: ann) == "/title unknown")
            #expect(await edit(thread.post, .init(title: "x"), by: mod) == "/reason required")
            #expect(await edit(thread.post, .init(body: " "), by: ann) == "/body too_short")
            #expect(await edit(thread.post, .init(body: "x"), by: ann, version: .version(2)) == "precondition")
            #expect(await edit(ID(rawValue: 7), .init(body: "x"), by: ann) == "no post")
            #expect(await refusal { try await boards.delete(thread.post, by: mod.id) } == "not_author")
            #expect(
                await refusal { try await boards.delete(reply, by: ann.id, ifVersion: .version(2)) } == "precondition")
            try await world.asSuperuser("insert into block values (\(ann.id), \(ben.id), now())")
            #expect(await edit(thread.post, .init(body: "x"), by: ben) == "no post")
            #expect(await refusal { try await boards.delete(thread.post, by: ben.id) } == "no post")
            #expect(try await world.boardRows() == before)

            try await world.asSuperuser("update thread set locked_at = now()")
            #expect(await edit(thread.post, .init(body: "x"), by: ann) == "thread_locked")
            #expect(await edit(thread.post, .init(title: "Calmer", reason: "tone"), by: mod) == nil)
            #expect(await refusal { try await boards.delete(reply, by: ann.id) } == nil)
            #expect(await edit(reply, .init(body: "x"), by: ann) == "no post")
            try await world.asSuperuser("update account set state = 'frozen' where id = \(ann.id)")
            #expect(await refusal { try await boards.delete(thread.post, by: ann.id) } == "account_frozen")
            #expect(try await world.boardMiscounts() == [])
        }
    }

    @Test func `deleting leaves a place in the tree and no word`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let book = try await world.given.book()
            let thread = try await world.given.thread(on: book, by: ann)
            let one = try await world.given.post(in: thread.id, by: ben, answering: thread.post)
            let two = try await world.given.post(in: thread.id, by: ann, answering: one)
            let boards = world.community.boards
            _ = try await boards.edit(one, Boards.Change(body: "Other words."), by: ben)
            try await world.asSuperuser(
                """
                insert into post_reaction values (\(one), \(ann), 'like', now());
                insert into post_reaction_tally values (\(one), 'like', 1);
                update post set reactions = 1 where id = \(one)
                """)
            try await world.clearOutbox()

            try await boards.delete(one, by: ben)

            #expect(try await world.figure("select count(*) from post_text where post_id = \(one)") == 0)
            #expect(try await world.figure("select count(*) from post_reaction") == 0)
            #expect(try await world.figure("select count(*) from post_reaction_tally") == 0)
            #expect(
                try await world.asSuperuser(
                    "select text_id, deleted_at is not null, replies, reactions, version from post where id = \(one)")
                    == [[nil, "t", "1", "0", "3"]])
            #expect(try await world.asSuperuser("select posts, replies, hidden_at from thread") == [["3", "1", nil]])
            #expect(try await world.asSuperuser("select replies from post where id = \(thread.post)") == [["0"]])
            #expect(try await world.figure("select posts from board_scope where scope = 0") == 2)
            #expect(try await world.figure("select comments from reader_tally where reader_id = \(ben)") == 0)
            let event = try await world.asSuperuser(
                "select kind, array_to_string(topics, ','), subject_kind, subject_id, data -> 'post' ->> 'id', data::text like '%author%' from outbox"
            )
            #expect(event == [["post.deleted", "thread:\(thread.id)", "level", "2", one.text, "f"]])
            #expect(await refusal { try await boards.delete(one, by: ben) } == "no post")
            #expect(try await world.boardMiscounts() == [])

            // The first post leaves its answers; with the last of them the thread goes.
            try await boards.delete(thread.post, by: ann)
            #expect(
                try await world.asSuperuser("select replies, hidden_at, title from thread")
                    == [["1", nil, Boards.noTitle]])
            try await boards.delete(two, by: ann)
            #expect(try await world.asSuperuser("select replies, hidden_at is not null from thread") == [["0", "t"]])
            let told = try await world.asSuperuser(
                "select array_to_string(topics, ','), data -> 'thread' ->> 'is_gone' from outbox order by position")
            #expect(
                told == [
                    ["thread:\(thread.id)", "false"], ["thread:\(thread.id),book:\(book)", "false"],
                    ["thread:\(thread.id),book:\(book)", "true"],
                ])
            #expect(try await world.figure("select coalesce(sum(posts), 0) from board_scope") == 0)
            #expect(try await world.boardMiscounts() == [])
        }
    }

    /// Whether it opens the thread.
    @Test(arguments: [false, true])
    func `an author takes away what a moderator hid, and no word of it is left`(isFirst: Bool) async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben) = (try await world.given.account(), try await world.given.account())
            let chief = try await world.given.account(role: .moderator)
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann.id, title: "Hush")
            let reply = try await world.given.post(in: thread.id, by: ann.id, answering: thread.post)
            let post = isFirst ? thread.post : reply
            let boards = world.community.boards
            try await world.community.reactions.react(.like, to: post, by: ben.id)
            let moderator = try Boards.Moderator(chief.identity, reason: "a quarrel")
            try await boards.moderate(post, .hide, by: moderator)
            try await world.clearOutbox()
            let rows = try await world.boardRows()
            #expect(await refusal { try await boards.delete(post, by: ben.id) } == "no post")
            #expect(
                await refusal { try await boards.delete(post, by: ann.id, ifVersion: .version(7)) } == "precondition")
            #expect(try await world.boardRows() == rows)

            try await boards.delete(post, by: ann.id)

            #expect(try await world.figure("select count(*) from post_text where post_id = \(post)") == 0)
            #expect(try await world.figure("select count(*) from post_reaction") == 0)
            #expect(try await world.asSuperuser("select title from thread") == [[isFirst ? Boards.noTitle : "Hush"]])
            #expect(try await world.boardMiscounts() == [])
            // It was told when it was hidden, and is gone for good.
            #expect(try await world.outboxKinds() == [])
            #expect(await refusal { try await boards.delete(post, by: ann.id) } == "no post")
            // A thread comes back without it: `BoardsHiddenThreadTests`.
            guard !isFirst else { return }
            await #expect(throws: Failure.conflict(code: .postDeleted, "this post is no more")) {
                try await boards.moderate(post, .unhide, by: moderator)
            }
        }
    }

    @Test func `a first post that nobody answered takes its thread along`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let ann = try await world.given.reader()
            let thread = try await world.given.thread(on: try await world.given.book(), by: ann)
            try await world.community.boards.delete(thread.post, by: ann)
            #expect(try await world.asSuperuser("select hidden_at is not null, posts from thread") == [["t", "1"]])
            #expect(
                await refusal { _ = try await world.community.boards.reply(.init(body: "b"), in: thread.id, by: ann) }
                    == "no thread")
            #expect(try await world.boardMiscounts() == [])
        }
    }
}
