import Jobs
import Postgres

extension Notifications {
    /// Tells readers of one thing that happened, put into the queue in its transaction. A portion of
    /// `Limits.Notifications.batch` readers in one transaction; what is left is another job, from the reader `after`
    /// on.
    package struct Tell: Job {
        package static let kind = "notifications.tell"

        enum What: String, Codable {
            /// A post: to whoever it answers, mentions or quotes; one that opens a thread to those who follow the board.
            /// The thread's own followers are told by a `Gather`.
            case written
            /// A post says something else: to whoever it mentions.
            case edited
            /// To whom the post is.
            case reacted
            case raised
            /// An answer to a review: to the review's author, to those whom it mentions and to those who
            /// answered it before.
            case answered
            /// Such an answer says something else: to whomever it mentions.
            case reworded
            /// A reaction to a review: to its author.
            case applauded
            /// A request to be let into a group: to those who lead it.
            case applied
            /// What concerns one reader and no post: a kind of its own.
            case told
        }

        let what: What
        /// Who did it, by the name under which jobs go with their accounts; `nil` where nobody is named.
        let account: ID<Accounts.Account>?
        /// Whom it concerns, where that is one.
        let reader: ID<Accounts.Account>?
        let post: ID<Boards.Post>?
        /// Of `told`: what. And what it is grouped by; of `applied`, the group; of `reworded`, the answer.
        let kind: Kind?
        let subject: Int64
        /// What happened: told once.
        let cause: Int64
        /// The last follower who was told; 0 before the first, which is no identifier.
        let after: Int64

        package var uniqueKey: String? {
            "\(kind?.rawValue ?? what.rawValue) \(cause) \(account?.text ?? "") \(reader?.text ?? "") \(after)"
        }

        private init(
            _ what: What, cause: Int64, by account: ID<Accounts.Account>?, to reader: ID<Accounts.Account>? = nil,
            post: ID<Boards.Post>? = nil, kind: Kind? = nil, subject: Int64 = 0, after: ID<Accounts.Account> = .min
        ) {
            self.what = what
            self.account = account
            self.reader = reader
            self.post = post
            self.kind = kind
            self.subject = subject
            self.cause = cause
            self.after = after.rawValue
        }

        static func written(_ post: ID<Boards.Post>, by author: ID<Accounts.Account>) -> Tell {
            Tell(.written, cause: post.rawValue, by: author, post: post)
        }

        /// `text`: what it says now.
        static func edited(_ post: ID<Boards.Post>, to text: ID<Boards.Text>, by author: ID<Accounts.Account>) -> Tell {
            Tell(.edited, cause: text.rawValue, by: author, post: post)
        }

        static func reacted(to post: ID<Boards.Post>, by reader: ID<Accounts.Account>) -> Tell {
            Tell(.reacted, cause: post.rawValue, by: reader, post: post)
        }

        /// `cause`: an identifier of this one time.
        static func raised(_ post: ID<Boards.Post>, of author: ID<Accounts.Account>, cause: Int64) -> Tell {
            Tell(.raised, cause: cause, by: nil, to: author, post: post)
        }

        static func answered(_ reply: ID<Reviews.Reply>, by author: ID<Accounts.Account>) -> Tell {
            Tell(.answered, cause: reply.rawValue, by: author)
        }

        /// `text`: what it says now.
        static func edited(
            _ reply: ID<Reviews.Reply>, to text: ID<Reviews.Text>, by author: ID<Accounts.Account>
        ) -> Tell {
            Tell(.reworded, cause: text.rawValue, by: author, subject: reply.rawValue)
        }

        static func reacted(to review: ID<Reviews.Review>, by reader: ID<Accounts.Account>) -> Tell {
            Tell(.applauded, cause: review.rawValue, by: reader)
        }

        /// `cause`: an identifier of this one time.
        static func applied(to group: ID<Groups.Group>, by reader: ID<Accounts.Account>, cause: Int64) -> Tell {
            Tell(.applied, cause: cause, by: reader, subject: group.rawValue)
        }

        /// Tells one reader of something that concerns no post. `subject`: what it is grouped by beside its kind;
        /// `cause`: what happened, such as a request.
        static func told(
            _ kind: Kind, to reader: ID<Accounts.Account>, by actor: ID<Accounts.Account>, of subject: Int64 = 0,
            cause: Int64
        ) -> Tell {
            Tell(.told, cause: cause, by: actor, to: reader, kind: kind, subject: subject)
        }

        func rest(after last: ID<Accounts.Account>) -> Tell {
            Tell(what, cause: cause, by: account, to: reader, post: post, kind: kind, subject: subject, after: last)
        }
    }

    /// Takes a deleted account out of what names it. Begins again where it was interrupted.
    package struct Forget: Job {
        package static let kind = "notifications.forget"
        package static let timeout = Duration.seconds(1800)

        let gone: ID<Accounts.Account>

        package var uniqueKey: String? { gone.text }
    }

    /// Mails what has been unread long enough. Each minute.
    package struct Digest: Job {
        package static let kind = "notifications.digest"
        package static let timeout = Duration.seconds(600)

        package var uniqueKey: String? { "all" }
    }

    /// Takes what is too old, too much or shows nothing any more. Daily.
    package struct Sweep: Job {
        package static let kind = "notifications.sweep"
        package static let timeout = Duration.seconds(1800)

        package var uniqueKey: String? { "all" }
    }

    /// Has `worker` do the jobs of notifications, and when they are due.
    package static func register(on worker: Jobs.Worker, community: Community) {
        let store = community.notifications
        worker.handle(Tell.self) { job, attempt in
            try await community.house.database.transaction { transaction in
                try await store.tell(job, in: transaction)
                try await attempt.finish(in: transaction)
            }
        }
        worker.handle(Gather.self) { job, attempt in
            try await community.house.database.transaction { transaction in
                try await store.gather(job.thread, in: transaction) { try await attempt.finish(in: $0) }
            }
        }
        worker.handle(Forget.self) { job, _ in try await store.forget(job.gone) }
        worker.schedule("notifications.digest", every: .seconds(60)) { Digest() }
        worker.handle(Digest.self) { _, _ in try await store.mail() }
        worker.schedule("notifications.sweep", every: .seconds(86_400)) { Sweep() }
        worker.handle(Sweep.self) { _, _ in try await store.sweep() }
    }
}
