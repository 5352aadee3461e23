extension Limits {
    /// Of what is written on boards, and what one page of them looks at.
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
        /// How long an account in its first day waits after a post, replies to reviews among them, and after a thread.
        package static let postPauseOnFirstDay = Duration.seconds(30)
        package static let threadPauseOnFirstDay = Duration.seconds(120)
        /// How long nobody says the same again on one board, or of the reviews of its book.
        package static let samePause = Duration.seconds(300)
        /// Boards that one reader follows or mutes.
        package static let watched = 10_000
        /// Threads that one reader follows or mutes: they are sorted whenever a page of them is asked for.
        package static let watchedThreads = 5_000
        /// Posts or threads that one page looks at, where the viewer sees few of them.
        package static let looked = 500
        /// Texts kept of one post: the first one, and the newest ones.
        package static let texts = 50
        /// Threads whose own markers are moved where a whole board is marked as read.
        package static let markedThreads = 1_000
        /// Days after which a thread is no longer hot.
        package static let hotDays: Int64 = 30
        /// How often heat is computed anew, and threads in one transaction of it.
        package static let coolsEvery = Duration.seconds(600)
        package static let cooledAtOnce = 1_000
        /// Posts, reactions or threads of a deleted account that one transaction takes back: short enough for those who
        /// write in the same threads. How the work is cut, which nobody sees.
        package static let forgottenAtOnce = 50
        /// No post is longer on its way from its identifier to its commit.
        package static let writing = Duration.seconds(120)
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
        Line("thread.cooling", Boards.coolsEvery.components.seconds, "seconds"),
        Line("thread.watched", Boards.watchedThreads, "per_account"),
        Line("board.looked", Boards.looked, "per_page"),
        Line("board.marked_threads", Boards.markedThreads, "items"),
        Line("post.texts", Boards.texts, "per_post"),
        Line("post.pause_first_day", Boards.postPauseOnFirstDay.components.seconds, "seconds"),
        Line("thread.pause_first_day", Boards.threadPauseOnFirstDay.components.seconds, "seconds"),
        Line("post.pause_same", Boards.samePause.components.seconds, "seconds"),
    ]

    /// The limits of searching boards; their lines are in `Limits.table`.
    package enum BoardSearch {
        /// Characters of a query, and words of it that count.
        package static let query = 2...100
        package static let words = 12
        /// Characters that the last word must have for words that go on to be found, too.
        package static let openWord = 3
        /// Characters of an excerpt, and of it before the first word that was found.
        package static let excerpt = 200
        package static let excerptLead = 60
        /// Newest posts that are looked at for the words before the index of words is asked.
        package static let walk = 2_000
        /// Posts with the words that the index may give; of more than these the newest posts are looked at, so many.
        package static let hits = 5_000
        package static let depth = 10_000
    }

    static let boardSearch = [
        Line("board_search.query", BoardSearch.query, "characters"),
        Line("board_search.words", BoardSearch.words, "per_query"),
        Line("board_search.open_word", BoardSearch.openWord, "characters"),
        Line("board_search.excerpt", BoardSearch.excerpt, "characters"),
        Line("board_search.excerpt_lead", BoardSearch.excerptLead, "characters"),
        Line("board_search.walk", BoardSearch.walk, "posts"),
        Line("board_search.hits", BoardSearch.hits, "posts"),
        Line("board_search.depth", BoardSearch.depth, "posts"),
    ]
}
