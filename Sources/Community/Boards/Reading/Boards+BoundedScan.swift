import Postgres

// Lists in which a viewer may be kept from nearly all there is: by an author who shows ten thousand posts to nobody, by
// a kind that a board does not have. A page looks at so many rows at most; where those end before it is full, it is
// short, and goes on behind them.

extension Boards.Statements {
    /// SQL: of the rows of `source`, in the order that it has, `columns` of those that are seen, `limit` at most; and
    /// of the last one that was looked at, seen or not, where more may stand behind it. `source` names its table
    /// `name`, gives `is_seen`, and counts its rows as `looked`. They are read one by one: no more than it takes.
    static func bounded<S>(
        _ source: SQL<S>, as name: Fragment, _ columns: SQL<S>, order: SQL<S>, limit: SQL<S>
    ) -> SQL<S> {
        """
        select \(columns)
          from (\(source)
                 limit \(Limits.boards.looked)) \(name)
         where \(name).is_seen
            or \(name).looked = \(Limits.boards.looked)
         order by \(order)
         limit \(limit)
        """
    }

    /// The columns before those of the item `name`: `keys`, and before them what `Boards.BoundedRow` reads where rows come
    /// from `bounded`.
    static func leading(_ keys: [Fragment], of name: Fragment, isLooked: Bool) -> Fragment {
        let sight: Fragment = "\(name).is_seen, \(name).looked = \(Limits.boards.looked) as is_last"
        return ((isLooked ? [sight] : []) + keys).reduce("") { "\($0)\($1), " }
    }
}

extension Boards {
    /// A row of a list that looks at so many at most.
    struct BoundedRow<Item: Sendable, Key: Sendable>: Sendable {
        /// `nil` for what is not seen: only the last row that was looked at.
        let item: Item?
        let key: Key
        /// More may stand behind it that was not looked at.
        let isLast: Bool

        /// Reads what `Statements.leading` says, then the item, whose last column is `is_muted`.
        init(
            _ columns: inout Columns, key: (inout Columns) throws -> Key, item: (inout Columns) throws -> Item
        ) throws {
            let isSeen: Bool = try columns("is_seen")
            isLast = try columns("is_last")
            self.key = try key(&columns)
            self.item = isSeen ? try item(&columns) : nil
            if !isSeen { try columns.skip(through: "is_muted") }
        }
    }

    /// Which kinds of threads a list has. What is not known beforehand is the parameter `kind`.
    enum KindFilter: String, Variation {
        /// All, or discussions: which most threads are.
        case all
        /// One of the other kinds, each with the indexes `thread_kind_…`.
        case oneKind = "one_kind"

        init(_ kind: Kind?) {
            self =
                switch kind {
                case nil, .discussion: .all
                case .question, .quote, .announcement: .oneKind
                }
        }

        /// SQL of what the index knows.
        func condition<S>(_ kind: SQL<S>) -> SQL<S> {
            switch self {
            case .all: "true"
            case .oneKind: "thread.kind = \(kind) and thread.kind <> 'discussion'"
            }
        }

        /// SQL of what is looked at in each thread.
        func isWanted<S>(_ kind: SQL<S>) -> SQL<S> {
            switch self {
            case .all: "(\(kind)::text is null or thread.kind = \(kind))"
            case .oneKind: "true"
            }
        }
    }
}

extension PageRequest {
    /// The page that this asks for, as `read` gives it, of rows of which the last one looked at is marked. `key` gives
    /// what this list is sorted by, of all that it may be.
    func readSeen<Item: Sendable, Whole: Sendable, Order: ListOrder>(
        in order: Order, key: (Whole) -> Key, _ rows: (Span<Key>) async throws -> [Boards.BoundedRow<Item, Whole>]
    ) async throws -> Page<Item, Key> where Order.Key == Key {
        let page = try await read(in: order, key: { key($0.key) }, rows)
        let isBack = if case .before = start { true } else { false }
        let edge = isBack ? page.items.first : page.items.last
        let end = edge.flatMap { $0.isLast ? key($0.key) : nil }
        return Page(
            items: page.items.compactMap(\.item), next: isBack ? page.next : end ?? page.next,
            previous: isBack ? end ?? page.previous : page.previous)
    }
}
