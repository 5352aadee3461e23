/// The limits of notifications.
extension Limits {
    package struct Notifications: Sendable {
        /// Days that one is kept, and how many of each reader.
        @Limit("notification.age", "days") package var keptDays: Int64 = 90
        @Limit("notification.kept", "per_account") package var kept = 1_000
        /// Readers that one knows, and those that it shows.
        @Limit("notification.actors", "items") package var actors = 100
        @Limit("notification.shown_actors", "items") package var shownActors = 3
        /// Characters of an excerpt.
        @Limit("notification.excerpt", "characters") package var excerpt = 200
        /// Readers that are told of something in one transaction.
        @Limit("notification.batch", "per_transaction") package var batch = 100
        /// Of what gathered in a thread: posts that are looked at and authors who are named, the newest.
        @Limit("notification.gathered_posts", "items") package var gatheredPosts = 200
        @Limit("notification.gathered_actors", "items") package var gatheredActors = 20
        /// Minutes before a mail tells of what is unread, and between two mails to one reader; what one mail tells of,
        /// at most.
        @Limit("notification.mail_delay", "minutes") package var mailDelayMinutes: Int64 = 15
        @Limit("notification.mail_pause", "minutes") package var mailPauseMinutes: Int64 = 60
        @Limit("notification.mailed", "per_mail") package var mailed = 50
        /// Accounts, or notifications of one, that mails, the sweep and the end of an account look at in one go: how
        /// the work is cut, which nobody sees.
        package let portion = 500
    }
    package static let notifications = Notifications()
}
