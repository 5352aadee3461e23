import NIOCore

/// Every limit of the community in one table; `commonplace config` and `GET /api/v1/server` show it.
///
/// Each domain has its group of constants, those of books in `Limits+Catalogue.swift`, and a line in `table` for each
/// that somebody outside can meet.
package enum Limits {
    /// Items on one page of any list.
    package static let page = 1...100
    package static let defaultPage = 20
    /// Bytes of a JSON request body.
    package static let body = 256 * 1024
    /// Bytes of JSON of an event's payload, with room for the spaces that the database adds.
    package static let eventSize = 15_000

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
        /// Hours that a mailed code for an address holds.
        package static let verificationHours: Int64 = 24
        /// Verification mails to one account in an hour.
        package static let verificationsPerHour = 3
        /// Minutes that a mailed reset of the password holds, and such mails to one address in an hour.
        package static let resetMinutes: Int64 = 60
        package static let resetsPerHour = 3
        /// Wishes of one account for another address in an hour.
        package static let emailChangesPerHour = 3
        /// Access tokens of one account, characters of a name, days that one holds, and how coarsely its last use is
        /// told.
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
        /// Failed log-ins with one login from one address that cost no wait; each further one doubles it, from 1 s up
        /// to 15 min.
        package static let freeFailures = 5
        /// Failed log-ins on one account from addresses where it has not signed in lately, before they are compared
        /// only now and then.
        package static let freeFailuresOfAccount = 20
        /// How long failures are remembered after the last.
        package static let failureMemory: Duration = .seconds(86_400)
        /// Days that an address counts as one where the account signed in lately.
        package static let knownAddressDays: Int64 = 90
        /// Days that nobody may take the name of a deleted account.
        package static let retiredDays: Int64 = 90
        /// Longest wait between two attempts at one account, in seconds.
        package static let longestWait: Int64 = 900
        /// Comparisons of its password for an account that is signed in, in an hour.
        package static let comparisonsPerHour = 20
        package static let comparisonWindow: Duration = .seconds(3600)
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
        /// Threads that hash passwords: at most half of the processors, and never more than 2. Callers that may wait
        /// for them.
        package static let hashingThreads = min(2, max(1, System.coreCount / 2))
        package static let hashingQueue = 32
    }

    package enum Leaving {
        /// Archives that one reader asks for in a day, days that one is kept, and bytes of JSON in one of its files,
        /// about.
        package static let exportsPerDay = 5
        package static let exportWindow: Duration = .seconds(86_400)
        package static let exportDays: Int64 = 7
        /// Hours after which one that is not ready yet can be asked for again: longer than five runs of its job.
        package static let exportHours: Int64 = 6
        package static let exportedFile = 4 << 20
        /// How long one archive's tables may be read in all, and how long the server waits for each step of it.
        package static let readingTime: Duration = .seconds(900)
        package static let readingPatience: Duration = .seconds(60)
    }

    package enum Moderation {
        /// Characters of the reason of an act.
        package static let reason = 1...500
    }

    package enum Reviews {
        /// Bytes of UTF-8 of a text.
        package static let body = 1...20_000
        /// Texts of one review that are kept: the first one and the newest.
        package static let texts = 50
        /// Reviews with a text that an account has in its first day.
        package static let textsOnFirstDay = 10
    }

    package enum Feed {
        /// Days that acts are kept, and for which the months are made ahead.
        package static let keptDays: Int64 = 400
        package static let daysAhead: Int64 = 92
        /// Days before its subject was made in which an act of it is still looked for, to be taken back.
        static let undoneBeforeDays: Int64 = 31
        /// Of the server's reviews the newest so many of each author, and how many of the author's are looked through
        /// for them where some are taken back. The functions that keep `filling_review` say both, too.
        package static let ofEachAuthor = 3
        package static let refilledFrom = 1_000
        /// Of the server's reviews at most so many are passed over in one look: those of new, muted and blocked
        /// authors.
        package static let passedOver = 10_000
        /// Fewer acts in so many days, and the server's reviews fill a feed up to them.
        package static let few = 20
        package static let fewInDays: Int64 = 14
        /// Books of what a reader follows whose reviews are looked at: of all of it, and of each author, series and
        /// list.
        package static let followedBooks = 2_000
        package static let booksOfEach = 200
        /// Days of the windows in which a page is looked for, the last being all; acts looked up beyond those of a
        /// page, and at once. How a page is found, not what it holds: of these the table has the last alone.
        package static let windowDays: [Int64] = [3, 30, 120]
        package static let spare = 16
        package static let candidates = 1_000
        /// Acts looked at for one page, where most may not be seen: with the last round at most so many and another
        /// `candidates` of each source.
        package static let looked = 2_000
    }

    package enum Follows {
        /// Books, authors, series and lists that one account follows.
        package static let follows = 1_000
        /// Readers whom one event to the servers names.
        package static let told = 500
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
        /// Accounts muted by one account, and suggestions that it dismissed.
        package static let mutes = 10_000
        package static let dismissals = 10_000
        /// Suggestions that are made; friends whose friends are looked at for them, books of each of two shelves whose
        /// readers are, and how many of each.
        package static let suggestions = 20
        package static let suggestingFriends = 100
        package static let suggestingBooks = 20
        package static let suggestedOfEach = 100
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
    package static let table: [Line] = Array(
        [
            general,
            accounts,
            leaving,
            moderation,
            friends,
            follows,
            reviews,
            feed,
            mail,
            catalog,
            browse,
            search,
            library,
            media,
            profiles,
            lending,
            sources,
            volumes,
            boards,
            gate,
            messages,
            markdown,
            boardSearch,
            notifications,
            groups,
            ranking,
        ].joined())

    private static let general = [
        Line("page.limit", page, "items"),
        Line("request.body", body, "bytes"),
        Line("event.size", eventSize, "bytes"),
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
        Line("login.comparisons", Accounts.comparisonsPerHour, "per_hour"),
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
        Line("export.patience", Leaving.exportHours, "hours"),
        Line("export.file", Leaving.exportedFile, "bytes"),
        Line("export.reading", Leaving.readingTime.components.seconds, "seconds"),
    ]

    private static let friends = [
        Line("friend.friends", Friends.friends, "per_account"),
        Line("friend.open_requests", Friends.openRequests, "per_account"),
        Line("friend.requests", Friends.requestsPerDay, "per_day"),
        Line("friend.requests_first_day", Friends.requestsOnFirstDay, "per_day"),
        Line("friend.decline_memory", Friends.declineDays, "days"),
        Line("friend.blocks", Friends.blocks, "per_account"),
        Line("friend.mutes", Friends.mutes, "per_account"),
        Line("friend.dismissed_suggestions", Friends.dismissals, "per_account"),
        Line("friend.suggestions", Friends.suggestions, "items"),
        Line("friend.suggesting_friends", Friends.suggestingFriends, "items"),
        Line("friend.suggesting_books", Friends.suggestingBooks, "items"),
        Line("friend.suggested_of_each", Friends.suggestedOfEach, "items"),
    ]

    private static let reviews = [
        Line("review.body", Reviews.body, "bytes"),
        Line("review.texts", Reviews.texts, "per_review"),
        Line("review.texts_first_day", Reviews.textsOnFirstDay, "per_day"),
    ]

    private static let feed = [
        Line("feed.of_each_author", Feed.ofEachAuthor, "reviews"),
        Line("feed.kept", Feed.keptDays, "days"),
        Line("feed.few", Feed.few, "items"),
        Line("feed.few_in", Feed.fewInDays, "days"),
        Line("feed.candidates", Feed.candidates, "items"),
        Line("feed.followed_books", Feed.followedBooks, "books"),
        Line("feed.books_of_each", Feed.booksOfEach, "books"),
        Line("feed.looked_at", Feed.looked, "acts_per_page"),
        Line("feed.refilled_from", Feed.refilledFrom, "reviews"),
        Line("feed.passed_over", Feed.passedOver, "reviews"),
    ]

    private static let follows = [
        Line("follow.follows", Follows.follows, "per_account"),
        Line("follow.told", Follows.told, "per_event"),
    ]

    private static let mail = [
        Line("mail.address", Mail.address, "bytes"),
        Line("mail.subject", Mail.subject, "bytes"),
        Line("mail.text", Mail.text, "bytes"),
    ]
}
