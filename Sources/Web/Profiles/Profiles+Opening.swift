import Community
import EventLog
import HTTPTypes
import Hummingbird
import JSONWriting

extension Profiles.Routes {
    func addOpening(to routes: inout RouteTable) {
        routes.get(
            "/me/bootstrap", access: .session,
            summary: "All that an app shows when it opens; `stream_cursor` is where the stream goes on from here.",
            reply: Self.opening, opening)
    }

    /// `GET /me/bootstrap` → 200. Each part is the beginning of a list; its own route gives the rest.
    @Sendable private func opening(_ request: Request, context: SiteContext) async throws -> Reply {
        let opening = try await site.community.profiles.opening(of: try context.signedIn().account)
        return try Reply.json(.ok, OpeningBody(opening, context))
    }

    struct OpeningBody: Encodable, Sendable {
        let me: Accounts.Routes.AccountBody
        let settings: SettingsBody
        let shelves: Shelves
        let favourites: [Praise.Mark]
        let library: [Lending.MyBook]
        let borrowed: [Lending.Checkout]
        let bookmarks: [Places.Bookmark]
        let friends: FriendsBody
        let unread: Accounts.Unread
        let topBooks: [Catalog.Routes.ItemBody]
        let streamCursor: String

        struct FriendsBody: Encodable, Sendable {
            let friendCount: Int
            let items: [Friends.Friend]
        }

        /// The number of books on each shelf, and the books that were added last under each status.
        struct Shelves: JSONForm, Sendable {
            let counts: Library.Counts
            let entries: [Library.Entry]

            func put(into object: JSONObject) {
                object.put("counts", counts)
                for status in Library.Status.allCases {
                    object.put(named: status.rawValue, entries.filter { $0.status == status })
                }
            }
        }

        init(_ opening: Profiles.Opening, _ context: SiteContext) {
            let (own, base) = (opening.own, context.base)
            me = Accounts.Routes.AccountBody(
                account: own.account, picture: own.picture.map { Media.PictureBody($0, base: base) })
            settings = SettingsBody(privacy: opening.privacy, timeZone: own.account.timeZone)
            shelves = Shelves(counts: opening.counts, entries: opening.entries)
            favourites = own.favourites
            library = opening.library
            borrowed = opening.borrowed
            bookmarks = opening.bookmarks
            friends = FriendsBody(friendCount: own.account.friends, items: opening.friends)
            unread = opening.unread
            topBooks = opening.top.map { book in
                Catalog.Routes.ItemBody(item: book, cover: opening.covers[book.id])
            }
            streamCursor = opening.position.text(signedBy: context.community.services.settings.secret)
        }
    }

    private static let count = Schema.integer(0...Int(Int32.max))

    private static let openingShelves = Schema.record(
        name: "BootstrapShelves",
        [Schema.Property(name: "counts", schema: Library.Routes.shelves, isRequired: true)]
            + Library.Status.allCases.map {
                Schema.Property(
                    name: $0.rawValue,
                    schema: .array(Library.Routes.entry, count: 0...Limits.profiles.openingEntries), isRequired: true)
            })

    static let opening = Schema.object(
        "Bootstrap",
        [
            "me": Accounts.Routes.account, "settings": settings, "shelves": openingShelves,
            "favourites": favourites,
            "library": .array(Lending.Routes.myBook, count: 0...Limits.profiles.openingLibrary),
            "borrowed": .array(Lending.Routes.checkout, count: 0...Limits.profiles.openingBorrowed),
            "bookmarks": .array(Places.Routes.bookmark, count: 0...Limits.profiles.openingBookmarks),
            "friends": .object(
                "BootstrapFriends",
                [
                    "friend_count": count,
                    "items": .array(Friends.Routes.friend, count: 0...Limits.profiles.openingFriends),
                ]),
            "unread": .object("Unread", ["message_count": count, "notification_count": count]),
            "top_books": .array(Catalog.Routes.item, count: 0...Limits.profiles.openingBooks),
            "stream_cursor": .string,
        ])
}
