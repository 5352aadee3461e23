extension Limits {
    package enum Boards {
        /// Characters of a thread's title.
        package static let title = 1...200
        /// Characters of a post, and bytes of UTF-8.
        package static let body = 1...10_000
        package static let bodyBytes = 40_000
        /// How deep replies nest; beyond it they are flat.
        package static let depth = 6
        /// Threads pinned on one board.
        package static let pins = 5
        /// Threads that one account opens in a day, and in its first day.
        package static let threadsPerDay = 50
        package static let threadsOnFirstDay = 3
        /// Posts of one account in a minute, in an hour, and replies in its first day; replies to reviews among them.
        package static let postsPerMinute = 10
        package static let postsPerHour = 200
        package static let repliesOnFirstDay = 10
        /// Threads and boards that one reader follows or mutes.
        package static let watched = 10_000
        /// Days after which a thread is no longer hot.
        package static let hotDays: Int64 = 30
    }

    static let boards = [
        Line("thread.title", Boards.title, "characters"),
        Line("post.body", Boards.body, "characters"),
        Line("post.body_size", Boards.bodyBytes, "bytes"),
        Line("post.depth", Boards.depth, "levels"),
        Line("board.pins", Boards.pins, "per_board"),
        Line("thread.threads", Boards.threadsPerDay, "per_day"),
        Line("thread.threads_first_day", Boards.threadsOnFirstDay, "per_day"),
        Line("post.per_minute", Boards.postsPerMinute, "per_minute"),
        Line("post.per_hour", Boards.postsPerHour, "per_hour"),
        Line("post.replies_first_day", Boards.repliesOnFirstDay, "per_day"),
        Line("board.watched", Boards.watched, "per_account"),
        Line("thread.hot", Boards.hotDays, "days"),
    ]
}
