import Postgres

extension Reviews.Statements {
    /// Whose a review is, and whether it is hidden. By itself, so that who waits for a merge of books finds the review
    /// where that has put it.
    struct LockToHide: Statement {
        static let sql: SQL<Self> = """
            select reader_id, hidden_at is not null as is_hidden from review where id = \(\.review) for update
            """
        let review: ID<Reviews.Review>

        static func decode(_ columns: inout Columns) throws -> (reader: ID<Accounts.Account>, isHidden: Bool) {
            (try columns("reader_id"), try columns("is_hidden"))
        }
    }

    /// A review that is locked, by the name of its reader that is told to everybody, and what decides whether it is
    /// counted.
    struct Held: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select \(Accounts.Reader.told(of: "reader")),
                   \(Catalog.Book.columns), \(own()), review.text_id, review.counted,
                   \(Accounts.Statements.counts(isLoopback: "\(\.counting.isLoopback)", bornBefore: "\(\.counting.bornBefore)"))
                   and \(counts("work.id", today: "\(\.counting.today)")) as counts
              from \(joined())
             where review.id = \(\.review)
            """
        let viewer: ID<Accounts.Account>, review: ID<Reviews.Review>, counting: Accounts.Counting

        struct Output: Sendable {
            let review: Reviews.Review
            let text: ID<Reviews.Text>?
            let counted: Bool
            /// It would be counted if members saw it.
            let counts: Bool
        }

        static func decode(_ columns: inout Columns) throws -> Output {
            Output(
                review: try Reviews.Review(&columns), text: try columns("text_id"), counted: try columns("counted"),
                counts: try columns("counts"))
        }
    }

    struct SetHidden: Statement {
        static let sql: SQL<Self> = """
            update review
               set visibility = \(\.review.visibility),
                   hidden_level = \(\.review.hiddenLevel),
                   hidden_at = \(\.at),
                   counted = \(\.counted),
                   version = \(\.review.version)
             where id = \(\.review.id)
            """
        let review: Reviews.Review, at: Timestamp?, counted: Bool
    }

    struct AuthorOf: Statement {
        static let sql: SQL<Self> = "select author_id from review_reply where id = \(\.reply)"
        let reply: ID<Reviews.Reply>
        typealias Output = ID<Accounts.Account>
    }

    /// Takes a reply, which is locked with its review, out of sight and out of the count, or brings it back. Gives its
    /// text.
    struct SetReplyHidden: Statement {
        static let sql: SQL<Self> = """
            with changed as (
                update review_reply
                   set hidden_at = \(\.at),
                       version = version + 1
                 where id = \(\.reply)
                returning review_id, text_id
            ), counted as (
                update review
                   set replies = review.replies + \(\.replies)
                  from changed
                 where review.id = changed.review_id
            )
            select text_id from changed
            """
        let reply: ID<Reviews.Reply>, at: Timestamp?, replies: Int32
        typealias Output = ID<Reviews.Text>
    }
}
