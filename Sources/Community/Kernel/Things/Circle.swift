import Postgres

/// Whose doings are asked for.
package enum Circle: String, Variation {
    /// Those of the viewer's friends.
    case friends
    /// Those of everybody, as far as the viewer may see them.
    case all
}

extension Circle {
    /// SQL: the rows of `table` that are listed: all, or of each friend of the viewer's one for which `isAsked` holds,
    /// called `own`.
    func rows<S: ForViewer>(of table: Fragment, where isAsked: SQL<S>) -> SQL<S> {
        switch self {
        case .all: SQL(table)
        case .friends:
            """
            friendship
             cross join lateral (
                   select own.*
                     from \(table) own
                    where own.reader_id = friendship.friend_id
                      and \(isAsked)
                    limit 1) \(table)
            """
        }
    }

    /// SQL: whose friendships `rows` goes through.
    func condition<S: ForViewer>() -> SQL<S> { self == .friends ? "and friendship.reader_id = \(.viewer)" : "" }
}
