import TestSupport
import Web

extension Expectation {
    /// Every route of the server with what it answers to whom. A route that is not here fails the test.
    static let table: [String: Expectation] = [
        // The server
        "GET /livez": .everybody, "GET /readyz": .everybody,
        "GET /metrics": Expectation(passing: [], passes: .passes, others: .hidden),
        "GET /api/v1/server": .everybody, "GET /api/v1/openapi.json": .everybody,
        "GET /api/v1/stream": .everybodySigned,

        // Catalogue
        "GET /api/v1/books": .everybody, "GET /api/v1/genres": .everybody,
        "POST /api/v1/books": .members.with(["title": "Quite another one"]),
        "GET /api/v1/books/{book}": .everybody, "GET /api/v1/authors/{author}": .everybody,
        "GET /api/v1/editions/{edition}": .everybody, "GET /api/v1/series/{series}": .everybody,
        "GET /api/v1/series/{series}/books": .everybody,
        "PATCH /api/v1/books/{book}": .members.with(["title": "Yet another one"]),
        "PATCH /api/v1/editions/{edition}": .members.with(["pages": 100]),
        "PATCH /api/v1/authors/{author}": .members.with(["about": "words"]),
        "GET /api/v1/books/{book}/revisions": .everybody, "GET /api/v1/editions/{edition}/revisions": .everybody,
        "GET /api/v1/authors/{author}/revisions": .everybody,
        "POST /api/v1/books/{book}/merge": .librarians.with(["into": "1"]).lenient,
        "POST /api/v1/editions/{edition}/merge": .librarians.with(["into": "1"]).lenient,
        "POST /api/v1/authors/{author}/merge": .librarians.with(["into": "1"]).lenient,
        "POST /api/v1/revisions/{revision}/undo": .librarians.with([:]),
        "GET /api/v1/proposals": .librarians, "GET /api/v1/me/proposals": .mine,
        "GET /api/v1/proposals/{proposal}": .ownerAndLibrarians,
        "POST /api/v1/proposals/{proposal}/accept": .librarians.with([:]),
        "POST /api/v1/proposals/{proposal}/decline": .librarians.with([:]),
        "DELETE /api/v1/proposals/{proposal}": .owner,
        "GET /api/v1/isbn/{code}": .everybody, "POST /api/v1/isbn/resolve": .everybody.with(["codes": ["1"]]),
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
        "GET /api/v1/sessions": .mine, "DELETE /api/v1/sessions": .mine, "DELETE /api/v1/sessions/current": .mine,
        "DELETE /api/v1/sessions/others": .mine, "DELETE /api/v1/sessions/{session}": .owner,
        "GET /api/v1/me": .mine, "DELETE /api/v1/me": .mine.with([:]),
        "PUT /api/v1/me/password": .mine.with([:]), "PUT /api/v1/me/email": .mine.with([:]),
        "GET /api/v1/me/access-tokens": .mine, "POST /api/v1/me/access-tokens": .mine.with([:]),
        "DELETE /api/v1/me/access-tokens/{token}": .owner,
        "POST /api/v1/me/export": .mine, "GET /api/v1/me/export": .mine, "GET /api/v1/me/export/archive": .mine,
        "DELETE /api/v1/me/export": .mine,
        "PATCH /api/v1/me": .mine.with([:]), "GET /api/v1/bootstrap": .mine,
        "GET /api/v1/me/settings": .mine, "PATCH /api/v1/me/settings": .mine.with([:]),
        "GET /api/v1/readers/{username}": .unblocked,

        // Friends
        "POST /api/v1/friend-requests": .peers.with(["username": "{username}"]),
        "GET /api/v1/friend-requests": .mine,
        "POST /api/v1/friend-requests/{request}/accept": .owner.at("/api/v1/friend-requests/{incoming}/accept"),
        "POST /api/v1/friend-requests/{request}/decline": .owner.at("/api/v1/friend-requests/{incoming}/decline"),
        "DELETE /api/v1/friend-requests/{request}": .owner.at("/api/v1/friend-requests/{outgoing}"),
        "GET /api/v1/friends": .mine,
        "DELETE /api/v1/friends/{reader}": Expectation(passing: [.friend], passes: .passes, others: .hidden),
        // Who is blocked may block in turn; a block that is there is lifted by who made it.
        "PUT /api/v1/blocks/{username}": .mine,
        "DELETE /api/v1/blocks/{username}": Expectation(passing: [.blocker], passes: .passes, others: .hidden),
        "GET /api/v1/blocks": .mine, "GET /api/v1/feed": .mine,

        // Reviews
        "PUT /api/v1/books/{book}/review": .members.with(["rating": 3]), "GET /api/v1/books/{book}/review": .mine,
        "DELETE /api/v1/books/{book}/review": .mine, "GET /api/v1/books/{book}/reviews": .everybody,
        "GET /api/v1/reviews/{review}": .friends,

        // Library
        "PUT /api/v1/books/{book}/shelf": .members.with(["status": "want"]), "GET /api/v1/books/{book}/shelf": .mine,
        "DELETE /api/v1/books/{book}/shelf": .mine,
        "GET /api/v1/readers/{username}/shelves": .unblocked,
        "GET /api/v1/readers/{username}/shelves/{status}": .unblocked,
        "GET /api/v1/me/shelves": .mine, "PATCH /api/v1/me/shelves": .mine.with([:]),
        "GET /api/v1/lists": .mine, "POST /api/v1/lists": .members.with(["title": "another"]),
        "GET /api/v1/readers/{username}/lists": .unblocked, "GET /api/v1/lists/{list}": .friends,
        "PATCH /api/v1/lists/{list}": .owner.with(["title": "new"]), "DELETE /api/v1/lists/{list}": .owner,
        "GET /api/v1/lists/{list}/books": .friends,
        "PUT /api/v1/lists/{list}/books/{book}": .owner.with([:]),
        "DELETE /api/v1/lists/{list}/books/{book}": .owner,
        "POST /api/v1/me/shelves/{status}/link": .mine, "DELETE /api/v1/me/shelves/{status}/link": .mine,
        "POST /api/v1/lists/{list}/link": .owner, "DELETE /api/v1/lists/{list}/link": .owner,
        "GET /api/v1/shared/{token}": .unblocked.at("/api/v1/shared/{share}"),
        "GET /api/v1/shared/{token}/shelf": .unblocked.at("/api/v1/shared/{share}/shelf"),
        "GET /api/v1/shared/{token}/books": .unblocked.at("/api/v1/shared/{listShare}/books"),

        "POST /api/v1/me/shelves/link": .mine, "DELETE /api/v1/me/shelves/link": .mine,
        "PATCH /api/v1/books/{book}/readings/{reading}": .owner.at("/api/v1/books/{other}/readings/{reading}").with([:]
        ),
        "DELETE /api/v1/books/{book}/readings/{reading}": .owner.at("/api/v1/books/{other}/readings/{reading}"),
        "PUT /api/v1/books/{book}/rating": .members.with(["rating": 3]), "DELETE /api/v1/books/{book}/rating": .mine,
        "GET /api/v1/books/{book}/ratings": .everybody,

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

        // Pictures
        "PUT /api/v1/me/picture": .mine, "DELETE /api/v1/me/picture": .mine,
        "GET /api/v1/editions/{edition}/cover": .everybody,
        "PUT /api/v1/editions/{edition}/cover": .librarians,
        "DELETE /api/v1/editions/{edition}/cover": .librarians.lenient,
        "PUT /api/v1/editions/{edition}/proposed-cover": .members,
        "GET /covers/{edition}/{width}": .everybody, "GET /covers/books/{book}/{width}": .everybody,
        "GET /media/{hash}": Expectation(passing: [], passes: .passes, others: .hidden),
    ]
}
