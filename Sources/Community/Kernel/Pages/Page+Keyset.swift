/// What a list is sorted by, for lists that have one order alone. No row has one of the two.
package protocol SortKey: Hashable, Sendable {
    static var lowest: Self { get }
    static var highest: Self { get }
}

/// Where a list begins and ends.
private struct Ends<Key: Sendable> {
    let first: Key
    let last: Key
    let isAscending: Bool

    /// As somebody wants it.
    func turned(_ direction: ListDirection?) -> (ends: Self, isReversed: Bool) {
        guard let direction, (direction == .ascending) != isAscending else { return (self, false) }
        return (Ends(first: last, last: first, isAscending: !isAscending), true)
    }
}

extension PageRequest {
    /// The page that this asks for, of a list that begins with the lowest key or with the highest. `rows` reads a part of the list, in the
    /// direction of travel; `first` is the key before everything.
    package func read<Item: Sendable>(
        from first: Key, key: (Item) -> Key, _ rows: (Span<Key>) async throws -> [Item]
    ) async throws -> Page<Item, Key> where Key: SortKey {
        let descends = first == .highest
        let ends = Ends(first: first, last: descends ? .lowest : .highest, isAscending: !descends)
        return try await read(ends, key: key, rows)
    }

    /// The same of a list in one of its orders.
    func read<Item: Sendable, Order: ListOrder>(
        in order: Order, key: (Item) -> Key, _ rows: (Span<Key>) async throws -> [Item]
    ) async throws -> Page<Item, Key> where Order.Key == Key {
        let ends = Ends(first: order.first, last: order.last, isAscending: order.isAscending)
        return try await read(ends, key: key, rows)
    }

    /// The same of a list that goes one way alone, the best first.
    package func readBest<Item: Sendable>(
        from first: Key, key: (Item) -> Key, _ rows: (Span<Key>) async throws -> [Item]
    ) async throws -> Page<Item, Key> {
        try await read(Ends(first: first, last: first, isAscending: false), key: key, rows)
    }

    private func read<Item: Sendable>(
        _ natural: Ends<Key>, key: (Item) -> Key, _ rows: (Span<Key>) async throws -> [Item]
    ) async throws -> Page<Item, Key> {
        let (ends, isReversed) = natural.turned(direction)
        let (onward, back): (Direction, Direction) = isReversed ? (.back, .onward) : (.onward, .back)
        let span =
            switch start {
            case .first: Span(place: ends.first, direction: onward, limit: limit + 1)
            case .after(let place): Span(place: place, direction: onward, limit: limit + 1)
            case .before(let place): Span(place: place, direction: back, limit: limit + 1)
            }
        return Page(try await rows(span), of: self, key: key, first: ends.first)
    }
}

extension Page {
    /// The page that `request` asked for, from rows that were read in the direction of travel with a limit of
    /// `request.limit + 1`: the one too many tells that the list goes on. Rows read before a key come nearest first and
    /// are turned round.
    fileprivate init(_ rows: [Item], of request: PageRequest<Key>, key: (Item) -> Key, first: Key) {
        let isMore = rows.count > request.limit
        var items = Array(rows.prefix(request.limit))
        switch request.start {
        case .first:
            self.init(items: items, next: isMore ? items.last.map(key) : nil, previous: nil)
        case .after(let start):
            // An empty page still knows the way back.
            self.init(items: items, next: isMore ? items.last.map(key) : nil, previous: items.first.map(key) ?? start)
        case .before:
            items.reverse()
            // Nothing stands before: the list begins anew.
            self.init(items: items, next: items.last.map(key) ?? first, previous: isMore ? items.first.map(key) : nil)
        }
    }
}

/// Something in a list, with its place there.
package struct Keyed<Item: Sendable, Key: Sendable>: Sendable {
    package let item: Item
    package let key: Key
}
