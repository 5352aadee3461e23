import Postgres

extension Reviews.Statements {
    static let textStatements: [any Statement.Type] = [
        TextsOf.self, InsertText.self, RetireText.self, DropOldTexts.self, RemoveTexts.self,
        History<NewestFirst>.self, History<OldestFirst>.self,
    ]

    /// How many reviews of a reader have a text, no further than an account has in its first day. Index
    /// `review_by_reader`. Not part of `Scene`, which sees what was there before it waited for the account.
    struct TextsOf: Statement {
        static let name = "reviews.texts_of"
        static let sql = """
            select count(*)
              from (select 1
                      from review
                     where reader_id = $1
                       and body is not null
                     limit \(Limits.Reviews.textsOnFirstDay)) counted
            """
        let reader: ID<Accounts.Account>

        func bind(to parameters: inout Parameters) { parameters.append(reader) }

        static func decode(_ row: borrowing Row) throws -> Int { try row[0] }
    }

    struct InsertText: Statement {
        static let name = "reviews.insert_text"
        static let sql = """
            insert into review_text (id, review_id, body, html, veiled_body, veiled_html, at)
            values ($1, $2, $3, $4, $5, $6, $7)
            """
        let id: ID<Reviews.Text>
        let review: ID<Reviews.Review>
        let text: Markdown.Text
        let at: Timestamp

        func bind(to parameters: inout Parameters) {
            parameters.append(id)
            parameters.append(review)
            parameters.append(text.body)
            parameters.append(text.html)
            parameters.append(text.veiled?.body)
            parameters.append(text.veiled?.html)
            parameters.append(at)
        }
    }

    /// The last text of a review, in whose place another is about to come, keeps the mark that it stood under. Looked up when this runs: the review's
    /// row is locked by then, and what another request wrote before is seen.
    struct RetireText: Statement {
        static let name = "reviews.retire_text"
        static let sql = """
            update review_text
               set spoilers = true
             where id = (select last.id from review_text last where last.review_id = $1 order by last.id desc limit 1)
            """
        let review: ID<Reviews.Review>

        func bind(to parameters: inout Parameters) { parameters.append(review) }
    }

    /// Of the texts of a review those between the first one and the newest, as many as are kept with the one that holds
    /// ($2). Index `review_text_of_review`.
    struct DropOldTexts: Statement {
        static let name = "reviews.drop_old_texts"
        static let sql = """
            delete from review_text
             where review_id = $1
               and id <> $2
               and id > (select min(first.id) from review_text first where first.review_id = $1)
               and id < (select min(newest.id)
                           from (select id
                                   from review_text
                                  where review_id = $1
                                  order by id desc
                                  limit \(Limits.Reviews.texts - 1)) newest)
            """
        let review: ID<Reviews.Review>
        let holding: ID<Reviews.Text>

        func bind(to parameters: inout Parameters) {
            parameters.append(review)
            parameters.append(holding)
        }
    }

    /// Every text of a review.
    struct RemoveTexts: Statement {
        static let name = "reviews.remove_texts"
        static let sql = "delete from review_text where review_id = $1"
        let review: ID<Reviews.Review>

        func bind(to parameters: inout Parameters) { parameters.append(review) }
    }

    /// The texts of a review that the viewer may know of; index `review_text_of_review`. Each is gated by the review's mark now and by the one that it
    /// stood under itself.
    struct History<Way: ListWay>: Statement {
        static var name: String { "reviews.history_" + Way.name }
        static var sql: String {
            """
            select said.id, gate.is_open,
                   case when gate.is_open then case when veil.is_down then said.veiled_body else said.body end end,
                   case when gate.is_open then case when veil.is_down then said.veiled_html else said.html end end,
                   veil.is_down, said.at
              from (select own.id, own.reader_id, own.work_id, own.spoilers as is_marked, own.visibility
                      from review own
                     where own.id = $2) stands
              join review_text said on said.review_id = stands.id
             cross join lateral (select stands.id, stands.reader_id, stands.work_id, stands.is_marked or said.spoilers as spoilers) review
             cross join lateral (select \(Gate.opensReview(viewer: "$1")) as is_open limit 1) gate
             cross join lateral (
                   select said.veiled_body is not null and not \(Gate.unveilsReview(viewer: "$1")) as is_down limit 1) veil
             where said.id \(Way.comparison) $3
               and \(Visibility.predicate(viewer: "$1", owner: "stands.reader_id", level: "stands.visibility"))
             order by said.id \(Way.order)
             limit $4
            """
        }
        let viewer: Viewer
        let review: ID<Reviews.Review>
        let place: ID<Reviews.Text>
        let limit: Int

        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(review)
            parameters.append(place)
            parameters.append(limit)
        }

        static func decode(_ row: borrowing Row) throws -> Reviews.Former {
            let id: ID<Reviews.Text> = try row[0]
            guard try row[1] else {
                return Reviews.Former(
                    id: id,
                    shown: .gated(Gate.Placeholder(id: id.rawValue, kind: Reviews.kind, position: Gate.end)))
            }
            let text = Reviews.Text(body: try row[2], html: try row[3], isVeiled: try row[4])
            return Reviews.Former(id: id, shown: .whole(text, at: try row[5]))
        }
    }
}
