import Postgres

extension Reviews.Statements {
    /// Everybody's by the index `review_rated`; friends', who are few, one by one by `review_of_reader`.
    struct Ratings: ListStatement, ForViewer {
        static let name = "reviews.ratings_of"
        static func sql(_ variation: Both<Circle, Direction>) -> SQL<Self> {
            let keyset = Keyset<Self>("review.id", "\(\.span.place)", variation.second)
            let rows: SQL<Self> = variation.first.rows(
                of: "review", where: "own.work_id = \(Catalog.resolved("\(\.work)"))")
            return """
                select review.id as review, \(Accounts.Reader.columns(of: "reader")), review.rating,
                       coalesce(review.edited_at, review.created_at) as at
                  from \(rows)
                  join account reader on reader.id = review.reader_id
                 where review.work_id = \(Catalog.resolved("\(\.work)"))
                   and review.rating is not null
                   and \(keyset.condition)
                   \(variation.first.condition())
                   and \(Reviews.Review.isSeen())
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: Viewer, circle: Circle, work: ID<Catalog.Work>, span: Span<ID<Reviews.Review>>
        var variation: Both<Circle, Direction> { Both(circle, span.direction) }

        static func decode(_ columns: inout Columns) throws -> Reviews.Given {
            Reviews.Given(
                review: try columns("review"), author: try Accounts.Reader(&columns), rating: try columns("rating"),
                changedAt: try columns("at"))
        }
    }
}
