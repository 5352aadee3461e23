import Postgres

extension Reviews.Statements {
    /// Each question asks about a review, a text of one, or a reply to one. One row for each of its viewers who does not
    /// get that whole now: the question's place in the list, the viewer, and whether nothing but the gate is shut to
    /// them. A text is found only while it is what the review or the reply says; bare stars, while there is no text.
    struct TellingExceptions: Statement {
        static let isPlannedOnce = true
        static let sql: SQL<Self> = """
            select asked.place - 1 as place, viewer.id as viewer, told.is_told as is_gated,
                   coalesce(review_reply.id, review.id) as id, review_reply.id is not null as is_reply
              from \(EventQuestions.sql.of(\Self.questions))
              left join lateral (
                   select review_text.id, review_text.review_id
                     from review_text
                    where asked.kind = 'review_text'
                      and review_text.id = asked.value
                    limit 1) text on true
              left join lateral (
                   select review_reply.id, review_reply.review_id, review_reply.author_id, review_reply.spoilers,
                          review_reply.hidden_at
                     from review_reply
                    where asked.kind = 'review_reply'
                      and review_reply.text_id = asked.value
                    limit 1) review_reply on true
              left join lateral (
                   select stands.id, stands.reader_id, stands.work_id, stands.visibility,
                          stands.spoilers or coalesce(review_reply.spoilers, false) as spoilers
                     from review stands
                    where stands.id = case asked.kind when 'review' then asked.value
                                                      when 'review_text' then text.review_id
                                                      else review_reply.review_id end
                      and case asked.kind when 'review' then stands.text_id is null
                                          when 'review_text' then stands.text_id = text.id
                                          else true end
                    limit 1) review on true
             cross join \(EventQuestions.viewer(people: "review.reader_id, review_reply.author_id").of(\Self.questions))
             cross join lateral (
                   select (review.id is not null
                           and \(Visibility.predicate(
                            viewer: "viewer.id", owner: "review.reader_id", level: "review.visibility"))
                           and (review_reply.id is null or \(replyIsTold(to: "viewer.id")))) is true as is_told
                    limit 1) told
             where (told.is_told and \(Gate.opensReview(viewer: "viewer.id"))) is not true
            """
        let questions: EventQuestions

        static func decode(_ columns: inout Columns) throws -> Exceptions.Row {
            var row = Exceptions.Row(place: try columns("place"), viewer: try columns("viewer"))
            guard try columns("is_gated") else {
                try columns.skip(through: "is_reply")
                return row
            }
            let (id, isReply): (Int64, Bool) = (try columns("id"), try columns("is_reply"))
            let kind = isReply ? Reviews.replyKind : Reviews.kind
            row.gate = (Gate.Placeholder(id: id, kind: kind, position: Gate.end), isReply ? "reply" : "review")
            return row
        }
    }
}
