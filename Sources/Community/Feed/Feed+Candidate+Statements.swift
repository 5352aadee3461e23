import Postgres

// Where the acts of a feed come from. Each statement names the nearest `limit` of its source in a window of time, and
// looks at nothing but indexes: whether they may be seen is asked of all of them together (`Acts`).

extension Feed {
    /// An act that may stand in a feed.
    struct Candidate: Hashable, Sendable {
        let key: TimeKey
        let why: Why
    }

    /// A window of time: from `near`, which is not in it, to the time `far`, which is.
    struct Window: Hashable, Sendable {
        var near: TimeKey
        let far: Timestamp
    }

    /// Where the things of a feed stand, with the time by which they are in it.
    struct Stock: Sendable {
        let table: Fragment
        let at: Fragment

        static let activity = Stock(table: "activity", at: "activity.at")
        static let thread = Stock(table: "thread", at: "thread.created_at")
        static let filling = Stock(table: "filling_review", at: "filling_review.at")

        var id: Fragment { "\(table).id" }
    }
}

extension Feed {
    /// Where a page of a feed lies, seen from its place. The newest acts stand first, so that `onward` leads to older
    /// ones.
    enum Course: String, Variation {
        case onward = "after"
        case back = "before"
    }
}

extension Feed.Course {
    var comparison: Fragment { self == .onward ? "<" : ">" }
    var reverseComparison: Fragment { self == .onward ? ">" : "<" }
    var order: Fragment { self == .onward ? "desc" : "asc" }
    /// The order against the direction.
    var reverse: Fragment { self == .onward ? "asc" : "desc" }
    /// The farther of some times.
    var farthest: Fragment { self == .onward ? "min" : "max" }

    /// Whether the one place lies before the other in this direction.
    func isNearer(_ one: TimeKey, _ other: TimeKey) -> Bool { self == .onward ? one > other : one < other }

    /// SQL: what is in a window. The time alone, too: it says in which months to look.
    func isWithin(_ stock: Feed.Stock = .activity) -> SQL<Feed.Reach> {
        """
        \(stock.at) \(comparison)= \(\.window.near.at)
                          and (\(stock.at), \(stock.id)) \(comparison) (\(\.window.near.at), \(\.window.near.id))
                          and \(stock.at) \(reverseComparison)= \(\.window.far)
        """
    }

    /// SQL: what is in a window and not beyond `edge`, which is known while the statement runs. The window's end is
    /// known before, and saves opening the months beyond it.
    func isWithin(_ stock: Feed.Stock = .activity, to edge: SQL<Feed.Reach>) -> SQL<Feed.Reach> {
        "\(isWithin(stock)) and \(stock.at) \(reverseComparison)= \(edge)"
    }

    func order(of stock: Feed.Stock) -> Fragment { "\(stock.at) \(order), \(stock.id) \(order)" }
}

extension Feed.Statements {
    /// SQL: from what `each` names (rows of `key`, `why`), the acts of `key` that are nearest, all of them together:
    /// `limit` acts are of the `limit` keys whose nearest acts are nearest, so that of all others only the nearest is
    /// looked at.
    static func nearest(
        _ direction: Feed.Course, of each: SQL<Feed.Reach>, in stock: Feed.Stock = .activity,
        where isOfKey: (Fragment) -> Fragment
    ) -> SQL<Feed.Reach> {
        """
        near as materialized (
                select each.key, each.why, first.at
                  from \(each) each
                 cross join lateral (
                       select \(stock.at) as at, \(stock.id) as id
                         from \(stock.table)
                        where \(isOfKey("each.key"))
                          and \(direction.isWithin(stock))
                        order by \(direction.order(of: stock))
                        limit 1) first
                 order by first.at \(direction.order), first.id \(direction.order)
                 limit \(\.limit)
            ), edge as materialized (
                select case when count(*) = \(\.limit) then \(direction.farthest)(near.at) else \(\.window.far) end as at from near
            )
            select act.at, act.id, near.why
              from near
             cross join lateral (
                   select \(stock.at) as at, \(stock.id) as id
                     from \(stock.table)
                    where \(isOfKey("near.key"))
                      and \(direction.isWithin(stock, to: "(select edge.at from edge)"))
                    order by \(direction.order(of: stock))
                    limit \(\.limit)) act
             order by act.at \(direction.order), act.id \(direction.order)
             limit \(\.limit)
        """
    }

    /// Reviews of what the reader follows: of books first, then of so many of each author, series and list as there is
    /// room for. Index `activity_reviews_of_work`.
    struct FollowedActs: VariedStatement {
        static func sql(_ direction: Feed.Course) -> SQL<Self> { acts(direction).of(\.asked) }

        private static func acts(_ direction: Feed.Course) -> SQL<Feed.Reach> {
            let acts = nearest(direction, of: "followed") {
                "activity.work_id = \($0) and activity.kind = 'review.posted' and activity.undone_at is null"
            }
            return """
                with followed as materialized (
                    select named.key, min(named.why) as why
                      from (select follow.work_id as key, \(Feed.Why.book.rawValue) as why
                              from follow
                             where follow.reader_id = \(.viewer) and follow.kind = 'book'
                            union all
                            (\(books(.author, "work_author", "work_author.author_id = follow.author_id", by: "work_id desc")))
                            union all
                            (\(books(.series, "work_series", "work_series.series_id = follow.series_id", by: "ordinal, work_id")))
                            union all
                            (\(books(.list, "book_list_item", seenList, by: "place, work_id")))
                            limit \(Limits.feed.followedBooks)) named
                     group by named.key
                ), \(acts)
                """
        }

        private static var seenList: SQL<Feed.Reach> {
            """
            book_list_item.list_id = follow.list_id
                                           and exists (select 1
                                                         from book_list
                                                         left join privacy on privacy.reader_id = book_list.reader_id
                                                        where book_list.id = follow.list_id
                                                          and \(Library.List.isSeen()))
            """
        }

        /// The books that hang on a followed author, series or list.
        private static func books(
            _ why: Feed.Why, _ table: Fragment, _ isOf: SQL<Feed.Reach>, by order: Fragment
        ) -> SQL<Feed.Reach> {
            """
            select book.work_id, \(why.rawValue)
                              from follow
                             cross join lateral (
                                   select \(table).work_id
                                     from \(table)
                                    where \(isOf)
                                    order by \(order)
                                    limit \(Limits.feed.booksOfEach)) book
                             where follow.reader_id = \(.viewer) and follow.kind = \(literal: why.name)
            """
        }

        let asked: Feed.Reach
        var variation: Feed.Course { asked.direction }
        typealias Output = Feed.Candidate
    }

    /// Threads on the boards of the reader's groups. Index `thread_of_group_newest`.
    struct GroupThreads: VariedStatement {
        static func sql(_ direction: Feed.Course) -> SQL<Self> { threads(direction).of(\.asked) }

        private static func threads(_ direction: Feed.Course) -> SQL<Feed.Reach> {
            let groups: SQL<Feed.Reach> = """
                (select group_member.group_id as key, \(Feed.Why.group.rawValue) as why
                          from group_member
                         where group_member.reader_id = \(.viewer))
                """
            let threads = nearest(direction, of: groups, in: .thread) {
                "thread.group_id = \($0) and thread.hidden_at is null"
            }
            return "with \(threads)"
        }
        let asked: Feed.Reach
        var variation: Feed.Course { asked.direction }
        typealias Output = Feed.Candidate
    }
}

extension TimeKey {
    /// Reads the columns `at` and `id`.
    init(_ columns: inout Columns) throws { self.init(at: try columns("at"), id: try columns("id")) }
}

extension Feed.Why {
    /// Reads the column `why`.
    init?(_ columns: inout Columns) throws { self.init(rawValue: Int16(clamping: try columns("why") as Int)) }
}

extension Feed.Candidate: RowReadable {
    init(_ columns: inout Columns) throws {
        self.init(key: try TimeKey(&columns), why: try Feed.Why(&columns) ?? .community)
    }
}
