import Postgres

extension Reviews.Statements {
    /// For each review, text of one and reply to one in the list and each viewer who may know of it now: the place in
    /// the list, the viewer, and whether the gate is shut to them still. A text is found only while it is what the
    /// review or the reply says; bare stars, while there is no text.
    struct Hearing: Statement {
        static let sql: SQL<Self> = """
            select asked.place - 1 as place, viewer.id as viewer, not gate.is_open as is_gated,
                   coalesce(review_reply.id, review.id) as id, review_reply.id is not null as is_reply
              from unnest(\(\.questions, each: \.subject)::text[], \(\.questions, each: \.value)::bigint[]) with ordinality asked (kind, value, place)
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
             cross join lateral (
                   select stands.id, stands.reader_id, stands.work_id, stands.visibility,
                          stands.spoilers or coalesce(review_reply.spoilers, false) as spoilers
                     from review stands
                    where stands.id = case asked.kind when 'review' then asked.value
                                                      when 'review_text' then text.review_id
                                                      else review_reply.review_id end
                      and case asked.kind when 'review' then stands.text_id is null
                                          when 'review_text' then stands.text_id = text.id
                                          else true end
                    limit 1) review
             cross join unnest(\(\.viewers)::bigint[]) viewer (id)
             cross join lateral (
                   select \(Visibility.predicate(
                        viewer: "viewer.id", owner: "review.reader_id", level: "review.visibility"))
                          and (review_reply.id is null or \(replyIsTold(to: "viewer.id"))) as is_told
                    limit 1) told
             cross join lateral (select \(Gate.opensReview(viewer: "viewer.id")) as is_open limit 1) gate
             where told.is_told
            """
        let questions: [EventQuestion], viewers: [Int64]

        static func decode(_ columns: inout Columns) throws -> Boards.Statements.TextHearers.Answer {
            let (place, viewer, isGated): (Int, Int64, Bool) = (
                try columns("place"), try columns("viewer"), try columns("is_gated")
            )
            let (id, isReply): (Int64, Bool) = (try columns("id"), try columns("is_reply"))
            let kind = isReply ? Reviews.replyKind : Reviews.kind
            let placeholder = Gate.Placeholder(id: id, kind: kind, position: Gate.end)
            return Boards.Statements.TextHearers.Answer(
                place: place, viewer: viewer, placeholder: isGated ? placeholder : nil)
        }
    }
}
