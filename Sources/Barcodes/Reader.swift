/// Reads the codes of books in pictures. `README.md` in this folder says what it tries and how good that is.
package enum Reader {
    /// The most readings of one picture.
    package static let maximumCount = 100
    /// A second at most, more or less.
    package static let defaultBudget = 30_000_000

    /// Books first, then others; each row after row from the top, and from left to right; `maximumCount` at most. None
    /// where nothing was read.
    ///
    /// `budget`: how many pixels libzbar may be shown in all; other work counts as the pixels that take as long. It is
    /// a count and not a time, so that the same picture has the same readings on any machine. What it does not pay for
    /// is left out.
    package static func readings(in picture: GreyPicture, budget: Int = defaultBudget) -> [Reading] {
        guard picture.width > 0, picture.height > 0 else { return [] }
        var search = Search(picture, budget: budget)
        search.lookAtWhole()
        search.lookTurned()
        search.lookAtRegions()
        return search.evidence.readings(width: picture.width, height: picture.height)
    }
}

/// The tries on one picture.
struct Search {
    /// The picture, at half its size, at a quarter, and so on.
    private var levels: [GreyPicture]
    private var budget: Int
    private(set) var evidence = Evidence()

    init(_ picture: GreyPicture, budget: Int) {
        levels = [picture]
        self.budget = budget
        while let last = levels.last, last.pixels.count > 600_000, min(last.width, last.height) > 1 {
            levels.append(last.halved)
        }
    }

    /// As it is, then smaller and smaller, and a small one at twice its size.
    mutating func lookAtWhole() {
        for (index, level) in levels.enumerated() { look(at: level, scale: Double(1 << index)) }
        if levels.count == 1, max(levels[0].width, levels[0].height) <= Self.mostDoubled {
            look(at: levels[0].doubled, scale: 0.5)
        }
    }

    /// At about a megapixel, turned a little either way: bars cut short, and others that level lines only just miss.
    mutating func lookTurned() {
        guard let index = levels.firstIndex(where: { $0.pixels.count <= 1_500_000 }) else { return }
        let level = levels[index], scale = Double(1 << index)
        let middle = Point(x: Double(level.width) / 2, y: Double(level.height) / 2)
        for angle in [-0.06, 0.06] {
            guard spend(2 * level.pixels.count) else { return }
            for find in Scanner.finds(in: level.turned(by: angle), Scanner.Density(rows: 1, columns: 1)) {
                add(find, .whole) { ($0 - middle).turned(by: -angle) * scale + middle * scale }
            }
        }
    }

    /// `scale`: how many of the picture's pixels one of these is wide.
    private mutating func look(at level: GreyPicture, scale: Double) {
        let density = max(1, (2 * level.pixels.count + Self.mostInOneLook - 1) / Self.mostInOneLook)
        guard spend(2 * level.pixels.count / density) else { return }
        for find in Scanner.finds(in: level, Scanner.Density(rows: density, columns: density)) {
            add(find, .whole) { $0 * scale }
        }
    }

    /// The longer side, in pixels.
    private static let mostDoubled = 2_000
    private static let mostInOneLook = 3_000_000

    /// All regions laid level, then those deblurred where no book was read so.
    mutating func lookAtRegions() {
        let index = levels.firstIndex { $0.pixels.count <= 4_000_000 } ?? levels.count - 1
        let regions = Region.regions(in: levels[index])
        guard let strongest = regions.first?.strength else { return }
        let bands = regions.prefix(Self.mostRegions).filter { $0.strength > strongest / 100 }.flatMap(\.bands)
        var unread: [Laid] = []
        for band in bands {
            guard budget > 0 else { break }
            let laid = Laid(band.widened, of: levels[index], scale: Double(1 << index))
            let isRead = laid.strips.reduce(false) { show($1, of: laid, .laidLevel) || $0 }
            if !isRead, laid.mayBeCode { unread.append(laid) }
        }
        for breadths in [[7, 11, 15], [3, 5, 9, 13]] {
            for laid in unread {
                for breadth in breadths { for strip in laid.strips { deblur(strip, of: laid, breadth) } }
            }
        }
    }

    private static let mostRegions = 24

    private mutating func deblur(_ strip: Strip, of laid: Laid, _ breadth: Int) {
        // What libzbar takes for this many pixels.
        guard spend(3 * strip.values.count) else { return }
        _ = show(strip.deblurred(breadth), of: laid, .deblurred)
    }

    /// Whether a book was read on a quarter of the lines.
    private mutating func show(_ strip: Strip, of laid: Laid, _ means: Evidence.Means) -> Bool {
        let picture = strip.picture
        guard spend(picture.pixels.count) else { return false }
        var isRead = false
        for find in Scanner.finds(in: picture, Scanner.Density(rows: 1, columns: 0)) {
            add(find, means) { strip.point($0, in: laid.region) * laid.scale }
            if find.lines >= Strip.lineCount / 4, Reading.Kind(find.text) == .book { isRead = true }
        }
        return isRead
    }

    /// Unless the picture does not show the bars, or the text is certain anyhow. `place`: from the try's points to the
    /// picture's.
    private mutating func add(_ find: Scanner.Find, _ means: Evidence.Means, _ place: (Point) -> Point) {
        guard !evidence.isCertain(find.text), spend(Self.proofCost) else { return }
        let points = find.points.map(place)
        guard let agreement = Bars(find.text).agreement(with: levels[0], between: points) else { return }
        evidence.add(Scanner.Find(text: find.text, lines: find.lines, points: points), means, agreement)
    }

    /// What libzbar takes as long for.
    private static let proofCost = 200_000

    /// Whether there is enough left.
    private mutating func spend(_ pixels: Int) -> Bool {
        guard budget >= pixels else { return false }
        budget -= pixels
        return true
    }
}

/// A region laid level: its strips, with thin lines, thick lines, and the thickest for noise.
private struct Laid {
    let region: Region
    /// How many of the picture's pixels one of the region's is wide.
    let scale: Double
    let strips: [Strip]

    init(_ region: Region, of level: GreyPicture, scale: Double) {
        let width = min(max(Int(region.across.length * 1.5), 800), 1600)
        self.region = region
        self.scale = scale
        strips = Strip.strips(region, of: level, width: width, thicknesses: [1, 6, 20]).map { $0.levelled() }
    }

    /// Whether there are a third of the edges of an EAN-13, which has 60. The narrow bars of a blurred one may be lost.
    var mayBeCode: Bool { strips[1].edgeCount >= 20 }
}

extension Region {
    /// The region, and its halves where it is high: two codes may lie one above the other.
    fileprivate var bands: [Region] {
        guard along.length > 0.4 * across.length else { return [self] }
        let middle = (along.lowerBound + along.upperBound) / 2
        var (upper, lower) = (self, self)
        upper.along = along.lowerBound...middle
        lower.along = middle...along.upperBound
        return [self, upper, lower]
    }

    /// With the white beside the bars.
    fileprivate var widened: Region {
        let more = 0.12 * across.length + 4
        var region = self
        region.across = across.lowerBound - more...across.upperBound + more
        return region
    }
}
