/// The limits of what readers keep: shelves, lists, praise, places, profiles and shared libraries.
extension Limits {
    package struct Library: Sendable {
        /// Books in one library.
        @Limit("library.books", "per_account") package var entries = 20_000
        /// Bytes of a note, at an entry or at a book on a list.
        @Limit("library.note", "bytes") package var note = 1...2000
        /// Lists of one reader, and books on one list.
        @Limit("list.lists", "per_account") package var lists = 500
        @Limit("list.books", "per_list") package var listBooks = 5_000
        /// Bytes.
        @Limit("list.title", "bytes") package var listTitle = 1...200
        @Limit("list.description", "bytes") package var listDescription = 1...5000
    }
    package static let library = Library()

    package struct Praise: Sendable {
        /// Favourites of one reader, and recommendations.
        @Limit("praise.marks", "per_account") package var marks = 2_000
    }
    package static let praise = Praise()

    package struct Places: Sendable {
        /// Bytes of a device's name.
        @Limit("position.device", "bytes") package var device = 1...64
        /// Pages of a copy.
        @Limit("position.pages", "pages") package var pages = 1...100_000
        /// Chapters of an edition, and bytes of the title of one.
        @Limit("edition.chapters", "items") package var chapters = 1...2000
        @Limit("edition.chapter_title", "bytes") package var chapterTitle = 1...500
        /// Bookmarks of one reader in one book, and bytes of what one is called.
        @Limit("bookmark.bookmarks", "per_book") package var bookmarks = 1_000
        @Limit("bookmark.label", "bytes") package var label = 1...500
    }
    package static let places = Places()

    package struct Profiles: Sendable {
        /// Days from one change of a username to the next.
        @Limit("account.rename", "days") package var renameDays: Int64 = 30
        /// Changes of what is told of one reader's username and name in a day.
        @Limit("account.names", "per_day") package var namesPerDay = 10
        package let nameWindow: Duration = .seconds(86_400)
        /// Bytes of what readers are looked for by, words of it that count, and readers with such words that are looked at.
        @Limit("reader.query", "bytes") package var query = 1...100
        package let foundWords = 4
        @Limit("reader.found", "items") package var found = 1_000
        /// Favourites that a profile shows.
        @Limit("profile.favourites", "items") package var favourites = 20
        /// What the opening call gives at most: books of each status, owned, borrowed and bookmarked books, borrowed
        /// books, bookmarks, friends, and books that are read most.
        @Limit("bootstrap.shelf", "per_status") package var openingEntries = 12
        @Limit("bootstrap.library", "items") package var openingLibrary = 20
        @Limit("bootstrap.borrowed", "items") package var openingBorrowed = 20
        @Limit("bootstrap.bookmarks", "items") package var openingBookmarks = 20
        @Limit("bootstrap.friends", "items") package var openingFriends = 20
        @Limit("bootstrap.top_books", "items") package var openingBooks = 20
    }
    package static let profiles = Profiles()

    package struct Lending: Sendable {
        /// Libraries of one reader, members of one library; invitations count as both.
        @Limit("shared_library.libraries", "per_account") package var libraries = 100
        @Limit("shared_library.members", "items") package var members = 1_000
        @Limit("shared_library.invitations", "per_day") package var invitationsPerDay = 100
        /// Bytes.
        @Limit("shared_library.name", "bytes") package var name = 1...200
        @Limit("shared_library.description", "bytes") package var description = 1...5000
        /// Copies in one library, and bytes of what is said about one.
        @Limit("shared_library.copies", "items") package var copies = 20_000
        @Limit("copy.label", "bytes") package var label = 1...200
        /// Days until a copy is due; renewals of one checkout; days before, on which its reader is told.
        @Limit("checkout.days", "days") package var loanDays = 1...365
        @Limit("checkout.usual_days", "days") package var usualLoanDays = 21
        @Limit("checkout.renewals", "times") package var renewals = 3
        @Limit("checkout.notice", "days") package var noticeDays = 2
        /// Books that one reader has out.
        @Limit("checkout.open", "per_account") package var checkouts = 200
        /// Questions to friends that are open, and of one day.
        @Limit("loan.open", "per_account") package var openLoans = 50
        @Limit("loan.asked", "per_day") package var loansPerDay = 100
    }
    package static let lending = Lending()
}
