import TestSupport
import Web

/// What an app's document says that a screen shows: members of the answer that fills it (`.` between names), and what
/// else holds of it.
struct ScreenPromise: Sendable {
    let screen: String
    let members: [String]
    let holds: @Sendable (JSONValue, ScreensScene) -> Bool

    init(
        _ screen: String, _ members: [String],
        holds: @escaping @Sendable (JSONValue, ScreensScene) -> Bool = { _, _ in true }
    ) {
        (self.screen, self.members, self.holds) = (screen, members, holds)
    }

    /// By app.
    static let all = [
        "LibsterApp": libster, "Books!": books, "Shelfed": shelfed, "BookNook": bookNook, "BookLib": bookLib,
    ]

    private static let opening = [
        "me.username", "settings.privacy", "shelves.reading.0.book.title", "favourites.0.book.title",
        "library.0.book.title", "borrowed.0.book.title", "bookmarks.0.page", "friends.items.0", "top_books.0.title",
        "top_books.19.title", "unread.message_count", "stream_cursor",
    ]

    /// A book's page as each app shows it.
    private static let page = ["title", "authors.0.name", "cover.url", "description", "genres.0", "rating.average"]

    /// What may be typed into the fields of a form.
    private static func limits(_ names: String...) -> @Sendable (JSONValue, ScreensScene) -> Bool {
        { json, _ in Set(names).isSubset(of: json["limits"]?.elements.compactMap { $0["name"]?.text } ?? []) }
    }

    private static let form = limits("account.username", "account.password", "account.email")

    private static let libster = [
        ScreenPromise("Launch, Welcome", ["access", "api_version", "limits.0.name"]),
        ScreenPromise("Login", ["access"]),
        ScreenPromise("Signup", ["access", "limits.0.name"], holds: form),
        ScreenPromise("Loading", opening),
        ScreenPromise("Dashboard", opening) { json, scene in
            json.at("borrowed.0.book.id").text == scene.book
                && json["library"]?.elements.contains {
                    $0.at("book.id").text == scene.book && $0["is_borrowed"] == true
                }
                    == true
        },
        ScreenPromise(
            "Details",
            page + [
                "rating.count", "reader_count", "my_rating", "included.position.page",
                "included.threads.items.0.title", "included.reviews.items.0.rating", "included.shelf.shelf",
                "included.review.body", "included.ratings", "included.friends.items.0",
            ]
        ) { json, _ in json["is_favourite"] == true && json["is_checked_out"] == true },
        ScreenPromise("Book", ["ebook.contents.0.title", "page.html", "page.next", "page.previous"]) { json, _ in
            json.at("page.page") == 2 && json["opened_at"] == "bookmark"
        },
        ScreenPromise("Bookmarks", ["included.bookmarks.items.0.page", "included.bookmarks.items.0.book.title"]) {
            json, scene in
            json.at("included.reading.items").elements.contains {
                $0["page"] == 2 && $0.at("book.id").text == scene.guide
            }
        },
        ScreenPromise(
            "Selection",
            [
                "included.books.items.19.title", "included.all_genres.items.0", "included.searches.items.0.path",
            ]),
        ScreenPromise("Checkout", page + ["included.shelf.shelf", "included.position.page"]) { json, _ in
            json["checkout_count"] == 1
        },
        ScreenPromise("Profile", ["username", "name", "bio", "included.settings.privacy"]) { json, scene in
            json.at("included.favourites.items.0.book.id").text == scene.book
        },
        ScreenPromise(
            "Friends",
            [
                "included.friends.items.0.reader.username", "included.friend_requests.items.0",
                "included.conversations.items.0",
            ]),
        ScreenPromise("Shared library", ["included.libraries.items.0.name", "included.loans.items"]) { json, scene in
            json.at("included.borrowed.items.0.book.id").text == scene.book
        },
    ]

    private static let books = [
        ScreenPromise("Login", ["access"]),
        ScreenPromise("Sign up", ["access", "registration"], holds: form),
        ScreenPromise(
            "Homepage",
            [
                "included.trending.items.19.book.cover.url", "included.discover.items.0.book.title",
                "included.hot_boards.items.0.thread.title", "included.feed.items.0.reader.username",
            ]),
        ScreenPromise(
            "Book Details",
            page + [
                "recommendation_count", "year", "included.ratings", "included.reviews.items.0.rating",
                "included.reviews.items.0.author.username", "included.gate",
            ]
        ) { json, _ in
            json.at("included.threads.items.0.title") == "The first page"
                && json.at("included.shelf.shelf") == "reading"
        },
        ScreenPromise("Search", ["included.searches.items.0.path", "included.books.items.0.title"]),
        ScreenPromise("Library (saved, have read)", ["included.shelf_want.items.0.book.title"]) { json, scene in
            let counts = json.at("included.shelves.shelves")
            return ["want", "read"].allSatisfy { shelf in
                let items = json.at("included.shelf_\(shelf).items").elements
                let count = min(counts[shelf]?.number ?? 0, 20)
                return items.count == Int(count) && items.allSatisfy { $0.at("book.shelf") == .string(shelf) }
            } && json.at("included.borrowed.items.0.book.id").text == scene.book
        },
        ScreenPromise("Profile", ["username", "email", "bio", "comment_count", "group_count", "favourites.0"]) {
            json, _ in (json["friend_count"]?.number ?? 0) > 0
        },
        ScreenPromise("Settings", ["included.settings.privacy", "included.settings.time_zone"]) { json, _ in
            json.at("included.sessions.items").elements.contains { $0["is_current"] == true }
        },
        ScreenPromise(
            "Friends",
            [
                "included.friends.items.0.reader.username", "included.friend_requests.items.0",
                "included.friend_suggestions.items.0",
            ]
        ) { json, scene in
            json.at("included.conversations.items.0.reader.username").text == scene.friend
                && json.at("included.conversations.items.0.last_message.text") == "Did you finish?"
        },
        ScreenPromise(
            "Profile of a friend",
            [
                "name", "bio", "included.shelves.shelves.read", "included.friends.items.0", "included.lists.items.0",
                "included.favourites.items.0",
            ]
        ) { json, scene in json["username"]?.text == scene.friend && json["relation"] == "friends" },
    ]

    private static let shelfed = [
        ScreenPromise("Login", ["access"]),
        ScreenPromise("Registration", ["registration"], holds: form),
        ScreenPromise(
            "Feed",
            [
                "included.books.items.19.title", "included.discover.items.0.reason.kind",
                "included.suggestions.items.0.book.title", "included.feed.items.0",
            ]),
        ScreenPromise("Search", ["included.searches.items.0.path", "included.books.items.0.title"]) { json, _ in
            json.at("included.books.items").elements.contains { $0["shelf"] == "reading" }
        },
        ScreenPromise("Detail", page + ["series", "kind", "included.related.items.0.book.title"]) { json, scene in
            json.at("included.photos.items.0.id").text == scene.photo && json.at("my_photos.photo_count") == 1
                && json.at("included.shelf.shelf") == "reading" && json.at("included.review.rating") == 4.5
        },
        ScreenPromise(
            "Shelves",
            [
                "included.shelf_read.items.0.book.cover.url", "included.shelf_reading.items.0.book.title",
                "included.shelf_want.items.0.book.title",
            ]
        ) { json, _ in
            ["read", "reading", "want"].allSatisfy { shelf in
                json.at("included.shelf_\(shelf).shelf") == .string(shelf)
                    && json.at("included.shelves.shelves.\(shelf)").number ?? 0 > 0
            }
        },
        ScreenPromise(
            "Reading, to-read and have-read lists", ["items.0.book.title", "items.0.added_at", "reader.username"]
        ) { json, _ in
            json["items"]?.elements.allSatisfy { $0.at("book.shelf") == json["shelf"] } == true
        },
        ScreenPromise("Custom lists", ["items.0.title"]) { json, scene in
            json.at("items.0.id").text == scene.list && json.at("items.0.book_count") == 1
        },
        ScreenPromise("Custom list", ["title"]) { json, scene in
            json["id"]?.text == scene.list && json.at("included.books.items.0.book.id").text == scene.book
        },
        ScreenPromise("Favorites", ["items.0.book.cover.url"]) { json, scene in
            json.at("items.0.book.id").text == scene.book
        },
        ScreenPromise("Creation", ["title", "cover.url"]) { json, scene in
            json.at("included.position.page") == 20 && json.at("included.photos.items.0.id").text == scene.photo
        },
        ScreenPromise(
            "Profile", ["username", "name", "included.photos.items.0.book.title", "included.statistics.months.11"]
        ) { json, scene in
            json.at("included.photos.items.0.id").text == scene.photo
                && json.at("included.statistics.book_count").number ?? 0 > 0
        },
        ScreenPromise(
            "Genres", ["included.all_genres.items.0.name", "included.genres.genres", "included.books.items.0"]),
    ]

    private static let bookNook = [
        ScreenPromise(
            "Home",
            [
                "included.all_genres.items.0", "included.trending.items.0.book.title",
                "included.discover.items.0.book.title", "included.feed.items.0", "included.books.items.0.cover.url",
            ]),
        ScreenPromise(
            "Book Summary", page + ["included.shelf.shelf", "included.reviews.items.0.rating", "included.ratings"]),
        ScreenPromise(
            "Collection",
            [
                "included.shelves.shelves.reading", "included.bookmarks.items.0.book.cover.url",
                "included.library.items.0.book.title",
            ]
        ) { json, scene in
            json.at("included.reading.items").elements.contains { $0.at("book.id").text == scene.book }
        },
        ScreenPromise("Page", ["page.html", "page.page", "page.page_count"]) { json, _ in json.at("page.page") == 2 },
    ]

    private static let bookLib = [
        ScreenPromise("Search", ["items.0.searched_at"]) { json, _ in json.at("items.0.path") == "/search?title=emma" },
        ScreenPromise("Barcode Scanner", ["limits.0.name"], holds: limits("isbn.codes", "isbn.code")),
        ScreenPromise("Reading List", ["items.0.book.title", "items.0.book.authors.0.name"]) { json, scene in
            json["items"]?.elements.contains { $0.at("book.id").text == scene.book } == true
        },
        // Three widgets: the book, its themes, all of its notes.
        ScreenPromise("Book", ["included.book.description", "included.book.genres.0", "notes.items.0.title"]) {
            json, scene in
            json.at("themes.items.0.id").text == scene.theme && json["theme_count"] == 1 && json["note_count"] == 2
        },
        ScreenPromise("Themes", ["items.0.name"]) { json, scene in
            json.at("items.0.id").text == scene.theme && json.at("items.0.note_count") == 1
        },
        ScreenPromise("Theme", ["name"]) { json, scene in
            json.at("included.notes.items.0.id").text == scene.note && json["note_count"] == 1
        },
        // What stands in no folder.
        ScreenPromise("Notes", ["folders.items.0.name"]) { json, scene in
            json.at("folders.items").elements.compactMap { $0["id"]?.text } == [scene.folder]
                && json.at("notes.items").elements.compactMap { $0["id"]?.text } == [scene.note]
        },
        ScreenPromise("Folder", ["name"]) { json, _ in
            json.at("included.folders.items.0.name") == "Names" && json.at("included.notes.items.0.title") == "Filed"
        },
        ScreenPromise("Note", ["title", "items.0.body", "items.1.photo.widths"]) { json, scene in
            json.at("themes.0.id").text == scene.theme && json.at("items.1.photo.id").text == scene.photo
        },
        ScreenPromise("Scanned item", ["widths.1280", "version", "comment"]) { json, scene in
            json["id"]?.text == scene.photo
        },
    ]
}
