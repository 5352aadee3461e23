/// Every limit of the community in one table; `commonplace config` and `GET /api/v1/server` show it.
///
/// Each domain has its group of constants, those of books in `Limits+Catalogue.swift`, and a line in `table` for each that somebody outside
/// can meet.
package enum Limits {
    /// Items on one page of any list.
    package static let page = 1...100
    package static let defaultPage = 20
    /// Bytes of a JSON request body.
    package static let body = 256 * 1024

    package enum Accounts {
        /// Characters of `[a-z0-9_]`.
        package static let username = 3...30
        /// Bytes of an e-mail address.
        package static let email = 3...254
        /// Bytes of a password.
        package static let password = 8...256
        /// Characters of the name shown beside the username.
        package static let name = 1...50
        /// Characters of what an account says about itself.
        package static let bio = 0...500
        /// Living sessions of one account; opening another ends the least recently used.
        package static let sessions = 20
        /// Days without use after which a session is over.
        package static let sessionIdleDays: Int64 = 30
        /// Days after which a session is over, used or not.
        package static let sessionDays: Int64 = 180
        /// Hours that a verification link holds.
        package static let verificationHours: Int64 = 24
        /// Verification mails to one account in an hour.
        package static let verificationsPerHour = 3
        /// Minutes that a mailed reset of the password holds, and such mails to one address in an hour.
        package static let resetMinutes: Int64 = 60
        package static let resetsPerHour = 3
        /// Wishes of one account for another address in an hour.
        package static let emailChangesPerHour = 3
        /// Access tokens of one account, characters of a name, days that one holds, and how coarsely its last use is told.
        package static let accessTokens = 50
        package static let accessTokenName = 1...100
        package static let accessTokenDays = 1...366
        package static let accessTokenUse: Duration = .seconds(600)
        /// Days between the wish to leave and the deletion.
        package static let graceDays: Int64 = 30
        /// Wishes for a verification mail or a reset from one address in five minutes.
        package static let verificationsPerAddress = 30
        /// Days that an invitation holds unless it says otherwise.
        package static let invitationDays: Int64 = 14
        /// Accounts that one invitation lets in, and days that it holds.
        package static let invitationUses = 1...10_000
        package static let invitationAge = 1...365
        /// Failed log-ins with one login from one address that cost no wait; each further one doubles it, from 1 s up to 15 min.
        package static let freeFailures = 5
        /// Failed log-ins on one account from addresses where it has not signed in lately, before they are compared only now and then.
        package static let freeFailuresOfAccount = 20
        /// How long failures are remembered after the last.
        package static let failureMemory: Duration = .seconds(86_400)
        /// Days that an address counts as one where the account signed in lately.
        package static let knownAddressDays: Int64 = 90
        /// Days that nobody may take the name of a deleted account.
        package static let retiredDays: Int64 = 90
        /// Longest wait between two attempts at one account, in seconds.
        package static let longestWait: Int64 = 900
        /// Log-ins from one address (IPv6: /64) in five minutes.
        package static let loginsPerAddress = 30
        /// Sign-ups from one address in thirty minutes, taken or faulty ones included.
        package static let signUpsPerAddress = 10
        /// What the counts per address are multiplied by on loopback, where everybody has the same one.
        package static let loopbackFactor = 10
        /// Windows in which log-ins, sign-ups and wishes for a mail are counted by address, and mails by account.
        package static let loginWindow: Duration = .seconds(300)
        package static let signUpWindow: Duration = .seconds(1800)
        package static let verificationWindow: Duration = .seconds(300)
        package static let mailWindow: Duration = .seconds(3600)
        /// Threads that hash passwords, and callers that may wait for them.
        package static let hashingThreads = 2
        package static let hashingQueue = 32
    }

    package enum Leaving {
        /// Archives that one reader asks for in a day, days that one is kept, and bytes of JSON in one of its files, about.
        package static let exportsPerDay = 5
        package static let exportWindow: Duration = .seconds(86_400)
        package static let exportDays: Int64 = 7
        package static let exportedFile = 4 << 20
    }

    package enum Moderation {
        /// Characters of the reason of an act.
        package static let reason = 1...500
    }

    package enum Reviews {
        /// Bytes of UTF-8 of a text.
        package static let body = 1...20_000
    }

    package enum Feed {
        /// Days that acts are kept, and for which the months are made ahead.
        package static let keptDays: Int64 = 400
        package static let daysAhead: Int64 = 92
    }

    package enum Mail {
        /// Bytes of an address, of a subject and of a text.
        package static let address = 3...320
        package static let subject = 1...400
        package static let text = 100_000
    }

    package enum Friends {
        /// Friends of one account.
        package static let friends = 5_000
        /// Requests that one account has open, and that wait for one account.
        package static let openRequests = 200
        /// Requests sent by one account in 24 hours, and in its first day.
        package static let requestsPerDay = 100
        package static let requestsOnFirstDay = 20
        /// Days that a declined request is not sent again, and that decided requests are kept.
        package static let declineDays: Int64 = 30
        /// Accounts blocked by one account.
        package static let blocks = 10_000
    }

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
        /// Favourites that a profile shows.
        package static let favourites = 20
        /// What the opening call gives at most: books of each status, bookmarks, friends, and books that are read most.
        package static let openingEntries = 12
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

    package enum Sources {
        /// Bytes of one answer of another catalogue, and of what it unpacks to.
        package static let answer = 1024 * 1024
        /// Seconds for one look-up, all its requests together, and for a connection to be made.
        package static let lookUpSeconds: Int64 = 8
        package static let connectSeconds: Int64 = 3
        /// Look-ups at one catalogue at a time; what comes on top is refused.
        package static let inFlight = 4
        /// Redirects that are followed, to allowed hosts only.
        package static let redirects = 3
        /// Books that are taken from one answer, and that Google Books is asked for.
        package static let books = 5
        package static let asked = 10
        /// Works of a search at Open Library that are taken, each of which costs three requests or more, and authors of one book.
        package static let searched = 3
        package static let authors = 5
        /// Names and categories of one volume of Google Books that are read.
        package static let names = 100
        /// Bytes of a title or an author that is asked for.
        package static let question = 1...500
        /// Bytes of a cover.
        package static let cover = 4 * 1024 * 1024
        /// Names of hosts that are resolved at once, and that may wait.
        package static let resolutions = 2
        package static let resolutionQueue = 8
        /// Failures in a row after which a catalogue is left in peace, for how many seconds, and at most.
        package static let failures = 5
        package static let restSeconds: Int64 = 30
        package static let longestRestSeconds: Int64 = 3600
        /// Look-ups of one reader in the hour that begins with the first.
        package static let lookUpsPerHour = 60
        package static let lookUpWindow: Duration = .seconds(3600)
        /// Hours in which a question that found nothing is not asked again.
        package static let silenceHours: Int64 = 24
        /// Days after which a record is fetched again, and records in one run of that job.
        package static let refreshDays: Int64 = 30
        package static let refreshed = 50
        /// Times that a record may be missing before it counts as gone.
        package static let misses = 3
    }

    /// One row of the table.
    package struct Line: Sendable, Codable {
        /// Dotted: the domain, then what is limited.
        package let name: String
        package let minimum: Int?
        package let maximum: Int
        /// `items`, `bytes`, `characters`, `days`, `hours`, `seconds`, `per_hour`, …
        package let unit: String

        package init(_ name: String, _ maximum: some BinaryInteger, _ unit: String) {
            self.name = name
            self.minimum = nil
            self.maximum = Int(maximum)
            self.unit = unit
        }

        package init(_ name: String, _ range: ClosedRange<Int>, _ unit: String) {
            self.name = name
            self.minimum = range.lowerBound
            self.maximum = range.upperBound
            self.unit = unit
        }
    }

    /// Every limit, by domain.
    package static let table: [Line] =
        general + accounts + leaving + moderation + friends + reviews + feed + mail + catalog + browse + search + library + media
        + profiles + lending + sources + volumes

    private static let general = [
        Line("page.limit", page, "items"),
        Line("request.body", body, "bytes"),
    ]

    private static let accounts = [
        Line("account.username", Accounts.username, "characters"),
        Line("account.email", Accounts.email, "bytes"),
        Line("account.password", Accounts.password, "bytes"),
        Line("account.name", Accounts.name, "characters"),
        Line("account.bio", Accounts.bio, "characters"),
        Line("account.sessions", Accounts.sessions, "items"),
        Line("account.session_idle", Accounts.sessionIdleDays, "days"),
        Line("account.session_age", Accounts.sessionDays, "days"),
        Line("account.verification_age", Accounts.verificationHours, "hours"),
        Line("account.verifications", Accounts.verificationsPerHour, "per_hour"),
        Line("account.reset_age", Accounts.resetMinutes, "minutes"),
        Line("account.resets", Accounts.resetsPerHour, "per_hour"),
        Line("account.email_changes", Accounts.emailChangesPerHour, "per_hour"),
        Line("account.grace", Accounts.graceDays, "days"),
        Line("access_token.tokens", Accounts.accessTokens, "per_account"),
        Line("access_token.name", Accounts.accessTokenName, "characters"),
        Line("access_token.age", Accounts.accessTokenDays, "days"),
        Line("account.verifications_per_address", Accounts.verificationsPerAddress, "per_5_minutes"),
        Line("account.retired_name", Accounts.retiredDays, "days"),
        Line("invitation.uses", Accounts.invitationUses, "accounts"),
        Line("invitation.age", Accounts.invitationAge, "days"),
        Line("invitation.usual_age", Accounts.invitationDays, "days"),
        Line("login.free_failures", Accounts.freeFailures, "per_login_and_address"),
        Line("login.free_failures_of_account", Accounts.freeFailuresOfAccount, "per_account"),
        Line("login.failure_memory", Accounts.failureMemory.components.seconds, "seconds"),
        Line("login.known_address", Accounts.knownAddressDays, "days"),
        Line("login.longest_wait", Accounts.longestWait, "seconds"),
        Line("login.per_address", Accounts.loginsPerAddress, "per_5_minutes"),
        Line("sign_up.per_address", Accounts.signUpsPerAddress, "per_30_minutes"),
        Line("per_address.loopback_factor", Accounts.loopbackFactor, "times"),
        Line("hashing.threads", Accounts.hashingThreads, "items"),
        Line("hashing.queue", Accounts.hashingQueue, "items"),
    ]

    private static let moderation = [Line("moderation.reason", Moderation.reason, "characters")]

    private static let leaving = [
        Line("export.exports", Leaving.exportsPerDay, "per_day"),
        Line("export.age", Leaving.exportDays, "days"),
        Line("export.file", Leaving.exportedFile, "bytes"),
    ]

    private static let friends = [
        Line("friend.friends", Friends.friends, "per_account"),
        Line("friend.open_requests", Friends.openRequests, "per_account"),
        Line("friend.requests", Friends.requestsPerDay, "per_day"),
        Line("friend.requests_first_day", Friends.requestsOnFirstDay, "per_day"),
        Line("friend.decline_memory", Friends.declineDays, "days"),
        Line("friend.blocks", Friends.blocks, "per_account"),
    ]

    private static let reviews = [
        Line("review.body", Reviews.body, "bytes")
    ]

    private static let feed = [Line("feed.kept", Feed.keptDays, "days")]

    private static let mail = [
        Line("mail.address", Mail.address, "bytes"),
        Line("mail.subject", Mail.subject, "bytes"),
        Line("mail.text", Mail.text, "bytes"),
    ]

    private static let catalog = [
        Line("book.title", Catalog.title, "bytes"),
        Line("book.description", Catalog.description, "bytes"),
        Line("book.authors", Catalog.authors, "items"),
        Line("book.genres", Catalog.genres, "items"),
        Line("book.series", Catalog.series, "items"),
        Line("book.subjects", Catalog.subjects, "items"),
        Line("book.subject", Catalog.subject, "bytes"),
        Line("book.year", Catalog.year, "years"),
        Line("series.name", Catalog.imprint, "bytes"),
        Line("series.position", Catalog.position, "bytes"),
        Line("edition.pages", Catalog.pages, "pages"),
        Line("edition.publisher", Catalog.imprint, "bytes"),
        Line("edition.note", Catalog.note, "bytes"),
        Line("edition.isbns", Catalog.isbns, "items"),
        Line("book.merges", Catalog.merges, "steps"),
        Line("book.editions_on_page", Catalog.editionsOnPage, "items"),
        Line("author.name", Catalog.name, "bytes"),
        Line("author.aliases", Catalog.aliases, "items"),
        Line("search.query", Catalog.query, "bytes"),
        Line("import.line", Catalog.importLine, "bytes"),
        Line("isbn.codes", Catalog.codes, "items"),
        Line("isbn.code", Catalog.code, "bytes"),
        Line("isbn.books", Catalog.booksOfISBN, "items"),
        Line("book.added", Catalog.booksPerDay, "per_day"),
        Line("book.near_duplicates", Catalog.nearDuplicates, "items"),
        Line("proposal.open", Catalog.openProposals, "per_account"),
        Line("proposal.reason", Catalog.changeReason, "bytes"),
    ]

    private static let browse = [
        Line("browse.small_scope", Browse.bigScope, "items"),
        Line("browse.walk", Browse.walk * Browse.walks, "items"),
        Line("browse.key", Browse.textKey, "bytes"),
    ]

    private static let search = [
        Line("search.words", Search.words, "items"),
        Line("search.word", Search.word, "bytes"),
        Line("search.places", Search.places, "items"),
        Line("search.label", Search.label, "bytes"),
        Line("search.candidates", Search.candidates, "items"),
        Line("search.matches", Search.matches, "items"),
        Line("search.open_word", Search.openWord, "items"),
        Line("browse.big_scope", Browse.bigScope, "items"),
        Line("browse.walk", Browse.walk * Browse.walks, "items"),
        Line("search.walk", Search.walk, "items"),
        Line("search.corrections", Search.corrections, "per_word"),
        Line("search.corrected_words", Search.respelt, "per_query"),
        Line("search.suggestions", Search.suggestions, "items"),
        Line("search.recent", Search.recent, "per_account"),
    ]

    private static let media = [
        Line("picture.upload", Media.upload, "bytes"),
        Line("picture.pixels", Media.pixels, "items"),
        Line("picture.side", Media.side, "pixels"),
        Line("picture.elongation", Media.elongation, "times"),
        Line("picture.alt", Media.alt, "bytes"),
        Line("picture.quota", Media.quota, "bytes_per_account"),
        Line("picture.conversions", Media.conversions, "items"),
        Line("picture.conversion_queue", Media.conversionQueue, "items"),
        Line("picture.conversion_memory", Media.conversionMemory, "bytes"),
        Line("picture.conversion_processor", Media.conversionProcessorSeconds, "seconds"),
        Line("picture.conversion_file", Media.conversionFile, "bytes"),
        Line("picture.conversion_time", Media.conversionTime.components.seconds, "seconds"),
        Line("cover.drawn", Media.drawn, "items"),
        Line("cover.drawing_queue", Media.drawingQueue, "items"),
        Line("cover.drawing_waiters", Media.drawingWaiters, "items"),
        Line("cover.undrawable", Media.undrawable, "items"),
        Line("cover.undrawable_time", Media.undrawableTime.components.seconds, "seconds"),
    ]

    private static let volumes = [
        Line("volumes.depth", Volumes.depth, "items"),
        Line("volumes.page", Volumes.page, "items"),
        Line("volumes.usual_page", Volumes.defaultPage, "items"),
    ]

    private static let library = [
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

    private static let profiles = [
        Line("account.rename", Profiles.renameDays, "days"),
        Line("bootstrap.shelf", Profiles.openingEntries, "per_status"),
        Line("profile.favourites", Profiles.favourites, "items"),
        Line("bootstrap.bookmarks", Profiles.openingBookmarks, "items"),
        Line("bootstrap.friends", Profiles.openingFriends, "items"),
        Line("bootstrap.top_books", Profiles.openingBooks, "items"),
    ]

    private static let lending = [
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

    private static let sources = [
        Line("source.answer", Sources.answer, "bytes"),
        Line("source.look_up_time", Sources.lookUpSeconds, "seconds"),
        Line("source.connect_time", Sources.connectSeconds, "seconds"),
        Line("source.in_flight", Sources.inFlight, "items"),
        Line("source.redirects", Sources.redirects, "items"),
        Line("source.books", Sources.books, "items"),
        Line("source.searched", Sources.searched, "items"),
        Line("source.authors", Sources.authors, "per_book"),
        Line("source.question", Sources.question, "bytes"),
        Line("source.cover", Sources.cover, "bytes"),
        Line("source.resolutions", Sources.resolutions, "items"),
        Line("source.failures", Sources.failures, "items"),
        Line("source.rest", Sources.restSeconds, "seconds"),
        Line("source.longest_rest", Sources.longestRestSeconds, "seconds"),
        Line("source.look_ups", Sources.lookUpsPerHour, "per_hour"),
        Line("source.silence", Sources.silenceHours, "hours"),
        Line("source.refresh_age", Sources.refreshDays, "days"),
        Line("source.refreshed", Sources.refreshed, "items"),
        Line("source.misses", Sources.misses, "items"),
    ]
}
