/// Who has what: one row of items for each reader, in the order of adding.
///
/// Memory: 4 bytes for each pair of a reader and an item, and 8 for each reader.
package struct Histories: Sendable {
    /// Readers at most. `ItemCosine` counts them in 22 bits.
    package static let readers = 1 << 22 - 1

    /// Items are `0 ..< itemCount`. What an item is, the caller knows.
    package let itemCount: Int
    /// All rows behind each other, ascending within a row.
    private(set) var items: [UInt32] = []
    /// Where each row begins, and where the last one ends.
    private var starts = [0]

    /// Precondition: `itemCount` is 0 to 4,294,967,295.
    package init(itemCount: Int) {
        precondition((0...Int(UInt32.max)).contains(itemCount), "items are numbered in 32 bits")
        self.itemCount = itemCount
    }

    package var readerCount: Int { starts.count - 1 }

    /// Pairs of a reader and an item, each counted once.
    package var pairCount: Int { items.count }

    /// Adds the next reader, with these items in any order. An item that is there twice counts once; a reader may have none.
    ///
    /// Precondition: each item is below `itemCount`, and there are fewer readers than `Histories.readers`.
    package mutating func add(_ items: some Sequence<UInt32>) {
        precondition(readerCount < Self.readers, "no more than \(Self.readers) readers")
        let row = items.sorted()
        precondition(row.last.map { Int($0) < itemCount } ?? true, "an item is out of bounds")
        var last: UInt32?
        for item in row where item != last {
            self.items.append(item)
            last = item
        }
        starts.append(self.items.count)
    }

    /// Where the reader's row stands in `items`.
    func places(of reader: Int) -> Range<Int> { starts[reader]..<starts[reader + 1] }

    /// The items of a reader, ascending.
    func row(of reader: Int) -> ArraySlice<UInt32> { items[places(of: reader)] }
}
