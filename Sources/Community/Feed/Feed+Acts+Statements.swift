import Postgres

extension Feed.Statements {
    /// The kinds of acts with such a subject, for an SQL list.
    private static func kinds(_ subject: EventSubject) -> Fragment {
        "\(Activity.Kind.allCases.filter { $0.subject?.name == subject.name })"
    }

    /// Where an act is seen: at the level of its review, or where the move or praise of its book, or the goal, is told.
    static let told: Fragment = """
        coalesce(review.visibility,
                 least(case when goal.id is not null then coalesce(privacy.statistics, 1)
                            when shelf_entry.id is not null
                            then \(Privacy.level("shelf_entry.visibility", .shelves))
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
              left join goal on goal.id = act.subject and act.kind = 'goal.reached' and goal.reached_at is not null and goal.is_announced
              left join privacy on privacy.reader_id = act.reader_id
        """

    /// Those of some acts that the reader may see now, with what they made, in the direction of travel. The one place
    /// that decides what is shown of a feed. The primary key of `activity` finds them, each in its month.
    struct Acts: VariedStatement, ForViewer {
        static let isPlannedOnce = true
        static func sql(_ direction: Feed.Course) -> SQL<Self> {
            """
            select \(Accounts.Reader.columns(of: "reader")), \(Catalog.Book.columns), act.id, asked.why, act.kind, act.at,
                   \(Reviews.Statements.own()), shelf_entry.status, shelf_entry.times_read, goal.year as goal_year
              from unnest(\(\.candidates, each: \.key.at)::timestamptz[], \(\.candidates, each: \.key.id)::bigint[], \(\.candidates, each: \.why.rawValue, "candidates.why")::smallint[]) asked (at, id, why)
              join activity act on act.at = asked.at and act.id = asked.id
              join account reader on reader.id = act.reader_id
              left join work on work.id = act.work_id
              \(subjects)
             \(Reviews.Statements.talk())
             where act.undone_at is null
               and act.at between \(\.oldest, "oldest") and \(\.newest, "newest")
               and act.reader_id <> \(.viewer)
               and (work.id is not null and num_nonnulls(review.id, shelf_entry.id, praise.id) > 0 or goal.id is not null)
               and (asked.why <> \(Feed.Why.community.rawValue) or review.visibility = \(Visibility.public.rawValue))
               and not \(Friends.isMuted(viewer: .viewer, by: "act.reader_id"))
               and \(Visibility.predicate(viewer: .viewer, owner: "act.reader_id", level: SQL(told)))
             order by act.at \(direction.order), act.id \(direction.order)
            """
        }
        let viewer: Viewer, candidates: [Feed.Candidate], variation: Feed.Course
        /// Between these times they lie. Known before the look, they save opening all other months.
        var oldest: Timestamp { candidates.map(\.key.at).min() ?? TimeKey.min.at }
        var newest: Timestamp { candidates.map(\.key.at).max() ?? TimeKey.max.at }

        static func decode(_ columns: inout Columns) throws -> Feed.Item {
            let reader = try Accounts.Reader(&columns)
            let book = try columns.part(through: "author_names", Catalog.Book.init)
            let id: Int64 = try columns("id")
            let why = try Feed.Why(&columns) ?? .community
            let (kind, at): (Activity.Kind, Timestamp) = (try columns("kind"), try columns("at"))
            var review: Reviews.Shown?
            if let book {
                review = try columns.part(through: "edited_at") { try Reviews.Shown(by: reader, of: book, &$0) }
            } else {
                try columns.skip(through: "edited_at")
            }
            return Feed.Item(
                id: id, why: why, kind: kind, at: at, reader: reader, book: book, review: review,
                shelf: try columns.part(through: "times_read", Library.OnShelf.init),
                goal: try (columns("goal_year") as Int?).map(Notifications.Goal.init))
        }
    }
}

extension Activity.Kind {
    /// What an act of this kind made: the subject that is looked up; `nil` for a goal, of which no event tells.
    var subject: EventSubject? {
        switch self {
        case .bookRated, .reviewPosted: .review
        case .shelfWant, .shelfReading, .shelfPaused, .shelfRead, .shelfStopped: .shelf
        case .bookFavourited, .bookRecommended: .praise
        case .threadOpened: .text
        case .goalReached: nil
        }
    }
}
