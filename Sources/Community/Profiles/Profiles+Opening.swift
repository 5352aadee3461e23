import EventLog
import Postgres

extension Profiles {
    /// All that an app shows when it opens, in one answer.
    package struct Opening: Sendable {
        /// Everything that was committed up to here is in the answer; the stream goes on from here.
        package let position: StreamCursor
        package let own: Own
        package let privacy: Privacy
        /// How many books stand on each shelf.
        package let counts: Library.Counts
        /// The books that were added last, at most `Limits.profiles.openingEntries` of each status, each book once.
        package let entries: [Library.Entry]
        /// The newest, at most `Limits.profiles.openingFriends`; how many there are says the account.
        package let friends: [Friends.Friend]
        /// Owned, borrowed and bookmarked books, by title, at most `Limits.profiles.openingLibrary`.
        package let library: [Lending.MyBook]
        /// By title, at most `Limits.profiles.openingBorrowed`.
        package let borrowed: [Lending.Checkout]
        /// The newest, in all books, at most `Limits.profiles.openingBookmarks`.
        package let bookmarks: [Places.Bookmark]
        package let unread: Accounts.Unread
        /// Most read first, at most `Limits.profiles.openingBooks`; kept for `CommunitySettings.topBooksAge`.
        package let top: [Catalog.BookItem]
        package let covers: [ID<Catalog.Work>: Media.Cover]
    }
}

extension Profiles.Store {
    /// What an app shows when it opens, read in one round trip: one statement for each part, each bounded. The books
    /// that are read most, of which no stream tells, are the same for everybody: once a second one caller asks for them
    /// first.
    ///
    /// The position of the stream is read by the first statement, and no later statement sees less than that one: what
    /// is told of at or before the position is in the answer, and what comes after it is told on the stream from there
    /// on. Something that is committed in between may be in both; nothing is in neither. Throws `.notFound` once the
    /// account is deleted.
    package func opening(of reader: ID<Accounts.Account>) async throws -> Profiles.Opening {
        let top = try await topBooks.current(services.database)
        let (heads, accounts, picture, marks, privacy, counts, entries, library, borrowed, bookmarks, friends, unread) =
            try await services.database.pipeline(
                EventLog.Statements.ReadHead(),
                Accounts.Statements.Own(account: reader),
                Media.Statements.ProfileOf(account: reader),
                favourites(of: reader),
                Profiles.Statements.PrivacyOf(reader: reader),
                Library.Statements.OwnCounts(reader: reader),
                Library.Statements.Opening(viewer: reader),
                Lending.Statements.MyBooks(
                    .all, of: reader, pattern: nil,
                    span: Span(place: .lowest, direction: .onward, limit: Limits.profiles.openingLibrary)),
                Lending.Statements.Checkouts(
                    viewer: .reader(reader), isInformed: false, scope: .reader, owner: reader.rawValue,
                    span: Span(place: .lowest, direction: .onward, limit: Limits.profiles.openingBorrowed)),
                Places.Statements.AllBookmarks(
                    reader: reader,
                    span: Span(place: .highest, direction: .onward, limit: Limits.profiles.openingBookmarks)),
                Friends.Statements.OfViewer(
                    viewer: reader,
                    span: Span(place: .highest, direction: .onward, limit: Limits.profiles.openingFriends)),
                Accounts.Statements.UnreadOf(reader: reader))
        guard let head = heads.first else { throw PostgresError(.noRow, statement: EventLog.Statements.ReadHead.name) }
        guard let account = accounts.first else { throw Failure.notFound("account") }
        return Profiles.Opening(
            position: StreamCursor(epoch: head.epoch, seq: head.seq),
            own: Profiles.Own(
                account: services.settings.isLoopback ? account.verified : account, picture: picture.shown,
                favourites: marks),
            privacy: privacy.first ?? Privacy(), counts: Library.Counts(counts), entries: entries, friends: friends,
            library: library, borrowed: borrowed, bookmarks: bookmarks, unread: unread.first ?? .nothing,
            top: top.books, covers: top.covers)
    }
}
