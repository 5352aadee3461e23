extension Page {
    /// Every page, by what it is about.
    static let all = entrance + books + readers + talk + mine + notebook + settings + moderation

    private static let entrance = [
        Page("/", "welcome", "/server", beside: ["trending": "/trending?limit=12"]).with { $0.isForStrangers = true },
        Page("/sign-up", "sign-up", "/server").with { $0.isForStrangers = true },
        // Where it leads to may hold the code of a mail.
        Page("/sign-in", "sign-in").with { ($0.isForStrangers, $0.isSecret) = (true, true) },
        Page("/reset", "reset").with { $0.isSecret = true },
        Page("/confirm", "confirm").with { $0.isSecret = true },
        Page("/about", "about", "/server"),
        Page("/offline", "error-offline"),
    ]

    private static let home = Page(
        "/home", "home", "/me?include=feed,reading,hot_boards,friend_requests,statistics",
        beside: ["trending": "/trending?limit=6", "suggestions": "/me/suggestions?limit=6"]
    ).readersOnly

    private static let books = [
        home,
        Page("/feed", "feed", "/me/feed").readersOnly,
        Page("/search", "search-start", "/genres", beside: ["searches": "/me/searches"]).with {
            $0.cases = [
                Case(
                    parameters: [
                        "q", "title", "author", "publisher", "subject", "genre", "isbn", "language", "year_from",
                        "year_to",
                        "pages_from", "pages_to", "kind",
                    ], template: "search", call: "/search")
            ]
        },
        Page(
            "/books/{book}", "book-page",
            "/books/{book}?include=reviews,threads,gate,shelf,friends,review,position",
            strangers: .ask("/books/{book}?include=reviews,threads"),
            beside: ["ebooks": "/books/{book}/ebooks", "related": "/books/{book}/related?limit=8"]
        ).with { $0.scaled = [.ratings] },
        Page("/books/{book}/reviews", "book-reviews", "/books/{book}/reviews", beside: ["book": "/books/{book}"]),
        Page("/books/{book}/lists", "book-lists", "/books/{book}", beside: ["lists": "/me/lists"]).readersOnly,
        Page("/authors/{author}", "author", "/authors/{author}", beside: ["books": "/books?author={author}"]),
        Page("/series/{series}", "series", "/series/{series}", beside: ["books": "/series/{series}/books"]),
        Page("/genres/{genre}", "genre", "/genres/{genre}", beside: ["books": "/books?genre={genre}"]),
        Page("/discover", "discover", "/discover"),
        Page("/trending", "trending", "/trending"),
        Page("/scan", "scan").readersOnly,
        Page("/isbn/{code}", "isbn", "/isbn/{code}").unlisted,
        Page("/add-book", "add-book", "/genres").readersOnly,
        Page("/lists/{list}", "list", "/lists/{list}", beside: ["books": "/lists/{list}/books"]),
    ]

    private static let readers = [
        Page(
            "/@{username}", "profile",
            "/readers/{username}?include=shelves,recommendations,lists,friends,mutual_friends,statistics",
            strangers: .ask("/readers/{username}?include=shelves,recommendations,lists,statistics"),
            beside: ["now": "/readers/{username}/shelves/reading?limit=6"]
        ).unlisted,
        Page("/@{username}/shelves/{shelf}", "reader-shelf", "/readers/{username}/shelves/{shelf}").unlisted,
        Page("/@{username}/reviews", "reader-reviews", "/readers/{username}/reviews").unlisted,
        Page("/@{username}/lists", "lists", "/readers/{username}/lists").unlisted,
        Page("/@{username}/favourites", "favourites", "/readers/{username}/favourites").unlisted,
        Page("/@{username}/statistics", "statistics", "/readers/{username}/statistics").unlisted.with {
            $0.scaled = [.ratings, .year]
        },
        Page("/friends", "friends", "/me?include=friends,friend_requests,friend_suggestions").readersOnly,
        Page("/friends/all", "friends-all", "/me/friends").readersOnly,
        Page("/friends/requests", "friends-requests", "/me/friend-requests").readersOnly,
        Page("/friends/mutes", "friends-mutes", "/me/mutes").readersOnly,
        Page("/friends/blocks", "friends-blocks", "/me/blocks").readersOnly,
        Page("/readers", "find-readers").readersOnly.with {
            $0.cases = [Case(parameters: ["q"], template: "find-readers", call: "/readers")]
        },
    ]

    private static let talk = [
        Page(
            "/books/{book}/board", "board", "/books/{book}/threads",
            beside: [
                "book": "/books/{book}", "gate": "/books/{book}/gate", "moderators": "/books/{book}/moderators",
            ]),
        Page(
            "/threads/{thread}", "thread-page", "/threads/{thread}/posts?sort=tree",
            beside: [
                "thread": "/threads/{thread}", "book": "/books/{thread.book_id}",
                "gate": "/books/{thread.book_id}/gate",
            ]
        ).with {
            $0.cases = [
                Case(
                    parameters: ["is_unread", "from_number"], template: "thread-page",
                    call: "/threads/{thread}/posts?sort=oldest")
            ]
        },
        Page("/posts/{post}", "post-page", "/posts/{post}"),
        Page("/posts/{post}/history", "post-history", "/posts/{post}/history"),
        Page("/reviews/{review}", "review-page", "/reviews/{review}", beside: ["replies": "/reviews/{review}/replies"])
            .unlisted,
        Page("/reviews/{review}/history", "post-history", "/reviews/{review}/history").unlisted,
        Page(
            "/review-replies/{reply}", "reply-page", "/review-replies/{reply}",
            beside: ["review": "/reviews/{answer.review_id}"]
        )
        .unlisted,
        Page(
            "/read/{ebook}/{page}", "reading-room", "/ebooks/{ebook}/pages/{page}",
            beside: ["ebook": "/ebooks/{ebook}", "talk": "/ebooks/{ebook}/pages/{page}/talk"]),
    ]

    private static let mine = [
        Page("/bookmarks", "bookmarks", "/me/bookmarks").readersOnly,
        Page("/borrowed", "borrowed", "/me/borrowed").readersOnly,
        Page("/messages", "messages", "/me/conversations").readersOnly,
        Page(
            "/messages/{conversation}", "conversation", "/conversations/{conversation}/messages",
            beside: ["conversation": "/conversations/{conversation}"]
        ).readersOnly,
        Page("/notifications", "notifications", "/me/notifications").readersOnly,
        Page("/report", "report").readersOnly,
        Page("/reports", "reports", "/me/reports").readersOnly,
    ]

    private static let notebook = [
        Page("/books/{book}/notebook", "notebook", "/books/{book}/notebook?include=photos").readersOnly,
        Page("/books/{book}/notes", "notes", "/books/{book}/notes", beside: ["book": "/books/{book}"])
            .with { $0.strangers = .ask("/books/{book}/notes?of=all") },
        Page(
            "/notes/{note}", "note", "/notes/{note}",
            beside: [
                "photos": "/books/{answer.book.id}/photos", "all_themes": "/books/{answer.book.id}/themes",
            ]
        ).unlisted.with { $0.besideMine = ["photos", "all_themes"] },
        Page("/photos/{photo}", "photo-page", "/photos/{photo}").unlisted,
        Page(
            "/themes/{theme}", "theme", "/themes/{theme}?include=notes",
            beside: ["all_themes": "/books/{answer.book_id}/themes"]
        ).readersOnly,
        Page("/folders/{folder}", "folder", "/folders/{folder}?include=folders,notes").readersOnly,
    ]

    private static let settings = [
        Page("/settings", "settings", "/me").readersOnly,
        Page("/settings/genres", "settings-genres", "/me/genres", beside: ["all": "/genres"]).readersOnly,
        Page("/settings/privacy", "settings-privacy", "/me/settings").readersOnly,
        Page("/settings/gate", "settings-gate", "/me/settings/gate").readersOnly,
        Page("/settings/messages", "settings-messages", "/me/settings/messages").readersOnly,
        Page("/settings/notifications", "settings-notifications", "/me/settings/notifications").readersOnly,
        Page("/settings/password", "settings-password", "/me").readersOnly,
        Page("/settings/email", "settings-email", "/me").readersOnly.with { $0.isSecret = true },
        Page("/settings/sessions", "settings-sessions", "/me/sessions").readersOnly,
        Page("/settings/export", "settings-export", "/me/export").readersOnly.with { $0.isLenient = true },
        Page("/settings/leave", "settings-leave", "/me").readersOnly,
    ]

    private static let moderation = [
        Page("/moderation", "moderation", "/moderation/reports").readersOnly,
        Page("/moderation/{case}", "case", "/moderation/reports/{case}").readersOnly,
    ]
}
