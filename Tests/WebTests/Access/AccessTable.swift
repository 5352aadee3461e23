import TestSupport
import Web

extension Expectation {
    /// Every route of the server with what it answers to whom. A route that is not here fails the test; one about
    /// threads, posts, reviews, conversations or messages is in `AccessObject`, too.
    static let table: [String: Expectation] = [
        // The server
        "GET /livez": .everybody, "GET /readyz": .everybody,
        "GET /metrics": Expectation(passing: [], passes: .passes, others: .hidden),
        "GET /api/v1/server": .everybody, "GET /api/v1/openapi.json": .everybody,
        "GET /api/v1/stream": .everybodySigned, "POST /api/v1/stream/tickets": .mine,
        "GET /api/v1/asyncapi.json": .everybody, "GET /": .everybody, "GET /api/v1": .everybody,
        "GET /problems": .everybody, "GET /problems/{problem}": .everybody.at("/problems/not_found"),
        "GET /docs/stream": .everybody, "GET /docs/stream.js": .everybody,

        // Catalogue
        "GET /api/v1/books": .everybody, "GET /api/v1/genres": .everybody, "GET /api/v1/trending": .everybody,
        "GET /api/v1/genres/{genre}": .everybody, "GET /api/v1/discover": .everybody,
        "GET /api/v1/boards/hot": .everybody,
        "GET /api/v1/books/{book}/related": .everybody, "GET /api/v1/me/suggestions": .mine,
        "DELETE /api/v1/me/suggestions/{book}": .mine,
        "GET /api/v1/me/genres": .mine, "PUT /api/v1/me/genres": .mine.with(["genres": []]),
        "GET /api/v1/books/{book}/ranking": .moderators,
        "PUT /api/v1/books/{book}/ranking-hold": .moderators.with(["reason": "r", "until": "2000-01-01T00:00:00Z"]),
        "DELETE /api/v1/books/{book}/ranking-hold": .moderators.lenient,
        "POST /api/v1/books": .members.with(["title": "Quite another one"]),
        "GET /api/v1/books/{book}": .everybody, "GET /api/v1/authors/{author}": .everybody,
        "GET /api/v1/editions/{edition}": .everybody, "GET /api/v1/series/{series}": .everybody,
        "GET /api/v1/series/{series}/books": .everybody,
        "PATCH /api/v1/books/{book}": .members.with(["title": "Yet another one"]),
        "PATCH /api/v1/editions/{edition}": .members.with(["pages": 100]),
        "PATCH /api/v1/authors/{author}": .members.with(["description": "words"]),
        "GET /api/v1/books/{book}/revisions": .everybody, "GET /api/v1/editions/{edition}/revisions": .everybody,
        "GET /api/v1/authors/{author}/revisions": .everybody,
        "POST /api/v1/books/{book}/merge": .librarians.with(["into": "1"]).lenient,
        "POST /api/v1/editions/{edition}/merge": .librarians.with(["into": "1"]).lenient,
        "POST /api/v1/authors/{author}/merge": .librarians.with(["into": "1"]).lenient,
        "POST /api/v1/revisions/{revision}/undo": .librarians.with([:]),
        "GET /api/v1/proposals": .librarians, "GET /api/v1/me/proposals": .mine,
        "GET /api/v1/proposals/{proposal}": .ownerAndLibrarians, "DELETE /api/v1/proposals/{proposal}": .owner,
        "POST /api/v1/proposals/{proposal}/accept": .librarians.with([:]),
        "POST /api/v1/proposals/{proposal}/decline": .librarians.with([:]),
        "GET /api/v1/isbn/{code}": .everybody, "POST /api/v1/isbn/resolve": .everybody.with(["codes": ["1"]]),
        "POST /api/v1/isbn/scan": .members, "POST /api/v1/books/{book}/editions": .members.with(["minutes": 1]),
        "POST /api/v1/books/lookup": .members.with(["isbn": "9780000000002"]).lenient,
        "GET /api/v1/books/{book}/sources": .everybody,
        "GET /books/v1/volumes": .everybody.at("/books/v1/volumes?q=a"),
        "GET /books/v1/volumes/{volume}": .everybody,
        "GET /api/v1/search": .everybody.at("/api/v1/search?q=a"),
        "GET /api/v1/search/suggest": .everybody.at("/api/v1/search/suggest?q=a"),
        "GET /api/v1/me/searches": .mine, "DELETE /api/v1/me/searches": .mine,
        "DELETE /api/v1/me/searches/{search}": .owner,

        // Accounts
        "POST /api/v1/accounts": .everybody.with([:]), "POST /api/v1/sessions": .everybody.with([:]),
        "POST /api/v1/email-verifications": .everybody.with([:]),
        "POST /api/v1/email-verification-requests": .everybody.with([:]),
        "POST /api/v1/password-reset-requests": .everybody.with([:]),
        "POST /api/v1/password-resets": .everybody.with([:]), "POST /api/v1/email-changes": .everybody.with([:]),
        "GET /api/v1/me/sessions": .mine, "DELETE /api/v1/me/sessions": .mine,
        "DELETE /api/v1/me/sessions/current": .mine,
        "DELETE /api/v1/me/sessions/others": .mine, "DELETE /api/v1/me/sessions/{session}": .owner,
        "GET /api/v1/me": .mine, "DELETE /api/v1/me": .mine.with([:]),
        "PUT /api/v1/me/password": .mine.with([:]), "PUT /api/v1/me/email": .mine.with([:]),
        "GET /api/v1/me/access-tokens": .mine, "POST /api/v1/me/access-tokens": .mine.with([:]),
        "DELETE /api/v1/me/access-tokens/{token}": .owner,
        "POST /api/v1/me/export": .mine, "GET /api/v1/me/export": .mine, "GET /api/v1/me/export/archive": .mine,
        "DELETE /api/v1/me/export": .mine, "GET /api/v1/operations/{operation}": .owner,
        "PATCH /api/v1/me": .mine.with([:]), "GET /api/v1/me/bootstrap": .mine,
        "GET /api/v1/me/settings": .mine, "PATCH /api/v1/me/settings": .mine.with([:]),
        "GET /api/v1/readers/{username}": .unblocked, "GET /api/v1/readers": .members.at("/api/v1/readers?q=a"),

        // Friends
        "POST /api/v1/me/friend-requests": .peers.with(["username": "{username}"]),
        "GET /api/v1/me/friend-requests": .mine,
        "POST /api/v1/me/friend-requests/{request}/accept": .owner.at("/api/v1/me/friend-requests/{incoming}/accept"),
        "POST /api/v1/me/friend-requests/{request}/decline": .owner.at("/api/v1/me/friend-requests/{incoming}/decline"),
        "DELETE /api/v1/me/friend-requests/{request}": .owner.at("/api/v1/me/friend-requests/{outgoing}"),
        "GET /api/v1/me/friends": .mine,
        "DELETE /api/v1/me/friends/{username}": .members,
        // Who is blocked may block in turn; that there is no block to lift says nothing about the other.
        "PUT /api/v1/me/blocks/{username}": .mine,
        "DELETE /api/v1/me/blocks/{username}": .members,
        "GET /api/v1/me/blocks": .mine, "GET /api/v1/me/feed": .mine,

        // Reviews
        "PUT /api/v1/books/{book}/review": .members.with(["rating": 3]), "GET /api/v1/books/{book}/review": .mine,
        "DELETE /api/v1/books/{book}/review": .mine, "GET /api/v1/books/{book}/reviews": .everybody,
        "GET /api/v1/reviews/{review}": .friends,

        // Photographs
        "POST /api/v1/books/{book}/photos": .members, "GET /api/v1/books/{book}/photos": .everybody,
        "GET /api/v1/me/photos": .mine, "GET /api/v1/readers/{username}/photos": .unblocked,
        "GET /api/v1/photos/{photo}": .friends, "DELETE /api/v1/photos/{photo}": .owner,
        "PATCH /api/v1/photos/{photo}": .owner.with(["comment": "new"]), "PUT /api/v1/photos/{photo}/image": .owner,
        "GET /api/v1/photos/{photo}/{width}": .friends.at("/api/v1/photos/{photo}/320"),

        // Library
        "PUT /api/v1/books/{book}/shelf": .members.with(["shelf": "want"]), "GET /api/v1/books/{book}/shelf": .mine,
        "DELETE /api/v1/books/{book}/shelf": .mine,
        "GET /api/v1/readers/{username}/shelves": .unblocked,
        "GET /api/v1/readers/{username}/shelves/{shelf}": .unblocked, "GET /api/v1/me/shelves/{shelf}": .mine,
        "GET /api/v1/me/shelves": .mine,
        "GET /api/v1/me/lists": .mine, "POST /api/v1/me/lists": .members.with(["title": "another"]),
        "GET /api/v1/readers/{username}/lists": .unblocked, "GET /api/v1/lists/{list}": .friends,
        "PATCH /api/v1/lists/{list}": .owner.with(["title": "new"]), "DELETE /api/v1/lists/{list}": .owner,
        "GET /api/v1/lists/{list}/books": .friends,
        "PUT /api/v1/lists/{list}/books/{book}": .owner.with([:]),
        "DELETE /api/v1/lists/{list}/books/{book}": .owner,
        "POST /api/v1/me/shelves/{shelf}/link": .mine, "DELETE /api/v1/me/shelves/{shelf}/link": .mine,
        "POST /api/v1/lists/{list}/link": .owner, "DELETE /api/v1/lists/{list}/link": .owner,
        "GET /api/v1/shared/{token}": .unblocked.at("/api/v1/shared/{share}"),
        "GET /api/v1/shared/{token}/shelf": .unblocked.at("/api/v1/shared/{share}/shelf"),
        "GET /api/v1/shared/{token}/books": .unblocked.at("/api/v1/shared/{listShare}/books"),

        "PATCH /api/v1/books/{book}/readings/{reading}": .owner.at("/api/v1/books/{other}/readings/{reading}").with([:]
        ),
        "DELETE /api/v1/books/{book}/readings/{reading}": .owner.at("/api/v1/books/{other}/readings/{reading}"),
        "PUT /api/v1/books/{book}/rating": .members.with(["rating": 3]), "DELETE /api/v1/books/{book}/rating": .mine,
        "GET /api/v1/books/{book}/ratings": .everybody, "GET /api/v1/readers/{username}/reviews": .unblocked,

        // Statistics and goals
        "GET /api/v1/me/statistics": .mine, "GET /api/v1/readers/{username}/statistics": .unblocked,
        "GET /api/v1/me/goals/{year}": .mine, "PUT /api/v1/me/goals/{year}": .mine.with(["books": 12]),
        "DELETE /api/v1/me/goals/{year}": .mine,

        // Favourites, recommendations, places
        "PUT /api/v1/books/{book}/favourite": .members.with([:]), "DELETE /api/v1/books/{book}/favourite": .mine,
        "GET /api/v1/me/favourites": .mine, "GET /api/v1/readers/{username}/favourites": .unblocked,
        "PUT /api/v1/books/{book}/recommendation": .members.with([:]),
        "DELETE /api/v1/books/{book}/recommendation": .mine, "GET /api/v1/books/{book}/recommendations": .everybody,
        "GET /api/v1/me/recommendations": .mine, "GET /api/v1/readers/{username}/recommendations": .unblocked,
        "GET /api/v1/books/{book}/bookmarks": .mine,
        "POST /api/v1/books/{book}/bookmarks": .members.with(["percent": 10]),
        "GET /api/v1/me/bookmarks": .mine, "GET /api/v1/bookmarks/{bookmark}": .owner,
        "PATCH /api/v1/bookmarks/{bookmark}": .owner.with(["label": "new"]),
        "DELETE /api/v1/bookmarks/{bookmark}": .owner,
        "GET /api/v1/editions/{edition}/chapters": .everybody,
        "PUT /api/v1/editions/{edition}/chapters": .librarians.with(["chapters": [["title": "I", "position": 0]]]),
        "PUT /api/v1/books/{book}/position": .members.with(["percent": 10, "device": "d"]),
        "GET /api/v1/books/{book}/position": .mine, "GET /api/v1/books/{book}/position/journal": .mine,
        "GET /api/v1/me/reading": .mine,

        // E-books: the owner's own, which says the secret
        "PUT /api/v1/editions/{edition}/ebook": .members.at("/api/v1/editions/{edition}/ebook?rights=own_copy"),
        "GET /api/v1/books/{book}/ebooks": .everybody, "GET /api/v1/books/{book}/open": .everybody.lenient,
        "GET /api/v1/me/ebooks": .mine, "GET /api/v1/ebooks/{ebook}": .owner,
        "PATCH /api/v1/ebooks/{ebook}": .owner.with(["rights": "own_copy"]), "DELETE /api/v1/ebooks/{ebook}": .owner,
        "GET /api/v1/ebooks/{ebook}/pages": .owner,
        "GET /api/v1/ebooks/{ebook}/pages/{page}": .owner.at("/api/v1/ebooks/{ebook}/pages/1"),
        "GET /api/v1/ebooks/{ebook}/pages/{page}/talk": .owner.at("/api/v1/ebooks/{ebook}/pages/1/talk"),
        "GET /api/v1/ebooks/{ebook}/pictures/{number}": .owner.at("/api/v1/ebooks/{ebook}/pictures/0"),
        "GET /api/v1/ebooks/{ebook}/search": .owner.at("/api/v1/ebooks/{ebook}/search?q=mine"),
        "GET /api/v1/ebooks/{ebook}/talk": .owner, "GET /api/v1/ebooks/{ebook}/offline": .owner,

        // The notebook: a note for friends, and one for all that lies ahead
        "GET /api/v1/books/{book}/notebook": .mine, "GET /api/v1/me/notebooks": .mine,
        "GET /api/v1/books/{book}/notes": .mine,
        "GET /api/v1/me/notebook/search": .mine.at("/api/v1/me/notebook/search?q=mine"),
        "GET /api/v1/me/notebook.json": .mine, "GET /api/v1/me/notebook.md": .mine,
        "GET /api/v1/me/notebook.csv": .mine,
        "POST /api/v1/me/notebook/import": .members.with(
            ["format": "commonplace.notebook", "version": 1, "books": []]),
        "POST /api/v1/notes/{note}/share": .owner.with(["title": "words"]),
        "POST /api/v1/books/{book}/notes": .members.with(["title": "another"]),
        "GET /api/v1/notes/{note}": .friends, "PATCH /api/v1/notes/{note}": .owner.with(["title": "new"]),
        "DELETE /api/v1/notes/{note}": .owner, "GET /api/v1/readers/{username}/notes": .unblocked,
        "PUT /api/v1/notes/{note}/reactions/{name}": .friends.but(.refused, for: .owner).at(
            "/api/v1/notes/{note}/reactions/like"),
        "DELETE /api/v1/notes/{note}/reactions/{name}": .friends.at("/api/v1/notes/{note}/reactions/like"),
        "POST /api/v1/notes/{note}/items": .owner.with(["kind": "text", "body": "more"]),
        "PATCH /api/v1/notes/{note}/items/{item}": .owner.with(["body": "new"]),
        "DELETE /api/v1/notes/{note}/items/{item}": .owner,
        "PUT /api/v1/notes/{note}/themes/{theme}": .owner, "DELETE /api/v1/notes/{note}/themes/{theme}": .owner,
        "GET /api/v1/books/{book}/themes": .mine,
        "POST /api/v1/books/{book}/themes": .members.with(["name": "another"]),
        "GET /api/v1/themes/{theme}": .owner, "PATCH /api/v1/themes/{theme}": .owner.with(["name": "new"]),
        "DELETE /api/v1/themes/{theme}": .owner, "GET /api/v1/themes/{theme}/notes": .owner,
        "POST /api/v1/themes/{theme}/merge": .owner.with(["into_id": "1"]),
        "GET /api/v1/books/{book}/folders": .mine,
        "POST /api/v1/books/{book}/folders": .members.with(["name": "another"]),
        "GET /api/v1/folders/{folder}": .owner, "PATCH /api/v1/folders/{folder}": .owner.with(["name": "new"]),
        "DELETE /api/v1/folders/{folder}": .owner.at("/api/v1/folders/{folder}?notes=keep"),
        "GET /api/v1/folders/{folder}/folders": .owner, "GET /api/v1/folders/{folder}/notes": .owner,

        // Shared libraries: the owner's own and a household, both for friends
        "GET /api/v1/me/library": .mine,
        "GET /api/v1/me/libraries": .mine, "POST /api/v1/me/libraries": .members.with(["name": "another"]),
        "GET /api/v1/readers/{username}/libraries": .unblocked, "GET /api/v1/libraries/{library}": .friends,
        "PATCH /api/v1/libraries/{library}": .ownerBeforeFriends.with(["name": "new"]),
        "DELETE /api/v1/libraries/{library}": .ownerBeforeFriends.at("/api/v1/libraries/{empty}"),
        "POST /api/v1/libraries/{library}/link": .ownerBeforeFriends,
        "DELETE /api/v1/libraries/{library}/link": .ownerBeforeFriends,
        "GET /api/v1/libraries/{library}/members": .owner,
        "POST /api/v1/libraries/{library}/members": .ownerBeforeFriends.with(["username": "{newcomer}"]),
        "PATCH /api/v1/libraries/{library}/members/{username}": .ownerBeforeFriends.at(
            "/api/v1/libraries/{group}/members/{guest}"
        ).with(["role": "contributor"]),
        "DELETE /api/v1/libraries/{library}/members/{username}": .ownerBeforeFriends.at(
            "/api/v1/libraries/{group}/members/{guest}"),
        "POST /api/v1/libraries/{library}/invitation/accept": .owner.at("/api/v1/libraries/{group}/invitation/accept"),
        "POST /api/v1/libraries/{library}/invitation/decline": .owner.at(
            "/api/v1/libraries/{group}/invitation/decline"
        ).lenient,
        "DELETE /api/v1/libraries/{library}/membership": .friends.at("/api/v1/libraries/{group}/membership"),
        "GET /api/v1/libraries/{library}/copies": .friends,
        "POST /api/v1/libraries/{library}/copies": .ownerBeforeFriends.with(["book_id": "{other}"]),
        "GET /api/v1/copies/{copy}": .friends,
        "PATCH /api/v1/copies/{copy}": .ownerBeforeFriends.with(["label": "new"]),
        "DELETE /api/v1/copies/{copy}": .ownerBeforeFriends,
        "GET /api/v1/shared/{token}/copies": .unblocked.at("/api/v1/shared/{libraryShare}/copies"),
        "POST /api/v1/books/{book}/checkout": .ownerBeforeFriends.with(["library_id": "{library}"]),
        "POST /api/v1/books/{book}/return": .owner.at("/api/v1/books/{other}/return").with(["library_id": "{library}"]),
        "POST /api/v1/books/{book}/renew": .owner.at("/api/v1/books/{other}/renew").with(["library_id": "{library}"]),
        "POST /api/v1/checkouts/{checkout}/return": .owner, "GET /api/v1/me/borrowed": .mine,
        "GET /api/v1/libraries/{library}/checkouts": .friends,
        "POST /api/v1/copies/{copy}/loans": .friends, "GET /api/v1/me/loans": .mine, "GET /api/v1/loans/{loan}": .owner,
        "POST /api/v1/loans/{loan}/accept": .owner.with([:]), "POST /api/v1/loans/{loan}/decline": .owner,
        "POST /api/v1/loans/{loan}/withdraw": .owner.at("/api/v1/loans/{question}/withdraw"),
        "POST /api/v1/loans/{loan}/hand-over": .owner,
        "POST /api/v1/loans/{loan}/return": .owner.at("/api/v1/loans/{lent}/return"),

        // Messages: a conversation of the owner and the participant, in which the owner has said something. A reader who was
        // a friend finds theirs; nobody but a friend opens one.
        "PUT /api/v1/me/conversations/with/{username}": Expectation(
            passing: [.owner, .friend, .participant, .exFriend], passes: .passes, others: .notFriends,
            between: [.blocked: .hidden, .blocker: .hidden]),
        "GET /api/v1/me/conversations": .mine, "GET /api/v1/me/conversations/unread": .mine,
        "GET /api/v1/conversations/{conversation}": .correspondents,
        "PATCH /api/v1/conversations/{conversation}": .correspondents.with(["is_muted": true]),
        "PUT /api/v1/conversations/{conversation}/read": .correspondents.with(["seq": 1]),
        "GET /api/v1/conversations/{conversation}/messages": .correspondents,
        "POST /api/v1/conversations/{conversation}/messages": .correspondents.with(["body": "another"]),
        "GET /api/v1/messages/{message}": .correspondents,
        "PATCH /api/v1/messages/{message}": .ownerBeforeCorrespondent.with(["body": "new"]),
        "DELETE /api/v1/messages/{message}": .ownerBeforeCorrespondent,
        "GET /api/v1/me/settings/messages": .mine,
        "PATCH /api/v1/me/settings/messages": .mine.with(["has_read_receipts": false]),

        // Notifications: one of the owner's
        "GET /api/v1/me/notifications": .mine, "PUT /api/v1/me/notifications/seen": .mine,
        "PUT /api/v1/me/notifications/read": .owner.with(["through": "{notification}"]),
        "PUT /api/v1/me/notifications/{notification}/read": .owner,
        "DELETE /api/v1/me/notifications/{notification}": .owner,
        "GET /api/v1/me/settings/notifications": .mine, "PATCH /api/v1/me/settings/notifications": .mine.with([:]),

        // Pictures
        "PUT /api/v1/me/picture": .mine, "DELETE /api/v1/me/picture": .mine,
        "GET /api/v1/editions/{edition}/cover": .everybody,
        "PUT /api/v1/editions/{edition}/cover": .librarians,
        "DELETE /api/v1/editions/{edition}/cover": .librarians.lenient,
        "PUT /api/v1/editions/{edition}/proposed-cover": .members,
        "GET /covers/{edition}/{width}": .everybody, "GET /covers/books/{book}/{width}": .everybody,
        "GET /media/{hash}": Expectation(passing: [], passes: .passes, others: .hidden),

        // A reader by name, to whom the owner is what the actor is to the owner
        "GET /api/v1/readers/{username}/friends": .friends,
        "GET /api/v1/readers/{username}/friends/mutual": .peers,
        "GET /api/v1/me/friend-suggestions": .mine,
        "DELETE /api/v1/me/friend-suggestions/{username}": Expectation(
            passing: Actor.members.subtracting([.owner, .blocked, .blocker]), passes: .passes, others: .hidden),
        "PUT /api/v1/me/mutes/{username}": .peers, "DELETE /api/v1/me/mutes/{username}": .members,
        "GET /api/v1/me/mutes": .mine,

        // Following; the list is for friends
        "PUT /api/v1/books/{book}/follow": .members, "DELETE /api/v1/books/{book}/follow": .members,
        "PUT /api/v1/authors/{author}/follow": .members, "DELETE /api/v1/authors/{author}/follow": .members,
        "PUT /api/v1/series/{series}/follow": .members, "DELETE /api/v1/series/{series}/follow": .members,
        "PUT /api/v1/lists/{list}/follow": .friends, "DELETE /api/v1/lists/{list}/follow": .members,
        "GET /api/v1/me/follows": .mine, "GET /api/v1/me/reports": .mine, "GET /api/v1/me/sanctions": .mine,
        "POST /api/v1/reports": .mine.with(["target": "reader:nobody_of_that_name", "category": "spam"]).lenient,
        // Reports and what becomes of them
        "GET /api/v1/moderation/log": .everybody.lenient,
        "GET /api/v1/groups/{group}/moderation/log": .fellows.at("/api/v1/groups/{club}/moderation/log").lenient,
        "GET /api/v1/moderation/audit": .moderators, "GET /api/v1/moderation/content": .moderators,
        "GET /api/v1/moderation/readers": .moderators, "GET /api/v1/moderation/readers/{username}": .moderators,
        "GET /api/v1/moderation/stats": .moderators, "GET /api/v1/moderation/reports": .moderators,
        "GET /api/v1/moderation/reports/{case}": .moderators.lenient,
        "PUT /api/v1/moderation/reports/{case}/claim": .moderators.lenient,
        "DELETE /api/v1/moderation/reports/{case}/claim": .moderators.lenient,
        "POST /api/v1/moderation/reports/{case}/notes": .moderators.with(["text": "r"]).lenient,
        "POST /api/v1/moderation/reports/{case}/decision": .moderators.with([
            "outcome": "dismissed", "version": 1, "reason": "r",
        ]).lenient,
        "POST /api/v1/moderation/reports/{case}/reopen": .moderators.with(["version": 1, "reason": "r"]).lenient,
        "POST /api/v1/moderation/acts": .moderators.with([
            "verb": "warn", "reason": "r", "target": "reader:nobody_there",
        ])
        .lenient,
        "GET /api/v1/moderation/acts/{act}": .moderators.lenient,
        "GET /api/v1/moderation/acts/{act}/targets": .moderators.lenient,
        "POST /api/v1/moderation/acts/{act}/start": .moderators.lenient,
        "DELETE /api/v1/moderation/acts/{act}": .moderators.lenient,
        "POST /api/v1/moderation/acts/{act}/undo": .moderators.with(["reason": "r"]).lenient,
        "GET /api/v1/books/{book}/moderators": .everybody,
        "PUT /api/v1/books/{book}/moderators/{username}": .moderators.with(["reason": "r"])
            .at("/api/v1/books/{book}/moderators/nobody_there").lenient,
        "DELETE /api/v1/books/{book}/moderators/{username}": .moderators.at(
            "/api/v1/books/{book}/moderators/nobody_there"
        ).lenient,
        // Boards, read
        "GET /api/v1/books/{book}/threads": .everybody, "GET /api/v1/threads/{thread}": .unblocked,
        "GET /api/v1/threads/{thread}/posts": .unblocked, "GET /api/v1/posts/{post}": .unblocked,
        "GET /api/v1/posts/{post}/replies": .unblocked, "GET /api/v1/me/posts": .mine,
        "GET /api/v1/readers/{username}/posts": .unblocked,
        "GET /api/v1/boards/search": .everybody.at("/api/v1/boards/search?q=words"),
        "GET /api/v1/books/{book}/threads/search": .everybody.at("/api/v1/books/{book}/threads/search?q=words"),
        "GET /api/v1/threads/{thread}/posts/search": .unblocked.at("/api/v1/threads/{thread}/posts/search?q=words"),

        // Reactions, markers and moderation on boards
        "PUT /api/v1/posts/{post}/reactions/{name}": .otherPeers.at("/api/v1/posts/{post}/reactions/like"),
        "DELETE /api/v1/posts/{post}/reactions/{name}": .peers.at("/api/v1/posts/{post}/reactions/like"),
        "PUT /api/v1/threads/{thread}/read": .peers.with(["number": 1]),
        "DELETE /api/v1/threads/{thread}/read": .members,
        "PUT /api/v1/threads/{thread}/follow": .peers, "DELETE /api/v1/threads/{thread}/follow": .mine,
        "PUT /api/v1/threads/{thread}/mute": .peers, "DELETE /api/v1/threads/{thread}/mute": .mine,
        "PUT /api/v1/books/{book}/board/follow": .members, "DELETE /api/v1/books/{book}/board/follow": .mine,
        "PUT /api/v1/books/{book}/board/mute": .members, "DELETE /api/v1/books/{book}/board/mute": .mine,
        "PUT /api/v1/books/{book}/board/read": .members,
        "PUT /api/v1/groups/{group}/board/follow": .fellows.at("/api/v1/groups/{club}/board/follow"),
        "DELETE /api/v1/groups/{group}/board/follow": .mine.at("/api/v1/groups/{club}/board/follow"),
        "PUT /api/v1/groups/{group}/board/mute": .fellows.at("/api/v1/groups/{club}/board/mute"),
        "DELETE /api/v1/groups/{group}/board/mute": .mine.at("/api/v1/groups/{club}/board/mute"),
        "PUT /api/v1/groups/{group}/board/read": .fellows.at("/api/v1/groups/{club}/board/read"),
        "GET /api/v1/me/threads": .mine,
        "PUT /api/v1/threads/{thread}/lock": .moderators, "DELETE /api/v1/threads/{thread}/lock": .moderators,
        "PUT /api/v1/threads/{thread}/pin": .moderators, "DELETE /api/v1/threads/{thread}/pin": .moderators,
        "PUT /api/v1/posts/{post}/hide": .moderators.with(["reason": "because"]),
        "DELETE /api/v1/posts/{post}/hide": .moderators,
        // Boards, written
        "POST /api/v1/books/{book}/threads": .members.with(["title": "a thread", "body": "words"]),
        "POST /api/v1/threads/{thread}/posts": .peers.with(["body": "words"]),
        "PATCH /api/v1/posts/{post}": .ownerBeforePeers.with(["body": "other words"]),
        "DELETE /api/v1/posts/{post}": .ownerBeforePeers,
        "GET /api/v1/posts/{post}/history": .unblocked,
        // The gate
        "GET /api/v1/me/settings/gate": .mine, "PATCH /api/v1/me/settings/gate": .mine.with([:]),
        "GET /api/v1/me/reveals": .mine,
        "GET /api/v1/books/{book}/gate": .everybody,
        "PUT /api/v1/books/{book}/reveal": .members, "DELETE /api/v1/books/{book}/reveal": .members,
        "PUT /api/v1/threads/{thread}/reveal": .peers, "DELETE /api/v1/threads/{thread}/reveal": .peers,
        "PUT /api/v1/posts/{post}/reveal": .peers, "DELETE /api/v1/posts/{post}/reveal": .peers,
        "PUT /api/v1/posts/{post}/spoils": .spoilerMarks,
        "DELETE /api/v1/posts/{post}/spoils": .peers,
        "PUT /api/v1/posts/{post}/scope": .moderators.with(
            ["scope": ["upto": 5000], "reason": "It says how it ends"]),

        // Groups: a private one of the owner's, the friend a member
        "GET /api/v1/groups": .everybody, "POST /api/v1/groups": .members.with(["name": "another"]),
        "GET /api/v1/groups/{group}": .fellows.at("/api/v1/groups/{club}"),
        "PATCH /api/v1/groups/{group}": .ownerBeforeFellows.at("/api/v1/groups/{club}").with(["name": "new"]),
        "DELETE /api/v1/groups/{group}": .ownerBeforeFellows.at("/api/v1/groups/{club}"),
        "GET /api/v1/me/groups": .mine, "GET /api/v1/me/group-invitations": .mine,
        "GET /api/v1/readers/{username}/groups": .unblocked,
        "GET /api/v1/groups/{group}/members": .fellows.at("/api/v1/groups/{club}/members"),
        "PUT /api/v1/groups/{group}/membership": .fellows.at("/api/v1/groups/{club}/membership"),
        "DELETE /api/v1/groups/{group}/membership": .fellows.at("/api/v1/groups/{club}/membership"),
        "PATCH /api/v1/groups/{group}/members/{username}": .ownerBeforeFellows.at(
            "/api/v1/groups/{club}/members/{comrade}"
        ).with(["role": "moderator"]),
        "DELETE /api/v1/groups/{group}/members/{username}": .ownerBeforeFellows.at(
            "/api/v1/groups/{club}/members/{comrade}"),
        "GET /api/v1/groups/{group}/requests": .ownerBeforeFellows.at("/api/v1/groups/{club}/requests"),
        "POST /api/v1/groups/{group}/requests/{username}/accept": .ownerBeforeFellows.at(
            "/api/v1/groups/{club}/requests/{applicant}/accept"),
        "POST /api/v1/groups/{group}/requests/{username}/decline": .ownerBeforeFellows.at(
            "/api/v1/groups/{club}/requests/{applicant}/decline"),
        "POST /api/v1/groups/{group}/invitation/accept": .fellows.at("/api/v1/groups/{club}/invitation/accept"),
        "POST /api/v1/groups/{group}/invitation/decline": .fellows.at("/api/v1/groups/{club}/invitation/decline")
            .lenient,
        "PUT /api/v1/groups/{group}/invitations/{username}": .ownerBeforeFellows.at(
            "/api/v1/groups/{club}/invitations/{newcomer}"),
        "DELETE /api/v1/groups/{group}/invitations/{username}": .ownerBeforeFellows.at(
            "/api/v1/groups/{club}/invitations/{guest}"),
        "GET /api/v1/groups/{group}/bans": .ownerBeforeFellows.at("/api/v1/groups/{club}/bans"),
        "PUT /api/v1/groups/{group}/bans/{username}": .ownerBeforeFellows.at(
            "/api/v1/groups/{club}/bans/{comrade}"),
        "DELETE /api/v1/groups/{group}/bans/{username}": .ownerBeforeFellows.at(
            "/api/v1/groups/{club}/bans/{banned}"),
        "GET /api/v1/groups/{group}/threads": .fellows.at("/api/v1/groups/{club}/threads"),
        "POST /api/v1/groups/{group}/threads": .fellows.at("/api/v1/groups/{club}/threads").with([
            "title": "another", "body": "Words",
        ]),
        // What others make of reviews: the scene's is for friends
        "GET /api/v1/reviews/{review}/history": .friends, "GET /api/v1/reviews/{review}/replies": .friends,
        "POST /api/v1/reviews/{review}/replies": .friends.with(["body": "words"]),
        "GET /api/v1/review-replies/{reply}": .friends,
        "PATCH /api/v1/review-replies/{reply}": .owner.with(["body": "other words"]),
        "DELETE /api/v1/review-replies/{reply}": .owner,
        "PUT /api/v1/reviews/{review}/reactions/{name}": .friends.but(.refused, for: .owner).at(
            "/api/v1/reviews/{review}/reactions/like"),
        "DELETE /api/v1/reviews/{review}/reactions/{name}": .friends.at("/api/v1/reviews/{review}/reactions/like"),
        "PUT /api/v1/reviews/{review}/reveal": .friends, "DELETE /api/v1/reviews/{review}/reveal": .friends,
        "GET /api/v1/books/{book}/friends": .members,
    ]

    /// Nobody of the scene is that far in the book, and moderators need not be.
    static let spoilerMarks = Expectation(
        passing: [.moderator], passes: .passes, others: .refused, between: [.blocked: .hidden, .blocker: .hidden],
        body: ["position": 5000])
}
