/// What all tries found, and the rules that say what is true of it.
struct Evidence {
    /// How the pixels of a try were made.
    enum Means: CaseIterable {
        /// The whole picture, as it is, larger or smaller.
        case whole
        /// A region laid level.
        case laidLevel
        /// A region laid level and sharpened, which can make bars that never were.
        case deblurred
    }

    private struct Sightings {
        /// Of each means.
        var tries: [Means: Int] = [:], lines: [Means: Int] = [:]
        /// Of the try with the most lines.
        var mostLines = 0, points: [Point] = []
        /// How well the picture shows the bars, at best.
        var agreement: Float = 0
    }

    private var sightings: [String: Sightings] = [:]

    /// Adds what one try found. Its points are those of the original picture. `agreement`: how well this shows the
    /// bars.
    mutating func add(_ find: Scanner.Find, _ means: Means, _ agreement: Float) {
        var seen = sightings[find.text] ?? Sightings()
        seen.tries[means, default: 0] += 1
        seen.lines[means, default: 0] += find.lines
        seen.agreement = max(seen.agreement, agreement)
        if find.lines > seen.mostLines { (seen.mostLines, seen.points) = (find.lines, find.points) }
        sightings[find.text] = seen
    }

    /// Whether more would add nothing.
    func isCertain(_ text: String) -> Bool {
        guard let seen = sightings[text] else { return false }
        return seen.tries[.whole, default: 0] + seen.tries[.laidLevel, default: 0] >= 4
    }

    /// Books first, then others; each row after row from the top, and from left to right. `maximumCount` at most.
    ///
    /// A text must have been seen often enough (`isEnough`), and of two whose outlines overlap only the one counts
    /// whose bars the picture shows better.
    func readings(width: Int, height: Int) -> [Reading] {
        let seen = sightings.map { (text: $0.key, seen: $0.value, outline: Outline($0.value.points)) }
            .sorted { ($1.seen.agreement, $0.text) < ($0.seen.agreement, $1.text) }
        var readings: [Reading] = []
        for (index, one) in seen.enumerated() {
            guard isEnough(one.seen, isBook: Reading.Kind(one.text) == .book),
                !seen.prefix(index).contains(where: { one.outline.overlaps($0.outline) })
            else { continue }
            readings.append(
                Reading(
                    text: one.text, symbology: one.text.hasPrefix("0") ? .upcA : .ean13,
                    place: one.outline.box(width: width, height: height)))
        }
        let books = readings.filter(\.isBook), others = readings.filter { !$0.isBook }
        return Array((Self.inOrder(books) + Self.inOrder(others)).prefix(Reader.maximumCount))
    }

    /// A book's prefix is a check too: one misreading in 500 has it. So a book may be read on deblurred lines alone, in
    /// two ways. Any other must be seen in the whole picture, on six lines.
    private func isEnough(_ seen: Sightings, isBook: Bool) -> Bool {
        let whole = seen.tries[.whole, default: 0], tries = seen.tries.values.reduce(0, +)
        let plainLines = seen.lines[.whole, default: 0] + seen.lines[.laidLevel, default: 0]
        return isBook ? plainLines >= 4 || tries >= 2 : whole >= 1 && plainLines >= 6
    }

    /// Row after row, each from left to right. A row has those whose middle is not below the first one's bottom.
    private static func inOrder(_ readings: [Reading]) -> [Reading] {
        func height(_ reading: Reading) -> Int { reading.place.top + reading.place.bottom }
        var rest = readings.sorted { (height($0), $0.text) < (height($1), $1.text) }[...]
        var ordered: [Reading] = []
        while let first = rest.first {
            let row = rest.prefix { height($0) <= 2 * first.place.bottom }
            ordered += row.sorted { ($0.place.left, $0.text) < ($1.place.left, $1.text) }
            rest = rest.dropFirst(row.count)
        }
        return ordered
    }
}

extension Outline {
    /// Whether the middle of one lies in the other, or nearly.
    func overlaps(_ other: Outline) -> Bool {
        contains(other.middle, grown: 1.2) || other.contains(middle, grown: 1.2)
    }
}
