import Postgres

extension Reviews.Statements {
    static let listStatements: [any Statement.Type] =
        lists(EveryRow.self, Reviews.Newest.self) + lists(EveryRow.self, Reviews.Reacted.self)
        + lists(FriendRows.self, Reviews.Newest.self) + lists(FriendRows.self, Reviews.Reacted.self)

    private static func lists<Rows: CircleRows, Order: Reviews.Order>(
        _: Rows.Type, _: Order.Type
    ) -> [any Statement.Type] {
        [OfBook<Rows, Order, Onward>.self, OfBook<Rows, Order, Back>.self]
    }

    /// Reviews of one work that the viewer may know of, in one of the orders. Everybody's by the indexes `review_of_work` and `review_reacted`;
    /// friends', who are few, one by one by `review_of_reader`.
    struct OfBook<Rows: CircleRows, Order: Reviews.Order, Way: Direction>: Statement {
        static var name: String { "reviews.of_book_\(Rows.circle.rawValue)_\(Order.name)_\(Way.name)" }
        static var sql: String {
            let keyset = Keyset(Order.columns, Order.parameters, isAscending: false, Way.self)
            let rows =
                switch Rows.circle {
                case .all: "review"
                case .friends:
                    """
                    friendship
                     cross join lateral (
                           select own.id, own.reader_id, own.work_id, own.rating, own.body, own.visibility, own.level_is_own,
                                  own.spoilers, own.text_id, own.replies, own.reactions, own.version, own.created_at, own.edited_at
                             from review own
                            where own.reader_id = friendship.friend_id
                              and own.work_id = \(target("$2"))
                            limit 1) review
                    """
                }
            return """
                select \(columns), review.reactions
                  from \(rows)
                  join account reader on reader.id = review.reader_id
                  join work on work.id = review.work_id
                 \(talk)
                 where review.work_id = \(target("$2"))
                   and \(keyset.condition)
                   \(Rows.circle == .friends ? "and friendship.reader_id = $1" : "")
                   and \(Visibility.predicate(viewer: "$1", owner: "review.reader_id", level: "review.visibility"))
                 order by \(keyset.order)
                 limit $3
                """
        }
        let viewer: Viewer
        let work: ID<Catalog.Work>
        let place: Reviews.Place
        let limit: Int

        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(work)
            parameters.append(limit)
            Order.bind(place, to: &parameters)
        }

        static func decode(_ row: borrowing Row) throws -> Boards.Placed<Reviews.Shown, Reviews.Place> {
            let shown = try asShown(row)
            let reactions: Int32 = try row[width]
            return Boards.Placed(
                item: shown, key: Order.key(Reviews.Place(rank: Int(reactions), id: shown.id.rawValue)))
        }
    }
}
