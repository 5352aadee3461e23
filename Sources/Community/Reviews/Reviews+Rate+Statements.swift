import Postgres

extension Reviews.Statements {
    static let ratingStatements: [any Statement.Type] = [
        Ratings<FriendRows, NewestFirst>.self, Ratings<FriendRows, OldestFirst>.self,
        Ratings<EveryRow, NewestFirst>.self, Ratings<EveryRow, OldestFirst>.self,
    ]

    /// Everybody's by the index `review_rated`; friends', who are few, one by one by `review_of_reader`.
    struct Ratings<Rows: CircleRows, Way: ListWay>: Statement, ForViewer {
        static var name: String { "reviews.ratings_of_\(Rows.circle.rawValue)_\(Way.name)" }
        static var sql: SQL<Self> {
            let rows: SQL<Self> =
                switch Rows.circle {
                case .all: "review"
                case .friends:
                    """
                    friendship
                     cross join lateral (
                           select said.id, said.reader_id, said.work_id, said.rating, said.visibility, said.created_at, said.edited_at
                             from review said
                            where said.reader_id = friendship.friend_id
                              and said.work_id = \(target("\(\.work)"))
                            limit 1) review
                    """
                }
            return """
                select review.id, review.rating, coalesce(review.edited_at, review.created_at), reader.id, reader.username,
                       \(Privacy.shown("reader.name", .name, viewer: .viewer, owner: "reader.id"))
                  from \(rows)
                  join account reader on reader.id = review.reader_id
                 where review.work_id = \(target("\(\.work)"))
                   and review.rating is not null
                   and review.id \(Way.comparison) \(\.place)
                   \(Rows.circle == .friends ? "and friendship.reader_id = \(.viewer)" : "" as SQL<Self>)
                   and \(Visibility.predicate(viewer: .viewer, owner: "review.reader_id", level: "review.visibility"))
                 order by review.id \(Way.order)
                 limit \(\.limit)
                """
        }
        let viewer: Viewer
        let work: ID<Catalog.Work>
        let place: ID<Reviews.Review>
        let limit: Int

        static func decode(_ row: borrowing Row) throws -> Reviews.Given {
            Reviews.Given(review: try row[0], reader: try asReader(row, from: 3), rating: try row[1], at: try row[2])
        }
    }
}
