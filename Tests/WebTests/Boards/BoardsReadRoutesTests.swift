import Community
import HTTPTypes
import Postgres
import TestSupport
import Testing
import Web

/// Reading boards over HTTP.
@Suite(.database)
struct BoardsReadRoutesTests {
    @Test(.requirement("DIS-1", "DIS-4"))
    func `a board shows its threads, what lies ahead, and where the stream goes on`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let (book, ann) = (try await given.book(), try await given.account("ann"))
            let pinned = try await given.thread(on: book, by: ann.id, title: "Rules", kind: .announcement)
            let free = try await given.thread(on: book, by: ann.id, title: "Hello", kind: .question)
            let gated = try await given.thread(on: book, by: ann.id, title: "The end", scope: .finished)
            _ = try await given.post(in: free.id, by: ann.id, scope: .finished)
            try await app.world.asSuperuser("update thread set pinned_at = now() where id = \(pinned.id)")
            let path = "/api/v1/books/\(book)/threads"

            let board = try await app.get(path)

            #expect(board.json["items"]?.elements.compactMap { $0["id"]?.text } == [free.id.text, gated.id.text])
            #expect(board.json["items"]?[0]?["title"] == "Hello" && board.json["items"]?[0]?["kind"] == "question")
            #expect(
                board.json["items"]?[0]?["reply_count"] == 1 && board.json["items"]?[0]?["author"]?["username"] == "ann"
            )
            #expect(board.json["items"]?[0]?["unread_count"] == .null)
            #expect(board.json["pinned"]?.elements.compactMap { $0["title"]?.text } == ["Rules"])
            #expect(board.json["board"] == ["gate": 0, "post_count": 4, "ahead_count": 2, "watching": nil])
            #expect(board.json["stream_cursor"]?.text?.isEmpty == false)
            let questions = try await app.get(path + "?kind=question").json
            #expect(questions["items"]?.elements.count == 1 && questions["pinned"]?.elements == [])
            for query in ["?sort=best", "?kind=rant"] {
                #expect(try await app.get(path + query).status == .unprocessableContent)
            }
            let mine = try await app.as(ann).get(path + "?sort=oldest").json
            #expect(mine["items"]?[1]?["title"] == "The end" && mine["items"]?[1]?["scope"] == "finished")
            #expect(mine["items"]?[0]?["unread_count"] == 0 && mine["items"]?[0]?["watching"] == "followed")
        }
    }

    @Test(.requirement("DIS-2", "DIS-4")) func `a thread is opened with its first post and how far one has read`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let (book, ann, ben) = (
                try await given.book(), try await given.account("ann"), try await given.account("ben")
            )
            let made = try await given.thread(on: book, by: ann.id, title: "Hello", body: "First.")
            let reply = try await given.post(in: made.id, by: ben.id, answering: made.post, body: "Second.")
            try await app.world.asSuperuser(
                """
                insert into post_reaction (post_id, reader_id, name, at) values (\(reply), \(ann.id), 'wow', now());
                insert into post_reaction_tally (post_id, name, n) values (\(reply), 'like', 2), (\(reply), 'wow', 1);
                update post set reactions = 3 where id = \(reply)
                """)

            let thread = try await app.as(ann).get("/api/v1/threads/\(made.id)")
            #expect(thread.json["title"] == "Hello" && thread.json["first_post"]?["body"] == "First.")
            #expect(
                thread.json["read_number"] == 1 && thread.json["unread_count"] == 1 && thread.json["post_count"] == 2)
            #expect(thread.json["first_post"]?["kind"] == "discussion")
            let anonymous = try await app.get("/api/v1/threads/\(made.id)")
            #expect(anonymous.json["read_number"] == .null && anonymous.json["title"] == "Hello")

            let post = try await app.as(ann).get("/api/v1/posts/\(reply)")
            #expect(post.json["reactions"] == ["like": 2, "wow": 1] && post.json["my_reactions"] == ["wow"])
            #expect(post.json["parent_id"]?.text == made.post.text && post.json["depth"] == 1)
            #expect(
                post.json["number"] == 2 && post.json["kind"] == "reply" && post.json["author"]?["username"] == "ben")
            let replies = try await app.as(ann).get("/api/v1/posts/\(made.post)/replies")
            #expect(replies.json["items"]?.elements == [post.json])
            #expect(replies.json["stream_cursor"]?.text?.isEmpty == false)

            for path in ["/api/v1/threads/7", "/api/v1/threads/7/posts", "/api/v1/posts/7", "/api/v1/posts/7/replies"] {
                #expect(try await app.get(path).status == .notFound)
            }
            #expect(try await app.get("/api/v1/me/posts").status == .unauthorized)
            let mine = try await app.as(ben).get("/api/v1/me/posts").json["items"]?.elements
            #expect(mine?.compactMap { $0["body"]?.text } == ["Second."])
            let others = try await app.get("/api/v1/readers/BEN/posts").json
            #expect(others["reader"]?["username"] == "ben" && others["items"]?[0]?["id"]?.text == reply.text)
            #expect(try await app.get("/api/v1/readers/nobody/posts").status == .notFound)
        }
    }

    @Test func `a post has another tag once it has another version or reaction, and 304 while it is the same`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let (book, ann) = (try await given.book(), try await given.account("ann"))
            let made = try await given.thread(on: book, by: ann.id)
            let paths = ["/api/v1/posts/\(made.post)", "/api/v1/threads/\(made.id)"]
            for path in paths {
                let tag = try #require(try await app.get(path).headers[.eTag])
                #expect(tag.hasSuffix("-1\"") && tag.hasPrefix(path.contains("posts") ? "\"post-" : "\"thread-"))
                #expect(try await app.get(path, headers: [.ifNoneMatch: tag]).status == .notModified)
                try await app.world.asSuperuser(
                    """
                    insert into post_reaction_tally (post_id, name, n) values (\(made.post), 'like', 1)
                        on conflict (post_id, name) do update set n = post_reaction_tally.n + 1;
                    update post set reactions = reactions + 1 where id = \(made.post);
                    update thread set reactions = reactions + 1 where id = \(made.id)
                    """)
                let next = try await app.get(path, headers: [.ifNoneMatch: tag])
                #expect(next.status == .ok && next.headers[.eTag]?.hasSuffix("-1\"") == true)
                try await app.world.asSuperuser(
                    "update post set version = 2 where id = \(made.post); update thread set version = 2 where id = \(made.id)"
                )
                #expect(try await app.get(path).headers[.eTag]?.hasSuffix("-2\"") == true)
                try await app.world.asSuperuser(
                    "update post set version = 1 where id = \(made.post); update thread set version = 1 where id = \(made.id)"
                )
            }
        }
    }

    @Test(.requirement("DIS-2")) func `a thread is read on from what was read, or from a number`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let (book, ann, ben) = (
                try await given.book(), try await given.account("ann"), try await given.account("ben")
            )
            let made = try await given.thread(on: book, by: ann.id)
            for _ in 0..<9 { _ = try await given.post(in: made.id, by: ann.id) }
            try await app.world.asSuperuser(
                "insert into thread_reader (reader_id, thread_id, read_number, at) values (\(ben.id), \(made.id), 6, now())"
            )
            let path = "/api/v1/threads/\(made.id)/posts"
            func numbers(_ answer: TestAnswer) -> [Double] {
                answer.json["items"]?.elements.compactMap { $0["number"]?.number } ?? []
            }

            let unread = try await app.as(ben).get(path + "?is_unread=true&limit=3")
            #expect(numbers(unread) == [7, 8, 9])
            let next = try #require(unread.json["next_cursor"]?.text)
            #expect(numbers(try await app.as(ben).get(path + "?is_unread=true&limit=3&cursor=" + next)) == [10])
            let before = try #require(unread.json["prev_cursor"]?.text)
            #expect(numbers(try await app.as(ben).get(path + "?limit=3&cursor=" + before)) == [4, 5, 6])
            #expect(numbers(try await app.as(ann).get(path + "?is_unread=true")) == [])
            #expect(numbers(try await app.get(path + "?is_unread=true&limit=2")) == [1, 2])
            #expect(numbers(try await app.get(path + "?from_number=8&limit=2")) == [8, 9])
            #expect(numbers(try await app.get(path + "?sort=newest&limit=2")) == [10, 9])
            for query in [
                "?is_unread=true&sort=tree", "?from_number=2&sort=newest", "?from_number=0", "?is_unread=maybe",
            ] {
                #expect(try await app.get(path + query).status == .unprocessableContent, "\(query)")
            }
            // A cursor of another order or thread is refused.
            for other in ["?sort=newest&cursor=", "?sort=tree&cursor=", "?sort=reactions&cursor="] {
                #expect(try await app.get(path + other + next).code == "invalid_cursor")
            }
            let second = try await given.thread(on: book, by: ann.id)
            #expect(
                try await app.get("/api/v1/threads/\(second.id)/posts?cursor=" + next).code == "invalid_cursor")
        }
    }

    @Test func `no posts are asked for of a thread that is not seen, and a lost head is a fault`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let ann = try await app.world.given.account("ann")
            let thread = try await app.world.given.thread(on: try await app.world.given.book(), by: ann.id)
            let path = "/api/v1/threads/\(thread.id)/posts"
            try await app.world.asSuperuser("update thread set hidden_at = now() where id = \(thread.id)")
            // A call that asks for posts fails from here on.
            try await app.world.asSuperuser("alter table post_text rename to post_text_gone")
            let hidden = try await app.get(path + "?is_unread=true")
            try await app.world.asSuperuser("alter table post_text_gone rename to post_text")
            try await app.world.asSuperuser("update thread set hidden_at = null where id = \(thread.id)")
            #expect(hidden.status == .notFound, "\(hidden.text)")

            let head = try await app.world.asSuperuser("delete from event_head returning seq, oldest")[0]
            var lost: [TestAnswer] = []
            for query in ["", "?is_unread=true"] { lost.append(try await app.get(path + query)) }
            try await app.world.asSuperuser(
                "insert into event_head (seq, oldest) values (\(head[0] ?? ""), \(head[1] ?? ""))")
            #expect(lost.map(\.status) == [.internalServerError, .internalServerError])
            #expect(try await app.get(path).status == .ok)
        }
    }

    @Test func `every list names its next and previous page, and every order keeps to its own`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let (book, ann) = (try await given.book(), try await given.account("ann"))
            var thread: MadeThread?
            for _ in 0..<4 { thread = try await given.thread(on: book, by: ann.id) }
            let made = try #require(thread)
            for _ in 0..<4 { _ = try await given.post(in: made.id, by: ann.id, answering: made.post) }
            try await app.world.asSuperuser("update thread set hot = 1.0 / 3 where id = \(made.id)")
            let lists =
                Boards.ThreadSort.allCases.map { "/api/v1/books/\(book)/threads?sort=\($0.rawValue)&" }
                + Boards.PostSort.allCases.map { "/api/v1/threads/\(made.id)/posts?sort=\($0.rawValue)&" }
                + ["/api/v1/posts/\(made.post)/replies?", "/api/v1/readers/ann/posts?", "/api/v1/me/posts?"]
            for list in lists {
                let caller = app.as(ann)
                let whole = try await caller.get(list + "limit=100").json["items"]?.elements ?? []
                #expect(whole.count >= 4, "\(list)")
                var items: [JSONValue] = []
                var page = try await caller.get(list + "limit=3")
                while true {
                    items += page.json["items"]?.elements ?? []
                    guard let next = page.json["next_cursor"]?.text else { break }
                    #expect(page.headers[.link]?.contains("rel=\"next\"") == true)
                    page = try await caller.get(list + "limit=3&cursor=" + next)
                }
                #expect(items == whole, "\(list)")
                let back = try #require(page.json["prev_cursor"]?.text)
                let previous = try await caller.get(list + "limit=3&cursor=" + back)
                let first = whole.count - (page.json["items"]?.elements.count ?? 0)
                #expect(previous.json["items"]?.elements == Array(whole[max(0, first - 3)..<first]), "\(list)")
            }
        }
    }
}
