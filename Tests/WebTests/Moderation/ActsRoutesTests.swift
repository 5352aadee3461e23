import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import Community
@testable import Web

@Suite(.database)
struct ActsRoutesTests {
    private static let acts = "/api/v1/moderation/acts"

    /// Eve, who writes, and moderators who see to it.
    private struct Scene {
        let app: TestApp
        let eve: Signed, moderator: TestApp, other: Signed, reader: TestApp
        let book: ID<Catalog.Work>

        init(_ app: TestApp) async throws {
            let given = app.world.given
            self.app = app
            eve = try await given.account("eve")
            moderator = app.as(try await given.account("moe", role: .moderator))
            other = try await given.account("max", role: .moderator)
            reader = app.as(try await given.account("ann"))
            book = try await given.book()
        }

        func act(
            _ verb: String, _ target: String? = nil, on targets: [String] = [], by who: TestApp? = nil,
            _ more: [String: JSONValue] = [:]
        ) async throws -> TestAnswer {
            var body: [String: JSONValue] = ["verb": .string(verb), "reason": "it sells watches"]
            if let target { body["target"] = .string(target) }
            if !targets.isEmpty { body["targets"] = .array(targets.map { .string($0) }) }
            return try await (who ?? moderator).post(
                ActsRoutesTests.acts, .object(body.merging(more) { $1 }))
        }

        func undo(
            _ act: TestAnswer, by who: TestApp? = nil, sourceLocation: SourceLocation = #_sourceLocation
        ) async throws -> TestAnswer {
            let id = try #require(act.json["id"]?.text, "\(act.text)", sourceLocation: sourceLocation)
            return try await (who ?? moderator).post(ActsRoutesTests.acts + "/\(id)/undo", ["reason": "a mistake"])
        }

        func act(
            named act: TestAnswer, sourceLocation: SourceLocation = #_sourceLocation
        ) async throws -> TestAnswer {
            let id = try #require(act.json["id"]?.text, "\(act.text)", sourceLocation: sourceLocation)
            return try await moderator.get(ActsRoutesTests.acts + "/" + id)
        }

        func isSeen(_ post: ID<Boards.Post>) async throws -> Bool {
            try await reader.get("/api/v1/posts/\(post)").status == .ok
        }

        func state(of name: String) async throws -> String? {
            try await app.world.asSuperuser("select state from account where username = '\(name)'").first?[0]
        }

        /// Threads of Eve with an answer of hers in each, and one of somebody else.
        func wave(_ threads: Int) async throws -> (hers: [ID<Boards.Post>], others: [ID<Boards.Post>]) {
            let (given, bob) = (app.world.given, try await app.world.given.account())
            var (hers, others): ([ID<Boards.Post>], [ID<Boards.Post>]) = ([], [])
            for _ in 0..<threads {
                let own = try await given.thread(on: book, by: eve.id)
                others.append(try await given.post(in: own.id, by: bob.id))
                hers += [own.post, try await given.post(in: own.id, by: eve.id, answering: others.last)]
                let foreign = try await given.thread(on: book, by: bob.id)
                others.append(foreign.post)
                hers.append(try await given.post(in: foreign.id, by: eve.id))
            }
            return (hers, others)
        }
    }

    @Test(.requirement("DIS-5"))
    func `a moderator hides a post, warns, freezes and suspends, and takes each back`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let scene = try await Scene(app)
            let post = try await app.world.given.thread(on: scene.book, by: scene.eve.id).post
            let hidden = try await scene.act("hide", "post:\(post)", ["public": "advertising"])
            #expect(
                hidden.status == .ok && hidden.json["state"] == "done" && hidden.json["done_count"] == 1,
                "\(hidden.text)")
            #expect(try await !scene.isSeen(post))
            let again = try await scene.act("hide", "post:\(post)")
            #expect(again.json["id"] == .null && again.json["same_count"] == 1, "\(again.text)")
            let undone = try await scene.undo(hidden)
            #expect(undone.status == .ok && undone.json["verb"] == "unhide", "\(undone.text)")
            #expect(undone.json["undoes"] == hidden.json["id"])
            #expect(try await scene.isSeen(post))
            #expect(try await scene.undo(hidden).code == "undone")
            #expect(try await scene.act("warn", "reader:EVE").status == .ok)
            for (verb, state) in [("freeze", "frozen"), ("limit", "limited"), ("suspend", "suspended")] {
                let done = try await scene.act(verb, "reader:eve")
                #expect(done.status == .ok, "\(done.text)")
                #expect(try await scene.state(of: "eve") == state)
                let back = try await scene.undo(done)
                #expect(back.status == .ok, "\(back.text)")
                #expect(try await scene.state(of: "eve") == "active")
            }
            let recorded = try await app.world.asSuperuser(
                "select action || ' ' || (undoes is not null) || ' ' || author_id from moderation_action order by id")
            let expected = [
                "post.hide false", "post.unhide true", "account.warn false", "account.freeze false",
                "account.restore true",
                "account.limit false", "account.restore true", "account.suspend false", "account.unsuspend true",
            ]
            #expect(recorded.compactMap { $0[0] } == expected.map { "\($0) \(scene.eve.id)" })
            #expect(try await app.world.everyDifference() == [])
        }
    }

    @Test func `what was changed since is not undone, and what cannot be done says why`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let scene = try await Scene(app)
            let thread = try await app.world.given.thread(on: scene.book, by: scene.eve.id)
            let post = try await app.world.given.post(in: thread.id, by: scene.eve.id)
            let first = try await scene.act("hide", "post:\(post)")
            _ = try await scene.act("unhide", "post:\(post)")
            #expect(try await scene.undo(first).code == "changed")
            let second = try await scene.act("hide", "post:\(post)")
            #expect(try await app.as(scene.eve).delete("/api/v1/posts/\(post)").status == .noContent)
            #expect(try await scene.undo(second).code == "post_deleted")
            let chief = try await app.world.given.account("chief", role: .admin)
            let answers = [
                try await scene.act("freeze", "reader:chief"), try await scene.act("freeze", "reader:max"),
                try await scene.act("role", "reader:eve", ["role": "moderator"]),
                try await scene.act("hide", "reader:eve"),
                try await scene.act("warn", "reader:eve", ["until": "2030-01-01T00:00:00Z"]),
                try await scene.act("freeze", "reader:eve", ["until": "2001-01-01T00:00:00Z"]),
                try await scene.act("freeze", "reader:nobody_there"), try await scene.act("freeze", "blog:7"),
                try await scene.act("warn", "reader:eve", by: app.as(scene.eve)),
                try await scene.moderator.post(Self.acts + "/1/undo", ["reason": "r"]),
                try await scene.act("scope", "post:\(post)"),
                try await scene.act("warn", "reader:eve", ["report": "7"]),
            ]
            #expect(
                answers.map(\.code) == [
                    "role_too_low", "role_too_low", "role_too_low", "validation", "validation", "validation",
                    "not_found",
                    "validation", "not_moderator", "not_found", "validation", "validation",
                ])
            #expect(try await scene.act("role", "reader:eve", by: app.as(chief), ["role": "moderator"]).status == .ok)
            #expect(try await app.world.everyDifference() == [])
        }
    }

    @Test(.requirement("DIS-5"))
    func `an act on many is frozen by a dry run, done by a job, and undone as one`() async throws {
        try await withApp(leaving: [.outbox]) { app in
            let scene = try await Scene(app)
            let (hers, others) = try await scene.wave(3)
            let targets = hers.map { "post:\($0)" }
            let dry = try await scene.act("hide", on: targets, ["is_dry_run": true])
            #expect(
                dry.json["state"] == "frozen" && dry.json["target_count"] == .number("\(hers.count)"), "\(dry.text)")
            #expect(try await scene.isSeen(hers[0]))
            let path = Self.acts + "/" + (try #require(dry.json["id"]?.text))
            let started = try await scene.moderator.post(path + "/start")
            #expect(started.json["state"] == "running", "\(started.text)")
            #expect(try await app.world.work() == 0)
            let done = try await scene.act(named: dry)
            #expect(done.json["state"] == "done" && done.json["done_count"] == .number("\(hers.count)"), "\(done.text)")
            for post in hers { #expect(try await !scene.isSeen(post)) }
            #expect(try await scene.isSeen(others[1]))
            #expect(try await app.world.everyDifference() == [])
            let list = try await scene.moderator.get(path + "/targets?limit=100&outcome=done")
            #expect(Set(list.json["items"]?.elements.compactMap { $0["target"]?.text } ?? []) == Set(targets))
            // One of them was brought back meanwhile, and one its author deleted.
            #expect(try await scene.act("unhide", "post:\(hers[2])").status == .ok)
            let undo = try await scene.undo(done)
            #expect(undo.json["verb"] == "undo" && undo.json["undoes"] == dry.json["id"], "\(undo.text)")
            #expect(try await app.world.work() == 0)
            let undone = try await scene.act(named: undo)
            #expect(
                undone.json["done_count"] == .number("\(hers.count - 1)") && undone.json["changed_count"] == 1,
                "\(undone.text)")
            for post in hers + others { #expect(try await scene.isSeen(post)) }
            #expect(try await app.world.everyDifference() == [])
            let nothing = try await scene.undo(done)
            #expect(nothing.json["target_count"] == 1, "\(nothing.text)")
            #expect(try await app.world.work() == 0)
        }
    }

    @Test func `an act on many refuses superiors, names what is so already, and can be cancelled`() async throws {
        try await withApp(leaving: [.outbox]) { app in
            let scene = try await Scene(app)
            let given = app.world.given
            let mine = try await given.thread(on: scene.book, by: scene.other.id).post
            let (hers, _) = try await scene.wave(1)
            #expect(try await scene.act("hide", "post:\(hers[1])").status == .ok)
            let targets = ([mine] + hers).map { "post:\($0)" }
            let grown = try await scene.act("hide", on: targets, ["expected_count": 3])
            #expect(grown.status == .conflict && grown.code == "grew", "\(grown.text)")
            let all = try await scene.act("hide", on: targets, ["expected_count": 4])
            #expect(try await app.world.work() == 0)
            let done = try await scene.act(named: all)
            #expect(
                done.json["done_count"] == 2 && done.json["same_count"] == 1 && done.json["refused_count"] == 1
                    && done.json["state"] == "done", "\(done.text)")
            let refused = try await scene.moderator.get(
                Self.acts + "/\(try #require(all.json["id"]?.text))/targets?outcome=refused")
            #expect(refused.json["items"]?[0]?["code"] == "role_too_low")
            #expect(try await scene.isSeen(mine))
            let unknown = try await scene.act("hide", on: ["post:1", "post:\(hers[0])"], ["is_dry_run": true])
            #expect(unknown.json["target_count"] == 2 && unknown.json["refused_count"] == 1, "\(unknown.text)")
            // Cancelled before the job is at it: nothing is done.
            let stopped = try await scene.act("unhide", on: hers.map { "post:\($0)" })
            #expect(try await scene.undo(stopped).code == "running")
            let path = Self.acts + "/" + (try #require(stopped.json["id"]?.text))
            #expect(try await app.as(scene.other).delete(path).status == .forbidden)
            #expect(try await scene.moderator.delete(path).json["state"] == "cancelled")
            #expect(try await app.world.work() == 0)
            #expect(try await !scene.isSeen(hers[0]))
            #expect(try await scene.moderator.post(path + "/start").code == "cancelled")
            // Who moderates no longer has nothing done in their name.
            let late = try await scene.act("unhide", on: hers.map { "post:\($0)" })
            try await app.world.asSuperuser("update account set role = 'member' where username = 'moe'")
            #expect(try await app.world.work() == 0)
            let state = try await app.world.asSuperuser(
                "select state from moderation_bulk where id = \(try #require(late.json["id"]?.text))")
            #expect(state.first?[0] == "cancelled")
            #expect(try await app.world.everyDifference() == [])
        }
    }

    @Test(.requirement("DIS-5"))
    func `a query finds a wave: its posts are hidden and its accounts suspended by one act each`() async throws {
        try await withApp(leaving: [.outbox]) { app in
            let scene = try await Scene(app)
            let given = app.world.given
            var posts: [ID<Boards.Post>] = []
            for number in 1...3 {
                let spammer = try await given.account("spam\(number)")
                try await app.world.asSuperuser(
                    "update account set email = 's\(number)@Junk.example', email_folded = 's\(number)@junk.example' where id = \(spammer.id)"
                )
                posts.append(
                    try await given.thread(
                        on: scene.book, by: spammer.id, body: "See https://www.watches.example/\(number) now"
                    ).post)
            }
            let honest = try await given.thread(on: scene.book, by: scene.eve.id, body: "What watches.example.org says")
                .post
            let since: JSONValue = .string((app.world.clock.now() - .seconds(86_400)).text)
            func act(_ verb: String, _ query: JSONValue) async throws -> TestAnswer {
                let made = try await scene.moderator.post(
                    Self.acts, ["verb": .string(verb), "reason": "a wave", "query": query])
                guard made.status == .ok else { return made }
                #expect(try await app.world.work() == 0)
                return try await scene.act(named: made)
            }
            let hidden = try await act("hide", ["kind": "post", "link_domain": "watches.example", "since": since])
            #expect(hidden.json["done_count"] == 3, "\(hidden.text)")
            for post in posts { #expect(try await !scene.isSeen(post)) }
            #expect(try await scene.isSeen(honest))
            let suspended = try await act("suspend", ["email_domain": "junk.example", "since": since])
            #expect(suspended.json["done_count"] == 3, "\(suspended.text)")
            #expect(try await scene.state(of: "spam2") == "suspended")
            #expect(try await scene.state(of: "eve") == "active")
            for act in [suspended, hidden] { _ = try await scene.undo(act) }
            #expect(try await app.world.work() == 0)
            #expect(try await scene.state(of: "spam2") == "active")
            for post in posts { #expect(try await scene.isSeen(post)) }
            // Those who wrote it.
            let warned = try await act("warn", ["kind": "post", "link_domain": "watches.example", "since": since])
            #expect(warned.json["done_count"] == 3, "\(warned.text)")
            let refused = [
                try await act("hide", ["kind": "post", "author": "nobody_there"]),
                try await act("hide", ["kind": "post", "author": "eve", "since": "2999-01-01T00:00:00Z"]),
                try await act("lock", ["kind": "post", "author": "eve"]),
                try await act("hide", ["kind": "post", "link_domain": "nowhere.example", "since": since]),
            ]
            #expect(refused.map(\.code) == ["not_found", "validation", "validation", "validation"])
            #expect(try await app.world.everyDifference() == [])
        }
    }

    @Test(.requirement("DIS-5"))
    func `the ratings of a book are held: what comes is kept and not counted, until they are released`() async throws {
        try await withApp(leaving: [.outbox]) { app in
            let scene = try await Scene(app)
            func rate(_ rating: JSONValue) async throws -> TestApp {
                let reader = app.as(try await app.world.given.elder())
                let rated = try await reader.put("/api/v1/books/\(scene.book)/review", ["rating": rating])
                #expect(rated.status.code < 300, "\(rated.text)")
                return reader
            }
            func count() async throws -> JSONValue? {
                try await scene.reader.get("/api/v1/books/\(scene.book)").json["rating"]?["count"]
            }
            _ = try await rate(4)
            #expect(try await count() == 1)
            app.world.clock.advance(by: .seconds(60))
            let held = try await scene.act("hold", "book:\(scene.book)")
            #expect(held.status == .ok, "\(held.text)")
            let late = try await rate(0.5)
            #expect(try await count() == 1)
            // Hiding and bringing back counts as before: what was said before the hold does, the other does not.
            let reviews = try await app.world.asSuperuser("select id from review order by id").compactMap { $0[0] }
            for (review, less) in zip(reviews, [0, 1] as [JSONValue]) {
                let hidden = try await scene.act("hide", "review:" + review)
                #expect(try await count() == less)
                #expect(try await scene.undo(hidden).status == .ok)
                #expect(try await count() == 1)
            }
            #expect(try await late.get("/api/v1/books/\(scene.book)/review").json["rating"] == 0.5)
            #expect(try await app.world.work() == 0)
            #expect(try await app.world.everyDifference() == [])
            #expect(try await scene.act("hold", "book:\(scene.book)").json["same_count"] == 1)
            #expect(try await scene.undo(held).status == .ok)
            #expect(try await count() == 2)
            // Those of the last hour are taken out too.
            let since: JSONValue = .string((app.world.clock.now() - .seconds(3_600)).text)
            #expect(try await scene.act("hold", "book:\(scene.book)", ["since": since]).json["done_count"] == 1)
            #expect(try await count() == 0)
            #expect(try await scene.act("release", "book:\(scene.book)").json["done_count"] == 1)
            #expect(try await count() == 2)
            #expect(try await app.world.work() == 0)
            #expect(try await app.world.everyDifference() == [])
        }
    }

    @Test(.requirement("DIS-5"))
    func `a book that is merged carries along that its ratings are held`() async throws {
        try await withApp(leaving: [.outbox]) { app in
            let scene = try await Scene(app)
            let other = try await app.world.given.book()
            func rate(_ book: ID<Catalog.Work>) async throws {
                let reader = app.as(try await app.world.given.elder())
                let rated = try await reader.put("/api/v1/books/\(book)/review", ["rating": 4])
                #expect(rated.status.code < 300, "\(rated.text)")
            }
            func count() async throws -> JSONValue? {
                try await scene.reader.get("/api/v1/books/\(other)").json["rating"]?["count"]
            }
            try await rate(scene.book)
            app.world.clock.advance(by: .seconds(60))
            #expect(try await scene.act("hold", "book:\(scene.book)").json["done_count"] == 1)
            try await rate(scene.book)
            try await app.world.community.catalog.merge(
                .book(scene.book), into: .book(other), by: Catalog.Helper(World.terminal))
            #expect(try await app.world.work() == 0)
            #expect(try await count() == 1)
            try await rate(other)
            #expect(try await count() == 1)
            #expect(try await scene.act("release", "book:\(other)").json["done_count"] == 1)
            #expect(try await count() == 3)
            #expect(try await app.world.work() == 0)
            #expect(try await app.world.everyDifference() == [])
        }
    }

    @Test func `a query that names nobody is refused, and who is below does not take back what is above`() async throws
    {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let scene = try await Scene(app)
            let post = try await app.world.given.thread(on: scene.book, by: scene.eve.id).post
            let refused: [[String: JSONValue]] = [
                ["query": [:]], ["query": ["author": "eve"], "target": "reader:eve"],
                ["query": ["since": "2001-01-01T00:00:00Z"]], [:],
            ]
            for more in refused {
                let answer = try await scene.act("suspend", nil, more)
                #expect(answer.code == "validation", "\(more) \(answer.text)")
            }
            let misspelt = try await scene.act("suspend", nil, ["query": ["auther": "eve"]])
            #expect(misspelt.code == "unknown_field" && misspelt.text.contains("`author`"), "\(misspelt.text)")
            #expect(try await scene.state(of: "eve") == "active")
            let chief = app.as(try await app.world.given.account(role: .admin))
            let hidden = try await scene.act("hide", "post:\(post)", by: chief)
            #expect(try await scene.undo(hidden).code == "role_too_low")
            #expect(try await scene.undo(hidden, by: chief).status == .ok)
        }
    }

    @Test func `a longer act over a shorter one is recorded and outlives that`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let scene = try await Scene(app)
            let until: JSONValue = .string((app.world.clock.now() + .seconds(3_600)).text)
            _ = try await scene.act("suspend", "reader:eve", ["until": until])
            #expect(try await scene.act("suspend", "reader:eve").json["done_count"] == 1)
            #expect(try await scene.act("suspend", "reader:eve").json["same_count"] == 1)
            _ = try await scene.act("freeze", "reader:ann", ["until": until])
            let inner = try await scene.act("suspend", "reader:ann")
            #expect(try await scene.undo(inner).status == .ok)
            #expect(try await scene.state(of: "ann") == "frozen")
            try await app.world.asSuperuser("update job set due_at = now() where kind = 'moderation.expire'")
            #expect(try await app.world.work() == 0)
            #expect(try await scene.state(of: "eve") == "suspended")
            #expect(try await scene.state(of: "ann") == "active")
            #expect(try await app.world.everyDifference() == [])
        }
    }

    @Test func `an act ends when its time is over, unless somebody changed the same since`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let scene = try await Scene(app)
            let until: JSONValue = .string((app.world.clock.now() + .seconds(3_600)).text)
            let frozen = try await scene.act("freeze", "reader:eve", ["until": until])
            #expect(frozen.json["until"] == until, "\(frozen.text)")
            let limited = try await scene.act("limit", on: ["reader:ann"], ["until": until])
            #expect(try await app.world.work() == 0)
            #expect(try await scene.state(of: "ann") == "limited")
            try await app.world.asSuperuser("update job set due_at = now() where kind like 'moderation.expire%'")
            #expect(try await app.world.work() == 0)
            #expect(try await scene.state(of: "eve") == "active")
            #expect(try await scene.state(of: "ann") == "active")
            let actors = try await app.world.asSuperuser(
                "select distinct actor from moderation_action where undoes is not null")
            #expect(actors.compactMap { $0[0] } == ["system"])
            #expect(try await scene.undo(limited).code == "undone")
            #expect(try await app.world.everyDifference() == [])
        }
    }

    @Test(.requirement("DIS-5"))
    func `enough readers who count hide a post until a moderator has seen it`() async throws {
        try await withApp(leaving: [.outbox]) { app in
            let scene = try await Scene(app)
            let given = app.world.given
            let post = try await given.thread(on: scene.book, by: scene.eve.id).post
            func report(_ count: Int) async throws -> [Signed] {
                var readers: [Signed] = []
                for _ in 0..<count {
                    readers.append(try await given.elder())
                    let made = try await app.as(readers[readers.count - 1]).post(
                        "/api/v1/reports", ["target": .string("post:\(post)"), "category": "spam"])
                    #expect(made.status == .created, "\(made.text)")
                }
                #expect(try await app.world.work() == 0)
                return readers
            }
            let enough = Limits.moderation.hidingReporters
            let readers = try await report(enough - 1)
            #expect(try await scene.isSeen(post))
            // Who is blocked by the author does not count.
            #expect(try await app.as(scene.eve).put("/api/v1/me/blocks/\(readers[0].username)").status.code < 300)
            _ = try await report(1)
            #expect(try await scene.isSeen(post))
            _ = try await report(1)
            #expect(try await !scene.isSeen(post))
            let queue = try await scene.moderator.get("/api/v1/moderation/reports")
            let about = try #require(queue.json["items"]?[0])
            let path = "/api/v1/moderation/reports/" + (about["id"]?.text ?? "")
            let acts = try await scene.moderator.get(path).json["acts"]
            #expect(acts?[0]?["action"] == "post.hide" && acts?[0]?["actor"] == "system")
            let decided = try await scene.moderator.post(
                path + "/decision",
                ["outcome": "dismissed", "version": about["version"] ?? .null, "reason": "a good post"])
            #expect(decided.status == .ok, "\(decided.text)")
            #expect(try await app.world.work() == 0)
            #expect(try await scene.isSeen(post))
            #expect(try await app.world.everyDifference() == [])
        }
    }

    @Test(.requirement("DIS-5"))
    func `a freeze ends at its time, whether the reader is suspended then or was meanwhile`() async throws {
        try await withApp(leaving: [.outbox]) { app in
            let scene = try await Scene(app)
            let until: JSONValue = .string((app.world.clock.now() + .seconds(3_600)).text)
            for isBack in [true, false] {
                #expect(try await scene.act("freeze", "reader:eve", ["until": until]).status == .ok)
                let suspended = try await scene.act("suspend", "reader:eve")
                if isBack { #expect(try await scene.act("unsuspend", "reader:eve").status == .ok) }
                #expect(try await scene.state(of: "eve") == (isBack ? "frozen" : "suspended"))
                try await app.world.asSuperuser("update job set due_at = now() where kind = 'moderation.expire'")
                #expect(try await app.world.work() == 0)
                if !isBack { #expect(try await scene.undo(suspended).status == .ok) }
                #expect(try await scene.state(of: "eve") == "active")
            }
            #expect(try await app.world.work() == 0)
            #expect(try await app.world.everyDifference() == [])
        }
    }

    @Test func `who hides what an act hid for a time hides it for good, and a lock ends out of sight`() async throws {
        try await withApp(leaving: [.outbox]) { app in
            let scene = try await Scene(app)
            let thread = try await app.world.given.thread(on: scene.book, by: scene.eve.id)
            let reply = try await app.world.given.post(in: thread.id, by: scene.eve.id)
            let until: JSONValue = .string((app.world.clock.now() + .seconds(3_600)).text)
            for (verb, target) in [("hide", "post:\(reply)"), ("lock", "thread:\(thread.id)")] {
                #expect(try await scene.act(verb, target, ["until": until]).status == .ok)
            }
            for post in [reply, thread.post] {
                let hidden = try await scene.moderator.put("/api/v1/posts/\(post)/hide", ["reason": "for good"])
                #expect(hidden.status == .noContent, "\(hidden.text)")
            }
            try await app.world.asSuperuser("update job set due_at = now() where kind = 'moderation.expire'")
            #expect(try await app.world.work() == 0)
            #expect(try await scene.act("unhide", "post:\(thread.post)").status == .ok)
            #expect(try await app.world.asSuperuser("select locked_at is null from thread") == [["t"]])
            #expect(try await !scene.isSeen(reply))
            #expect(try await app.world.everyDifference() == [])
        }
    }

    @Test(.requirement("DIS-5"))
    func `what a moderator deletes is gone for good, also of a suspended author and what was hidden`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let (scene, given) = (try await Scene(app), app.world.given)
            let thread = try await given.thread(on: scene.book, by: scene.eve.id)
            let (first, second) = (
                try await given.post(in: thread.id, by: scene.eve.id),
                try await given.post(in: thread.id, by: scene.eve.id)
            )
            let review = try await given.review(by: scene.eve.id, of: scene.book)
            let replied = try await scene.reader.post("/api/v1/reviews/\(review.id)/replies", ["body": "Really?"])
            let reply = try #require(replied.json["id"]?.text, "\(replied.text)")
            let made = try await app.as(scene.eve).post("/api/v1/me/lists", ["title": "Watches"])
            let list = try #require(made.json["id"]?.text, "\(made.text)")
            #expect(try await scene.act("hide", "review_reply:" + reply).status == .ok)
            let act = try await scene.act("delete", "review_reply:" + reply)
            #expect(act.status == .ok, "\(act.text)")
            #expect(try await scene.undo(act).code == "cannot_be_undone")
            #expect(try await scene.act("hide", "post:\(first)").status == .ok)
            #expect(try await scene.act("suspend", "reader:eve").status == .ok)
            for thing in ["post:\(first)", "post:\(second)", "review:\(review.id)", "list:" + list] {
                let done = try await scene.act("delete", thing)
                #expect(done.status == .ok && done.json["done_count"] == 1, "\(done.text)")
            }
            #expect(try await scene.act("delete", "post:\(first)").code == "post_deleted")
            #expect(try await scene.act("delete", "review:\(review.id)").status == .notFound)
            #expect(try await scene.act("delete", "reader:ann").code == "validation")
            let left = try await app.world.asSuperuser(
                """
                select (select count(*) from review), (select count(*) from review_reply), (select count(*) from book_list),
                       (select count(*) from post where deleted_at is not null and text_id is null),
                       (select count(*) from post_text)
                """)
            #expect(left == [["0", "0", "0", "2", "1"]])
            #expect(try await app.world.everyDifference() == [])
            #expect(try await scene.act("delete", "post:\(thread.post)").status == .ok)
            #expect(try await app.world.everyDifference() == [])
        }
    }

    @Test func `a list is not begun behind its own end, and null is no verb`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let scene = try await Scene(app)
            let until: JSONValue = .string((app.world.clock.now() + .seconds(60)).text)
            let dry = try await scene.act("freeze", on: ["reader:eve"], ["is_dry_run": true, "until": until])
            app.world.clock.advance(by: .seconds(61))
            let id = try #require(dry.json["id"]?.text, "\(dry.text)")
            #expect(try await scene.moderator.post(Self.acts + "/\(id)/start").code == "expired")
            let none = try await scene.act("warn", "reader:eve", ["verb": .null])
            #expect(none.status == .unprocessableContent && none.text.contains("/verb"), "\(none.text)")
            #expect(try await app.world.asSuperuser("select count(*) from moderation_action") == [["0"]])
        }
    }

    @Test func `a decision that meets the last report stands: the server hides nothing behind it`() async throws {
        try await withApp(leaving: [.jobs, .outbox]) { app in
            let (scene, world) = (try await Scene(app), app.world)
            let post = try await world.given.thread(on: scene.book, by: scene.eve.id).post
            for _ in 0..<Limits.moderation.hidingReporters {
                let made = try await app.as(try await world.given.elder()).post(
                    "/api/v1/reports", ["target": .string("post:\(post)"), "category": "spam"])
                #expect(made.status == .created, "\(made.text)")
            }
            let rows = try await world.asSuperuser("select id, version from moderation_case")
            let about: ID<Moderation.Case> = ID(rawValue: try #require(rows.first?[0].flatMap { Int64($0) }))
            let version = try #require(rows.first?[1].flatMap { Int($0) })
            let moderation = world.community.moderation
            try await world.meeting {
                _ = try await moderation.decide(
                    about, Moderation.Decision(outcome: .acted, version: version, reason: "warned them"),
                    by: World.terminal)
            } _: {
                try await moderation.hideReported(about)
            }
            #expect(try await scene.isSeen(post))
        }
    }
}
