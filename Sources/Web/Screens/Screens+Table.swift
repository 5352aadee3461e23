extension Screens {
    package static let apps = [libster, books, shelfed, bookNook, bookLib]

    private static let libster = App(
        "LibsterApp",
        [
            Screen("Launch, Welcome", fill: "GET /server", ["GET /server"]),
            Screen("Login", fill: "GET /server", ["POST /sessions"]),
            Screen(
                "Signup", fill: "GET /server",
                ["POST /accounts", "POST /email-verifications", "POST /email-verification-requests"]),
            Screen("Loading", fill: "GET /me/bootstrap", ["GET /me/bootstrap"]),
            Screen(
                "Dashboard", fill: "GET /me/bootstrap",
                ["GET /me/bootstrap", "GET /me/library", "GET /me/borrowed", "POST /books/{book}/return"],
                topics: ["home", "inbox"]),
            Screen(
                "Details", fill: "GET /books/{book}?include=threads,reviews,review,ratings,position,shelf,friends",
                [
                    "GET /books/{book}", "GET /books/{book}/threads", "GET /books/{book}/reviews",
                    "GET /books/{book}/review",
                    "PUT /books/{book}/review", "GET /books/{book}/ratings", "PUT /books/{book}/rating",
                    "DELETE /books/{book}/rating", "PUT /books/{book}/favourite", "DELETE /books/{book}/favourite",
                    "GET /books/{book}/position", "PUT /books/{book}/shelf",
                ], topics: ["book:{book}"]),
            Screen(
                "Book", fill: "GET /books/{book}/open",
                [
                    "GET /books/{book}/open", "GET /ebooks/{ebook}/pages/{page}", "GET /ebooks/{ebook}/pages",
                    "GET /ebooks/{ebook}", "GET /ebooks/{ebook}/pictures/{number}", "GET /ebooks/{ebook}/offline",
                    "GET /ebooks/{ebook}/search",
                    "GET /ebooks/{ebook}/pages/{page}/talk", "GET /ebooks/{ebook}/talk",
                    "PUT /books/{book}/position", "GET /books/{book}/bookmarks", "POST /books/{book}/bookmarks",
                ], topics: ["book:{book}", "inbox"]),
            Screen(
                "Bookmarks", fill: "GET /me?include=bookmarks,reading",
                [
                    "GET /me/bookmarks", "GET /me/reading", "PATCH /bookmarks/{bookmark}",
                    "DELETE /bookmarks/{bookmark}",
                ]),
            Screen(
                "Selection", fill: "GET /me?include=books,all_genres,searches",
                ["GET /me/searches", "GET /books", "GET /genres", "GET /search", "GET /search/suggest"]),
            Screen(
                "Checkout", fill: "GET /books/{book}?include=shelf,position",
                [
                    "GET /books/{book}", "POST /books/{book}/checkout", "POST /books/{book}/return",
                    "POST /books/{book}/renew",
                ], topics: ["book:{book}", "inbox"]),
            Screen(
                "Profile", fill: "GET /me?include=settings,favourites",
                [
                    "GET /me", "PATCH /me", "PUT /me/picture", "DELETE /me/picture", "GET /me/settings",
                    "PATCH /me/settings", "GET /me/favourites", "DELETE /me/sessions/current",
                ]),
            Screen(
                "Friends", fill: "GET /me?include=friends,friend_requests,conversations",
                [
                    "GET /me/friends", "GET /me/friend-requests", "POST /me/friend-requests",
                    "POST /me/friend-requests/{request}/accept", "POST /me/friend-requests/{request}/decline",
                    "DELETE /me/friends/{username}", "GET /readers/{username}", "GET /me/conversations",
                    "PUT /me/conversations/with/{username}", "GET /conversations/{conversation}/messages",
                    "POST /conversations/{conversation}/messages", "PUT /conversations/{conversation}/read",
                ], topics: ["inbox", "conversation:{conversation}"]),
            Screen(
                "Shared library", fill: "GET /me?include=libraries,loans,borrowed",
                [
                    "GET /me/libraries", "GET /readers/{username}/libraries", "GET /libraries/{library}",
                    "GET /libraries/{library}/copies", "GET /libraries/{library}/checkouts",
                    "POST /books/{book}/checkout", "POST /copies/{copy}/loans", "GET /me/loans",
                    "POST /libraries/{library}/invitation/accept", "POST /libraries/{library}/link",
                    "GET /shared/{token}",
                    "GET /shared/{token}/copies", "GET /shared/{token}/shelf",
                ], topics: ["inbox"]),
        ])

    private static let books = App(
        "Books!",
        [
            Screen("Login", fill: "GET /server", ["POST /sessions"]),
            Screen("Sign up", fill: "GET /server", ["POST /accounts"]),
            Screen(
                "Homepage", fill: "GET /me?include=trending,discover,hot_boards,feed",
                ["GET /books", "GET /me/feed", "GET /discover", "GET /trending", "GET /boards/hot"],
                topics: ["home", "trending"]),
            Screen(
                "Book Details", fill: "GET /books/{book}?include=ratings,reviews,threads,gate,shelf",
                [
                    "GET /books/{book}", "GET /books/{book}/ratings", "GET /books/{book}/reviews",
                    "PUT /books/{book}/recommendation", "DELETE /books/{book}/recommendation",
                    "PUT /books/{book}/shelf", "DELETE /books/{book}/shelf", "GET /books/{book}/gate",
                    "GET /books/{book}/threads", "POST /books/{book}/threads", "GET /threads/{thread}",
                    "GET /threads/{thread}/posts", "POST /threads/{thread}/posts",
                ],
                topics: ["book:{book}", "thread:{thread}"]),
            Screen(
                "Search", fill: "GET /me?include=searches,books",
                ["GET /me/searches", "GET /search", "GET /search/suggest"]),
            Screen(
                "Library (saved, have read)", fill: "GET /me?include=shelves,shelf_want,shelf_read,borrowed",
                [
                    "GET /me/shelves", "GET /me/shelves/{shelf}", "GET /me/borrowed", "PUT /books/{book}/shelf",
                    "DELETE /books/{book}/shelf",
                ]),
            Screen("Profile", fill: "GET /me", ["GET /me", "PATCH /me", "PUT /me/picture"]),
            Screen(
                "Settings", fill: "GET /me?include=settings,sessions",
                [
                    "GET /me/settings", "PATCH /me/settings", "GET /me/sessions", "DELETE /me/sessions/{session}",
                    "DELETE /me",
                ]),
            Screen(
                "Friends", fill: "GET /me?include=friends,friend_requests,friend_suggestions,conversations",
                [
                    "GET /me/friends", "GET /me/friend-requests", "POST /me/friend-requests",
                    "POST /me/friend-requests/{request}/accept", "POST /me/friend-requests/{request}/decline",
                    "GET /me/friend-suggestions", "GET /me/conversations", "PUT /me/conversations/with/{username}",
                    "GET /conversations/{conversation}/messages", "POST /conversations/{conversation}/messages",
                    "PUT /conversations/{conversation}/read",
                ], topics: ["inbox", "conversation:{conversation}"]),
            Screen(
                "Profile of a friend", fill: "GET /readers/{username}?include=shelves,favourites,lists,friends",
                [
                    "GET /readers/{username}", "GET /readers/{username}/shelves/{shelf}",
                    "GET /readers/{username}/lists", "DELETE /me/friends/{username}",
                ]),
        ])

    private static let shelfed = App(
        "Shelfed",
        [
            Screen("Login", fill: "GET /server", ["POST /sessions"]),
            Screen("Registration", fill: "GET /server", ["POST /accounts"]),
            Screen(
                "Feed", fill: "GET /me?include=books,discover,suggestions,feed",
                ["GET /me/bootstrap", "GET /books", "GET /me/feed", "GET /discover", "GET /me/suggestions"],
                topics: ["home"]),
            Screen(
                "Search", fill: "GET /me?include=searches,books",
                [
                    "GET /me/searches", "GET /search", "GET /search/suggest", "POST /books/lookup", "POST /books",
                    "PUT /books/{book}/shelf",
                ]),
            Screen(
                "Detail", fill: "GET /books/{book}?include=shelf,review,photos,related",
                [
                    "GET /books/{book}", "GET /series/{series}", "GET /series/{series}/books",
                    "PUT /books/{book}/shelf",
                    "PUT /books/{book}/rating", "PUT /books/{book}/favourite", "DELETE /books/{book}/favourite",
                    "GET /books/{book}/photos", "GET /photos/{photo}", "GET /books/{book}/related",
                ], topics: ["book:{book}"]),
            Screen(
                "Shelves", fill: "GET /me?include=shelves,shelf_read,shelf_reading,shelf_want",
                ["GET /me/shelves/{shelf}", "GET /me/shelves"]),
            Screen(
                "Reading, to-read and have-read lists", fill: "GET /me/shelves/{shelf}",
                ["GET /me/shelves/{shelf}", "PUT /books/{book}/shelf", "DELETE /books/{book}/shelf"]),
            Screen(
                "Custom lists", fill: "GET /me/lists",
                ["GET /me/lists", "POST /me/lists", "PATCH /lists/{list}", "DELETE /lists/{list}"]),
            Screen(
                "Custom list", fill: "GET /lists/{list}?include=books",
                [
                    "GET /lists/{list}", "GET /lists/{list}/books", "PUT /lists/{list}/books/{book}",
                    "DELETE /lists/{list}/books/{book}",
                ]),
            Screen(
                "Favorites", fill: "GET /me/favourites",
                ["GET /me/favourites", "PUT /books/{book}/favourite", "DELETE /books/{book}/favourite"]),
            Screen(
                "Creation", fill: "GET /books/{book}?include=position,photos",
                [
                    "POST /books/{book}/photos", "PATCH /photos/{photo}", "PUT /photos/{photo}/image",
                    "DELETE /photos/{photo}",
                ], topics: ["inbox"]),
            Screen(
                "Profile", fill: "GET /me?include=photos,statistics",
                [
                    "GET /me", "PATCH /me", "PUT /me/picture", "GET /me/photos", "GET /readers/{username}/photos",
                    "DELETE /photos/{photo}", "GET /me/statistics", "GET /readers/{username}/statistics",
                    "GET /me/goals/{year}", "PUT /me/goals/{year}", "DELETE /me/goals/{year}",
                ]),
            Screen(
                "Genres", fill: "GET /me?include=all_genres,genres,books",
                ["GET /genres", "GET /books", "GET /me/genres", "PUT /me/genres"]),
        ])

    private static let bookNook = App(
        "BookNook",
        [
            Screen(
                "Home", fill: "GET /me?include=all_genres,trending,discover,feed,books",
                ["GET /genres", "GET /trending", "GET /discover", "GET /me/feed", "GET /books"]),
            Screen(
                "Book Summary", fill: "GET /books/{book}?include=shelf,reviews,ratings",
                ["GET /books/{book}", "PUT /books/{book}/shelf"]),
            Screen(
                "Collection", fill: "GET /me?include=shelves,reading,bookmarks,library",
                [
                    "GET /me/shelves", "GET /me/shelves/{shelf}", "GET /me/reading", "GET /me/bookmarks",
                    "GET /me/library", "GET /books/{book}/position", "GET /books/{book}/open",
                ]),
            Screen(
                "Page", fill: "GET /books/{book}/open",
                [
                    "GET /books/{book}/open", "GET /ebooks/{ebook}/pages/{page}", "GET /ebooks/{ebook}/pages",
                    "PUT /books/{book}/position", "POST /books/{book}/bookmarks",
                ], topics: ["book:{book}"]),
        ])

    private static let bookLib = App(
        "BookLib",
        [
            Screen(
                "Search", fill: "GET /me/searches",
                [
                    "GET /search", "GET /me/searches", "DELETE /me/searches/{search}", "GET /books/{book}",
                    "PUT /books/{book}/shelf",
                ]),
            // Two buttons and a field: what they take is a limit of the server's.
            Screen(
                "Barcode Scanner", fill: "GET /server",
                ["POST /isbn/scan", "POST /isbn/resolve", "GET /isbn/{code}", "GET /search", "PUT /books/{book}/shelf"]),
            Screen(
                "Reading List", fill: "GET /me/shelves/reading",
                ["GET /me/shelves/{shelf}", "DELETE /books/{book}/shelf"]),
            Screen(
                "Book", fill: "GET /books/{book}/notebook?include=book",
                ["GET /books/{book}/notebook", "GET /books/{book}", "GET /me/notebooks"]),
            Screen(
                "Themes", fill: "GET /books/{book}/themes",
                [
                    "GET /books/{book}/themes", "POST /books/{book}/themes", "PATCH /themes/{theme}",
                    "DELETE /themes/{theme}", "POST /themes/{theme}/merge", "PUT /notes/{note}/themes/{theme}",
                ]),
            Screen(
                "Theme", fill: "GET /themes/{theme}?include=notes",
                ["GET /themes/{theme}", "GET /themes/{theme}/notes"]),
            Screen(
                "Notes", fill: "GET /books/{book}/notebook",
                [
                    "GET /books/{book}/notebook", "GET /books/{book}/notes", "GET /books/{book}/folders",
                    "POST /books/{book}/folders", "PATCH /folders/{folder}", "DELETE /folders/{folder}",
                    "GET /me/notebook/search",
                ]),
            Screen(
                "Folder", fill: "GET /folders/{folder}?include=folders,notes",
                [
                    "GET /folders/{folder}", "GET /folders/{folder}/notes", "GET /folders/{folder}/folders",
                    "POST /books/{book}/folders", "PATCH /notes/{note}",
                ]),
            Screen(
                "Note", fill: "GET /notes/{note}",
                [
                    "POST /books/{book}/notes", "GET /notes/{note}", "PATCH /notes/{note}", "DELETE /notes/{note}",
                    "POST /notes/{note}/items", "PATCH /notes/{note}/items/{item}", "DELETE /notes/{note}/items/{item}",
                    "GET /books/{book}/themes", "POST /books/{book}/themes", "PUT /notes/{note}/themes/{theme}",
                    "DELETE /notes/{note}/themes/{theme}", "POST /books/{book}/photos",
                ], topics: ["inbox"]),
            Screen(
                "Scanned item", fill: "GET /photos/{photo}",
                ["GET /photos/{photo}", "PATCH /photos/{photo}", "PUT /photos/{photo}/image"], topics: ["inbox"]),
        ])
}
