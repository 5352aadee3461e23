import Postgres

/// Whose doings are asked for.
package enum Circle: String, Variation {
    /// Those of the viewer's friends.
    case friends
    /// Those of everybody, as far as the viewer may see them.
    case all
}

/// The friends of `$1`, or everybody: which rows a list of what readers did with a book is read from.
protocol CircleRows: Sendable {
    static var circle: Circle { get }
}

enum FriendRows: CircleRows { static let circle = Circle.friends }
enum EveryRow: CircleRows { static let circle = Circle.all }

/// The direction of travel through a list that shows the newest first.
protocol ListWay: Sendable {
    static var name: String { get }
    static var comparison: Fragment { get }
    static var isNewestFirst: Bool { get }
    static var order: Fragment { get }
}

enum NewestFirst: ListWay {
    static let name = "after"
    static let comparison: Fragment = "<", isNewestFirst = true
    static let order: Fragment = "desc"
}

enum OldestFirst: ListWay {
    static let name = "before"
    static let comparison: Fragment = ">", isNewestFirst = false
    static let order: Fragment = "asc"
}
