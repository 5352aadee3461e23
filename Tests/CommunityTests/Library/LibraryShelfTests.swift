import EventLog
import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct LibraryShelfTests {
    @Test func `each shelf holds the books of its status, and three shelves hold all in hand`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            for status in Library.Status.allCases {
                try await world.given.shelved(try await world.given.book(status.rawValue), status, by: reader)
            }
            for status in Library.Status.allCases {
                #expect(try await world.titles(status, of: reader) == [status.rawValue])
            }
            #expect(try await world.titles(.reading, of: reader, withPaused: true) == ["paused", "reading"])
            #expect(try await world.titles(.want, of: reader, withPaused: true) == ["want"])
        }
    }

    @Test func `a shelf is sorted by date added, title, author, rating and progress`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let books: [(title: String, author: String, rating: Double?, position: Int?)] = [
                ("Émile", "Zola", 3, 100), ("Beloved", "Morrison", nil, 9_000), ("aurora", "zola", 5, nil),
            ]
            for book in books {
                let work = try await world.given.book(book.title, by: book.author)
                try await world.given.shelved(work, .read, by: reader)
                if let rating = book.rating { try await world.given.review(by: reader, of: work, rating: rating) }
                if let position = book.position {
                    try await world.asSuperuser("update shelf_entry set position = \(position) where work_id = \(work)")
                }
            }
            func sorted(_ sort: Library.Sort) async throws -> [String] {
                try await world.titles(.read, of: reader, sort: sort)
            }
            #expect(try await sorted(.added) == ["aurora", "Beloved", "Émile"])
            #expect(try await sorted(.title) == ["aurora", "Beloved", "Émile"])
            #expect(try await sorted(.author) == ["Beloved", "aurora", "Émile"])
            #expect(try await sorted(.rating) == ["aurora", "Émile", "Beloved"])
            #expect(try await sorted(.progress) == ["Beloved", "Émile", "aurora"])
        }
    }

    @Test(arguments: Library.Sort.allCases)
    func `a shelf pages by keyset, forth and back, in every order`(sort: Library.Sort) async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let name = try await world.name(of: reader)
            var random = world.random.fork()
            for number in 0..<7 {
                // Titles, authors and ratings repeat, so that the id must decide.
                let book = try await world.given.book("Title \(number % 3)", by: "Author \(number % 2)")
                try await world.given.shelved(book, .read, by: reader)
                if Bool.random(using: &random) {
                    try await world.given.review(by: reader, of: book, rating: Double(1 + number % 2))
                }
                // Some are read again and come from another index.
                if number % 3 == 0 { try await world.given.shelved(book, .paused, by: reader) }
            }
            func page(_ start: PageRequest<Library.ShelfKey>.Start, _ limit: Int) async throws -> Page<
                Library.Entry, Library.ShelfKey
            > {
                try await world.community.library.shelf(
                    Library.Shelf(.read), of: name, for: .reader(reader), sort: sort,
                    page: PageRequest(start, limit: limit)
                ).page
            }
            let whole = try await page(.first, 100).items
            #expect(whole.count == 7)
            var walked: [Library.Entry] = []
            var pages: [Page<Library.Entry, Library.ShelfKey>] = []
            var start = PageRequest<Library.ShelfKey>.Start.first
            while true {
                let next = try await page(start, 2)
                pages.append(next)
                walked += next.items
                guard let key = next.next else { break }
                start = .after(key)
            }
            #expect(walked == whole)
            #expect(pages.first?.previous == nil)
            let back = try await page(.before(try #require(pages[3].previous)), 2)
            #expect(back.items == pages[2].items)
        }
    }

    @Test func `a shelf is filtered by author, subject, publisher, year, language and kind, and by several`()
        async throws
    {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            var new: [Catalog.NewBook] = []
            for (number, title) in ["Solaris", "The Waves", "Stalker", "Not shelved"].enumerated() {
                var book = Catalog.NewBook(
                    key: "b\(number)", title: title, authors: [number == 1 ? "Virginia Woolf" : "Stan Lem"],
                    year: 1930 + 10 * number)
                book.subjects = number == 1 ? ["The sea"] : ["Space & time"]
                book.publisher = number == 0 ? "Small Press" : "Big House"
                book.language = number == 1 ? "en" : "pl"
                new.append(book)
            }
            let books = try await world.given.books(new)
            try await world.asSuperuser("update work set kind = 'film' where title = 'Stalker'")
            try await world.community.catalog.refreshBrowse()
            for book in books.dropLast() { try await world.given.shelved(book, by: reader) }
            let lem = try #require(try await world.community.catalog.items([books[0]]).first?.authors.first?.id)
            func found(_ set: (inout Catalog.Browse.Filter) -> Void) async throws -> [String] {
                var filter = Catalog.Browse.Filter()
                set(&filter)
                return try await world.titles(.want, of: reader, filter: Library.Filter(books: filter))
            }
            #expect(try await found { $0.author = lem } == ["Stalker", "Solaris"])
            #expect(try await found { $0.subject = "the SEA" } == ["The Waves"])
            #expect(try await found { $0.publisher = "small press" } == ["Solaris"])
            #expect(try await found { $0.years = 1931...1950 } == ["Stalker", "The Waves"])
            #expect(try await found { $0.language = "pl" } == ["Stalker", "Solaris"])
            #expect(try await found { $0.kind = .film } == ["Stalker"])
            #expect(try await found { $0.kind = .book } == ["The Waves", "Solaris"])
            #expect(try await found { ($0.kind, $0.author) = (.book, lem) } == ["Solaris"])
            #expect(try await found { ($0.years, $0.publisher) = (1940...1949, "Big House") } == ["The Waves"])
            #expect(try await found { ($0.language, $0.publisher) = ("en", "Small Press") } == [])
            #expect(try await found { $0.subject = "nothing" } == [])
        }
    }

    @Test func `a shelf is filtered by genre, words and rating`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let space = try await world.given.book("Solaris", by: "Stanisław Lem", genres: ["science fiction"])
            let sea = try await world.given.book("The Waves", by: "Virginia Woolf", genres: ["classics"])
            for book in [space, sea] { try await world.given.shelved(book, by: reader) }
            try await world.given.review(by: reader, of: sea)
            func found(_ filter: Library.Filter) async throws -> [String] {
                try await world.titles(.want, of: reader, filter: filter)
            }
            #expect(try await found(Library.Filter(genre: "science-fiction")) == ["Solaris"])
            #expect(try await found(Library.Filter(genre: "none")) == [])
            #expect(try await found(Library.Filter(words: "LEM")) == ["Solaris"])
            #expect(try await found(Library.Filter(words: "wáves")) == ["The Waves"])
            #expect(try await found(Library.Filter(words: "%")) == ["The Waves", "Solaris"])
            #expect(try await found(Library.Filter(isRated: true)) == ["The Waves"])
            #expect(try await found(Library.Filter(isRated: false)) == ["Solaris"])
        }
    }

    @Test func `a corrected title sorts anew`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let (one, two) = (try await world.given.book("Aab"), try await world.given.book("Abb"))
            for book in [one, two] { try await world.given.shelved(book, by: reader) }
            try await world.asSuperuser("update work set title = 'Zzz' where id = \(one)")
            try await world.community.library.sortAnew(one)
            #expect(try await world.titles(.want, of: reader, sort: .title) == ["Abb", "Zzz"])
        }
    }
}

@Suite(.database)
struct LibraryPrivacyTests {
    /// A reader, a friend, somebody else, and somebody whom the reader blocked.
    private struct Cast {
        let reader, friend, stranger, blocked: ID<Accounts.Account>
        var viewers: [Viewer] {
            [.reader(reader), .reader(friend), .reader(stranger), .anonymous, .outsider, .reader(blocked)]
        }
    }

    private func cast(_ world: World) async throws -> Cast {
        let cast = Cast(
            reader: try await world.given.reader(), friend: try await world.given.reader(),
            stranger: try await world.given.reader(), blocked: try await world.given.reader())
        try await world.given.friendship(cast.reader, cast.friend)
        return cast
    }

    private func block(_ cast: Cast, _ world: World) async throws {
        try await world.asSuperuser(
            "insert into block (blocker_id, blocked_id, at) values (\(cast.reader), \(cast.blocked), now())")
    }

    @Test func `an entry is seen at its own level, else at the reader's, and counted as it is seen`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let cast = try await cast(world)
            for level in Visibility.allCases {
                let book = try await world.given.book("\(level)")
                try await world.given.shelved(book, .read, by: cast.reader, visibility: level)
            }
            try await world.given.shelved(try await world.given.book("usual"), .read, by: cast.reader)
            let store = world.community.library

            func seen(_ viewer: Viewer) async throws -> Set<String> {
                let titles = try await world.titles(.read, of: cast.reader, for: viewer)
                let counts = try await store.counts(of: cast.reader, for: viewer)
                #expect(counts[.read] == titles.count)
                #expect(counts.all == titles.count)
                return Set(titles)
            }
            let all: Set = ["private", "friends", "members", "public", "usual"]
            #expect(try await seen(.reader(cast.reader)) == all)
            #expect(try await seen(.reader(cast.friend)) == all.subtracting(["private"]))
            #expect(try await seen(.reader(cast.stranger)) == ["members", "public", "usual"])
            #expect(try await seen(.anonymous) == ["public"])

            try await world.community.profiles.change([.shelves: .private], for: cast.reader)
            #expect(try await seen(.reader(cast.friend)) == ["friends", "members", "public"])
            try await world.community.profiles.change([.shelves: .public], for: cast.reader)
            #expect(try await seen(.anonymous) == ["public", "usual"])

            try await block(cast, world)
            let name = try await world.name(of: cast.reader)
            for viewer in [Viewer.reader(cast.blocked), .outsider] {
                await #expect(throws: Failure.notFound("reader \(name)")) {
                    try await store.shelf(Library.Shelf(.read), of: name, for: viewer, page: PageRequest())
                }
                await #expect(throws: Failure.notFound("reader \(name)")) {
                    try await store.counts(of: name, for: viewer)
                }
            }
        }
    }

    @Test func `a hidden entry is in no public count, and comes back when it is shown`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let reader = try await world.given.reader()
            let book = try await world.given.book()
            let store = world.community.library
            try await world.given.shelved(book, by: reader, visibility: .private)
            #expect(try await store.readers(of: book) == (0, 0, 0))
            try await world.given.shelved(book, by: reader, visibility: .members)
            #expect(try await store.readers(of: book) == (1, 0, 0))
            _ = try await store.put(Library.Move(.want, visibility: .set(nil)), on: book, by: reader)
            try await world.community.profiles.change([.shelves: .friends], for: reader)
            #expect(try await store.readers(of: book) == (0, 0, 0))
            try await world.community.profiles.change([.shelves: .members], for: reader)
            #expect(try await store.readers(of: book) == (1, 0, 0))
            #expect(try await world.differences() == [])
        }
    }

    @Test func `what is for the reader alone is told to nobody else`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let cast = try await cast(world)
            let book = try await world.given.book()
            let move = Library.Move(.reading, visibility: .set(.public), note: .set("A secret."))
            _ = try await world.community.library.put(move, on: book, by: cast.reader)
            try await world.given.review(by: cast.reader, of: book, rating: 5, visibility: .friends)
            let name = try await world.name(of: cast.reader)
            func entry(for viewer: Viewer) async throws -> Library.Entry? {
                try await world.community.library.shelf(
                    Library.Shelf(.reading), of: name, for: viewer, page: PageRequest()
                ).page.items.first
            }
            #expect(try await entry(for: .reader(cast.reader))?.own?.note == "A secret.")
            #expect(try await entry(for: .reader(cast.friend))?.own == nil)
            #expect(try await entry(for: .reader(cast.friend))?.rating?.stars == 5)
            #expect(try await entry(for: .reader(cast.stranger))?.rating == nil)
            #expect(try await world.outbox().allSatisfy { !$0.data.contains("secret") })
        }
    }

    @Test func `the order of a shelf gives no hidden rating and no position away`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let cast = try await cast(world)
            for (title, rating, level) in [
                ("best", 5.0, Visibility.private), ("good", 3, .public), ("bad", 1, .public),
            ] {
                let book = try await world.given.book(title)
                try await world.given.shelved(book, .read, by: cast.reader)
                try await world.given.review(by: cast.reader, of: book, rating: rating, visibility: level)
            }
            #expect(try await world.titles(.read, of: cast.reader, sort: .rating) == ["best", "good", "bad"])
            #expect(
                try await world.titles(.read, of: cast.reader, for: .reader(cast.friend), sort: .rating)
                    == ["good", "bad", "best"])
            #expect(
                try await world.titles(
                    .read, of: cast.reader, for: .reader(cast.stranger), filter: Library.Filter(isRated: false))
                    == ["best"])
            await #expect(throws: Failure.self) {
                try await world.titles(.read, of: cast.reader, for: .reader(cast.friend), sort: .progress)
            }
        }
    }

    @Test func `friends are told of a move, others are not, and each only as the settings say now`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let cast = try await cast(world)
            let book = try await world.given.book()
            let entry = try await world.given.shelved(book, .want, by: cast.reader)
            let event = LoggedEvent.about(entry.id.rawValue, of: cast.reader.rawValue, kind: .shelf)
            let viewers = [cast.reader, cast.friend, cast.stranger, cast.blocked].map(\.rawValue)

            func told() async throws -> Set<Int64> {
                let audience = try await Feed.Audience(world.database).visible([event], to: viewers)[0]
                let feed = try await world.community.feed.home(of: cast.friend, page: PageRequest()).page.items
                #expect(feed.isEmpty != audience.contains(cast.friend.rawValue))
                return audience
            }
            let (own, friend) = (cast.reader.rawValue, cast.friend.rawValue)
            #expect(try await told() == [own, friend])
            try await world.community.profiles.change([.activity: .private], for: cast.reader)
            #expect(try await told() == [own])
            try await world.community.profiles.change([.activity: .members], for: cast.reader)
            #expect(try await told() == [own, friend, cast.stranger.rawValue, cast.blocked.rawValue])
            try await block(cast, world)
            #expect(try await told() == [own, friend, cast.stranger.rawValue])
            try await world.given.shelved(book, .want, by: cast.reader, visibility: .private)
            #expect(try await told() == [own])
        }
    }

    @Test func `the feed says what a friend did with a book`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let cast = try await cast(world)
            let book = try await world.given.book("Emma")
            try await world.given.shelved(book, .want, by: cast.reader)
            world.clock.advance(by: .seconds(60))
            try await world.given.shelved(book, .reading, by: cast.reader)

            let items = try await world.community.feed.home(of: cast.friend, page: PageRequest()).page.items
            #expect(items.map(\.kind) == [.shelfReading, .shelfWant])
            #expect(items.map(\.book?.title) == ["Emma", "Emma"])
            #expect(items.allSatisfy { $0.reader?.id == cast.reader && $0.review == nil })
            #expect(items.first?.shelf == Library.OnShelf(status: .reading, timesRead: 0))
        }
    }
}

extension LoggedEvent {
    /// An event about something of `owner`'s.
    static func about(_ subject: Int64, of owner: Int64, kind: EventSubject) -> LoggedEvent {
        LoggedEvent(
            seq: 1, id: 1, kind: "x.y", version: 1, places: [.init(topic: .reader(owner), prev: 0)], owner: owner,
            subjectKind: kind.name, subject: subject, at: Timestamp(seconds: 0),
            data: JSON(bytes: Array("{}".utf8)))
    }
}
