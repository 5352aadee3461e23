import Postgres

extension Gate.Statements {
    static let reveals: [any Statement.Type] = [
        SeenPost.self, SeenThread.self, SeenReview.self, LevelOf.self, IsRevealed.self, CountReveals.self,
        InsertReveal.self,
        DeleteReveal.self, Reveals<NewestFirst>.self, Reveals<OldestFirst>.self, MoveReveals.self,
        DropDoubleReveals.self,
    ]

    /// SQL: that the viewer `$1` may know that `post`, in `thread`, is there.
    static let knows = """
        (\(Boards.Statements.threadIsSeen)
                and \(Boards.Statements.postStands)
                and \(Boards.Statements.isSeen("post.author_id")))
        """

    /// A row where the viewer may know of the post, gated or not.
    struct SeenPost: Statement {
        static let name = "gate.seen_post"
        static let sql = """
            select 1
              from post
              join thread on thread.id = post.thread_id
             where post.id = $2
               and \(knows)
            """
        let viewer: Viewer
        let post: ID<Boards.Post>

        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(post)
        }

        static func decode(_ row: borrowing Row) throws -> Int32 { try row[0] }
    }

    /// A row where the viewer may know of the thread.
    struct SeenThread: Statement {
        static let name = "gate.seen_thread"
        static let sql = """
            select 1
              from thread
             where thread.id = $2
               and \(Boards.Statements.threadIsSeen)
            """
        let viewer: Viewer
        let thread: ID<Boards.Thread>

        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(thread)
        }

        static func decode(_ row: borrowing Row) throws -> Int32 { try row[0] }
    }

    /// A row where the viewer may know of the review, held against being taken back.
    struct SeenReview: Statement {
        static let name = "gate.seen_review"
        static let sql = """
            select 1
              from review
             where review.id = $2
               and \(Visibility.predicate(viewer: "$1", owner: "review.reader_id", level: "review.visibility"))
               for key share of review
            """
        let viewer: Viewer
        let review: ID<Reviews.Review>

        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(review)
        }

        static func decode(_ row: borrowing Row) throws -> Int32 { try row[0] }
    }

    /// A reader's gate for a work, which is no merged one; 0 for none.
    struct LevelOf: Statement {
        static let name = "gate.level_of"
        static let sql = "select \(Gate.level(viewer: "$1", work: "$2"))"
        let reader: ID<Accounts.Account>
        let work: ID<Catalog.Work>?

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(work)
        }

        static func decode(_ row: borrowing Row) throws -> Int { Int(try row[0] as Int32) }
    }

    /// Indexes `reveal_of_post`, `reveal_of_thread`, `reveal_of_work`, `reveal_of_review`.
    struct IsRevealed: Statement {
        static let name = "gate.is_revealed"
        static let sql = """
            select exists (select 1 from reveal where reader_id = $1 and post_id = $2)
                or exists (select 1 from reveal where reader_id = $1 and thread_id = $3)
                or exists (select 1 from reveal where reader_id = $1 and work_id = $4)
                or exists (select 1 from reveal where reader_id = $1 and review_id = $5)
            """
        let reader: ID<Accounts.Account>
        let subject: Gate.Reveal.Subject

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(subject.post)
            parameters.append(subject.thread)
            parameters.append(subject.book)
            parameters.append(subject.review)
        }

        static func decode(_ row: borrowing Row) throws -> Bool { try row[0] }
    }

    /// How much a reader has revealed, counted to the limit. Index `reveal_of_reader`.
    struct CountReveals: Statement {
        static let name = "gate.count_reveals"
        static let sql = """
            select count(*) from (select 1 from reveal where reader_id = $1 limit \(Limits.Gate.reveals)) held
            """
        let reader: ID<Accounts.Account>

        func bind(to parameters: inout Parameters) { parameters.append(reader) }
        static func decode(_ row: borrowing Row) throws -> Int { try row[0] }
    }

    struct InsertReveal: Statement {
        static let name = "gate.insert_reveal"
        static let sql = """
            insert into reveal (id, reader_id, post_id, thread_id, work_id, at, review_id)
            values ($1, $2, $3, $4, $5, $6, $7)
            on conflict do nothing
            """
        let id: ID<Gate.Reveal>
        let reader: ID<Accounts.Account>
        let subject: Gate.Reveal.Subject
        let at: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(id)
            parameters.append(reader)
            parameters.append(subject.post)
            parameters.append(subject.thread)
            parameters.append(subject.book)
            parameters.append(at)
            parameters.append(subject.review)
        }
    }

    struct DeleteReveal: Statement {
        static let name = "gate.delete_reveal"
        static let sql = """
            delete from reveal
             where reader_id = $1
               and (post_id = $2 or thread_id = $3 or work_id = $4 or review_id = $5)
            """
        let reader: ID<Accounts.Account>
        let subject: Gate.Reveal.Subject

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(subject.post)
            parameters.append(subject.thread)
            parameters.append(subject.book)
            parameters.append(subject.review)
        }
    }

    /// What a reader revealed, with where it stands. Index `reveal_of_reader`.
    struct Reveals<Way: ListWay>: Statement {
        static var name: String { "gate.reveals_\(Way.name)" }
        static var sql: String {
            """
            select reveal.id, reveal.post_id, reveal.thread_id, reveal.work_id, thread.id,
                   coalesce(reveal.work_id, thread.work_id, review.work_id), reveal.at, reveal.review_id
              from reveal
              left join review on review.id = reveal.review_id
              left join post on post.id = reveal.post_id
              left join thread on thread.id = coalesce(reveal.thread_id, post.thread_id)
             where reveal.reader_id = $1
               and reveal.id \(Way.comparison) $2
             order by reveal.id \(Way.order)
             limit $3
            """
        }
        let reader: ID<Accounts.Account>
        let place: ID<Gate.Reveal>
        let limit: Int

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(place)
            parameters.append(limit)
        }

        static func decode(_ row: borrowing Row) throws -> Gate.Reveal {
            let post: ID<Boards.Post>? = try row[1]
            let thread: ID<Boards.Thread>? = try row[2]
            let book: ID<Catalog.Work>? = try row[3]
            let review: ID<Reviews.Review>? = try row[7]
            let posted = post.map { Gate.Reveal.Subject.post($0) } ?? thread.map { .thread($0) }
            guard let subject = posted ?? review.map({ .review($0) }) ?? book.map({ .book($0) }) else {
                throw PostgresError(.decoding, message: "a reveal of nothing")
            }
            return Gate.Reveal(id: try row[0], subject: subject, thread: try row[4], book: try row[5], at: try row[6])
        }
    }

    // MARK: Merging works

    /// Who revealed both keeps the one of the work that stays.
    struct DropDoubleReveals: Catalog.Moving {
        static let name = "gate.drop_double_reveals"
        static let sql = """
            delete from reveal
             where work_id = $1
               and exists (select 1 from reveal kept where kept.reader_id = reveal.reader_id and kept.work_id = $2)
            """
        let from: ID<Catalog.Work>
        let into: ID<Catalog.Work>
    }

    struct MoveReveals: Catalog.Moving {
        static let name = "gate.move_reveals"
        static let sql = "update reveal set work_id = $2 where work_id = $1"
        let from: ID<Catalog.Work>
        let into: ID<Catalog.Work>
    }
}
