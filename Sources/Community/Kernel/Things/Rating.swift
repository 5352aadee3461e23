import JSONWriting

/// Stars in quarters: 1 is a quarter of a star, 20 is five.
package struct Rating: Hashable, Comparable, Sendable {
    package let quarters: Int16

    package init?(quarters: Int) {
        guard (1...20).contains(quarters) else { return nil }
        self.quarters = Int16(quarters)
    }

    /// `nil` for what is not 0.25, 0.5, … 5.
    package init?(stars: Double) {
        let quarters = stars * 4
        guard (1...20).contains(quarters), quarters.rounded() == quarters else { return nil }
        self.quarters = Int16(quarters)
    }

    package var stars: Double { Double(quarters) / 4 }

    package static func < (left: Rating, right: Rating) -> Bool { left.quarters < right.quarters }
}

extension Rating: JSONWritable {
    /// Stars: a number, 0.25 … 5.
    package func write(to output: JSONOutput) { stars.write(to: output) }
}
