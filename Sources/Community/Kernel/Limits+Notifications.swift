/// The limits of notifications; their lines are in `Limits.table`.
extension Limits {
    package enum Notifications {
        /// Days that one is kept, and how many of each reader.
        package static let keptDays: Int64 = 90
        package static let kept = 1_000
        /// Readers that one knows, and those that it shows.
        package static let actors = 100
        package static let shownActors = 3
        /// Characters of an excerpt.
        package static let excerpt = 200
        /// Readers that are told of something in one transaction.
        package static let batch = 100
        /// Of what gathered in a thread: posts that are looked at and authors who are named, the newest.
        package static let gatheredPosts = 200
        package static let gatheredActors = 20
        /// Minutes before a mail tells of what is unread, and between two mails to one reader; what one mail tells of,
        /// at most.
        package static let mailDelayMinutes: Int64 = 15
        package static let mailPauseMinutes: Int64 = 60
        package static let mailed = 50
        /// Accounts, or notifications of one, that mails, the sweep and the end of an account look at in one go: how
        /// the work is cut, which nobody sees.
        package static let portion = 500
    }

    static let notifications = [
        Line("notification.age", Notifications.keptDays, "days"),
        Line("notification.kept", Notifications.kept, "per_account"),
        Line("notification.actors", Notifications.actors, "items"),
        Line("notification.shown_actors", Notifications.shownActors, "items"),
        Line("notification.gathered_posts", Notifications.gatheredPosts, "items"),
        Line("notification.gathered_actors", Notifications.gatheredActors, "items"),
        Line("notification.batch", Notifications.batch, "per_transaction"),
        Line("notification.excerpt", Notifications.excerpt, "characters"),
        Line("notification.mail_delay", Notifications.mailDelayMinutes, "minutes"),
        Line("notification.mail_pause", Notifications.mailPauseMinutes, "minutes"),
        Line("notification.mailed", Notifications.mailed, "per_mail"),
    ]
}
