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
    struct OfBook<Rows: CircleRows, Order: Reviews.Order, Way: OldDirection>: Statement, ForViewer {
        static var name: String { "reviews.of_book_\(Rows.circle.rawValue)_\(Order.name)_\(Way.name)" }
        static var sql: SQL<Self> {
            let keyset = Keyset<Self>(
                Order.columns, Order.parameters.map { $0.of(\Self.place) }, isAscending: false, Way.self)
            let rows: SQL<Self> =
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
                              and own.work_id = \(target("\(\.work)"))
                            limit 1) review
                    """
                }
            return """
                select \(columns()), review.reactions
                  from \(rows)
                  join account reader on reader.id = review.reader_id
                  join work on work.id = review.work_id
                 \(talk())
                 where review.work_id = \(target("\(\.work)"))
                   and \(keyset.condition)
                   \(Rows.circle == .friends ? "and friendship.reader_id = \(.viewer)" : "" as SQL<Self>)
                   and \(Visibility.predicate(viewer: .viewer, owner: "review.reader_id", level: "review.visibility"))
                 order by \(keyset.order)
                 limit \(\.limit)
                """
        }
        let viewer: Viewer
        let work: ID<Catalog.Work>
        let place: Reviews.Place
        let limit: Int

        static func decode(_ row: borrowing Row) throws -> Boards.Placed<Reviews.Shown, Reviews.Place> {
            let shown = try asShown(row)
            let reactions: Int32 = try row[width]
            return Boards.Placed(
                item: shown, key: Order.key(Reviews.Place(rank: Int(reactions), id: shown.id.rawValue)))
        }
    }
}
