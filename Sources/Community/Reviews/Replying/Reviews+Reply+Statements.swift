import MarkdownReading
import Postgres

extension Reviews.Statements {
    /// What a reply stands on. No row where the review is not seen.
    struct ReplyGround: Statement {
        static let sql: SQL<Self> = """
            select review.work_id, review.visibility, \(Gate.opensReview(viewer: "\(\.author)")) as is_open
              from review
             where review.id = \(\.review)
               and \(Visibility.predicate(viewer: "\(\.author)", owner: "review.reader_id", level: "review.visibility"))
            """
        let author: ID<Accounts.Account>, review: ID<Reviews.Review>

        static func decode(_ columns: inout Columns) throws -> Reviews.Ground {
            Reviews.Ground(
                book: try columns("work_id"), visibility: try columns("visibility"), isOpen: try columns("is_open"))
        }
    }

    /// A reply, with the next number of its review and counted there: its number, and whether the review is marked. No row where the review has gone
    /// since it was looked at. Replies to one review take turns from here to their commits.
    struct InsertReply: Statement {
        static let sql: SQL<Self> = """
            with bumped as (
                update review
                   set reply_numbers = reply_numbers + 1,
                       replies = replies + 1
                 where id = \(\.review)
                returning reply_numbers, spoilers
            )
            insert into review_reply (id, review_id, number, author_id, spoilers, text_id, body, html, veiled_body, veiled_html, created_at)
            select \(\.id), \(\.review), bumped.reply_numbers, \(\.author), bumped.spoilers, \(\.textID), \(\.text.body), \(\.text.html), \(\.text.veiled?.body), \(\.text.veiled?.html), \(\.at)
              from bumped
            returning number, spoilers
            """
        let id: ID<Reviews.Reply>, review: ID<Reviews.Review>, author: ID<Accounts.Account>, textID: ID<Reviews.Text>
        let text: Markdown.Text, at: Timestamp

        static func decode(_ columns: inout Columns) throws -> (number: Int, spoilers: Bool) {
            (try columns("number"), try columns("spoilers"))
        }
    }

    /// The review that a reply is to, locked before the reply.
    struct LockReviewOf: Statement {
        static let sql: SQL<Self> = """
            select review.id
              from review
             where review.id = (select reply.review_id from review_reply reply where reply.id = \(\.reply))
               for no key update
            """
        let reply: ID<Reviews.Reply>
    }

    /// The author's own reply, locked, with all of its text; of others', no row.
    struct StandingReply: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select reply.id as reply, reply.review_id, reply.number, \(Accounts.Reader.columns(of: "owner")),
                   reply.body, reply.html, reply.spoilers or review.spoilers as spoilers, reply.version, reply.created_at,
                   reply.edited_at, reply.hidden_at is not null as is_hidden, review.work_id, review.visibility,
                   \(Reviews.Review.isSeen()) as is_seen,
                   \(Gate.opensReview(viewer: .viewer)) as is_open
              from review_reply reply
              join review on review.id = reply.review_id
              join account owner on owner.id = reply.author_id
             where reply.id = \(\.reply)
               and reply.author_id = \(.viewer)
               for no key update of reply
            """
        let viewer: ID<Accounts.Account>, reply: ID<Reviews.Reply>

        static func decode(_ columns: inout Columns) throws -> Reviews.StandingReply {
            Reviews.StandingReply(
                reply: Reviews.Reply(
                    id: try columns("reply"), review: try columns("review_id"), number: try columns("number"),
                    author: try Accounts.Reader(&columns),
                    text: Reviews.Text(body: try columns("body"), html: try columns("html"), isVeiled: false),
                    spoilers: try columns("spoilers"), version: try columns("version"),
                    createdAt: try columns("created_at"), editedAt: try columns("edited_at"),
                    isHidden: try columns("is_hidden")),
                book: try columns("work_id"), visibility: try columns("visibility"), isSeen: try columns("is_seen"),
                isOpen: try columns("is_open"))
        }
    }

    struct ChangeReply: Statement {
        static let sql: SQL<Self> = """
            update review_reply
               set text_id = \(\.textID),
                   body = \(\.text.body),
                   html = \(\.text.html),
                   veiled_body = \(\.text.veiled?.body),
                   veiled_html = \(\.text.veiled?.html),
                   version = version + 1,
                   edited_at = \(\.at)
             where id = \(\.reply)
            """
        let reply: ID<Reviews.Reply>, textID: ID<Reviews.Text>, text: Markdown.Text, at: Timestamp?
    }

    /// Takes a reply away, whose review is locked.
    struct DeleteReply: Statement {
        static let sql: SQL<Self> = """
            with gone as (delete from review_reply where id = \(\.reply) returning review_id, hidden_at)
            update review
               set replies = replies - 1
              from gone
             where review.id = gone.review_id
               and gone.hidden_at is null
            """
        let reply: ID<Reviews.Reply>
    }

    /// Every reply of one account, taken out of the counts; reviews are locked first, in their order. Index `review_reply_of_author`.
    struct RemoveRepliesOf: Statement {
        static let sql: SQL<Self> = """
            with locked as materialized (
                select review.id
                  from review
                 where review.id in (select review_id from review_reply where author_id = \(\.author))
                 order by review.id
                   for no key update
            ), gone as (
                delete from review_reply
                 using locked
                 where review_reply.author_id = \(\.author)
                   and review_reply.review_id = locked.id
                returning review_reply.review_id, review_reply.hidden_at
            )
            update review
               set replies = review.replies - counted.n
              from (select review_id, count(*)::integer as n from gone where hidden_at is null group by review_id) counted
             where review.id = counted.review_id
            """
        let author: ID<Accounts.Account>
    }

    /// SQL: who sees the reply in scope, as far as its author says: those who see what the author says on boards.
    static let replyLevel: Fragment =
        "coalesce((select privacy.discussions from privacy where privacy.reader_id = review_reply.author_id), 3)"

    /// SQL: whether the reply in scope is there for `viewer`, as far as its author and moderators say.
    static func replyIsTold<S>(to viewer: SQL<S>) -> SQL<S> {
        """
        (\(Visibility.predicate(viewer: viewer, owner: "review_reply.author_id", level: SQL(replyLevel)))
                and (review_reply.hidden_at is null or review_reply.author_id = \(viewer)))
        """
    }

    /// SQL: whether `viewer` may know of the reply in scope, to the review in scope.
    static func replyIsSeen<S>(by viewer: SQL<S>) -> SQL<S> {
        """
        (\(Visibility.predicate(viewer: viewer, owner: "review.reader_id", level: "review.visibility"))
                and \(replyIsTold(to: viewer)))
        """
    }

    /// What the viewer is shown of replies. Where the gate is shut, what one says and who says it are null.
    private static func shown<S: ForViewer>(_ source: SQL<S>) -> SQL<S> {
        """
        select review_reply.number, review_reply.id as reply, gate.is_open, review_reply.review_id,
               case when gate.is_open then author.id end as id, case when gate.is_open then author.username end as username,
               case when gate.is_open then \(Accounts.Reader.shown(of: "author", to: .viewer)) end as shown,
               case when gate.is_open
                    then case when veil.is_down then review_reply.veiled_body else review_reply.body end end as body,
               case when gate.is_open
                    then case when veil.is_down then review_reply.veiled_html else review_reply.html end end as html,
               veil.is_down, review.spoilers, review_reply.version, review_reply.created_at, review_reply.edited_at,
               review_reply.hidden_at is not null as is_hidden
          from review_reply
          join review stands on stands.id = review_reply.review_id
          join account author on author.id = review_reply.author_id
         cross join lateral (
               select stands.id, stands.reader_id, stands.work_id, stands.visibility,
                      stands.spoilers or review_reply.spoilers as spoilers) review
         cross join lateral (
               select review_reply.author_id = \(.viewer) or \(Gate.opensReview(viewer: .viewer)) as is_open limit 1) gate
         cross join lateral (
               select review_reply.veiled_body is not null
                      and not (review_reply.author_id = \(.viewer) or \(Gate.unveilsReview(viewer: .viewer))) as is_down
                limit 1) veil
         where \(source)
           and \(Reviews.Reply.isSeen())
        """
    }

    /// One reply that the viewer may know of.
    struct OneReply: Statement, ForViewer {
        static let sql: SQL<Self> = shown("review_reply.id = \(\.reply)")
        let viewer: Viewer, reply: ID<Reviews.Reply>

        static func decode(_ columns: inout Columns) throws -> Reviews.ShownReply {
            try Reviews.ShownReply(number: columns("number"), &columns)
        }
    }

    /// Replies to a review that the viewer may know of, oldest first. Index `review_reply_in_review`.
    struct Replies: ListStatement, ForViewer {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>(
                "review_reply.number", "\(\.span.place.number, as: Int32.self)::integer", isAscending: true, direction)
            return """
                \(shown("review_reply.review_id = \(\.review) and \(keyset.condition)"))
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: Viewer, review: ID<Reviews.Review>, span: Span<Reviews.ReplyPlace>

        static func decode(_ columns: inout Columns) throws -> Keyed<Reviews.ShownReply, Reviews.ReplyPlace> {
            let number: Int = try columns("number")
            return Keyed(
                item: try Reviews.ShownReply(number: number, &columns), key: Reviews.ReplyPlace(number: number))
        }
    }
}

extension Reviews.ShownReply {
    /// Reads the columns of `Reviews.Statements.shown` behind the number.
    fileprivate init(number: Int, _ columns: inout Columns) throws {
        let (id, isOpen): (ID<Reviews.Reply>, Bool) = (try columns("reply"), try columns("is_open"))
        guard isOpen else {
            try columns.skip(through: "is_hidden")
            self = .gated(Gate.Placeholder(id: id.rawValue, kind: Reviews.replyKind, position: Gate.end))
            return
        }
        self = .whole(
            Reviews.Reply(
                id: id, review: try columns("review_id"), number: number, author: try Accounts.Reader(&columns),
                text: Reviews.Text(
                    body: try columns("body"), html: try columns("html"), isVeiled: try columns("is_down")),
                spoilers: try columns("spoilers"), version: try columns("version"),
                createdAt: try columns("created_at"), editedAt: try columns("edited_at"),
                isHidden: try columns("is_hidden")))
    }
}
