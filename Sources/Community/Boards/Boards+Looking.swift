import Postgres

// Lists in which a viewer may be kept from nearly all there is: by an author who shows ten thousand posts to nobody, by a kind that a board
// does not have. A page looks at so many rows at most; where those end before it is full, it is short, and goes on behind them.

extension Boards.Statements {
    /// SQL: of the rows of `source`, in the order that it has, `columns` of those that are seen, `limit` at most; and of the last one that was looked at,
    /// seen or not, where more may stand behind it. `source` names its table `name`, gives `is_seen`, and counts its rows as `looked`. They are
    /// read one by one: no more than it takes.
    static func bounded<S>(
        _ source: SQL<S>, as name: Fragment, _ columns: SQL<S>, order: SQL<S>, limit: SQL<S>
    ) -> SQL<S> {
        """
        select \(columns)
          from (\(source)
                 limit \(Limits.Boards.looked)) \(name)
         where \(name).is_seen
            or \(name).looked = \(Limits.Boards.looked)
         order by \(order)
         limit \(limit)
        """
    }

    /// SQL of what a list tells of its row `name`: whether it is seen, and whether it is the last one that was looked at. `isLooked`: whether its rows
    /// come from `bounded`; else all are seen.
    static func sight(of name: Fragment, isLooked: Bool) -> (isSeen: Fragment, isLast: Fragment) {
        isLooked ? ("\(name).is_seen", "\(name).looked = \(Limits.Boards.looked)") : ("true", "false")
    }
}

extension Boards {
    /// A row of a list that looks at so many at most.
    struct Sighted<Item: Sendable, Key: Sendable>: Sendable {
        /// `nil` for what is not seen: only the last row that was looked at.
        let item: Item?
        let key: Key
        /// More may stand behind it that was not looked at.
        let isLast: Bool
    }
}

extension Boards {
    /// Which kinds of threads a list has. What is not known beforehand is the parameter `kind`.
    protocol KindFilter: Sendable {
        /// Part of the statement's name.
        static var name: String { get }
        /// SQL of what the index knows.
        static func condition<S>(_ kind: SQL<S>) -> SQL<S>
        /// SQL of what is looked at in each thread.
        static func isWanted<S>(_ kind: SQL<S>) -> SQL<S>
    }

    /// All, or discussions: which most threads are.
    enum AnyKind: KindFilter {
        static let name = ""
        static func condition<S>(_ kind: SQL<S>) -> SQL<S> { "true" }
        static func isWanted<S>(_ kind: SQL<S>) -> SQL<S> { "(\(kind)::text is null or thread.kind = \(kind))" }
    }

    /// One of the other kinds, each with the indexes `thread_kind_…`.
    enum OneKind: KindFilter {
        static let name = "of_kind_"
        static func condition<S>(_ kind: SQL<S>) -> SQL<S> { "thread.kind = \(kind) and thread.kind <> 'discussion'" }
        static func isWanted<S>(_ kind: SQL<S>) -> SQL<S> { "true" }
    }
}

extension PageRequest where Key: Sendable {
    /// The page that this asks for, as `read` gives it, of rows of which the last one looked at is marked.
    func readSeen<Item: Sendable>(
        from first: Key, after: (Key, Int) async throws -> [Boards.Sighted<Item, Key>],
        before: (Key, Int) async throws -> [Boards.Sighted<Item, Key>]
    ) async throws -> Page<Item, Key> {
        let page = try await read(from: first, key: \.key, after: after, before: before)
        let isBack = if case .before = start { true } else { false }
        let edge = isBack ? page.items.first : page.items.last
        let end = edge.flatMap { $0.isLast ? $0.key : nil }
        return Page(
            items: page.items.compactMap(\.item), next: isBack ? page.next : end ?? page.next,
            previous: isBack ? end ?? page.previous : page.previous)
    }
}
