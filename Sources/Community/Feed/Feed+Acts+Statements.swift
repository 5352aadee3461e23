import Postgres

extension Feed {
    /// Acts that may stand in a feed.
    struct Asked: Sendable {
        let reader: Viewer
        let candidates: [Candidate]

        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(candidates.map(\.key.at))
            parameters.append(candidates.map(\.key.id))
            parameters.append(candidates.map(\.why.rawValue))
        }
    }
}

extension Feed.Statements {
    /// The kinds of acts with such a subject, for an SQL list.
    private static func kinds(_ subject: Feed.Subject) -> Fragment {
        "\(Feed.Kind.allCases.filter { $0.subject == subject })"
    }

    /// Where an act is seen: at the level of its review, or where the move or praise of its book is told.
    static let told: Fragment = """
        coalesce(review.visibility,
                 least(case when shelf_entry.id is not null
                            then coalesce(shelf_entry.visibility, privacy.shelves, 2)
                            else coalesce(praise.visibility,
                                          case praise.kind when 'favourite' then coalesce(privacy.favourites, 2)
                                                           else coalesce(privacy.reviews, 3) end) end,
                       coalesce(privacy.activity, 1)))
        """

    /// SQL: what the act `act` made, of which at most one is there, and its reader's levels: what `told` needs.
    static let subjects: Fragment = """
        left join review on review.id = act.subject and act.kind in (\(kinds(.review)))
              left join shelf_entry on shelf_entry.id = act.subject and act.kind in (\(kinds(.shelf)))
              left join praise on praise.id = act.subject and act.kind in (\(kinds(.praise)))
              left join privacy on privacy.reader_id = act.reader_id
        """

    /// Those of some acts that the reader may see now, with what they made, in the direction of travel. The one place that decides what
    /// is shown of a feed. The primary key of `activity` finds them, each in its month.
    struct Acts<Way: ListWay>: PositionalStatement {
        static var name: String { "feed.acts_" + Way.name }
        static var sql: String {
            """
            select act.id, act.kind, act.at, asked.why, shelf_entry.status, shelf_entry.times_read, \(Reviews.Statements.columns())
              from unnest($2::timestamptz[], $3::bigint[], $4::smallint[]) asked (at, id, why)
              join activity act on act.at = asked.at and act.id = asked.id
              join account reader on reader.id = act.reader_id
              join work on work.id = act.work_id
              \(subjects)
             \(Reviews.Statements.talk())
             where act.undone_at is null
               and act.reader_id <> $1
               and (review.id is not null or shelf_entry.id is not null or praise.id is not null)
               and (asked.why <> \(Feed.Why.community.rawValue) or review.visibility = \(Visibility.public.rawValue))
               and not \(Friends.isMuted(viewer: "$1", by: "act.reader_id"))
               and \(Visibility.predicate(viewer: "$1", owner: "act.reader_id", level: told))
             order by act.at \(Way.order), act.id \(Way.order)
            """
        }
        let asked: Feed.Asked

        func bind(to parameters: inout Parameters) { asked.bind(to: &parameters) }

        static func decode(_ row: borrowing Row) throws -> Feed.Item {
            let kind: Feed.Kind = try row[1]
            let why: Int16 = try row[3]
            let status: Library.Status? = try row[4]
            let times: Int32? = try row[5]
            let review = 6
            return Feed.Item(
                id: try row[0], why: Feed.Why(rawValue: why) ?? .community, kind: kind, at: try row[2],
                reader: try Reviews.Statements.asReader(row, from: review + 7),
                book: try Reviews.Statements.asBook(row, from: review + 10),
                review: kind.subject == .review ? try Reviews.Statements.asShown(row, from: review) : nil,
                shelf: status.map { Feed.Shelf(status: $0, timesRead: Int(times ?? 0)) })
        }
    }
}
