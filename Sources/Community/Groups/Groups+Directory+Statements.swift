import Postgres

extension Groups {
    /// One order of the directory. Each has a partial index with the same columns.
    protocol DirectoryOrder: Sendable {
        static var name: String { get }
        /// SQL of what it is ordered by, and of the parameters ($5 …) that those are compared with.
        static var columns: [String] { get }
        static var parameters: [String] { get }
        static var isAscending: Bool { get }
        /// Before the first group.
        static var first: Place { get }
        static func bind(_ place: Place, to parameters: inout Parameters)
        static func place(of group: Group) -> Place
    }

    enum Newest: DirectoryOrder {
        static let name = "newest"
        static let columns = ["reading_group.id"]
        static let parameters = ["$5"]
        static let isAscending = false
        static let first = Place(id: .max)
        static func bind(_ place: Place, to parameters: inout Parameters) { parameters.append(place.id) }
        static func place(of group: Group) -> Place { Place(id: group.id) }
    }

    enum Biggest: DirectoryOrder {
        static let name = "biggest"
        static let columns = ["reading_group.members", "reading_group.id"]
        static let parameters = ["$5::integer", "$6"]
        static let isAscending = false
        static let first = Place(rank: Int(Int32.max), id: .max)
        static func bind(_ place: Place, to parameters: inout Parameters) {
            parameters.append(Int32(clamping: place.rank))
            parameters.append(place.id)
        }
        static func place(of group: Group) -> Place { Place(rank: group.members, id: group.id) }
    }

    enum LastActive: DirectoryOrder {
        static let name = "active"
        static let columns = ["reading_group.active_at", "reading_group.id"]
        static let parameters = ["$5", "$6"]
        static let isAscending = false
        static let first = Place(at: .end, id: .max)
        static func bind(_ place: Place, to parameters: inout Parameters) {
            parameters.append(place.at)
            parameters.append(place.id)
        }
        static func place(of group: Group) -> Place { Place(at: group.activeAt, id: group.id) }
    }

    enum Named: DirectoryOrder {
        static let name = "named"
        static let columns = ["reading_group.folded", "reading_group.id"]
        static let parameters = ["$5", "$6"]
        static let isAscending = true
        static let first = Place(id: .min)
        static func bind(_ place: Place, to parameters: inout Parameters) {
            parameters.append(place.name)
            parameters.append(place.id)
        }
        static func place(of group: Group) -> Place { Place(name: Groups.fold(group.name), id: group.id) }
    }
}

extension Groups.Statements {
    /// Public groups in the order `Order`, those whose names begin with what is looked for; served by that order's
    /// index. What begins so is a range of the index `reading_group_named`.
    struct Directory<Order: Groups.DirectoryOrder, Way: Direction>: Statement {
        static var name: String { "groups.directory_\(Order.name)_\(Way.name)" }
        static var sql: String {
            let keyset = Keyset(Order.columns, Order.parameters, isAscending: Order.isAscending, Way.self)
            return """
                select \(columns)
                  from reading_group
                  \(book)
                 where reading_group.visibility = 'public'
                   and reading_group.closed_at is null
                   and $1 >= 0
                   and reading_group.folded >= $2
                   and reading_group.folded < $3
                   and \(keyset.condition)
                 order by \(keyset.order)
                 limit $4
                """
        }
        let viewer: Viewer
        /// What names begin with; empty: all.
        let prefix: String
        let place: Groups.Place
        let limit: Int

        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(prefix)
            parameters.append(prefix + "\u{10FFFF}")
            parameters.append(limit)
            Order.bind(place, to: &parameters)
        }

        static func decode(_ row: borrowing Row) throws -> Groups.Group { try asGroup(row) }
    }
}
