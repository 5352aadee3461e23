/// The limits of what readers keep: shelves, lists, praise, places, profiles and shared libraries; their lines are in
/// `Limits.table`.
extension Limits {
    package enum Library {
        /// Books in one library.
        package static let entries = 20_000
        /// Bytes of a note, at an entry or at a book on a list.
        package static let note = 1...2000
        /// Lists of one reader, and books on one list.
        package static let lists = 500
        package static let listBooks = 5_000
        /// Bytes.
        package static let listTitle = 1...200
        package static let listDescription = 1...5000
    }

    package enum Praise {
        /// Favourites of one reader, and recommendations.
        package static let marks = 2_000
    }

    package enum Places {
        /// Bytes of a device's name.
        package static let device = 1...64
        /// Pages of a copy.
        package static let pages = 1...100_000
        /// Chapters of an edition, and bytes of the title of one.
        package static let chapters = 1...2000
        package static let chapterTitle = 1...500
        /// Bookmarks of one reader in one book, and bytes of what one is called.
        package static let bookmarks = 1_000
        package static let label = 1...500
    }

    package enum Profiles {
        /// Days from one change of a username to the next.
        package static let renameDays: Int64 = 30
        /// Changes of what is told of one reader's username and name in a day.
        package static let namesPerDay = 10
        package static let nameWindow: Duration = .seconds(86_400)
        /// Favourites that a profile shows.
        package static let favourites = 20
        /// What the opening call gives at most: books of each status, borrowed books, bookmarks, friends, and books
        /// that are read most.
        package static let openingEntries = 12
        package static let openingBorrowed = 20
        package static let openingBookmarks = 20
        package static let openingFriends = 20
        package static let openingBooks = 20
    }

    package enum Lending {
        /// Libraries of one reader, members of one library; invitations count as both.
        package static let libraries = 100
        package static let members = 1_000
        package static let invitationsPerDay = 100
        /// Bytes.
        package static let name = 1...200
        package static let description = 1...5000
        /// Copies in one library, and bytes of what is said about one.
        package static let copies = 20_000
        package static let label = 1...200
        /// Days until a copy is due; renewals of one checkout; days before, on which its reader is told.
        package static let loanDays = 1...365
        package static let usualLoanDays = 21
        package static let renewals = 3
        package static let noticeDays = 2
        /// Books that one reader has out.
        package static let checkouts = 200
        /// Questions to friends that are open, and of one day.
        package static let openLoans = 50
        package static let loansPerDay = 100
    }

    static let library = [
        Line("library.books", Library.entries, "per_account"),
        Line("library.note", Library.note, "bytes"),
        Line("list.lists", Library.lists, "per_account"),
        Line("list.books", Library.listBooks, "per_list"),
        Line("list.title", Library.listTitle, "bytes"),
        Line("list.description", Library.listDescription, "bytes"),
        Line("praise.marks", Praise.marks, "per_account"),
        Line("position.device", Places.device, "bytes"),
        Line("position.pages", Places.pages, "pages"),
        Line("edition.chapters", Places.chapters, "items"),
        Line("edition.chapter_title", Places.chapterTitle, "bytes"),
        Line("bookmark.bookmarks", Places.bookmarks, "per_book"),
        Line("bookmark.label", Places.label, "bytes"),
    ]

    static let profiles = [
        Line("account.rename", Profiles.renameDays, "days"),
        Line("account.names", Profiles.namesPerDay, "per_day"),
        Line("bootstrap.shelf", Profiles.openingEntries, "per_status"),
        Line("profile.favourites", Profiles.favourites, "items"),
        Line("bootstrap.borrowed", Profiles.openingBorrowed, "items"),
        Line("bootstrap.bookmarks", Profiles.openingBookmarks, "items"),
        Line("bootstrap.friends", Profiles.openingFriends, "items"),
        Line("bootstrap.top_books", Profiles.openingBooks, "items"),
    ]

    static let lending = [
        Line("shared_library.libraries", Lending.libraries, "per_account"),
        Line("shared_library.members", Lending.members, "items"),
        Line("shared_library.invitations", Lending.invitationsPerDay, "per_day"),
        Line("shared_library.name", Lending.name, "bytes"),
        Line("shared_library.description", Lending.description, "bytes"),
        Line("shared_library.copies", Lending.copies, "items"),
        Line("copy.label", Lending.label, "bytes"),
        Line("checkout.days", Lending.loanDays, "days"),
        Line("checkout.usual_days", Lending.usualLoanDays, "days"),
        Line("checkout.renewals", Lending.renewals, "times"),
        Line("checkout.notice", Lending.noticeDays, "days"),
        Line("checkout.open", Lending.checkouts, "per_account"),
        Line("loan.open", Lending.openLoans, "per_account"),
        Line("loan.asked", Lending.loansPerDay, "per_day"),
    ]
}
