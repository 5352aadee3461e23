import Postgres

extension Reviews {
    package static let statements: [any Statement.Type] =
        [
            Statements.Scene.self, Statements.Insert.self, Statements.Update.self, Statements.OwnLevel.self,
            Statements.FollowLevel.self, Statements.LockMine.self,
            Statements.Delete.self,
            Statements.One.self, Statements.Mine.self, Statements.OfBook.self, Statements.OfBookBefore.self,
            Statements.TallyOf.self, Statements.Count.self, Statements.CountReviewsOf.self,
            Statements.ReadersToCount.self,
            Statements.RemoveAll.self,
        ] + Statements.mergeStatements + Statements.ratingStatements

    enum Statements {}
}

extension Reviews.Statements {
    /// The columns that `Reviews.Review` is read from, for the viewer $1; `review`, `reader` (the account) and `work` must be in scope.
    static let columns = """
        review.id, review.rating, review.body, review.visibility, review.version, review.created_at, review.edited_at,
               reader.id, reader.username, \(Privacy.shown("reader.name", .name, viewer: "$1", owner: "reader.id")), \(book),
               case when review.reader_id = $1 then review.level_is_own end
        """

    /// The columns that `Reviews.Book` is read from.
    static let book = """
        work.id, coalesce(work.title, ''),
               array(select author.id from work_author join author on author.id = work_author.author_id
                      where work_author.work_id = work.id and author.name is not null order by work_author.position),
               array(select author.name from work_author join author on author.id = work_author.author_id
                      where work_author.work_id = work.id and author.name is not null order by work_author.position)
        """

    static let joined = """
        review
          join account reader on reader.id = review.reader_id
          join work on work.id = review.work_id
        """

    /// Whether the reviews of `reader` (an `account` row in scope) may count; $n are those of each statement.
    static func counts(isLoopback: StaticString, bornBefore: StaticString) -> String {
        """
        (reader.reach = 3
                and (reader.verified_at is not null or \(isLoopback))
                and reader.created_at <= \(bornBefore))
        """
    }

    static func asReview(_ row: borrowing Row, from column: Int = 0) throws -> Reviews.Review {
        Reviews.Review(
            id: try row[column], reader: try asReader(row, from: column + 7), book: try asBook(row, from: column + 10),
            rating: try row[column + 1], body: try row[column + 2], visibility: try row[column + 3],
            levelIsOwn: try row[column + 14],
            version: try row[column + 4], createdAt: try row[column + 5], editedAt: try row[column + 6])
    }

    static func asReader(_ row: borrowing Row, from column: Int) throws -> Accounts.Reader {
        Accounts.Reader(id: try row[column], username: try row[column + 1], name: try row[column + 2])
    }

    static func asBook(_ row: borrowing Row, from column: Int) throws -> Reviews.Book {
        let ids: [ID<Catalog.Author>] = try row[column + 2]
        let names: [String] = try row[column + 3]
        return Reviews.Book(
            id: try row[column], title: try row[column + 1],
            authors: zip(ids, names).map { Catalog.AuthorName(id: $0, name: $1) })
    }
}

extension Reviews.Statements {
    /// All that a `put` decides on: the reader (by the name that is told), the work (or what it was merged into; held, so that a merge waits or is waited for), and
    /// what the reader said before, locked against other writers. No row where the account is gone; the work or the review may be absent.
    struct Scene: Statement {
        static let name = "reviews.scene"
        static let sql = """
            with reader as (
                select id, username, name, state, reach, verified_at, created_at from account where id = $1 for share
            ), target as (
                select coalesce(merged_into, id) as id from work where id = $2 for key share
            ), mine as (
                select id, rating, body, visibility, level_is_own, counted, version, created_at, edited_at
                  from review
                 where reader_id = $1
                   and work_id = (select id from target)
                   for update
            )
            select reader.id, reader.username, \(Privacy.told("reader.name", owner: "reader.id")), reader.state, reader.verified_at is not null, reader.created_at,
                   \(counts(isLoopback: "$3", bornBefore: "$4")),
                   mine.id, mine.rating, mine.body, mine.visibility, mine.counted, mine.version, mine.created_at, mine.edited_at,
                   \(book), \(Catalog.isOut("work.id", today: "$5")), mine.level_is_own,
                   \(Privacy.level(.reviews, of: "$1"))::smallint
              from reader
              left join work on work.id = (select id from target) and work.title is not null and work.withdrawn_at is null
              left join mine on true
            """
        let reader: ID<Accounts.Account>
        let work: ID<Catalog.Work>
        let counting: Reviews.Counting

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(work)
            parameters.append(counting.isLoopback)
            parameters.append(counting.bornBefore)
            parameters.append(counting.today)
        }

        static func decode(_ row: borrowing Row) throws -> Reviews.Scene {
            let id: ID<Reviews.Review>? = try row[7]
            let work: ID<Catalog.Work>? = try row[15]
            return Reviews.Scene(
                reader: try asReader(row, from: 0), state: try row[3], isVerified: try row[4], bornAt: try row[5],
                counts: try row[6], isOut: try row[19] ?? false, usual: try row[21],
                mine: try id.map { id in
                    Reviews.Scene.Mine(
                        id: id, rating: try row[8], body: try row[9], visibility: try row[10], hasOwnLevel: try row[20],
                        counted: try row[11],
                        version: try row[12], createdAt: try row[13], editedAt: try row[14])
                },
                book: work == nil ? nil : try asBook(row, from: 15))
        }
    }

    /// Violates `review_of_reader` where another writer was faster.
    struct Insert: Statement {
        static let name = "reviews.insert"
        static let sql = """
            insert into review (id, reader_id, work_id, rating, body, visibility, counted, created_at, level_is_own)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """
        let review: Reviews.Review
        let counted: Bool
        let hasOwnLevel: Bool

        func bind(to parameters: inout Parameters) {
            parameters.append(review.id)
            parameters.append(review.reader.id)
            parameters.append(review.book.id)
            parameters.append(review.rating)
            parameters.append(review.body)
            parameters.append(review.visibility)
            parameters.append(counted)
            parameters.append(review.createdAt)
            parameters.append(hasOwnLevel)
        }
    }

    struct Update: Statement {
        static let name = "reviews.update"
        static let sql = """
            update review
               set rating = $2,
                   body = $3,
                   visibility = $4,
                   counted = $5,
                   version = $6,
                   edited_at = $7,
                   level_is_own = $8
             where id = $1
            """
        let review: Reviews.Review
        let counted: Bool
        let hasOwnLevel: Bool

        func bind(to parameters: inout Parameters) {
            parameters.append(review.id)
            parameters.append(review.rating)
            parameters.append(review.body)
            parameters.append(review.visibility)
            parameters.append(counted)
            parameters.append(review.version)
            parameters.append(review.editedAt)
            parameters.append(hasOwnLevel)
        }
    }

    /// Whether the level that a review has is its own from now on, or follows its reader's.
    struct OwnLevel: Statement {
        static let name = "reviews.own_level"
        static let sql = "update review set level_is_own = $2 where id = $1"
        let review: ID<Reviews.Review>
        let isOwn: Bool

        func bind(to parameters: inout Parameters) {
            parameters.append(review)
            parameters.append(isOwn)
        }
    }

    /// Puts the reviews of one reader that have no level of their own at `level`. Index `review_by_reader`.
    struct FollowLevel: Statement {
        static let name = "reviews.follow_level"
        static let sql = """
            update review
               set visibility = $2,
                   version = version + 1
             where reader_id = $1
               and not level_is_own
               and visibility <> $2
            """
        let reader: ID<Accounts.Account>
        let level: Visibility

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(level)
        }
    }

    /// A work, or what it was merged into; `$n` is the parameter that names it.
    static func target(_ parameter: StaticString) -> String {
        "(select coalesce(work.merged_into, work.id) from work where work.id = \(parameter))"
    }

    /// The reader's own review, locked after the account, with whether it is counted and the account's state.
    struct LockMine: Statement {
        static let name = "reviews.lock_mine"
        static let sql = """
            select \(columns), review.counted, reader.state
              from \(joined)
             where review.reader_id = $1
               and review.work_id = \(target("$2"))
               for share of reader
               for update of review
            """
        let reader: ID<Accounts.Account>
        let work: ID<Catalog.Work>

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(work)
        }

        struct Output: Sendable {
            let review: Reviews.Review
            let counted: Bool
            let state: Accounts.State
        }

        static func decode(_ row: borrowing Row) throws -> Output {
            Output(review: try asReview(row), counted: try row[15], state: try row[16])
        }
    }

    struct Delete: Statement {
        static let name = "reviews.delete"
        static let sql = "delete from review where id = $1"
        let review: ID<Reviews.Review>

        func bind(to parameters: inout Parameters) { parameters.append(review) }
    }

    /// One review, where the viewer may see it.
    struct One: Statement {
        static let name = "reviews.one"
        static let sql = """
            select \(columns)
              from \(joined)
             where review.id = $2
               and \(Visibility.predicate(viewer: "$1", owner: "review.reader_id", level: "review.visibility"))
            """
        let viewer: Viewer
        let review: ID<Reviews.Review>

        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(review)
        }

        static func decode(_ row: borrowing Row) throws -> Reviews.Review { try asReview(row) }
    }

    /// What the reader said about a work.
    struct Mine: Statement {
        static let name = "reviews.mine"
        static let sql = """
            select \(columns)
              from \(joined)
             where review.reader_id = $1
               and review.work_id = \(target("$2"))
            """
        let reader: ID<Accounts.Account>
        let work: ID<Catalog.Work>

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(work)
        }

        static func decode(_ row: borrowing Row) throws -> Reviews.Review { try asReview(row) }
    }

    /// Reviews of one work that the viewer may see, newest first; served by the index `review_of_work`.
    struct OfBook: Statement {
        static let name = "reviews.of_book"
        static let sql = """
            select \(columns)
              from \(joined)
             where review.work_id = \(target("$2"))
               and review.id < $3
               and \(Visibility.predicate(viewer: "$1", owner: "review.reader_id", level: "review.visibility"))
             order by review.id desc
             limit $4
            """
        let viewer: Viewer
        let work: ID<Catalog.Work>
        let after: ID<Reviews.Review>
        let limit: Int

        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(work)
            parameters.append(after)
            parameters.append(limit)
        }

        static func decode(_ row: borrowing Row) throws -> Reviews.Review { try asReview(row) }
    }

    /// The same the other way, oldest first: the page before.
    struct OfBookBefore: Statement {
        static let name = "reviews.of_book_before"
        static let sql = """
            select \(columns)
              from \(joined)
             where review.work_id = \(target("$2"))
               and review.id > $3
               and \(Visibility.predicate(viewer: "$1", owner: "review.reader_id", level: "review.visibility"))
             order by review.id
             limit $4
            """
        let viewer: Viewer
        let work: ID<Catalog.Work>
        let before: ID<Reviews.Review>
        let limit: Int

        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(work)
            parameters.append(before)
            parameters.append(limit)
        }

        static func decode(_ row: borrowing Row) throws -> Reviews.Review { try asReview(row) }
    }
}
