import Postgres

extension Gate.Statements {
    /// A reader's gate for a work, which is no merged one; 0 for none.
    struct LevelOf: Statement, ForViewer {
        static let sql: SQL<Self> = "select \(Gate.level(viewer: .viewer, work: "\(\.work)"))"
        let viewer: ID<Accounts.Account>, work: ID<Catalog.Work>?
        typealias Output = Int
    }

    /// Indexes `reveal_of_post`, `reveal_of_thread`, `reveal_of_work`, `reveal_of_review`.
    struct IsRevealed: Statement {
        static let sql: SQL<Self> = """
            select exists (select 1 from reveal where reader_id = \(\.reader) and post_id = \(\.subject.post, "subject.post"))
                or exists (select 1 from reveal where reader_id = \(\.reader) and thread_id = \(\.subject.thread, "subject.thread"))
                or exists (select 1 from reveal where reader_id = \(\.reader) and work_id = \(\.subject.book, "subject.book"))
                or exists (select 1 from reveal where reader_id = \(\.reader) and review_id = \(\.subject.review, "subject.review"))
            """
        let reader: ID<Accounts.Account>, subject: Thing
        typealias Output = Bool
    }

    /// How much a reader has revealed, counted to the limit. Index `reveal_of_reader`.
    struct CountReveals: Statement {
        static let sql: SQL<Self> = """
            select count(*) from (select 1 from reveal where reader_id = \(\.reader) limit \(Limits.gate.reveals)) held
            """
        let reader: ID<Accounts.Account>
        typealias Output = Int
    }

    struct InsertReveal: Statement {
        static let sql: SQL<Self> = """
            insert into reveal (id, reader_id, post_id, thread_id, work_id, at, review_id)
            values (\(\.id), \(\.reader), \(\.subject.post, "subject.post"), \(\.subject.thread, "subject.thread"), \(\.subject.book, "subject.book"), \(\.at), \(\.subject.review, "subject.review"))
            on conflict do nothing
            """
        let id: ID<Gate.Reveal>, reader: ID<Accounts.Account>, subject: Thing, at: Timestamp
    }

    struct DeleteReveal: Statement {
        static let sql: SQL<Self> = """
            delete from reveal
             where reader_id = \(\.reader)
               and (post_id = \(\.subject.post, "subject.post") or thread_id = \(\.subject.thread, "subject.thread") or work_id = \(\.subject.book, "subject.book") or review_id = \(\.subject.review, "subject.review"))
            """
        let reader: ID<Accounts.Account>, subject: Thing
    }

    /// What a reader revealed, with where it stands. Index `reveal_of_reader`.
    struct Reveals: ListStatement {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>("reveal.id", "\(\.span.place)", direction)
            return """
                select reveal.id, reveal.post_id, reveal.thread_id, reveal.review_id, reveal.work_id,
                       thread.id as in_thread_id, coalesce(reveal.work_id, thread.work_id, review.work_id) as book_id, reveal.at
                  from reveal
                  left join review on review.id = reveal.review_id
                  left join post on post.id = reveal.post_id
                  left join thread on thread.id = coalesce(reveal.thread_id, post.thread_id)
                 where reveal.reader_id = \(\.reader)
                   and \(keyset.condition)
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let reader: ID<Accounts.Account>, span: Span<ID<Gate.Reveal>>

        static func decode(_ columns: inout Columns) throws -> Gate.Reveal {
            Gate.Reveal(
                id: try columns("id"), subject: try Thing(revealed: &columns), thread: try columns("in_thread_id"),
                book: try columns("book_id"), at: try columns("at"))
        }
    }

    // MARK: Merging works
}

extension Thing {
    /// Reads the columns `post_id`, `thread_id`, `review_id` and `work_id`, of which one is not null.
    fileprivate init(revealed columns: inout Columns) throws {
        let (post, thread): (ID<Boards.Post>?, ID<Boards.Thread>?) = (try columns("post_id"), try columns("thread_id"))
        let (review, book): (ID<Reviews.Review>?, ID<Catalog.Work>?) = (
            try columns("review_id"), try columns("work_id")
        )
        let subjects: [Thing?] = [
            post.map(Thing.post), thread.map(Thing.thread), review.map(Thing.review), book.map(Thing.book),
        ]
        guard let subject = subjects.compactMap(\.self).first else {
            throw PostgresError(.decoding, message: "a reveal of nothing")
        }
        self = subject
    }
}
