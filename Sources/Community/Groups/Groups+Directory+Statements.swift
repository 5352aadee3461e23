import Postgres

/// The orders of the directory. Each has a partial index with the same columns.
extension Groups.Sort: ListOrder {
    var columns: [Fragment] {
        switch self {
        case .newest: ["reading_group.id"]
        case .members: ["reading_group.members", "reading_group.id"]
        case .active: ["reading_group.active_at", "reading_group.id"]
        case .name: ["reading_group.folded", "reading_group.id"]
        }
    }

    var parameters: [SQL<Groups.Place>] {
        switch self {
        case .newest: ["\(\.id)"]
        case .members: ["\(\.rank, as: Int32.self)::integer", "\(\.id)"]
        case .active: ["\(\.at)", "\(\.id)"]
        case .name: ["\(\.name)", "\(\.id)"]
        }
    }

    var isAscending: Bool { self == .name }

    var first: Groups.Place {
        switch self {
        case .newest: Groups.Place(id: .max)
        case .members: Groups.Place(rank: Int(Int32.max), id: .max)
        case .active: Groups.Place(at: .end, id: .max)
        case .name: Groups.Place(id: .min)
        }
    }

    var last: Groups.Place {
        switch self {
        case .newest, .active: Groups.Place(id: .min)
        case .members: Groups.Place(rank: -1, id: .min)
        case .name: Groups.Place(name: "\u{10FFFF}", id: .max)
        }
    }

    func place(of group: Groups.Group) -> Groups.Place {
        switch self {
        case .newest: Groups.Place(id: group.id)
        case .members: Groups.Place(rank: group.members, id: group.id)
        case .active: Groups.Place(at: group.activeAt, id: group.id)
        case .name: Groups.Place(name: Groups.fold(group.name), id: group.id)
        }
    }
}

extension Groups.Statements {
    /// Public groups in an order, those whose names begin with what is looked for; served by that order's index. What
    /// begins so is a range of the index `reading_group_named`.
    struct Directory: ListStatement, ForViewer {
        static func sql(_ variation: Both<Groups.Sort, Direction>) -> SQL<Self> {
            let keyset = variation.first.keyset(at: \Self.span.place, variation.second)
            return """
                select \(columns())
                  from reading_group
                  \(book)
                 where reading_group.visibility = 'public'
                   and reading_group.closed_at is null
                   and reading_group.hidden_at is null
                   and \(\.viewer) >= 0
                   and reading_group.folded >= \(\.prefix)
                   and reading_group.folded < \(\.end, "end")
                   and \(keyset.condition)
                 order by \(keyset.order)
                 limit \(\.span.limit)
                """
        }
        let viewer: Viewer
        /// What names begin with; empty: all.
        let prefix: String, sort: Groups.Sort, span: Span<Groups.Place>
        var variation: Both<Groups.Sort, Direction> { Both(sort, span.direction) }
        private var end: String { prefix + "\u{10FFFF}" }
        typealias Output = Groups.Group
    }
}
