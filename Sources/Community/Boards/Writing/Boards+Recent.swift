import Postgres

extension Boards {
    /// What an account has written lately, each count no further than its limit.
    struct Recent: Sendable, Hashable {
        var postsInMinute = 0
        var postsInHour = 0
        /// Not counting those that opened threads.
        var repliesInDay = 0
        var threadsInDay = 0
        /// When the newest post and the newest thread were written; `nil`: before every pause began.
        var lastPost: Timestamp?
        var lastThread: Timestamp?
        /// It has said the very same there within `Limits.boards.samePause`, and that stands.
        var saidTheSame = false

        /// Throws `.limited` where one post more would be too many or too soon, `.conflict` (`duplicate_post`).
        /// `isNew`: in the account's first day.
        func mayReply(isNew: Bool, at now: Timestamp) throws(Failure) {
            try mayPost(isNew: isNew, at: now)
            guard !isNew || repliesInDay < Limits.boards.repliesOnFirstDay else {
                throw .limited(policy: "replies_on_first_day", retryAfter: .seconds(3600))
            }
        }

        /// Likewise for one thread more.
        func mayOpen(isNew: Bool, at now: Timestamp) throws(Failure) {
            try mayPost(isNew: isNew, at: now)
            guard !isNew || threadsInDay < Limits.boards.threadsOnFirstDay else {
                throw .limited(policy: "threads_on_first_day", retryAfter: .seconds(3600))
            }
            guard threadsInDay < Limits.boards.threadsPerDay else {
                throw .limited(policy: "threads_per_day", retryAfter: .seconds(3600))
            }
            guard isNew else { return }
            try Self.pause(
                Limits.boards.threadPauseOnFirstDay, after: lastThread, at: now, policy: "thread_pause_on_first_day")
        }

        private func mayPost(isNew: Bool, at now: Timestamp) throws(Failure) {
            // First of all: a client that sent the same call twice by mistake is not to be asked to try again.
            guard !saidTheSame else {
                throw .conflict(code: .duplicatePost, "you said the same on this board a few minutes ago")
            }
            guard postsInMinute < Limits.boards.postsPerMinute else {
                throw .limited(policy: "posts_per_minute", retryAfter: .seconds(60))
            }
            guard postsInHour < Limits.boards.postsPerHour else {
                throw .limited(policy: "posts_per_hour", retryAfter: .seconds(3600))
            }
            guard isNew else { return }
            try Self.pause(
                Limits.boards.postPauseOnFirstDay, after: lastPost, at: now, policy: "post_pause_on_first_day")
        }

        private static func pause(
            _ pause: Duration, after last: Timestamp?, at now: Timestamp, policy: String
        ) throws(Failure) {
            guard let last, last + pause > now else { return }
            throw .limited(policy: policy, retryAfter: last + pause - now)
        }
    }
}
