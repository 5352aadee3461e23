import Community
import HTTPTypes
import TestSupport
import Testing
import Web

@Suite(.database)
struct BoardsMarkRoutesTests {
    @Test(.requirement("DIS-4")) func `somebody else's post is reacted to, once, by the six names`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account(), try await app.world.given.account())
            let book = try await app.world.given.book()
            let thread = try await app.world.given.thread(on: book, by: ann.id)
            let ahead = try await app.world.given.post(in: thread.id, by: ann.id, scope: .finished)
            let path = "/api/v1/posts/\(thread.post)/reactions/"
            for reaction in Reaction.allCases {
                #expect(try await app.as(ben).put(path + reaction.rawValue).status == .noContent)
            }
            #expect(try await app.as(ben).put(path + "like").status == .noContent)
            let post = try await app.as(ben).get("/api/v1/posts/\(thread.post)").json
            #expect(post["reactions"]?["wow"]?.number == 1 && post["my_reactions"]?.elements.count == 6)
            #expect(try await app.get("/api/v1/posts/\(thread.post)").json["my_reactions"]?.elements == [])

            #expect(try await app.as(ben).put(path + "hate").status == .notFound)
            #expect(try await app.as(ann).put(path + "like").code == "own_thing")
            let gated = try await app.as(ben).put("/api/v1/posts/\(ahead)/reactions/like")
            #expect(gated.status == .forbidden && gated.code == "post_gated" && !gated.text.contains("A reply"))
            #expect(try await app.put(path + "like").status == .unauthorized)
            #expect(try await app.as(ben).put("/api/v1/posts/7/reactions/like").status == .notFound)

            for _ in 0..<2 { #expect(try await app.as(ben).delete(path + "like").status == .noContent) }
            #expect(
                try await app.as(ann).get("/api/v1/threads/\(thread.id)").json["reaction_count"]?.number == 5)
        }
    }

    @Test(.requirement("DIS-4")) func `threads and boards are followed, muted, read and let go of`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account(), try await app.world.given.account())
            let book = try await app.world.given.book()
            let thread = try await app.world.given.thread(on: book, by: ann.id, title: "What now?").id
            _ = try await app.world.given.post(in: thread, by: ann.id)
            let ahead = try await app.world.given.thread(on: book, by: ann.id, title: "The end", scope: .finished).id
            let reader = app.as(ben)
            let path = "/api/v1/threads/\(thread)"

            for thread in [thread, ahead] {
                #expect(try await reader.put("/api/v1/threads/\(thread)/follow").status == .noContent)
            }
            let page = try await reader.get("/api/v1/me/threads?limit=1")
            #expect(page.json["items"]?.elements.count == 1 && page.headers[.link]?.contains("next") == true)
            let whole = try await reader.get("/api/v1/me/threads")
            #expect(whole.json["items"]?[0]?["state"] == "gated" && !whole.text.contains("The end"))
            #expect(whole.json["items"]?[1]?["title"]?.text == "What now?")
            #expect(whole.json["items"]?[1]?["unread_count"]?.number == 2)
            #expect(whole.json["items"]?[1]?["watching"]?.text == "followed")

            #expect(try await reader.put(path + "/read", ["number": 2]).status == .noContent)
            #expect(try await reader.put(path + "/read", ["number": 1]).status == .noContent)
            #expect(try await reader.get(path).json["read_number"]?.number == 2)
            #expect(try await reader.put(path + "/read", ["number": 3]).pointers == ["/number"])
            #expect(try await reader.put(path + "/read", [:]).pointers == ["/number"])
            #expect(try await reader.delete(path + "/read").status == .noContent)
            #expect(try await reader.get(path).json["read_number"]?.number == 0)

            #expect(try await reader.put(path + "/mute").status == .noContent)
            #expect(try await reader.get(path).json["watching"]?.text == "muted")
            #expect(try await reader.delete(path + "/follow").status == .noContent)
            #expect(try await reader.delete(path + "/mute").status == .noContent)
            #expect(try await reader.get(path).json["watching"] == .null)

            let board = "/api/v1/books/\(book)/board"
            let watching: () async throws -> String? = {
                try await reader.get("/api/v1/books/\(book)/threads").json["board"]?["watching"]?.text
            }
            #expect(try await reader.put(board + "/follow").status == .noContent)
            #expect(try await watching() == "followed")
            #expect(try await reader.put(board + "/mute").status == .noContent)
            #expect(try await watching() == "muted")
            #expect(try await reader.delete(board + "/mute").status == .noContent)
            #expect(try await watching() == nil)
            #expect(try await reader.put("/api/v1/books/7/board/follow").status == .notFound)
            #expect(try await app.put(board + "/follow").status == .unauthorized)
        }
    }

    @Test(.requirement("DIS-4")) func `members follow and mute the board of their group`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let (ann, ben, cat) = (
                try await given.account(), try await given.account(), try await given.account()
            )
            let open = try await given.club(by: ann.id, with: [(ben.id, .member)])
            let closed = try await given.club(by: ann.id, .private)
            let (reader, path) = (app.as(ben), "/api/v1/groups/\(open)")
            func watching() async throws -> String? {
                try await reader.get(path + "/threads").json["watching"]?.text
            }
            for (word, state) in [("follow", "followed"), ("mute", "muted")] {
                for _ in 0..<2 { #expect(try await reader.put(path + "/board/\(word)").status == .noContent) }
                #expect(try await watching() == state)
                let refused = try await app.as(cat).put(path + "/board/\(word)")
                #expect(refused.status == .forbidden && refused.text.contains("not_a_member"), "\(refused.text)")
                #expect(try await reader.put("/api/v1/groups/\(closed)/board/\(word)").status == .notFound)
                #expect(try await app.put(path + "/board/\(word)").status == .unauthorized)
            }
            for word in ["follow", "mute", "mute"] {
                #expect(try await reader.delete(path + "/board/\(word)").status == .noContent)
                #expect(try await watching() == (word == "follow" ? "muted" : nil))
            }
        }
    }

    @Test(.requirement("DIS-4")) func `a board is marked as read as a whole, a book's and a group's`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let (ann, ben) = (try await given.account(), try await given.account())
            let book = try await given.book()
            let thread = try await given.thread(on: book, by: ann.id).id
            _ = try await given.post(in: thread, by: ann.id)
            let club = try await given.club(by: ann.id)
            let talk = try await given.thread(on: book, by: ann.id).id
            try await app.world.asSuperuser("update thread set group_id = \(club) where id = \(talk)")
            let reader = app.as(ben)
            func unread(_ thread: ID<Boards.Thread>) async throws -> JSONValue? {
                try await reader.get("/api/v1/threads/\(thread)").json["unread_count"]
            }
            for (thread, board) in [(thread, "/api/v1/books/\(book)"), (talk, "/api/v1/groups/\(club)")] {
                #expect(try await unread(thread) == .null)
                for _ in 0..<2 { #expect(try await reader.put(board + "/board/read").status == .noContent) }
                #expect(try await unread(thread) == 0)
                _ = try await given.post(in: thread, by: ann.id)
                #expect(try await unread(thread) == 1)
                #expect(try await app.put(board + "/board/read").status == .unauthorized)
            }
            for board in ["/api/v1/books/7", "/api/v1/groups/7"] {
                #expect(try await reader.put(board + "/board/read").status == .notFound)
            }
        }
    }

    @Test(.requirement("DIS-4")) func `moderators lock, pin and hide, with a reason where it must be given`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, chief) = (
                try await app.world.given.account(), try await app.world.given.account(role: .moderator)
            )
            let book = try await app.world.given.book()
            let thread = try await app.world.given.thread(on: book, by: ann.id)
            let reply = try await app.world.given.post(in: thread.id, by: ann.id)
            let (path, post) = ("/api/v1/threads/\(thread.id)", "/api/v1/posts/\(reply)")
            let moderator = app.as(chief)

            for call in ["/lock", "/pin"] {
                #expect(try await app.as(ann).put(path + call).code == "not_moderator")
                #expect(try await app.as(ann).delete(path + call).code == "not_moderator")
                #expect(try await moderator.put(path + call).status == .noContent)
            }
            #expect(try await app.get(path).json["is_locked"] == .boolean(true))
            #expect(try await app.get(path).json["is_pinned"] == .boolean(true))
            let long = String(repeating: "a", count: Limits.moderation.reason.upperBound + 1)
            #expect(try await moderator.delete(path + "/lock?reason=\(long)").status == .unprocessableContent)
            #expect(try await moderator.delete(path + "/lock?reason=enough").status == .noContent)
            #expect(try await moderator.delete(path + "/pin").status == .noContent)
            #expect(try await app.get(path).json["is_locked"] == .boolean(false))
            #expect(try await moderator.put("/api/v1/threads/7/lock").status == .notFound)

            #expect(try await app.as(ann).put(post + "/hide", ["reason": "r"]).code == "not_moderator")
            #expect(try await moderator.put(post + "/hide").pointers == ["/reason"])
            #expect(try await moderator.put(post + "/hide", ["reason": "rude"]).status == .noContent)
            #expect(try await app.as(ann).get(post).status == .notFound)
            #expect(try await moderator.delete(post + "/hide").status == .noContent)
            #expect(try await app.as(ann).get(post).status == .ok)
            let acts = try await app.world.asSuperuser("select action, reason from moderation_action order by id")
            #expect(
                acts == [
                    ["thread.lock", "no reason given"], ["thread.pin", "no reason given"],
                    ["thread.unlock", "enough"], ["thread.unpin", "no reason given"], ["post.hide", "rude"],
                    ["post.unhide", "no reason given"],
                ])
        }
    }

    @Test func `a thread that was hidden comes back without the first post that its author deleted`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (ann, ben) = (try await app.world.given.account(), try await app.world.given.account())
            let chief = try await app.world.given.account(role: .moderator)
            let thread = try await app.world.given.thread(on: try await app.world.given.book(), by: ann.id)
            let reply = try await app.world.given.post(in: thread.id, by: ben.id)
            let (path, post) = ("/api/v1/threads/\(thread.id)", "/api/v1/posts/\(thread.post)")
            #expect(try await app.as(chief).put(post + "/hide", ["reason": "rude"]).status == .noContent)
            #expect(try await app.as(ann).delete(post).status == .noContent)
            #expect(try await app.as(ben).get(path).status == .notFound)

            #expect(try await app.as(chief).delete(post + "/hide?reason=enough").status == .noContent)

            let shown = try await app.as(ben).get(path)
            #expect(shown.status == .ok && shown.json["title"] == .null)
            #expect(try await app.as(ben).get("/api/v1/posts/\(reply)").status == .ok)
            #expect(try await app.as(chief).put(post + "/hide", ["reason": "again"]).status == .noContent)
            #expect(try await app.as(ben).get(path).status == .notFound)
        }
    }
}
