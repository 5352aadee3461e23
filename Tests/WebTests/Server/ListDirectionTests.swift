import Community
import HTTPTypes
import Postgres
import TestSupport
import Testing
import Web

/// Lists that are read the other way round.
@Suite(.database)
struct ListDirectionTests {
    /// Three of everything.
    private struct Scene {
        let app: TestApp
        let lists: [String]

        init(_ app: TestApp) async throws {
            let given = app.world.given
            var readers: [Signed] = []
            for name in ["ann", "ben", "cem", "dot"] { readers.append(try await given.account(name)) }
            let ann = readers[0]
            var books: [ID<Catalog.Work>] = []
            for (title, year) in [("Middlemarch", 1871), ("Beloved", 1987), ("Walden", 1854)] {
                books.append(try await given.book(title, by: "Author of \(title)", year: year))
            }
            let thread = try await given.thread(on: books[0], by: ann.id, title: "One")
            for title in ["Two", "Three"] { _ = try await given.thread(on: books[0], by: ann.id, title: title) }
            for (number, reader) in readers.dropFirst().enumerated() {
                _ = try await given.review(by: reader.id, of: books[0], rating: Double(number + 1), body: "Text.")
                _ = try await given.post(in: thread.id, by: reader.id, answering: thread.post)
                _ = try await given.review(by: ann.id, of: books[number])
                _ = try await given.shelved(books[number], by: ann.id)
                _ = try await given.copy(of: books[number], by: ann)
                _ = try await given.praised(books[number], .favourite, by: ann.id)
                _ = try await given.club(by: ann.id, name: "Club \(number)")
                try await given.friendship(reader, ann)
            }
            try await app.world.community.catalog.refreshBrowse()
            self.app = app.as(ann)
            let board = "/books/\(books[0])/threads"
            lists =
                ["title", "author", "newest", "popularity", "rating", "length"].map { "/books?sort=" + $0 }
                + ["newest", "oldest", "active", "hot", "reactions"].map { board + "?sort=" + $0 }
                + ["oldest", "newest", "tree", "reactions"].map { "/threads/\(thread.id)/posts?sort=" + $0 }
                + ["newest", "reactions"].map { "/books/\(books[0])/reviews?sort=" + $0 }
                + ["added", "title", "author", "rating"].map { "/readers/ann/shelves/want?sort=" + $0 }
                + ["newest", "members", "active", "name"].map { "/groups?sort=" + $0 }
                + [
                    "/books/\(books[0])/ratings?", "/readers/ann/friends?", "/readers/ann/groups?",
                    "/readers/ann/favourites?", "/readers/ann/posts?", "/readers/ann/reviews?",
                ]
        }

        /// All items of a list, two a page, from its beginning on; and the same from its end on back.
        func walk(_ list: String, _ direction: String?) async throws -> (there: [JSONValue], back: [JSONValue]) {
            var pages: [[JSONValue]] = []
            var page = try await read(list, direction, nil)
            pages.append(page["items"]?.elements ?? [])
            while let next = page["next_cursor"]?.text, pages.count < 20 {
                page = try await read(list, direction, next)
                pages.append(page["items"]?.elements ?? [])
            }
            var back = [pages.last ?? []]
            while let previous = page["prev_cursor"]?.text, back.count < 20 {
                page = try await read(list, direction, previous)
                back.insert(page["items"]?.elements ?? [], at: 0)
            }
            return (pages.flatMap(\.self), back.flatMap(\.self))
        }

        private func read(_ list: String, _ direction: String?, _ cursor: String?) async throws -> JSONValue {
            let path = "/api/v1" + list + "&limit=2" + (direction.map { "&direction=" + $0 } ?? "")
            let answer = try await app.get(path + (cursor.map { "&cursor=" + $0 } ?? ""))
            #expect(answer.status == .ok, "\(path): \(answer.text)")
            return answer.json
        }
    }

    @Test(.requirement("TRE-3")) func `each list goes both ways, forth and back, and its usual way by itself`()
        async throws
    {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let scene = try await Scene(app)
            for list in scene.lists {
                let usual = try await scene.walk(list, nil)
                let ascending = try await scene.walk(list, "ascending")
                let descending = try await scene.walk(list, "descending")
                #expect(usual.there.count >= 3, "\(list)")
                #expect(ascending.there == descending.there.reversed(), "\(list)")
                #expect(usual.there == ascending.there || usual.there == descending.there, "\(list)")
                for walked in [usual, ascending, descending] { #expect(walked.there == walked.back, "\(list)") }
            }
        }
    }

    @Test func `a cursor leads on in its own direction alone, and there is no third`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let list = "/api/v1/books?sort=title&limit=1"
            for title in ["Beloved", "Walden"] { _ = try await app.world.given.book(title) }
            try await app.world.community.catalog.refreshBrowse()
            #expect(try await app.get(list + "&direction=sideways").status == .unprocessableContent)
            let first = try await app.get(list + "&direction=descending")
            #expect(first.json["items"]?[0]?["title"] == "Walden", "\(first.text)")
            let cursor = try #require(first.json["next_cursor"]?.text)
            #expect(try await app.get(list + "&cursor=" + cursor).code == "invalid_cursor")
            let second = try await app.get(list + "&direction=descending&cursor=" + cursor)
            #expect(second.json["items"]?[0]?["title"] == "Beloved", "\(second.text)")
        }
    }
}
