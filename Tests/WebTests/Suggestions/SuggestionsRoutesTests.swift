import Community
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import Web

/// Related books and suggestions, as apps meet them.
@Suite(.database)
struct SuggestionsRoutesTests {
    @Test(.requirement("CAT-6", "CAT-11"))
    func `related books begin with the next of the series, and each says why it is there`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (world, given) = (app.world, app.world.given)
            let saga = try await given.saga(by: "Sara Saga", 4)
            let (liked, few) = (try await given.book("Liked", by: "Lia"), try await given.book("Few", by: "Fay"))
            let film = try await given.book("Seen", by: "Finn")
            try await world.asSuperuser("update work set kind = 'film' where id = \(film)")
            try await given.read([saga[0], liked], by: 4)
            try await given.read([saga[0], film], by: 3)
            try await given.read([saga[0], few], by: 2)
            try await world.community.catalog.refreshBrowse()
            let path = "/api/v1/books/\(saga[0])/related"
            let unmade = try await app.get(path).json
            #expect(unmade["made_at"] == .null && unmade["empty_because"] == .null)
            #expect(unmade["items"]?[0]?["reason"]?["kind"] == "series")
            try await world.community.suggestions.refresh()

            let page = try await app.get(path).json
            #expect(page["made_at"] == .string(world.clock.now().text) && page["empty_because"] == .null)
            let items = page["items"]?.elements ?? []
            #expect(items.titles == ["Saga 2", "Saga 3", "Saga 4", "Liked", "Seen", "Few"])
            let reasons = items.map { $0["reason"] ?? .null }
            #expect(reasons[0]["series"]?["name"] == "Saga" && reasons[0]["why"] == .null)
            #expect(reasons[1]["kind"] == "author" && reasons[1]["author"]?["name"] == "Sara Saga")
            #expect(reasons[3]["kind"] == "readers" && reasons[3]["series"] == .null)
            #expect(reasons[3]["why"] == ["reader_count": 4, "usual_count": .null, "is_few": false])
            #expect(reasons[4]["why"]?["reader_count"] == 3 && items[4]["book"]?["kind"] == "film")
            #expect(reasons[5]["why"] == ["reader_count": .null, "usual_count": .null, "is_few": true])
            #expect(try await app.get("/api/v1/books/1/related").status == .notFound)
            #expect(try await app.get("/api/v1/books/x/related").status == .notFound)
            let included = try await app.get("/api/v1/books/\(saga[0])?include=related").json
            #expect(included["included"]?["related"] == page)
        }
    }

    @Test(.requirement("CAT-6"))
    func `a book that nobody read has relatives by genre, but none that stand in no list`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (world, given) = (app.world, app.world.given)
            func fantasy(_ title: String, by author: String, year: Int? = 1999) async throws -> ID<Catalog.Work> {
                try await given.book(title, by: author, year: year, genres: ["Fantasy"])
            }
            let cold = try await fantasy("Cold", by: "Cara")
            _ = try await fantasy("Like", by: "Liv")
            let (held, gone) = (try await fantasy("Held", by: "Hal"), try await fantasy("Gone", by: "Gus"))
            _ = try await fantasy("Yet to come", by: "Yan", year: 2999)
            for number in 1...4 { _ = try await fantasy("Many \(number)", by: "Mo Many") }
            for number in 1...3 { _ = try await given.book("Other \(number)", by: "Ott \(number)") }
            try await world.community.catalog.refreshBrowse()
            let moderator = try await given.account(role: .moderator).identity
            try await world.community.ranking.hold(
                held, until: world.clock.now() + .seconds(3600), by: moderator, reason: "bought")
            try await world.asSuperuser(
                """
                update work set withdrawn_at = now() where id = \(gone);
                update work_popularity set listed = false where work_id = \(gone)
                """)
            try await world.community.suggestions.refresh()

            let page = try await app.get("/api/v1/books/\(cold)/related").json
            let titles = page["items"]?.elements.titles ?? []
            #expect(titles.count == 3 && titles.contains("Like"))
            #expect(titles.filter { $0.hasPrefix("Many") }.count == 2)
            let reason = page["items"]?[0]?["reason"]
            #expect(reason?["kind"] == "genre" && reason?["genre"] == ["slug": "fantasy", "name": "Fantasy"])
            #expect(try await app.get("/api/v1/books/\(gone)/related").status == .notFound)
            let alone = try await given.book("Alone", by: "Al")
            let none = try await app.get("/api/v1/books/\(alone)/related").json
            #expect(none["items"] == [] && none["empty_because"] == "no_data")
        }
    }

    @Test(.requirement("CAT-6"))
    func `related books that were worked out before lose at once what is held, and have it back`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (world, given) = (app.world, app.world.given)
            let (book, best) = (try await given.book("Asked", by: "Ann"), try await given.book("Best", by: "Ben"))
            let (next, last) = (try await given.book("Next", by: "Nia"), try await given.book("Last", by: "Leo"))
            for (other, readers) in [(best, 5), (next, 4), (last, 3)] {
                try await given.read([book, other], by: readers)
            }
            try await world.community.catalog.refreshBrowse()
            try await world.community.suggestions.refresh()
            func related(_ limit: String = "") async throws -> [String] {
                try await app.get("/api/v1/books/\(book)/related" + limit).json["items"]?.elements.titles ?? []
            }
            let moderator = try await given.account(role: .moderator).identity
            let all = try await related()
            #expect(Set(all) == ["Best", "Next", "Last"])
            #expect(try await related("?limit=2") == Array(all.prefix(2)))
            for limit in [0, 21] {
                let refused = try await app.get("/api/v1/books/\(book)/related?limit=\(limit)")
                #expect(refused.status == .unprocessableContent && refused.text.contains("?limit"))
            }
            try await world.community.ranking.hold(
                best, until: world.clock.now() + .seconds(3600), by: moderator, reason: "bought")
            #expect(try await related() == all.filter { $0 != "Best" })
            try await world.community.ranking.release(best, by: moderator, reason: "a mistake")
            #expect(try await related() == all)
            try await world.asSuperuser("update work_popularity set listed = false where work_id = \(next)")
            #expect(try await related() == all.filter { $0 != "Next" })
            #expect(try await related("?limit=2") == all.filter { $0 != "Next" })
        }
    }

    @Test(.requirement("CAT-6"))
    func `a book alone with its subject says so, and merging it while its list is read loses nobody the list`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (world, given) = (app.world, app.world.given)
            var new: [Catalog.NewBook] = []
            for (title, author) in [("Asked", "Ann"), ("Likewise", "Liv"), ("Twice", "Tom"), ("Twice too", "Tim")] {
                var book = Catalog.NewBook(key: title.filter { $0 != " " }, title: title, authors: [author])
                if new.count < 2 { book.subjects = ["Lighthouses"] }
                new.append(book)
            }
            let books = try await given.books(new)
            try await given.read([books[0], books[2]], by: 3)
            try await given.read([books[0], books[3]], by: 4)
            try await world.community.catalog.refreshBrowse()
            try await world.community.suggestions.refresh()
            let path = "/api/v1/books/\(books[0])/related"
            let items = try await app.get(path).json["items"]?.elements ?? []
            #expect(Set(items.titles) == ["Likewise", "Twice", "Twice too"])
            let subject = items.first { $0["book"]?["title"] == "Likewise" }?["reason"]
            #expect(subject?["kind"] == "subject" && subject?["subject"] == "Lighthouses" && subject?["why"] == .null)

            async let merged: Void = world.community.catalog.merge(
                .book(books[2]), into: .book(books[3]), by: Catalog.Helper(World.terminal))
            for _ in 0..<20 {
                let list = try await app.get(path)
                let titles = list.json["items"]?.elements.titles ?? []
                #expect(list.status == .ok && Set(["Likewise", "Twice too"]).isSubset(of: titles), "\(list.text)")
            }
            try await merged
            // The one that is gone is left out until the next run, its own address shows the list of the one that stays.
            #expect(Set(try await app.get(path).json["items"]?.elements.titles ?? []) == ["Likewise", "Twice too"])
            let moved = try await app.get("/api/v1/books/\(books[2])/related").json["items"]?.elements ?? []
            #expect(moved.titles == ["Asked"])
        }
    }

    @Test(.requirement("TRE-4"))
    func `a page of the feed of books begins where the last one ended, and an empty one says why`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (world, given) = (app.world, app.world.given)
            let me = app.as(try await given.account("mia"))
            let empty = try await me.get("/api/v1/discover").json
            #expect(empty["items"] == [] && empty["empty_because"] == "not_made")
            var books: [ID<Catalog.Work>] = []
            for number in 1...8 { books.append(try await given.book("Book \(number)", by: "Author \(number)")) }
            try await given.read(Array(books[..<4]), by: 3)
            _ = try await me.put("/api/v1/books/\(books[0])/shelf", ["shelf": "read"])
            try await world.community.suggestions.refresh()
            let first = try await me.get("/api/v1/discover?limit=5").json
            #expect(first["items"]?[2]?["reason"]?["kind"] == "suggestion")
            #expect(first["items"]?[3]?["reason"]?["kind"] == "popular" && first["empty_because"] == .null)
            // One that is shelved meanwhile has the next page skip nothing.
            _ = try await me.put("/api/v1/books/\(books[1])/shelf", ["shelf": "want"])
            let cursor = try #require(first["next_cursor"]?.text)
            let second = try await me.get("/api/v1/discover?limit=5&cursor=\(cursor)").json
            let titles = (first["items"]?.elements ?? []).titles + (second["items"]?.elements ?? []).titles
            #expect(titles.sorted() == (2...8).map { "Book \($0)" })
        }
    }

    @Test(.requirement("TRE-4"))
    func `suggestions come from one's own shelves, name the book, and change as soon as one is finished`() async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (world, given) = (app.world, app.world.given)
            let me = try await given.account("mia")
            let (mine, next) = (try await given.book("Mine", by: "Mo"), try await given.book("Next", by: "Nia"))
            let (after, any) = (try await given.book("After", by: "Abe"), try await given.book("Any", by: "Ann"))
            try await given.read([mine, next], by: 3)
            try await given.read([next, after], by: 2)
            try await given.read([any], by: 1)
            try await world.community.suggestions.refresh()
            let (caller, path) = (app.as(me), "/api/v1/me/suggestions")

            // Nothing on the shelves: what there is to discover.
            let cold = try await caller.get(path).json["items"]?.elements ?? []
            #expect(Set(cold.titles) == ["Mine", "Next", "After", "Any"])
            #expect(cold.allSatisfy { $0["reason"]?["kind"] != "readers" && $0["reason"]?["because"] == .null })

            // A private shelf leads there, too: to its reader alone.
            try await given.shelved(mine, .read, by: me.id, visibility: .private)
            let page = try await caller.get(path).json
            let first = page["items"]?[0]
            #expect(first?["book"]?["title"] == "Next" && first?["reason"]?["kind"] == "readers")
            #expect(first?["reason"]?["because"]?["title"] == "Mine")
            #expect(first?["reason"]?["because"]?["shelf"] == "read")
            #expect(first?["reason"]?["why"] == ["reader_count": 3, "usual_count": .null, "is_few": false])
            #expect(page["made_at"] == .string(world.clock.now().text))
            let titles = page["items"]?.elements.titles ?? []
            #expect(!titles.contains("Mine"))
            let feed = try await caller.get("/api/v1/discover").json["items"]?[0]
            #expect(feed?["book"]?["title"] == "Next" && feed?["reason"]?["kind"] == "suggestion")
            #expect(feed?["reason"]?["because"]?["title"] == "Mine" && feed?["place"] == 1)
            #expect(try await app.get("/api/v1/discover").json["items"]?[0]?["reason"]?["kind"] != "suggestion")

            try await given.shelved(next, .read, by: me.id)
            let anew = try await caller.get(path).json["items"]?[0]
            #expect(anew?["book"]?["title"] == "After" && anew?["reason"]?["because"]?["title"] == "Next")
            #expect(anew?["reason"]?["why"]?["is_few"] == true)
            #expect(try await app.get(path).status == .unauthorized)
            #expect(try await caller.get(path + "?of=nobody").status.code == 422)
        }
    }

    @Test(.requirement("TRE-4"))
    func `friends' books say how many show and recommend them, and none that one has`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let given = app.world.given
            let me = try await given.account("mia")
            let path = "/api/v1/me/suggestions?of=friends"
            #expect(try await app.as(me).get(path).json["empty_because"] == "no_friends")
            var friends: [Signed] = []
            for name in ["fay", "fox", "finn"] {
                let friend = try await given.account(name)
                try await given.friendship(me, friend)
                friends.append(friend)
            }
            let quiet = try await app.as(me).get(path).json
            #expect(quiet["items"] == [] && quiet["empty_because"] == "no_data" && quiet["made_at"] == .null)
            let (loved, read) = (try await given.book("Loved", by: "Lou"), try await given.book("Read", by: "Rae"))
            let (mine, disliked) = (try await given.book("Mine", by: "Mo"), try await given.book("Meh", by: "Max"))
            for friend in friends { try await given.praised(loved, by: friend.id) }
            for book in [read, mine] { try await given.shelved(book, .read, by: friends[0].id) }
            try await given.shelved(read, .read, by: friends[1].id)
            try await given.review(by: friends[1].id, of: read, rating: 5)
            try await given.shelved(disliked, .want, by: friends[2].id)
            try await given.shelved(mine, .want, by: me.id)

            let items = try await app.as(me).get(path).json["items"]?.elements ?? []
            #expect(items.titles == ["Loved", "Read"])
            #expect(items[0]["reason"]?["friend_count"] == 3 && items[0]["reason"]?["recommender_count"] == 3)
            #expect(items[1]["reason"]?["friend_count"] == 2 && items[1]["reason"]?["recommender_count"] == 0)
            #expect(items[0]["reason"]?["kind"] == "friends" && items[0]["reason"]?["why"] == .null)
        }
    }

    @Test(.requirement("TRE-4"))
    func `what is dismissed is suggested no more, in any list, and goes with the account`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let (world, given) = (app.world, app.world.given)
            let (me, friend) = (try await given.account("mia"), try await given.account("fay"))
            try await given.friendship(me, friend)
            let (mine, next) = (try await given.book("Mine", by: "Mo"), try await given.book("Next", by: "Nia"))
            try await given.read([mine, next], by: 3)
            try await given.praised(next, by: friend.id)
            try await given.shelved(mine, .read, by: me.id)
            try await world.community.suggestions.refresh()
            let caller = app.as(me)
            func titles(_ path: String) async throws -> [String] {
                try await caller.get("/api/v1" + path).json["items"]?.elements.titles ?? []
            }
            #expect(try await titles("/me/suggestions") == ["Next"])
            #expect(try await titles("/me/suggestions?of=friends") == ["Next"])
            #expect(try await titles("/discover") == ["Next"])

            let path = "/api/v1/me/suggestions/\(next)"
            for _ in 0..<2 { #expect(try await caller.delete(path).status == .noContent) }
            #expect(try await titles("/me/suggestions") == [])
            #expect(try await titles("/me/suggestions?of=friends") == [])
            #expect(try await titles("/discover") == [])
            #expect(try await caller.delete("/api/v1/me/suggestions/1").status == .notFound)
            #expect(try await app.delete(path).status == .unauthorized)

            // One too many.
            let bound = Limits.suggestions.dismissals
            try await world.asSuperuser(
                """
                insert into work (id) select n from generate_series(9001, \(9000 + bound)) n;
                insert into dismissed_book (reader_id, work_id, at)
                select \(me.id), n, now() from generate_series(9001, \(9000 + bound - 1)) n
                """)
            let full = try await caller.delete("/api/v1/me/suggestions/\(mine)")
            #expect(full.status == .conflict && full.json["code"] == "too_many_dismissals")
            #expect(try await caller.delete(path).status == .noContent, "it is dismissed already")
            let frozen = try await given.account("fritz", state: .frozen)
            #expect(try await app.as(frozen).delete(path).json["code"] == "account_frozen")

            try await world.community.accounts.close(me.id)
            #expect(try await world.asSuperuser("select count(*) from dismissed_book") == [["0"]])
        }
    }
}

extension [JSONValue] {
    /// The titles of the books of a list.
    var titles: [String] { compactMap { $0["book"]?["title"]?.text } }
}

extension Given {
    /// Books of a series by one author, in order.
    func saga(by author: String, _ count: Int) async throws -> [ID<Catalog.Work>] {
        try await books(
            (1...count).map { number in
                var book = Catalog.NewBook(
                    key: "saga \(number)", title: "Saga \(number)", authors: [author], year: 1990 + number)
                book.series = [("Saga", "\(number)")]
                return book
            })
    }

    /// So many new readers, past their first day, read these.
    func read(_ books: [ID<Catalog.Work>], by count: Int) async throws {
        for _ in 0..<count {
            let reader = try await reader()
            for book in books { try await shelved(book, .read, by: reader) }
        }
    }
}
