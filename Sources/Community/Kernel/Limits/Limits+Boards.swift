extension Limits {
    /// Of what is written on boards, and what one page of them looks at.
    package struct Boards: Sendable {
        /// Characters of a thread's title.
        @Limit("thread.title", "characters") package var title = 1...200
        /// Characters of a post, and bytes of UTF-8.
        @Limit("post.body", "characters") package var body = 1...10_000
        @Limit("post.body_size", "bytes") package var bodyBytes = 40_000
        /// Characters of a thread's first post that stand beside it on a board.
        @Limit("thread.excerpt", "characters") package var excerpt = 200
        /// How deep replies nest; beyond it they are flat.
        @Limit("post.depth", "levels") package var depth = 6
        /// Threads pinned on one board.
        @Limit("board.moderators", "per_board") package var moderators = 20
        @Limit("board.pins", "per_board") package var pins = 5
        /// Threads that one account opens in a day, and in its first day.
        @Limit("thread.threads", "per_day") package var threadsPerDay = 50
        @Limit("thread.threads_first_day", "per_day") package var threadsOnFirstDay = 3
        /// Posts of one account in a minute, in an hour, and replies in its first day; replies to reviews among them.
        @Limit("post.per_minute", "per_minute") package var postsPerMinute = 10
        @Limit("post.per_hour", "per_hour") package var postsPerHour = 200
        @Limit("post.replies_first_day", "per_day") package var repliesOnFirstDay = 10
        /// How long an account in its first day waits after a post, replies to reviews among them, and after a thread.
        @Limit("post.pause_first_day", "seconds") package var postPauseOnFirstDay = Duration.seconds(30)
        @Limit("thread.pause_first_day", "seconds") package var threadPauseOnFirstDay = Duration.seconds(120)
        /// How long nobody says the same again on one board, or of the reviews of its book.
        @Limit("post.pause_same", "seconds") package var samePause = Duration.seconds(300)
        /// Boards that one reader follows or mutes.
        @Limit("board.watched", "per_account") package var watched = 10_000
        /// Threads that one reader follows or mutes: they are sorted whenever a page of them is asked for.
        @Limit("thread.watched", "per_account") package var watchedThreads = 5_000
        /// Posts or threads that one page looks at, where the viewer sees few of them.
        @Limit("board.looked", "per_page") package var looked = 500
        /// Texts kept of one post: the first one, and the newest ones.
        @Limit("post.texts", "per_post") package var texts = 50
        /// Threads whose own markers are moved where a whole board is marked as read.
        @Limit("board.marked_threads", "items") package var markedThreads = 1_000
        /// Days after which a thread is no longer hot.
        @Limit("thread.hot", "days") package var hotDays: Int64 = 30
        /// How often heat is computed anew, and threads in one transaction of it.
        @Limit("thread.cooling", "seconds") package var coolsEvery = Duration.seconds(600)
        package let cooledAtOnce = 1_000
        /// Posts, reactions or threads of a deleted account that one transaction takes back: short enough for those who
        /// write in the same threads. How the work is cut, which nobody sees.
        package let forgottenAtOnce = 50
        /// No post is longer on its way from its identifier to its commit.
        package let writing = Duration.seconds(120)
    }
    package static let boards = Boards()

    /// The limits of searching boards.
    package struct BoardSearch: Sendable {
        /// Characters of a query, and words of it that count.
        @Limit("board_search.query", "characters") package var query = 2...100
        @Limit("board_search.words", "per_query") package var words = 12
        /// Words of a query that may be misspelt, where misspelt words are found.
        let nearWords = 4
        /// Words near to one that are looked for together.
        let nearSplit = 8
        /// Characters that the last word must have for words that go on to be found, too.
        @Limit("board_search.open_word", "characters") package var openWord = 3
        /// Characters of an excerpt, and of it before the first word that was found.
        @Limit("board_search.excerpt", "characters") package var excerpt = 200
        @Limit("board_search.excerpt_lead", "characters") package var excerptLead = 60
        /// Newest posts that are looked at for the words before the index of words is asked.
        @Limit("board_search.walk", "posts") package var walk = 2_000
        /// Posts with the words that the index may give; of more than these the newest posts are looked at, so many.
        @Limit("board_search.hits", "posts") package var hits = 5_000
        @Limit("board_search.depth", "posts") package var depth = 10_000
    }
    package static let boardSearch = BoardSearch()
}
