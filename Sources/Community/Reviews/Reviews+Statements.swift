import Postgres

extension Reviews {
    package static let statements: [any Statement.Type] =
        [
            Statements.Scene.self, Statements.Insert.self, Statements.Update.self, Statements.OwnLevel.self,
            Statements.FollowLevel.self, Statements.LockMine.self,
            Statements.Delete.self,
            Statements.One.self, Statements.Mine.self,
            Statements.TallyOf.self, Statements.Count.self, Statements.CountReviewsOf.self,
            Statements.ReadersToCount.self,
            Statements.RemoveAll.self,
        ] + Statements.mergeStatements + Statements.ratingStatements + Statements.listStatements
        + Statements.textStatements + Statements.replyStatements + Statements.reactionStatements
        + Statements.friendStatements

    enum Statements {}
}

extension Reviews.Statements {
    /// The columns that `Reviews.Shown` is read from, for the viewer $1; `review`, `reader` (the account), `work` and what `talk` joins must be in
    /// scope. Stars, text and reactions of a review whose gate is shut are null.
    static func columns<S: ForViewer>() -> SQL<S> {
        """
        review.id, case when gate.is_open then review.rating end,
               case when gate.is_open then coalesce(said.body, review.body) end,
               review.visibility, review.version, review.created_at, review.edited_at,
               reader.id, reader.username, \(Privacy.shown("reader.name", .name, viewer: .viewer, owner: "reader.id")), \(book),
               case when review.reader_id = \(.viewer) then review.level_is_own end,
               said.html, said.is_veiled,
               case when gate.is_open and review.body is not null and said.html is null
                    then \(Gate.unveilsReview(viewer: .viewer)) end,
               gate.is_open, review.spoilers, review.replies,
               case when gate.is_open and review.reactions > 0
                    then array(select tally.name from review_reaction_tally tally
                                where tally.review_id = review.id and tally.n > 0 order by tally.name) end,
               case when gate.is_open and review.reactions > 0
                    then array(select tally.n from review_reaction_tally tally
                                where tally.review_id = review.id and tally.n > 0 order by tally.name) end,
               case when gate.is_open and review.reactions > 0
                    then array(select own.name from review_reaction own
                                where own.review_id = review.id and own.reader_id = \(.viewer)) end
        """
    }

    /// How many columns that is.
    static let width = 24

    /// What `columns` needs of the gate and the text of `review`, for the viewer $1. A text that another program wrote since has no rendering here:
    /// it is rendered when it is read.
    static func talk<S: ForViewer>() -> SQL<S> {
        """
        cross join lateral (select \(Gate.opensReview(viewer: .viewer)) as is_open limit 1) gate
          left join lateral (
               select case when veil.is_down then text.veiled_body else text.body end as body,
                      case when veil.is_down then text.veiled_html else text.html end as html, veil.is_down as is_veiled
                 from review_text text
                cross join lateral (
                      select text.veiled_body is not null and not \(Gate.unveilsReview(viewer: .viewer)) as is_down limit 1) veil
                where text.id = review.text_id
                  and text.body = review.body
                  and gate.is_open
                limit 1) said on true
        """
    }

    /// The columns that `Reviews.Book` is read from.
    static let book: Fragment = """
        work.id, coalesce(work.title, '') as title,
               array(select author.id from work_author join author on author.id = work_author.author_id
                      where work_author.work_id = work.id and author.name is not null order by work_author.position)
               as author_ids,
               array(select author.name from work_author join author on author.id = work_author.author_id
                      where work_author.work_id = work.id and author.name is not null order by work_author.position)
               as author_names
        """

    static func joined<S: ForViewer>() -> SQL<S> {
        """
        review
          join account reader on reader.id = review.reader_id
          join work on work.id = review.work_id
         \(talk())
        """
    }

    /// Whether the reviews of `reader` (an `account` row in scope) may count; $n are those of each statement.
    static func counts<S>(isLoopback: SQL<S>, bornBefore: SQL<S>) -> SQL<S> {
        """
        (reader.reach = 3
                and (reader.verified_at is not null or \(isLoopback))
                and reader.created_at <= \(bornBefore))
        """
    }

    static func asShown(_ row: borrowing Row, from column: Int = 0) throws -> Reviews.Shown {
        let id: ID<Reviews.Review> = try row[column]
        guard try row[column + 18] ?? false else {
            return .gated(Gate.Placeholder(id: id.rawValue, kind: Reviews.kind, position: Gate.end))
        }
        let replies: Int32 = try row[column + 20]
        return .whole(
            Reviews.Review(
                id: id, reader: try asReader(row, from: column + 7), book: try asBook(row, from: column + 10),
                rating: try row[column + 1], text: try asText(row, from: column), spoilers: try row[column + 19],
                visibility: try row[column + 3], levelIsOwn: try row[column + 14], replies: Int(replies),
                reactions: reactions(try row[column + 21] ?? [], try row[column + 22] ?? []),
                ownReactions: Set(
                    (try row[column + 23] as [String]? ?? []).compactMap(Boards.Reaction.init(rawValue:))),
                version: try row[column + 4], createdAt: try row[column + 5], editedAt: try row[column + 6]))
    }

    /// A review that is certainly whole: the viewer's own.
    static func asReview(_ row: borrowing Row, from column: Int = 0) throws -> Reviews.Review {
        guard case .whole(let review) = try asShown(row, from: column) else {
            throw PostgresError(.decoding, message: "a review is kept from its reader")
        }
        return review
    }

    private static func asText(_ row: borrowing Row, from column: Int) throws -> Reviews.Text? {
        guard let body: String = try row[column + 2] else { return nil }
        guard let html: String = try row[column + 15] else {
            return try row[column + 17] ?? false ? Reviews.Text(whole: body) : Reviews.Text(veiled: body)
        }
        return Reviews.Text(body: body, html: html, isVeiled: try row[column + 16])
    }

    static func reactions(_ names: [String], _ counts: [Int32]) -> [Boards.Reaction: Int] {
        Dictionary(
            zip(names, counts).compactMap { name, count in
                Boards.Reaction(rawValue: name).map { ($0, Int(count)) }
            }, uniquingKeysWith: +)
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

extension Reviews.Book {
    /// Reads the columns of `Reviews.Statements.book`.
    init(_ columns: inout Columns) throws {
        id = try columns("id")
        title = try columns("title")
        let (ids, names): ([ID<Catalog.Author>], [String]) = (try columns("author_ids"), try columns("author_names"))
        authors = zip(ids, names).map { Catalog.AuthorName(id: $0, name: $1) }
    }
}

extension Reviews.Statements {
    /// All that a `put` decides on: the reader (by the name that is told), the work (or what it was merged into; held, so
    /// that a merge waits or is waited for), and what the reader said before, locked against other writers. One reader's
    /// writes take turns, so that limits are exact. No row where the account is gone; the work or the review may be absent.
    struct Scene: Statement, ForViewer {
        static let name = "reviews.scene"
        static let sql: SQL<Self> = """
            with reader as (
                select id, username, name, state, reach, verified_at, created_at
                  from account
                 where id = \(\.viewer)
                   for no key update
            ), target as (
                select coalesce(merged_into, id) as id from work where id = \(\.work) for key share
            ), mine as (
                select id, rating, body, visibility, level_is_own, counted, version, created_at, edited_at, spoilers, replies,
                       (select text.id from review_text text where text.id = review.text_id and text.body = review.body) as text_id
                  from review
                 where reader_id = \(\.viewer)
                   and work_id = (select id from target)
                   for update
            )
            select reader.id, reader.username, \(Privacy.told("reader.name", owner: "reader.id")), reader.state, reader.verified_at is not null, reader.created_at,
                   \(counts(isLoopback: "\(\.counting.isLoopback)", bornBefore: "\(\.counting.bornBefore)")),
                   mine.id, mine.rating, mine.body, mine.visibility, mine.counted, mine.version, mine.created_at, mine.edited_at,
                   \(book), \(Catalog.isOut("work.id", today: "\(\.counting.today)")), mine.level_is_own,
                   \(Privacy.level(.reviews, of: "\(\.viewer)"))::smallint,
                   mine.spoilers, mine.replies, mine.text_id,
                   array(select tally.name from review_reaction_tally tally where tally.review_id = mine.id and tally.n > 0 order by tally.name),
                   array(select tally.n from review_reaction_tally tally where tally.review_id = mine.id and tally.n > 0 order by tally.name)
              from reader
              left join work on work.id = (select id from target) and work.title is not null and work.withdrawn_at is null
              left join mine on true
            """
        let viewer: ID<Accounts.Account>
        let work: ID<Catalog.Work>
        let counting: Reviews.Counting

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
                        spoilers: try row[22], replies: Int(try row[23] as Int32), text: try row[24],
                        reactions: reactions(try row[25], try row[26]),
                        version: try row[12], createdAt: try row[13], editedAt: try row[14])
                },
                book: work == nil ? nil : try asBook(row, from: 15))
        }
    }

    /// Violates `review_of_reader` where another writer was faster.
    struct Insert: Statement {
        static let name = "reviews.insert"
        static let sql: SQL<Self> = """
            insert into review (id, reader_id, work_id, rating, body, visibility, counted, created_at, level_is_own, spoilers, text_id)
            values (\(\.review.id), \(\.review.reader.id), \(\.review.book.id), \(\.review.rating), \(\.review.body, "review.body"), \(\.review.visibility), \(\.counted), \(\.review.createdAt), \(\.hasOwnLevel), \(\.review.spoilers), \(\.text))
            """
        let review: Reviews.Review
        let text: ID<Reviews.Text>?
        let counted: Bool
        let hasOwnLevel: Bool
    }

    struct Update: Statement {
        static let name = "reviews.update"
        static let sql: SQL<Self> = """
            update review
               set rating = \(\.review.rating),
                   body = \(\.review.body, "review.body"),
                   visibility = \(\.review.visibility),
                   counted = \(\.counted),
                   version = \(\.review.version),
                   edited_at = \(\.review.editedAt),
                   level_is_own = \(\.hasOwnLevel),
                   spoilers = \(\.review.spoilers),
                   text_id = \(\.text)
             where id = \(\.review.id)
            """
        let review: Reviews.Review
        let text: ID<Reviews.Text>?
        let counted: Bool
        let hasOwnLevel: Bool
    }

    /// Whether the level that a review has is its own from now on, or follows its reader's.
    struct OwnLevel: Statement {
        static let name = "reviews.own_level"
        static let sql: SQL<Self> = "update review set level_is_own = \(\.isOwn) where id = \(\.review)"
        let review: ID<Reviews.Review>
        let isOwn: Bool
    }

    /// Puts the reviews of one reader that have no level of their own at `level`. Index `review_by_reader`.
    struct FollowLevel: Statement {
        static let name = "reviews.follow_level"
        static let sql: SQL<Self> = """
            update review
               set visibility = \(\.level),
                   version = version + 1
             where reader_id = \(\.reader)
               and not level_is_own
               and visibility <> \(\.level)
            """
        let reader: ID<Accounts.Account>
        let level: Visibility
    }

    /// A work, or what it was merged into; `$n` is the parameter that names it.
    static func target<S>(_ parameter: SQL<S>) -> SQL<S> {
        "(select coalesce(work.merged_into, work.id) from work where work.id = \(parameter))"
    }

    /// The reader's own review, locked after the account, with whether it is counted and the account's state.
    struct LockMine: Statement, ForViewer {
        static let name = "reviews.lock_mine"
        static let sql: SQL<Self> = """
            select \(columns()), review.counted, reader.state
              from \(joined())
             where review.reader_id = \(\.viewer)
               and review.work_id = \(target("\(\.work)"))
               for no key update of reader
               for update of review
            """
        let viewer: ID<Accounts.Account>
        let work: ID<Catalog.Work>

        struct Output: Sendable {
            let review: Reviews.Review
            let counted: Bool
            let state: Accounts.State
        }

        static func decode(_ row: borrowing Row) throws -> Output {
            Output(review: try asReview(row), counted: try row[width], state: try row[width + 1])
        }
    }

    struct Delete: Statement {
        static let name = "reviews.delete"
        static let sql: SQL<Self> = "delete from review where id = \(\.review)"
        let review: ID<Reviews.Review>
    }

    /// One review, where the viewer may know of it.
    struct One: Statement, ForViewer {
        static let name = "reviews.one"
        static let sql: SQL<Self> = """
            select \(columns())
              from \(joined())
             where review.id = \(\.review)
               and \(Visibility.predicate(viewer: .viewer, owner: "review.reader_id", level: "review.visibility"))
            """
        let viewer: Viewer
        let review: ID<Reviews.Review>

        static func decode(_ row: borrowing Row) throws -> Reviews.Shown { try asShown(row) }
    }

    /// What the reader said about a work.
    struct Mine: Statement, ForViewer {
        static let name = "reviews.mine"
        static let sql: SQL<Self> = """
            select \(columns())
              from \(joined())
             where review.reader_id = \(\.viewer)
               and review.work_id = \(target("\(\.work)"))
            """
        let viewer: ID<Accounts.Account>
        let work: ID<Catalog.Work>

        static func decode(_ row: borrowing Row) throws -> Reviews.Review { try asReview(row) }
    }
}
