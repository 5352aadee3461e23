/// One page of a list that is paged by keyset.
///
/// `Key` is what the list is ordered by, ending in the id: the place of the first and last item, from which the next or
/// previous page goes on. HTTP turns keys into opaque sealed cursors.
package struct Page<Item: Sendable, Key: Sendable>: Sendable {
    package let items: [Item]
    /// Where the next page begins (after this key); `nil` at the end.
    package let next: Key?
    /// Where the previous page ends (before this key); `nil` at the start.
    package let previous: Key?

    package init(items: [Item], next: Key?, previous: Key?) {
        self.items = items
        self.next = next
        self.previous = previous
    }

    /// The same page of other items, such as their bodies.
    package func map<Other: Sendable>(_ change: (Item) throws -> Other) rethrows -> Page<Other, Key> {
        Page<Other, Key>(items: try items.map(change), next: next, previous: previous)
    }

    /// The same page with one other item for each of these, in their order.
    package func with<Other: Sendable>(_ others: [Other]) -> Page<Other, Key> {
        Page<Other, Key>(items: others, next: next, previous: previous)
    }
}

/// What part of a list is wanted.
package struct PageRequest<Key: Sendable>: Sendable {
    package enum Start: Sendable {
        case first
        case after(Key)
        case before(Key)
    }

    package let start: Start
    /// 1...100.
    package let limit: Int
    /// Which way the list goes; `nil`: its own.
    package let direction: ListDirection?

    package init(_ start: Start = .first, limit: Int = 20, direction: ListDirection? = nil) {
        self.start = start
        self.limit = limit
        self.direction = direction
    }
}

/// Which way a list goes, by what it is sorted by.
package enum ListDirection: String, CaseIterable, Sendable {
    case ascending, descending
}
