import Postgres

extension Reviews {
    /// What `commonplace check` looks at.
    package static let recounts: [Recount] = [
        Recount(
            "tallies", "The counters of each work are those of its counted reviews.",
            """
            with tally as (
                select work_id, count(rating)::integer as n, coalesce(sum(rating), 0)::bigint as sum, count(body)::integer as reviews,
                       array[\(histogram.joined(separator: ", "))] as histogram
                  from review
                 where counted
                 group by work_id
            )
            select 'book ' || coalesce(work_rating.work_id, tally.work_id) || ': stored '
                   || coalesce(row(work_rating.n, work_rating.sum, work_rating.reviews, work_rating.histogram)::text, 'nothing')
                   || ', counted '
                   || coalesce(row(tally.n, tally.sum, tally.reviews, tally.histogram)::text, 'nothing')
              from work_rating
              full join tally on tally.work_id = work_rating.work_id
             where row(coalesce(work_rating.n, 0), coalesce(work_rating.sum, 0), coalesce(work_rating.reviews, 0),
                       coalesce(work_rating.histogram, array_fill(0, array[20])))
                   is distinct from
                   row(coalesce(tally.n, 0), coalesce(tally.sum, 0), coalesce(tally.reviews, 0),
                       coalesce(tally.histogram, array_fill(0, array[20])))
            """),
        Recount(
            "readers", "The readers of a work are those whose reviews of it are counted.",
            """
            select 'book ' || coalesce(work_popularity.work_id, counted.work_id) || ': stored '
                   || coalesce(work_popularity.readers, 0) || ' readers, counted ' || coalesce(counted.readers, 0)
              from work_popularity
              full join (select work_id, count(*) as readers from review where counted group by work_id) counted
                on counted.work_id = work_popularity.work_id
             where coalesce(work_popularity.readers, 0) <> coalesce(counted.readers, 0)
            """),
        Recount(
            "replies",
            "The replies of a review are those that are not hidden, and no number is beyond the last one given.",
            """
            select 'review ' || review.id || ': stored ' || review.replies || ' replies, last number ' || review.reply_numbers
                   || '; counted ' || coalesce(counted.n, 0) || ', ' || coalesce(counted.last, 0)
              from review
              left join (select review_id, count(*) filter (where hidden_at is null) as n, max(number) as last
                           from review_reply
                          group by review_id) counted
                on counted.review_id = review.id
             where review.replies <> coalesce(counted.n, 0)
                or review.reply_numbers < coalesce(counted.last, 0)
            """),
        Recount(
            "texts",
            "The text that a review names is one of its own, and neither texts nor the mark are without words.",
            """
            select 'review ' || review.id || ' has a text or mark that is not its own'
              from review
              left join review_text said on said.id = review.text_id and said.review_id = review.id
             where review.text_id is not null and said.id is null
                or review.body is null and (review.text_id is not null or review.spoilers)
            """),
        Recount(
            "hidden", "What only its reader or friends may see is not counted.",
            "select 'review ' || id || ' is counted' from review where counted and visibility < 2"),
    ]

    private static let histogram = (1...20).map {
        "count(*) filter (where rating = \($0))::integer" as Fragment
    }
}
