import Postgres

extension Reviews.Statements {
    /// Reviews of one work that the viewer may know of, in one of the orders. Everybody's by the indexes `review_of_work` and `review_reacted`;
    /// friends', who are few, one by one by `review_of_reader`. What is said of the book is looked up once.
    struct OfBook: ListStatement, ForViewer {
        static let isPlannedOnce = true
        static func sql(_ variation: Both<Both<Circle, Reviews.Sort>, Direction>) -> SQL<Self> {
            let (circle, sort) = (variation.first.first, variation.first.second)
            let keyset = sort.keyset(at: \Self.span.place, variation.second)
            let rows: SQL<Self> = circle.rows(of: "review", where: "own.work_id = \(Catalog.resolved("\(\.work)"))")
            return """
                with book as materialized (
                    select \(Catalog.Book.columns) from work where work.id = \(Catalog.resolved("\(\.work)"))
                )
                select \(columns(book: Catalog.Book.columns(of: "book"))), review.reactions
                  from \(rows)
                  join account reader on reader.id = review.reader_id
                 cross join book
                 \(talk())
                 where review.work_id = \(Catalog.resolved("\(\.work)"))
                   and \(keyset.condition)
                   \(circle.condition())
                   and \(Reviews.Review.isSeen())
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: Viewer, circle: Circle, sort: Reviews.Sort, work: ID<Catalog.Work>, span: Span<Reviews.Place>
        var variation: Both<Both<Circle, Reviews.Sort>, Direction> { Both(Both(circle, sort), span.direction) }

        /// Its key has the reactions in either order.
        static func decode(_ columns: inout Columns) throws -> Keyed<Reviews.Shown, Reviews.Place> {
            let shown = try Reviews.Shown(&columns)
            return Keyed(item: shown, key: Reviews.Place(rank: try columns("reactions"), id: shown.id.rawValue))
        }
    }
    /// What one reader says about books that the viewer may know of, newest first. Index `review_by_reader`.
    struct OfReader: ListStatement, ForViewer {
        static func sql(_ direction: Direction) -> SQL<Self> {
            let keyset = Keyset<Self>("review.id", "\(\.span.place)", direction)
            return """
                select \(columns())
                  from \(joined())
                 where review.reader_id = \(\.reader)
                   and \(keyset.condition)
                   and \(Reviews.Review.isSeen())
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: Viewer, reader: ID<Accounts.Account>, span: Span<ID<Reviews.Review>>
        typealias Output = Reviews.Shown
    }
}
