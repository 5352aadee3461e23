import MarkdownReading
import NIOCore

/// Every limit of the community in one table; `commonplace config` and `GET /api/v1/server` show it.
///
/// Each domain has its group, those of books in `Limits+Catalogue.swift`. A limit that somebody outside can meet is a
/// `@Limit`, which gives it its line in `table`.
package enum Limits {
    /// Items on one page of any list.
    package static let page = 1...100
    package static let defaultPage = 20
    /// Bytes of a JSON request body.
    package static let body = 256 * 1024
    /// Bytes of JSON of an event's payload, with room for the spaces that the database adds.
    package static let eventSize = 15_000

    package struct Accounts: Sendable {
        /// Characters of `[a-z0-9_]`.
        @Limit("account.username", "characters") package var username = MarkdownReading.Markdown.Bounds.username
        /// Bytes of an e-mail address.
        @Limit("account.email", "bytes") package var email = 3...254
        /// Bytes of a password.
        @Limit("account.password", "bytes") package var password = 8...256
        /// Characters of the name shown beside the username.
        @Limit("account.name", "characters") package var name = 1...50
        /// Characters of what an account says about itself.
        @Limit("account.bio", "characters") package var bio = 0...500
        /// Living sessions of one account; opening another ends the least recently used.
        @Limit("account.sessions", "items") package var sessions = 20
        /// Days without use after which a session is over.
        @Limit("account.session_idle", "days") package var sessionIdleDays: Int64 = 30
        /// Days after which a session is over, used or not.
        @Limit("account.session_age", "days") package var sessionDays: Int64 = 180
        /// Hours that a mailed code for an address holds.
        @Limit("account.verification_age", "hours") package var verificationHours: Int64 = 24
        /// Verification mails to one account in an hour.
        @Limit("account.verifications", "per_hour") package var verificationsPerHour = 3
        /// Minutes that a mailed reset of the password holds, and such mails to one address in an hour.
        @Limit("account.reset_age", "minutes") package var resetMinutes: Int64 = 60
        @Limit("account.resets", "per_hour") package var resetsPerHour = 3
        /// Wishes of one account for another address in an hour.
        @Limit("account.email_changes", "per_hour") package var emailChangesPerHour = 3
        /// Access tokens of one account, characters of a name, days that one holds, and how coarsely its last use is
        /// told.
        @Limit("access_token.tokens", "per_account") package var accessTokens = 50
        @Limit("access_token.name", "characters") package var accessTokenName = 1...100
        @Limit("access_token.age", "days") package var accessTokenDays = 1...366
        /// Days that one holds with which moderators act.
        @Limit("access_token.moderation_age", "days") package var moderationTokenDays = 30
        package let accessTokenUse: Duration = .seconds(600)
        /// Tickets for the stream that a session or access token has open, and how long one holds. Another one ends the
        /// oldest.
        @Limit("stream_ticket.tickets", "per_session") package var streamTickets = 10
        @Limit("stream_ticket.age", "seconds") package var streamTicketAge: Duration = .seconds(30)
        /// Days between the wish to leave and the deletion.
        @Limit("account.grace", "days") package var graceDays: Int64 = 30
        /// Wishes for a verification mail or a reset from one address in five minutes.
        @Limit("account.verifications_per_address", "per_5_minutes") package var verificationsPerAddress = 30
        /// Days that an invitation holds unless it says otherwise.
        @Limit("invitation.usual_age", "days") package var invitationDays: Int64 = 14
        /// Accounts that one invitation lets in, and days that it holds.
        @Limit("invitation.uses", "accounts") package var invitationUses = 1...10_000
        @Limit("invitation.age", "days") package var invitationAge = 1...365
        /// Failed log-ins with one login from one address that cost no wait; each further one doubles it, from 1 s up
        /// to 15 min.
        @Limit("login.free_failures", "per_login_and_address") package var freeFailures = 5
        /// Failed log-ins on one account from addresses where it has not signed in lately, before they are compared
        /// only now and then.
        @Limit("login.free_failures_of_account", "per_account") package var freeFailuresOfAccount = 20
        /// How long failures are remembered after the last.
        @Limit("login.failure_memory", "seconds") package var failureMemory: Duration = .seconds(86_400)
        /// Days that an address counts as one where the account signed in lately.
        @Limit("login.known_address", "days") package var knownAddressDays: Int64 = 90
        /// Days that nobody may take the name of a deleted account.
        @Limit("account.retired_name", "days") package var retiredDays: Int64 = 90
        /// Longest wait between two attempts at one account, in seconds.
        @Limit("login.longest_wait", "seconds") package var longestWait: Int64 = 900
        /// Comparisons of its password for an account that is signed in, in an hour.
        @Limit("login.comparisons", "per_hour") package var comparisonsPerHour = 20
        package let comparisonWindow: Duration = .seconds(3600)
        /// Log-ins from one address (IPv6: /64) in five minutes.
        @Limit("login.per_address", "per_5_minutes") package var loginsPerAddress = 30
        /// Sign-ups from one address in thirty minutes, taken or faulty ones included.
        @Limit("sign_up.per_address", "per_30_minutes") package var signUpsPerAddress = 10
        /// What the counts per address are multiplied by on loopback, where everybody has the same one.
        @Limit("per_address.loopback_factor", "times") package var loopbackFactor = 10
        /// Windows in which log-ins, sign-ups and wishes for a mail are counted by address, and mails by account.
        package let loginWindow: Duration = .seconds(300)
        package let signUpWindow: Duration = .seconds(1800)
        package let verificationWindow: Duration = .seconds(300)
        package let mailWindow: Duration = .seconds(3600)
        /// Threads that hash passwords: at most half of the processors, and never more than 2. Callers that may wait
        /// for them.
        @Limit("hashing.threads", "items") package var hashingThreads = min(2, max(1, System.coreCount / 2))
        @Limit("hashing.queue", "items") package var hashingQueue = 32
    }
    package static let accounts = Accounts()

    package struct Leaving: Sendable {
        /// Archives that one reader asks for in a day, days that one is kept, and bytes of JSON in one of its files,
        /// about.
        @Limit("export.exports", "per_day") package var exportsPerDay = 5
        package let exportWindow: Duration = .seconds(86_400)
        @Limit("export.age", "days") package var exportDays: Int64 = 7
        /// Hours after which one that is not ready yet can be asked for again: longer than five runs of its job.
        @Limit("export.patience", "hours") package var exportHours: Int64 = 6
        @Limit("export.file", "bytes") package var exportedFile = 4 << 20
        /// How long one archive's tables may be read in all, and how long the server waits for each step of it.
        @Limit("export.reading", "seconds") package var readingTime: Duration = .seconds(900)
        package let readingPatience: Duration = .seconds(60)
    }
    package static let leaving = Leaving()

    package struct Moderation: Sendable {
        /// Characters of the reason of an act.
        @Limit("moderation.reason", "characters") package var reason = 1...500
        /// Bytes of what a reader says about a report.
        @Limit("report.text", "bytes") package var report = 1...8_000
        /// Reports of one reader in a day.
        @Limit("report.reports", "per_day") package var reportsPerDay = 20
        /// Reporters who count that hide a thing until a moderator has seen it.
        @Limit("report.hiding", "reporters") package var hidingReporters = 5
        /// Other messages of a conversation that a report of one brings along.
        @Limit("report.messages", "per_report") package var messages = 5
        /// How long a case that somebody looks at is theirs.
        @Limit("report.claim", "seconds") package var claim: Duration = .seconds(1_800)
        /// How long evidence is kept after the decision.
        @Limit("report.evidence", "seconds") package var evidence: Duration = .seconds(180 * 86_400)
        /// How long an act may last that ends by itself.
        @Limit("moderation.longest", "seconds") package var longest: Duration = .seconds(3_660 * 86_400)
        /// Things on the list of one act.
        @Limit("moderation.things", "items") package var things = 1...100_000
        /// Things that one call names.
        @Limit("moderation.named", "items") package var named = 1...5_000
        /// Things that one transaction of such an act takes.
        package let portion = 100
        /// How long a list waits for somebody to begin.
        @Limit("moderation.list", "seconds") package var list: Duration = .seconds(86_400)
        /// Characters of a text that moderators look for, and how far back they look for it in what all readers said.
        @Limit("moderation.sought_text", "characters") package var soughtText = 3...200
        @Limit("moderation.look_back", "seconds") package var lookBack: Duration = .seconds(30 * 86_400)
        /// Characters of what is quoted to them.
        let quote = 200
    }
    package static let moderation = Moderation()

    package struct Reviews: Sendable {
        /// Bytes of UTF-8 of a text.
        @Limit("review.body", "bytes") package var body = 1...20_000
        /// Texts of one review that are kept: the first one and the newest.
        @Limit("review.texts", "per_review") package var texts = 50
        /// Reviews with a text that an account has in its first day.
        @Limit("review.texts_first_day", "per_day") package var textsOnFirstDay = 10
    }
    package static let reviews = Reviews()

    package struct Feed: Sendable {
        /// Days that acts are kept, and for which the months are made ahead.
        @Limit("feed.kept", "days") package var keptDays: Int64 = 400
        package let daysAhead: Int64 = 92
        /// Days before its subject was made in which an act of it is still looked for, to be taken back.
        let undoneBeforeDays: Int64 = 31
        /// Of the server's reviews the newest so many of each author, and how many of the author's are looked through
        /// for them where some are taken back. The functions that keep `filling_review` say both, too.
        @Limit("feed.of_each_author", "reviews") package var ofEachAuthor = 3
        @Limit("feed.refilled_from", "reviews") package var refilledFrom = 1_000
        /// Of the server's reviews at most so many are passed over in one look: those of new, muted and blocked
        /// authors.
        @Limit("feed.passed_over", "reviews") package var passedOver = 10_000
        /// Fewer acts in so many days, and the server's reviews fill a feed up to them.
        @Limit("feed.few", "items") package var few = 20
        @Limit("feed.few_in", "days") package var fewInDays: Int64 = 14
        /// Books of what a reader follows whose reviews are looked at: of all of it, and of each author, series and
        /// list.
        @Limit("feed.followed_books", "books") package var followedBooks = 2_000
        @Limit("feed.books_of_each", "books") package var booksOfEach = 200
        /// Days of the window in which a page is looked for first, before all of the rest: two months' partitions; acts
        /// looked up beyond those of a page, and at once. How a page is found, not what it holds: of these the table has
        /// the last alone.
        package let windowDays: Int64 = 30
        package let spare = 16
        @Limit("feed.candidates", "items") package var candidates = 1_000
        /// Acts looked at for one page, where most may not be seen: with the last round at most so many and another
        /// `candidates` of each source.
        @Limit("feed.looked_at", "acts_per_page") package var looked = 2_000
    }
    package static let feed = Feed()

    package struct Follows: Sendable {
        /// Books, authors, series and lists that one account follows.
        @Limit("follow.follows", "per_account") package var follows = 1_000
        /// Readers whom one event to the servers names.
        @Limit("follow.told", "per_event") package var told = 500
    }
    package static let follows = Follows()

    package struct Mail: Sendable {
        /// Bytes of an address, of a subject and of a text.
        @Limit("mail.address", "bytes") package var address = 3...320
        @Limit("mail.subject", "bytes") package var subject = 1...400
        @Limit("mail.text", "bytes") package var text = 100_000
    }
    package static let mail = Mail()

    package struct Friends: Sendable {
        /// Friends of one account.
        @Limit("friend.friends", "per_account") package var friends = 5_000
        /// Requests that one account has open, and that wait for one account.
        @Limit("friend.open_requests", "per_account") package var openRequests = 200
        /// Requests sent by one account in 24 hours, and in its first day.
        @Limit("friend.requests", "per_day") package var requestsPerDay = 100
        @Limit("friend.requests_first_day", "per_day") package var requestsOnFirstDay = 20
        /// Days that a declined request is not sent again, and that decided requests are kept.
        @Limit("friend.decline_memory", "days") package var declineDays: Int64 = 30
        /// Accounts blocked by one account.
        @Limit("friend.blocks", "per_account") package var blocks = 10_000
        /// Accounts muted by one account, and suggestions that it dismissed.
        @Limit("friend.mutes", "per_account") package var mutes = 10_000
        @Limit("friend.dismissed_suggestions", "per_account") package var dismissals = 10_000
        /// Books that two readers must both have rated before their taste is compared; and of those so many in a hundred
        /// must be rated alike, which is within a star.
        package let leastRatedBoth = 3
        package let ratedAlike = 70
        /// Newest read books of a reader among which rated ones are compared, and how many of each book's readers.
        package let comparedBooks = 100
        package let comparedOfEach = 500
        /// Suggestions that are made; friends whose friends are looked at for them, books of each of two shelves whose
        /// readers are, and how many of each.
        @Limit("friend.suggestions", "items") package var suggestions = 20
        @Limit("friend.suggesting_friends", "items") package var suggestingFriends = 100
        @Limit("friend.suggesting_books", "items") package var suggestingBooks = 20
        @Limit("friend.suggested_of_each", "items") package var suggestedOfEach = 100
    }
    package static let friends = Friends()

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
        general
        + all.flatMap { group in
            Mirror(reflecting: group).children.compactMap { ($0.value as? any Limited)?.line }
        }

    private static let all: [any Sendable] = [
        accounts, leaving, moderation, friends, follows, reviews, feed, mail, catalog, browse, search, library, praise,
        places, notebook, media, photos, profiles, lending, sources, volumes, boards, gate, messages, markdown,
        boardSearch,
        notifications, groups, statistics, ranking, suggestions,
    ]

    private static let general = [
        Line("page.limit", page, "items"),
        Line("request.body", body, "bytes"),
        Line("event.size", eventSize, "bytes"),
    ]
}
