import Postgres

extension Groups {
    /// One order of the directory. Each has a partial index with the same columns.
    protocol DirectoryOrder: Sendable {
        static var name: String { get }
        /// What it is ordered by, and the parts of a place that those are compared with.
        static var columns: [Fragment] { get }
        static var parameters: [SQL<Place>] { get }
        static var isAscending: Bool { get }
        /// Before the first group.
        static var first: Place { get }
        static func place(of group: Group) -> Place
    }

    enum Newest: DirectoryOrder {
        static let name = "newest"
        static let columns: [Fragment] = ["reading_group.id"]
        static let parameters: [SQL<Place>] = ["\(\.id)"]
        static let isAscending = false
        static let first = Place(id: .max)
        static func place(of group: Group) -> Place { Place(id: group.id) }
    }

    enum Biggest: DirectoryOrder {
        static let name = "biggest"
        static let columns: [Fragment] = ["reading_group.members", "reading_group.id"]
        static let parameters: [SQL<Place>] = ["\(\.rank, as: Int32.self)::integer", "\(\.id)"]
        static let isAscending = false
        static let first = Place(rank: Int(Int32.max), id: .max)
        static func place(of group: Group) -> Place { Place(rank: group.members, id: group.id) }
    }

    enum LastActive: DirectoryOrder {
        static let name = "active"
        static let columns: [Fragment] = ["reading_group.active_at", "reading_group.id"]
        static let parameters: [SQL<Place>] = ["\(\.at)", "\(\.id)"]
        static let isAscending = false
        static let first = Place(at: .end, id: .max)
        static func place(of group: Group) -> Place { Place(at: group.activeAt, id: group.id) }
    }

    enum Named: DirectoryOrder {
        static let name = "named"
        static let columns: [Fragment] = ["reading_group.folded", "reading_group.id"]
        static let parameters: [SQL<Place>] = ["\(\.name)", "\(\.id)"]
        static let isAscending = true
        static let first = Place(id: .min)
        static func place(of group: Group) -> Place { Place(name: Groups.fold(group.name), id: group.id) }
    }
}

extension Groups.Statements {
    /// Public groups in the order `Order`, those whose names begin with what is looked for; served by that order's
    /// index. What begins so is a range of the index `reading_group_named`.
    struct Directory<Order: Groups.DirectoryOrder, Way: OldDirection>: Statement, ForViewer {
        static var name: String { "groups.directory_\(Order.name)_\(Way.name)" }
        static var sql: SQL<Self> {
            let keyset = Keyset<Self>(
                Order.columns, Order.parameters.map { $0.of(\Self.place) }, isAscending: Order.isAscending, Way.self)
            return """
                select \(columns())
                  from reading_group
                  \(book)
                 where reading_group.visibility = 'public'
                   and reading_group.closed_at is null
                   and \(\.viewer) >= 0
                   and reading_group.folded >= \(\.prefix)
                   and reading_group.folded < \(\.end, "end")
                   and \(keyset.condition)
                 order by \(keyset.order)
                 limit \(\.limit)
                """
        }
        let viewer: Viewer
        /// What names begin with; empty: all.
        let prefix: String
        let place: Groups.Place
        let limit: Int
        private var end: String { prefix + "\u{10FFFF}" }

        static func decode(_ row: borrowing Row) throws -> Groups.Group { try asGroup(row) }
    }
}
