import Postgres
import TestSupport
import Testing

@testable import Community

extension World {
    /// Texts of the posts that are found, on one page.
    func found(
        _ text: String, in place: Boards.SearchPlace = .everywhere, for viewer: Viewer = .anonymous
    ) async throws -> [String] {
        let page = try await community.boards.search(
            try Boards.WordQuery(text), in: place, for: viewer, page: PageRequest(limit: 100))
        return page.items.map(\.post.text.body)
    }
}

/// What is found where, and that it is what posts say now.
@Suite(.database)
struct BoardsSearchTests {
    private func check(_ world: World, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        #expect(try await world.boardMiscounts() == [], sourceLocation: sourceLocation)
    }

    @Test func `words are found in a thread, on a board and everywhere, newest first`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, boards) = (try await world.given.reader(), world.community.boards)
            let (book, other) = (try await world.given.book(), try await world.given.book())
            let one = try await boards.open(
                Boards.NewThread(title: "Whales", body: "The white one.", scope: .scope(.free)), on: book, by: ann)
            let two = try await boards.open(
                Boards.NewThread(title: "Ships", body: "The whale sank it.", scope: .scope(.free)), on: book, by: ann)
            _ = try await boards.open(
                Boards.NewThread(title: "Élan", body: "No **whale** here.", scope: .scope(.free)), on: other, by: ann)
            _ = try await boards.reply(
                Boards.NewPost(body: "Which white whale?", scope: .scope(.free)), in: one.thread.id, by: ann)

            let all = ["Which white whale?", "No **whale** here.", "The whale sank it.", "The white one."]
            #expect(try await world.found("whale") == all)
            #expect(try await world.found("whale ") == Array(all.prefix(3)))
            #expect(try await world.found("whale", in: .book(book)) == [all[0], all[2], all[3]])
            #expect(try await world.found("whale", in: .thread(one.thread.id)) == [all[0], all[3]])
            #expect(try await world.found("white whale", in: .thread(one.thread.id)) == [all[0], all[3]])
            #expect(try await world.found("\"white whale\"") == [all[0]])
            #expect(try await world.found("elan") == [all[1]])
            #expect(try await world.found("whale elan") == [all[1]])
            #expect(try await world.found("wh") == [])
            #expect(try await world.found("whale", in: .book(ID(rawValue: 7))) == [])
            await #expect(throws: Failure.self) { try await world.found("whale", in: .thread(ID(rawValue: 7))) }

            let hit = try await boards.search(
                try Boards.WordQuery("sank"), in: .book(book), for: .reader(ann), page: PageRequest()
            ).items.first
            #expect(hit?.thread == Boards.FoundThread(id: two.thread.id, title: "Ships", book: book))
            #expect(hit?.excerpt == "The whale sank it." && hit?.post.id == two.post.id)
            try await check(world)
        }
    }

    @Test func `what was said before an edit is not found, and what is deleted or hidden is not either`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, chief) = (try await world.given.reader(), try await world.given.account(role: .moderator))
            let (boards, book) = (world.community.boards, try await world.given.book())
            let made = try await boards.open(
                Boards.NewThread(title: "First title", body: "Some amber.", scope: .scope(.free)), on: book, by: ann)
            let reply = try await boards.reply(
                Boards.NewPost(body: "Basalt, >!cobalt!<.", scope: .scope(.free)), in: made.thread.id, by: ann
            ).post.id

            _ = try await boards.edit(made.post.id, Boards.Change(title: "Second"), by: ann)
            #expect(try await world.found("first") == [])
            #expect(try await world.found("second amber") == ["Some amber."])
            _ = try await boards.edit(made.post.id, Boards.Change(body: "Some agate."), by: ann)
            #expect(try await world.found("amber") == [])
            #expect(try await world.found("second agate") == ["Some agate."])
            _ = try await boards.edit(
                made.post.id, Boards.Change(title: "Third", reason: "clearer"), by: chief.id)
            #expect(try await world.found("second") == [])
            #expect(try await world.found("third agate") == ["Some agate."])
            #expect(try await world.found("cobalt", for: .reader(ann)) == [])
            #expect(try await world.found("basalt") == ["Basalt, >!!<."])
            try await check(world)

            let moderator = try Boards.Moderator(chief.identity, reason: "because")
            try await boards.moderate(reply, .hide, by: moderator)
            #expect(try await world.found("basalt", for: .reader(ann)) == [])
            try await boards.moderate(reply, .unhide, by: moderator)
            #expect(try await world.found("basalt") == ["Basalt, >!!<."])
            try await boards.moderate(made.post.id, .hide, by: moderator)
            #expect(try await world.found("basalt") == [])
            #expect(try await world.found("agate") == [])
            try await boards.moderate(made.post.id, .unhide, by: moderator)
            try await check(world)

            try await boards.delete(made.post.id, by: ann)
            #expect(try await world.found("third") == [])
            #expect(try await world.found("basalt") == ["Basalt, >!!<."])
            try await boards.delete(reply, by: ann)
            #expect(try await world.found("basalt") == [])
            #expect(try await world.figure("select count(*) from post_search") == 0)
            try await check(world)
        }
    }

    @Test func `an edit that is refused leaves the words`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let made = try await world.given.thread(on: try await world.given.book(), by: ann, body: "Amber.")
            let before = try await world.boardRows()
            await #expect(throws: Failure.self) {
                _ = try await world.community.boards.edit(made.post, Boards.Change(body: "Agate."), by: ben)
            }
            #expect(try await world.boardRows() == before)
        }
    }

    @Test func `who is blocked, private or gone is found by nobody who does not see them`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, ben, eve) = (
                try await world.given.reader(), try await world.given.reader(), try await world.given.reader()
            )
            let book = try await world.given.book()
            let made = try await world.given.thread(on: book, by: ann, title: "Amber", body: "Agate.")
            _ = try await world.given.post(in: made.id, by: ben, body: "Basalt.")
            func titles(_ text: String, _ viewer: Viewer) async throws -> [String?] {
                try await world.community.boards.search(
                    try Boards.WordQuery(text), in: .book(book), for: viewer, page: PageRequest()
                ).items.map(\.thread.title)
            }
            #expect(try await titles("basalt", .reader(eve)) == ["Amber"])
            #expect(try await world.found("basalt", for: .outsider) == [])

            try await world.asSuperuser("insert into block (blocker_id, blocked_id, at) values (\(eve), \(ann), now())")
            #expect(try await world.found("agate", for: .reader(eve)) == [])
            // The thread is not there for them, and so nothing in it is.
            #expect(try await world.found("basalt", for: .reader(eve)) == [])
            await #expect(throws: Failure.self) {
                try await world.found("basalt", in: .thread(made.id), for: .reader(eve))
            }
            try await world.asSuperuser(
                "delete from block; insert into block (blocker_id, blocked_id, at) values (\(ann), \(ben), now())")
            // What they wrote themselves they find, without the title of a thread that they do not see.
            #expect(try await titles("basalt", .reader(ben)) == [nil])
            #expect(try await titles("basalt", .reader(ann)) == [])
            try await world.asSuperuser(
                "delete from block; insert into privacy (reader_id, discussions) values (\(ben), 1)")
            #expect(try await titles("basalt", .reader(ann)) == [])
            #expect(try await titles("basalt", .reader(ben)) == ["Amber"])
            try await world.asSuperuser("delete from privacy")

            try await world.community.accounts.close(ann)
            #expect(try await world.found("agate", for: .reader(ben)) == [])
            try await world.community.boards.forget(ann)
            #expect(try await world.figure("select count(*) from post_search") == 1)
            #expect(try await titles("basalt", .reader(eve)) == [nil])
            try await check(world)
        }
    }

    @Test func `the posts of a merged book are found on the board of the other`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, from, into) = (
                try await world.given.reader(), try await world.given.book("Old"), try await world.given.book("New")
            )
            let made = try await world.given.thread(on: from, by: ann, body: "Amber one.")
            _ = try await world.given.post(in: made.id, by: ann, body: "Amber two.")
            _ = try await world.given.thread(on: into, by: ann, body: "Amber three.")
            try await world.community.catalog.merge(
                .book(from), into: .book(into), by: Catalog.Helper(World.terminal))
            for book in [from, into] {
                #expect(try await world.found("amber", in: .book(book)).count == 3)
            }
            try await check(world)
        }
    }

    @Test func `pages follow each other both ways, and what is not found leaves no gap`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let (ann, book) = (try await world.given.reader(), try await world.given.book())
            let made = try await world.given.thread(on: book, by: ann)
            var expected: [ID<Boards.Post>] = []
            for number in 0..<17 {
                let isFree = number % 3 != 0
                let post = try await world.given.post(
                    in: made.id, by: ann, scope: isFree ? .free : .finished,
                    body: number % 4 == 0 ? "Agate." : "Amber.")
                if isFree, number % 4 != 0 { expected.insert(post, at: 0) }
            }
            for place in [Boards.SearchPlace.everywhere, .book(book), .thread(made.id)] {
                func page(_ start: PageRequest<ID<Boards.Post>>.Start) async throws -> Page<
                    Boards.Found, ID<Boards.Post>
                > {
                    try await world.community.boards.search(
                        try Boards.WordQuery("amber"), in: place, for: .anonymous, page: PageRequest(start, limit: 3))
                }
                var (pages, seen) = ([try await page(.first)], [ID<Boards.Post>]())
                while let next = pages.last?.next { pages.append(try await page(.after(next))) }
                for page in pages { seen += page.items.map(\.post.id) }
                #expect(seen == expected && pages.count == 3 && pages[0].previous == nil)
                var back = pages[2]
                for number in [1, 0] {
                    back = try await page(.before(try #require(back.previous)))
                    #expect(back.items == pages[number].items)
                }
                #expect(back.previous == nil)
            }
        }
    }
}
