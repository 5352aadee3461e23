import Postgres

extension Reviews.Statements {
    /// How many reviews of a reader have a text, no further than an account has in its first day. Index
    /// `review_by_reader`. Not part of `Scene`, which sees what was there before it waited for the account.
    struct TextsOf: Statement {
        static let sql: SQL<Self> = """
            select count(*)
              from (select 1
                      from review
                     where reader_id = \(\.reader)
                       and body is not null
                     limit \(Limits.Reviews.textsOnFirstDay)) counted
            """
        let reader: ID<Accounts.Account>
        typealias Output = Int
    }

    struct InsertText: Statement {
        static let sql: SQL<Self> = """
            insert into review_text (id, review_id, body, html, veiled_body, veiled_html, at)
            values (\(\.id), \(\.review), \(\.text.body), \(\.text.html), \(\.text.veiled?.body), \(\.text.veiled?.html), \(\.at))
            """
        let id: ID<Reviews.Text>, review: ID<Reviews.Review>, text: Markdown.Text, at: Timestamp
    }

    /// The last text of a review, in whose place another is about to come, keeps the mark that it stood under. Looked up when this runs: the review's
    /// row is locked by then, and what another request wrote before is seen.
    struct RetireText: Statement {
        static let sql: SQL<Self> = """
            update review_text
               set spoilers = true
             where id = (select last.id from review_text last where last.review_id = \(\.review) order by last.id desc limit 1)
            """
        let review: ID<Reviews.Review>
    }

    /// Of the texts of a review those between the first one and the newest, as many as are kept with the one that holds.
    /// Index `review_text_of_review`.
    struct DropOldTexts: Statement {
        static let sql: SQL<Self> = """
            delete from review_text
             where review_id = \(\.review)
               and id <> \(\.holding)
               and id > (select min(first.id) from review_text first where first.review_id = \(\.review))
               and id < (select min(newest.id)
                           from (select id
                                   from review_text
                                  where review_id = \(\.review)
                                  order by id desc
                                  limit \(Limits.Reviews.texts - 1)) newest)
            """
        let review: ID<Reviews.Review>, holding: ID<Reviews.Text>
    }

    /// Every text of a review.
    struct RemoveTexts: Statement {
        static let sql: SQL<Self> = "delete from review_text where review_id = \(\.review)"
        let review: ID<Reviews.Review>
    }

    /// The texts of a review that the viewer may know of; index `review_text_of_review`. Each is gated by the review's mark now and by the one that it
    /// stood under itself.
    struct History: ListStatement, ForViewer {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>("said.id", "\(\.span.place)", direction)
            return """
                select said.id, gate.is_open,
                       case when gate.is_open then case when veil.is_down then said.veiled_body else said.body end end as body,
                       case when gate.is_open then case when veil.is_down then said.veiled_html else said.html end end as html,
                       veil.is_down, said.at
                  from (select own.id, own.reader_id, own.work_id, own.spoilers as is_marked, own.visibility
                          from review own
                         where own.id = \(\.review)) stands
                  join review_text said on said.review_id = stands.id
                 cross join lateral (select stands.id, stands.reader_id, stands.work_id, stands.is_marked or said.spoilers as spoilers) review
                 cross join lateral (select \(Gate.opensReview(viewer: .viewer)) as is_open limit 1) gate
                 cross join lateral (
                       select said.veiled_body is not null and not \(Gate.unveilsReview(viewer: .viewer)) as is_down limit 1) veil
                 where \(keyset.condition)
                   and \(Visibility.predicate(viewer: .viewer, owner: "stands.reader_id", level: "stands.visibility"))
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: Viewer, review: ID<Reviews.Review>, span: Span<ID<Reviews.Text>>

        static func decode(_ columns: inout Columns) throws -> Reviews.Former {
            let (id, isOpen): (ID<Reviews.Text>, Bool) = (try columns("id"), try columns("is_open"))
            guard isOpen else {
                try columns.skip(through: "at")
                return Reviews.Former(
                    id: id,
                    shown: .gated(Gate.Placeholder(id: id.rawValue, kind: Reviews.kind, position: Gate.end)))
            }
            let text = Reviews.Text(
                body: try columns("body"), html: try columns("html"), isVeiled: try columns("is_down"))
            return Reviews.Former(id: id, shown: .whole(text, at: try columns("at")))
        }
    }
}
