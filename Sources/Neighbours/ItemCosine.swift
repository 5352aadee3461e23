/// Which items go together, by who has them: user-weighted cosine from item to item.
///
/// Of readers `u` with `n(u)` items each, and items `i` and `j` that `n(i)` and `n(j)` readers have:
///
///     c(i, j) = sum of n(u) ^ -exponent over the readers u who have both
///     score of j for i = c(i, j) / (sqrt(n(i) * n(j)) + shrink)
///
/// Plain cosine is the case of exponent 0 and shrink 0. The exponent lets a reader of 20 books say more about two of them than a
/// reader of 2,000. `shrink` holds back pairs of few readers.
/// Sources: Sarwar et al., "Item-based collaborative filtering recommendation algorithms", WWW 2001, for the cosine of items;
/// Breese, Heckerman, Kadie, UAI 1998, for the weight by activity. Exponent and shrink are measured, see README.md.
///
/// - The sum is of integers, in units of 2^-20. So neither the order of readers nor of items changes a bit of it, and a reader
///   who is taken away leaves nothing.
/// - An item is no neighbour of itself. Among equal scores the lower item stands first.
/// - The score of `j` for `i` is the score of `i` for `j`. But each item keeps its own best, so `i` may keep `j` alone.
package enum ItemCosine {
    package struct Settings: Sendable, Hashable {
        /// How much a long history counts less: 0 not at all, 1 by its length.
        package var exponent: Double
        /// Added below the line: 0 or more, in readers.
        package var shrink: Double
        /// Neighbours of an item at most, 1 or more.
        package var kept: Int
        /// A pair that fewer readers have is left out, 1 or more. With 2, no neighbour tells of one reader alone.
        package var leastReaders: Int

        /// Precondition: the bounds above.
        package init(exponent: Double = 0.4, shrink: Double = 5, kept: Int = 100, leastReaders: Int = 2) {
            precondition((0...1).contains(exponent), "exponent is 0 to 1")
            precondition(shrink >= 0 && shrink.isFinite && kept > 0 && leastReaders > 0, "a setting is out of bounds")
            (self.exponent, self.shrink) = (exponent, shrink)
            (self.kept, self.leastReaders) = (kept, leastReaders)
        }
    }

    /// Calls `body` once for each item that has neighbours, ascending, with its neighbours, best first.
    ///
    /// Memory: the histories twice, 24 bytes for each item, 8 for each reader, and some rows at a time. Throws what `body`
    /// throws. A caller that waits between rows uses `Model`.
    package static func eachRow(
        of histories: Histories, _ settings: Settings = Settings(), _ body: (UInt32, [Neighbour]) throws -> Void
    ) rethrows {
        let model = Model(histories, settings)
        var cells = model.cells
        for start in stride(from: 0, to: histories.itemCount, by: Model.stride) {
            for row in model.rows(of: start..<min(start + Model.stride, histories.itemCount), in: &cells) {
                try body(row.item, row.neighbours)
            }
        }
    }
}

/// An item that goes with another.
package struct Neighbour: Sendable, Hashable {
    package let item: UInt32
    /// Above 0.
    package let score: Float
    /// Readers who have both, 1 or more.
    package let readers: UInt32

    package init(item: UInt32, score: Float, readers: UInt32) {
        (self.item, self.score, self.readers) = (item, score, readers)
    }
}
