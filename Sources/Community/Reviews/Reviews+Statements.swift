import Postgres

extension Reviews {
    enum Statements {}
}

extension Reviews.Statements {
    /// The columns of a review with its reader and book: `review`, `reader` (the account), `work` and what `talk` joins must be in scope.
    static func columns<S: ForViewer>(book: Fragment = Catalog.Book.columns) -> SQL<S> {
        "\(Accounts.Reader.columns(of: "reader")), \(book), \(own())"
    }

    /// The columns of a review alone. Stars, text and reactions are null where its gate is shut, and all where there is no review.
    static func own<S: ForViewer>() -> SQL<S> {
        """
        review.id, gate.is_open,
               case when gate.is_open then coalesce(said.body, review.body) end as body, said.html, said.is_veiled,
               case when gate.is_open and review.body is not null and said.html is null
                    then \(Gate.unveilsReview(viewer: .viewer)) end as unveils,
               \(said(isOpen: "gate.is_open"))
        """
    }

    /// The columns of a review beside its text, which `Reviews.Review.init(_:by:of:text:_:)` reads.
    private static func said<S: ForViewer>(isOpen: Fragment) -> SQL<S> {
        """
        case when \(isOpen) then review.rating end as rating, review.spoilers, review.visibility,
               case when review.reader_id = \(.viewer) then review.level_is_own end as level_is_own, review.hidden_level, review.replies,
               \(Reviews.Review.reactionColumns(isShown: SQL(isOpen))),
               review.version, review.created_at, review.edited_at
        """
    }

    /// What `own` needs of the gate and the text of `review`. A text that another program wrote since has no rendering here:
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

    static func joined<S: ForViewer>() -> SQL<S> {
        """
        review
          join account reader on reader.id = review.reader_id
          join work on work.id = review.work_id
         \(talk())
        """
    }
}

extension Reviews.Basis.Mine {
    fileprivate init(by reader: Accounts.Reader, of book: Catalog.Book, _ columns: inout Columns) throws {
        let id: ID<Reviews.Review> = try columns("review")
        (counted, body, text) = (try columns("counted"), try columns("body"), try columns("kept_text"))
        let html: String? = try columns("kept_html")
        let said = body.map { body in
            html.map { Reviews.Text(body: body, html: $0, isVeiled: false) } ?? Reviews.Text(whole: body)
        }
        review = try Reviews.Review(id, by: reader, of: book, text: said, &columns)
    }
}

extension Reviews.Shown: RowReadable {
    /// Reads the columns of `Reviews.Statements.columns`.
    package init(_ columns: inout Columns) throws {
        try self.init(by: Accounts.Reader(&columns), of: Catalog.Book(&columns), &columns)
    }

    /// Reads the columns of `Reviews.Statements.own`.
    init(by reader: Accounts.Reader, of book: Catalog.Book, _ columns: inout Columns) throws {
        let (id, isOpen): (ID<Reviews.Review>, Bool) = (try columns("id"), try columns("is_open"))
        guard isOpen else {
            try columns.skip(through: "edited_at")
            self = .gated(Gate.Placeholder(id: id.rawValue, kind: Reviews.kind, position: Gate.end))
            return
        }
        let text = try Self.text(&columns)
        self = .whole(try Reviews.Review(id, by: reader, of: book, text: text, &columns))
    }

    private static func text(_ columns: inout Columns) throws -> Reviews.Text? {
        let (body, html): (String?, String?) = (try columns("body"), try columns("html"))
        let (isVeiled, unveils): (Bool?, Bool?) = (try columns("is_veiled"), try columns("unveils"))
        guard let body else { return nil }
        guard let html, let isVeiled else {
            return unveils == true ? Reviews.Text(whole: body) : Reviews.Text(veiled: body)
        }
        return Reviews.Text(body: body, html: html, isVeiled: isVeiled)
    }
}

extension Reviews.Review: RowReadable {
    /// Reads what a review says beside its text.
    fileprivate init(
        _ id: ID<Reviews.Review>, by reader: Accounts.Reader, of book: Catalog.Book, text: Reviews.Text?,
        _ columns: inout Columns
    ) throws {
        self.init(
            id: id, author: reader, book: book, rating: try columns("rating"), text: text,
            spoilers: try columns("spoilers"), visibility: try columns("visibility"),
            levelIsOwn: try columns("level_is_own"), hiddenLevel: try columns("hidden_level"),
            replies: try columns("replies"),
            reactions: try [Reaction: Int](&columns), ownReactions: try Set<Reaction>(&columns),
            version: try columns("version"), createdAt: try columns("created_at"), editedAt: try columns("edited_at"))
    }

    /// Reads the columns of `Reviews.Statements.columns` where the review is certainly whole: the viewer's own.
    package init(_ columns: inout Columns) throws {
        guard let review = try Reviews.Shown(&columns).review else {
            throw PostgresError(.decoding, message: "a review is kept from its reader")
        }
        self = review
    }
}

extension Reviews.Statements {
    /// All that a `put` decides on: the reader (by the name that is told), the work (or what it was merged into; held, so
    /// that a merge waits or is waited for), and what the reader said before, locked against other writers. One reader's
    /// writes take turns, so that limits are exact. No row where the account is gone; the work or the review may be absent.
    struct Basis: Statement, ForViewer {
        static let sql: SQL<Self> = """
            with reader as (
                select id, username, name, state, reach, verified_at, created_at
                  from account
                 where id = \(\.viewer)
                   for no key update
            ), target as (
                \(Catalog.held("\(\.work)"))
            ), mine as (
                select *, (select text.id from review_text text where text.id = review.text_id and text.body = review.body) as kept_text,
                       (select text.html from review_text text where text.id = review.text_id and text.body = review.body) as kept_html
                  from review
                 where reader_id = \(\.viewer)
                   and work_id = (select id from target)
                   for update
            )
            select \(Accounts.Reader.told(of: "reader")), reader.state,
                   reader.verified_at is not null as is_verified, reader.created_at,
                   \(Accounts.Statements.counts(isLoopback: "\(\.counting.isLoopback)", bornBefore: "\(\.counting.bornBefore)")) as counts,
                   \(counts("work.id", today: "\(\.counting.today)")) as is_out, \(Privacy.level(.reviews, of: "\(\.viewer)"))::smallint as usual,
                   \(Catalog.Book.columns), review.id as review, review.counted, review.body, review.kept_text, review.kept_html, \(said(isOpen: "true"))
              from reader
              left join work on work.id = (select id from target) and work.title is not null and work.withdrawn_at is null
              left join mine review on true
            """
        let viewer: ID<Accounts.Account>, work: ID<Catalog.Work>, counting: Accounts.Counting

        static func decode(_ columns: inout Columns) throws -> Reviews.Basis {
            let reader = try Accounts.Reader(&columns)
            let (state, isVerified): (Accounts.State, Bool) = (try columns("state"), try columns("is_verified"))
            let (bornAt, counts): (Timestamp, Bool) = (try columns("created_at"), try columns("counts"))
            let (isOut, usual): (Bool?, Visibility) = (try columns("is_out"), try columns("usual"))
            let book = try columns.part(through: "author_names", Catalog.Book.init)
            let mine = try columns.part(through: "edited_at") { columns in
                if let book { return try Reviews.Basis.Mine(by: reader, of: book, &columns) as Reviews.Basis.Mine? }
                try columns.skip(through: "edited_at")
                return nil
            }
            return Reviews.Basis(
                reader: reader, state: state, isVerified: isVerified, bornAt: bornAt, counts: counts,
                isOut: isOut ?? false, usual: usual, mine: mine ?? nil, book: book)
        }
    }

    /// How many reviews of a reader have a text, no further than an account has in its first day. Index
    /// `review_by_reader`. Not part of `Basis`, which sees what was there before it waited for the account.
    struct TextsOf: Statement {
        static let sql: SQL<Self> = """
            select count(*)
              from (select 1
                      from review
                     where reader_id = \(\.reader)
                       and body is not null
                     limit \(Limits.reviews.textsOnFirstDay)) counted
            """
        let reader: ID<Accounts.Account>
        typealias Output = Int
    }

    /// Violates `review_of_reader` where another writer was faster.
    struct Insert: Statement {
        static let sql: SQL<Self> = """
            insert into review (id, reader_id, work_id, rating, body, visibility, counted, created_at, level_is_own, spoilers, text_id)
            values (\(\.review.id), \(\.review.author.id), \(\.review.book.id), \(\.review.rating), \(\.review.body, "review.body"), \(\.review.visibility), \(\.counted), \(\.review.createdAt), \(\.hasOwnLevel), \(\.review.spoilers), \(\.text))
            """
        let review: Reviews.Review, text: ID<Reviews.Text>?, counted: Bool, hasOwnLevel: Bool
    }

    struct Update: Statement {
        static let sql: SQL<Self> = """
            update review
               set rating = \(\.review.rating),
                   body = \(\.review.body, "review.body"),
                   visibility = \(\.review.visibility),
                   hidden_level = \(\.review.hiddenLevel),
                   counted = \(\.counted),
                   version = \(\.review.version),
                   edited_at = \(\.review.editedAt),
                   level_is_own = \(\.hasOwnLevel),
                   spoilers = \(\.review.spoilers),
                   text_id = \(\.text)
             where id = \(\.review.id)
            """
        let review: Reviews.Review, text: ID<Reviews.Text>?, counted: Bool, hasOwnLevel: Bool
    }

    /// Whether the level that a review has is its own from now on, or follows its reader's.
    struct OwnLevel: Statement {
        static let sql: SQL<Self> = "update review set level_is_own = \(\.isOwn) where id = \(\.review)"
        let review: ID<Reviews.Review>, isOwn: Bool
    }

    /// Puts the reviews of one reader that have no level of their own at `level`; hidden ones once they are shown. Index
    /// `review_by_reader`.
    struct FollowLevel: Statement {
        static let sql: SQL<Self> = """
            update review
               set visibility = case when hidden_at is null then \(\.level)::smallint else 0::smallint end,
                   hidden_level = case when hidden_at is not null then \(\.level)::smallint end,
                   version = version + 1
             where reader_id = \(\.reader)
               and not level_is_own
               and coalesce(hidden_level, visibility) <> \(\.level)
            """
        let reader: ID<Accounts.Account>, level: Visibility
    }

    /// The reader's own review, locked after the account, with whether it is counted and the account's state.
    struct LockMine: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select \(columns()), review.counted, reader.state
              from \(joined())
             where review.reader_id = \(\.viewer)
               and review.work_id = \(Catalog.resolved("\(\.work)"))
               for no key update of reader
               for update of review
            """
        let viewer: ID<Accounts.Account>, work: ID<Catalog.Work>

        struct Output: Sendable {
            let review: Reviews.Review
            let counted: Bool
            let state: Accounts.State
        }

        static func decode(_ columns: inout Columns) throws -> Output {
            Output(review: try Reviews.Review(&columns), counted: try columns("counted"), state: try columns("state"))
        }
    }

    struct Delete: Statement {
        static let sql: SQL<Self> = "delete from review where id = \(\.review)"
        let review: ID<Reviews.Review>
    }

    /// One review, where the viewer may know of it.
    struct One: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select \(columns())
              from \(joined())
             where review.id = \(\.review)
               and \(Reviews.Review.isSeen())
            """
        let viewer: Viewer, review: ID<Reviews.Review>
        typealias Output = Reviews.Shown
    }

    /// What the reader said about a work.
    struct Mine: Statement, ForViewer {
        static let isPlannedOnce = true
        static let sql: SQL<Self> = """
            select \(columns())
              from \(joined())
             where review.reader_id = \(\.viewer)
               and review.work_id = \(Catalog.resolved("\(\.work)"))
            """
        let viewer: ID<Accounts.Account>, work: ID<Catalog.Work>
        typealias Output = Reviews.Review
    }
}
