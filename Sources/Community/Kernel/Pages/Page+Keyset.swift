extension PageRequest {
    /// The page that this asks for. `rows` reads a part of the list, in the direction of travel; `first` is the key
    /// before everything.
    package func read<Item: Sendable>(
        from first: Key, key: (Item) -> Key, _ rows: (Span<Key>) async throws -> [Item]
    ) async throws -> Page<Item, Key> {
        let span =
            switch start {
            case .first: Span(place: first, direction: .onward, limit: limit + 1)
            case .after(let place): Span(place: place, direction: .onward, limit: limit + 1)
            case .before(let place): Span(place: place, direction: .back, limit: limit + 1)
            }
        return Page(try await rows(span), of: self, key: key, first: first)
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
