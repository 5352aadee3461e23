import Community
import HTTPTypes
import TestSupport
import Testing
import Web

/// Every screen of LibsterApp and BookNook, filled by the one call that the table names.
@Suite(.database) struct ScreensFillTests {
    @Test(.requirement("WEB-2", "ACC-7", "LIB-1", "REA-1", "REA-3"))
    func `one call gives what a screen shows`() async throws {
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let scene = try await Scene(app)
            for name in ["LibsterApp", "BookNook"] {
                let screens = try #require(Screens.apps.first { $0.name == name }).screens
                #expect(Set(screens.map(\.name)) == Set(Self.shown[name]?.map(\.screen) ?? []), "\(name)")
                for screen in screens {
                    let fill = try #require(screen.fill, "\(name), \(screen.name)")
                    let parts = fill.split(separator: " ")
                    try #require(parts.count == 2 && parts[0] == "GET")
                    let path = "/api/v1" + parts[1].replacing("{book}", with: scene.book)
                    let answer = try await scene.ann.get(path)
                    #expect(answer.status == .ok, "\(name), \(screen.name): \(answer.text)")
                    for shown in Self.shown[name] ?? [] where shown.screen == screen.name {
                        for member in shown.members {
                            let value = Self.member(member, of: answer.json)
                            #expect(value != .null, "\(name), \(screen.name): no \(member)")
                        }
                        #expect(shown.holds(answer.json, scene), "\(name), \(screen.name): \(answer.text)")
                    }
                }
            }
        }
    }

    @Test func `the call that fills a screen reads a route of this server`() async throws {
        try await withApp { app in
            let known = Set(app.server.table.routes.map(\.name))
            for shown in Screens.apps {
                for fill in shown.screens.compactMap(\.fill) {
                    let route = String(fill.prefix { $0 != "?" }).replacing("GET ", with: "GET /api/v1")
                    #expect(known.contains(route), "\(shown.name): \(fill)")
                }
            }
        }
    }

    /// Null where there is none.
    private static func member(_ path: String, of json: JSONValue) -> JSONValue {
        var value = json
        for part in path.split(separator: ".") {
            value = Int(part).map { value[$0] ?? .null } ?? value[String(part)] ?? .null
        }
        return value
    }

    /// A reader in the middle of a book that they borrowed, with a friend and what else the screens show.
    struct Scene {
        let ann: TestApp
        let book: String

        init(_ app: TestApp) async throws {
            let given = app.world.given
            let keeper = try await given.account("lib", role: .librarian)
            var new = Catalog.NewBook(key: "way", title: "The long way", authors: ["Ada Writer"], year: 1999)
            new.genres = ["fantasy"]
            new.description = "A walk."
            let work = try await given.books([new])[0]
            let kept = try await app.as(keeper).keepEbook(
                try TestEbooks.numbered(), at: try await given.firstEdition(of: work), "rights=granted&audience=on_loan"
            )
            #expect(kept.status == .created, "\(kept.text)")
            let ebook = try #require(kept.json["id"])
            _ = try await given.copy(of: work, in: .server, by: keeper)
            let (signed, friend, other) = (
                try await given.account("ann"), try await given.account("ben"), try await given.account("cat")
            )
            (ann, book) = (app.as(signed), work.text)
            try await given.friendship(signed, friend)
            _ = try await given.friendRequest(from: other, to: signed)
            let conversation = try await given.conversation(of: signed, with: friend)
            _ = try await given.message("hello", in: conversation, by: friend)
            _ = try await given.thread(on: work, by: friend.id, scope: .free)
            _ = try await given.review(by: friend.id, of: work, body: "good", visibility: .public)
            let path = "/api/v1/books/\(book)"
            let done = [
                try await ann.post(path + "/checkout"), try await ann.put(path + "/shelf", ["shelf": "reading"]),
                try await ann.put(path + "/favourite", [:]), try await ann.put(path + "/rating", ["rating": 4]),
                try await ann.put(path + "/position", ["ebook": ebook, "page": 2, "device": "phone"]),
                try await ann.post(path + "/bookmarks", ["ebook": ebook, "page": 2]),
                try await ann.get("/api/v1/search?q=long%20way"),
                try await ann.post("/api/v1/me/libraries", ["name": "ours"]),
            ]
            for answer in done { #expect(answer.status.kind == .successful, "\(answer.text)") }
        }
    }

    /// What a screen shows, as members of the answer, `.` between them, and what else holds of it.
    struct Shown: Sendable {
        let screen: String
        let members: [String]
        var holds: @Sendable (JSONValue, Scene) -> Bool = { _, _ in true }
    }

    private static let opening = [
        "me.username", "settings.privacy", "shelves.reading.0.book.title", "favourites.0.book.title",
        "library.0.book.title", "borrowed.0.book.title", "bookmarks.0.page", "friends.items.0", "top_books.0.title",
        "unread.message_count", "stream_cursor",
    ]

    private static let shown: [String: [Shown]] = [
        "LibsterApp": [
            Shown(screen: "Launch, Welcome", members: ["access", "api_version", "limits.0.name"]),
            Shown(screen: "Login", members: ["access"]),
            // What may be typed into its fields.
            Shown(screen: "Signup", members: ["access", "limits.0.name"]) { json, _ in
                let names = json["limits"]?.elements.compactMap { $0["name"]?.text } ?? []
                return Set(["account.username", "account.password", "account.email"]).isSubset(of: names)
            },
            Shown(screen: "Loading", members: opening),
            Shown(screen: "Dashboard", members: opening) { json, scene in
                json["borrowed"]?[0]?["book"]?["id"]?.text == scene.book && json["library"]?[0]?["is_borrowed"] == true
            },
            Shown(
                screen: "Details",
                members: [
                    "cover.url", "authors.0.name", "description", "genres.0", "rating.count", "reader_count",
                    "my_rating", "included.position.page", "included.threads.items.0.title",
                    "included.reviews.items.0.rating", "included.shelf.shelf",
                ]
            ) { json, _ in json["is_favourite"] == true && json["is_checked_out"] == true },
            Shown(
                screen: "Book", members: ["ebook.contents.0.title", "page.html", "page.next", "page.previous"]
            ) { json, _ in json["page"]?["page"] == 2 && json["opened_at"] == "bookmark" },
            Shown(
                screen: "Bookmarks",
                members: ["included.bookmarks.items.0.page", "included.bookmarks.items.0.book.title"]
            ) { json, _ in json["included"]?["reading"]?["items"]?[0]?["page"] == 2 },
            Shown(
                screen: "Selection",
                members: [
                    "included.books.items.0.title", "included.all_genres.items.0", "included.searches.items.0.query",
                ]),
            Shown(screen: "Checkout", members: ["cover.url", "title", "authors.0.name", "description", "rating.count"])
            {
                json, _ in json["checkout_count"] == 1
            },
            Shown(screen: "Profile", members: ["username", "included.settings.privacy"]) { json, scene in
                json["included"]?["favourites"]?["items"]?[0]?["book"]?["id"]?.text == scene.book
            },
            Shown(
                screen: "Friends",
                members: ["included.friend_requests.items.0", "included.conversations.items.0"]
            ) { json, _ in json["included"]?["friends"]?["items"]?.elements.count == 1 },
            Shown(screen: "Shared library", members: ["included.libraries.items.0.name", "included.loans.items"]) {
                json, scene in json["included"]?["borrowed"]?["items"]?[0]?["book"]?["id"]?.text == scene.book
            },
        ],
        "BookNook": [
            Shown(
                screen: "Home",
                members: [
                    "included.all_genres.items.0", "included.trending.items", "included.discover.items",
                    "included.feed.items.0", "included.books.items.0.cover.url",
                ]),
            Shown(screen: "Book Summary", members: ["title", "description", "cover.url", "included.shelf.shelf"]),
            Shown(
                screen: "Collection",
                members: ["included.shelves.shelves.reading", "included.bookmarks.items.0.book.cover.url"]
            ) { json, scene in json["included"]?["reading"]?["items"]?[0]?["book"]?["id"]?.text == scene.book },
            Shown(screen: "Page", members: ["page.html", "page.page", "page.page_count"]) { json, _ in
                json["page"]?["page"] == 2
            },
        ],
    ]
}
