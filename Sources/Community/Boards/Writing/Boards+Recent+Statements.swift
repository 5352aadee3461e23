import MarkdownReading
import Postgres

extension Boards.Statements {
    /// What an account has written lately, each count no further than its limit: posts, replies and threads by the
    /// dates in their ids; replies to reviews are posts here. Replies of an account's first day alone.
    ///
    /// Follows `LockWriter` as a statement of its own, so that it sees what was written while that waited. Each list is
    /// a `with` of its own so that it is planned as a whole, by author: for the few rows of a `limit` Postgres would
    /// rather look through what everybody wrote.
    struct Recent: Statement {
        static let sql: SQL<Self> = """
            with hour as materialized (
                select id from post where author_id = \(\.account) and id >= \(\.hourAgo)
                 union all
                select id from review_reply where author_id = \(\.account) and id >= \(\.hourAgo)
            ), first_day as materialized (
                select id
                  from post
                 where author_id = \(\.account)
                   and id >= \(\.dayAgo)
                   and number > 1
                   and exists (select 1 from account where id = \(\.account) and created_at > \(\.newSince))
                 union all
                select id
                  from review_reply
                 where author_id = \(\.account)
                   and id >= \(\.dayAgo)
                   and exists (select 1 from account where id = \(\.account) and created_at > \(\.newSince))
            ), opened as materialized (
                select id from thread where author_id = \(\.account) and id >= \(\.dayAgo)
            ), place as materialized (
                select coalesce((select board_id from thread where id = \(\.place)),
                                (select work_id from review where id = \(\.place)),
                                (select merged_into from work where id = \(\.place)), \(\.place)) as board_id
            ), said as materialized (
                select post.text_id, thread.board_id
                  from post
                  join thread on thread.id = post.thread_id
                 where post.author_id = \(\.account)
                   and post.id >= \(\.pauseAgo)
                   and post.text_id is not null
            ), answered as materialized (
                select review_reply.body, review.work_id
                  from review_reply
                  join review on review.id = review_reply.review_id
                 where review_reply.author_id = \(\.account)
                   and review_reply.id >= \(\.pauseAgo)
            )
            select (select max(id) from hour where id >= \(\.pauseAgo)) as post,
                   (select max(id) from opened where id >= \(\.pauseAgo)) as thread,
                   (select count(*) from (select 1 from hour where id >= \(\.minuteAgo)
                                           limit \(Limits.boards.postsPerMinute)) counted) as posts_in_minute,
                   (select count(*) from (select 1 from hour limit \(Limits.boards.postsPerHour)) counted) as posts_in_hour,
                   (select count(*) from (select 1 from first_day limit \(Limits.boards.repliesOnFirstDay)) counted) as replies_in_day,
                   (select count(*) from (select 1 from opened limit \(Limits.boards.threadsPerDay)) counted) as threads_in_day,
                   exists (select 1
                             from said
                             join post_text on post_text.id = said.text_id
                            where said.board_id = (select board_id from place)
                              and post_text.body = \(\.body))
                   or exists (select 1
                                from answered
                               where answered.work_id = (select board_id from place)
                                 and answered.body = \(\.body)) as said_the_same
            """
        let account: ID<Accounts.Account>
        /// Where it is about to write: a thread, a review, a book or a group.
        let place: Int64
        /// What it is about to say, as it is stored.
        let body: String
        /// The least ids of a post that was written within the last minute, the last hour and the last day.
        let minuteAgo: Int64, hourAgo: Int64, dayAgo: Int64
        /// The least id of one that was written in the longest pause.
        let pauseAgo: Int64
        /// Accounts made later are new.
        let newSince: Timestamp

        init(of account: ID<Accounts.Account>, saying text: Markdown.Text, at place: Int64, on services: Services) {
            self.account = account
            self.place = place
            body = text.body
            // Where rates are off nothing was written since.
            let now = services.clock.now()
            func first(_ ago: Duration, _ counts: Bool = true) -> Int64 {
                services.settings.limitsRates && counts ? IDMaker.first(at: now - ago, Boards.Post.self).rawValue : .max
            }
            minuteAgo = first(.seconds(60))
            hourAgo = first(.seconds(3600))
            dayAgo = first(.seconds(86_400))
            pauseAgo = first(Limits.boards.samePause, services.settings.spacesPosts)
            newSince = services.newSince
        }

        static func decode(_ columns: inout Columns) throws -> Boards.Recent {
            let (post, thread): (ID<Boards.Post>?, ID<Boards.Thread>?) = (try columns("post"), try columns("thread"))
            return Boards.Recent(
                postsInMinute: try columns("posts_in_minute"), postsInHour: try columns("posts_in_hour"),
                repliesInDay: try columns("replies_in_day"), threadsInDay: try columns("threads_in_day"),
                lastPost: post.map(IDMaker.time(of:)), lastThread: thread.map(IDMaker.time(of:)),
                saidTheSame: try columns("said_the_same"))
        }
    }
}
