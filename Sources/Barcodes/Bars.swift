/// The bars that a text has, and whether a picture shows them.
///
/// libzbar reads the halves of a code apart and puts any two together whose check digit is right. Of two codes side by
/// side one pair in ten makes a third that is not there, and each line shows it. So what libzbar read is looked for in
/// the picture.
struct Bars {
    /// Which of the 95 modules are dark, from the left: 1 or 0.
    private let bars: [Int]

    /// `text`: 13 digits.
    init(_ text: String) {
        let digits = text.utf8.map { Int($0) - 48 }
        let parity = Self.parities[digits[0]]
        var bars = [1, 0, 1]
        for index in 1...6 {
            let widths = Self.widths[digits[index]]
            bars += Self.bars(parity & (32 >> (index - 1)) == 0 ? widths : widths.reversed(), firstIsDark: false)
        }
        bars += [0, 1, 0, 1, 0]
        for index in 7...12 { bars += Self.bars(Self.widths[digits[index]], firstIsDark: true) }
        bars += [1, 0, 1]
        self.bars = bars
    }

    /// How dark modules look: blurred, and without the mean over 21 of them. `own`: how many times as much as either
    /// neighbour a module adds.
    private static func shades(of bars: [Int], own: Int) -> [Float] {
        let padded = [0] + bars + [0]
        return levelled(bars.indices.map { Float(padded[$0] + own * padded[$0 + 1] + padded[$0 + 2]) / Float(own + 2) })
    }

    /// From blurred to sharp: deviations of 0.7, 0.58 and 0.41 modules.
    private static let looks = [2, 4, 10]

    /// The shades of what these bars may be taken for: one digit another, of either parity (6 times 19 and 6 times 9),
    /// or several of a half swapped, 1 with 7 and 2 with 8. Those differ by the widths of bars alone, so that a blur
    /// changes all at once.
    private func variants(own: Int) -> [[Float]] {
        let single = (0..<12).flatMap { index in
            Self.digits(at: index).joined().map { with([(index, $0)]) }
        }
        let several = [0..<6, 6..<12].flatMap { half -> [[Int]] in
            let swaps = half.compactMap { index in swapped(at: index).map { (index, $0) } }
            return (0..<1 << swaps.count).map { chosen in
                with(swaps.indices.filter { chosen & 1 << $0 != 0 }.map { swaps[$0] })
            }
        }
        return (single + several).filter { $0 != bars }.map { Self.shades(of: $0, own: own) }
    }

    private func with(_ digits: [(index: Int, modules: [Int])]) -> [Int] {
        var bars = bars
        for (index, modules) in digits { bars.replaceSubrange(Self.place(of: index), with: modules) }
        return bars
    }

    /// The modules of 7 for a 1, and so on; `nil` for a digit that has no such twin.
    private func swapped(at index: Int) -> [Int]? {
        let modules = Array(bars[Self.place(of: index)])
        for digits in Self.digits(at: index) {
            if let digit = digits.firstIndex(of: modules) { return [1: 7, 7: 1, 2: 8, 8: 2][digit].map { digits[$0] } }
        }
        return nil
    }

    /// The seven modules of the first of 12 digits, and so on.
    private static func place(of index: Int) -> Range<Int> {
        let first = index < 6 ? 3 + 7 * index : 50 + 7 * (index - 6)
        return first..<first + 7
    }

    /// The modules of ten digits, and in the left half again in even parity.
    private static func digits(at index: Int) -> [[[Int]]] {
        index < 6
            ? [widths.map { bars($0, firstIsDark: false) }, widths.map { bars($0.reversed(), firstIsDark: false) }]
            : [widths.map { bars($0, firstIsDark: true) }]
    }

    /// Of a digit's four bars and spaces, as the left half has it in odd parity.
    private static let widths = [
        [3, 2, 1, 1], [2, 2, 2, 1], [2, 1, 2, 2], [1, 4, 1, 1], [1, 1, 3, 2],
        [1, 2, 3, 1], [1, 1, 1, 4], [1, 3, 1, 2], [1, 2, 1, 3], [3, 1, 1, 2],
    ]
    /// Which digits of the left half have even parity, for each first digit: a bit for each, the first digit's the
    /// highest.
    private static let parities = [
        0, 0b001011, 0b001101, 0b001110, 0b010011, 0b011001, 0b011100, 0b010101, 0b010110, 0b011010,
    ]

    private static func bars(_ widths: [Int], firstIsDark: Bool) -> [Int] {
        widths.enumerated().flatMap { Array(repeating: ($0.isMultiple(of: 2) == firstIsDark) ? 1 : 0, count: $1) }
    }

    private static func levelled(_ values: [Float]) -> [Float] {
        var sums: [Float] = [0]
        for value in values { sums.append((sums.last ?? 0) + value) }
        return values.indices.map { index in
            let from = max(index - 10, 0), to = min(index + 11, values.count)
            return values[index] - (sums[to] - sums[from]) / Float(to - from)
        }
    }

    /// How well the picture shows them between points where lines left them, one line after the other: the best
    /// correlation, 0.5...1. `nil` where it does not show them: five of eight places are needed, and none may show
    /// others clearly. Nearly all true readings have more, and hardly a false one has five.
    func agreement(with picture: GreyPicture, between points: [Point]) -> Float? {
        // Lines run to and fro, and leave a code at its middle and at its end. So of four points in a row two are its
        // ends.
        let last = points.count - 4
        guard last >= 0 else { return nil }
        var missing = 0, best: Float = 0
        for place in 0..<8 where missing <= 3 {
            let few = Array(points[last * place / 7..<last * place / 7 + 4])
            var (start, end) = (few[0], few[0])
            for one in few {
                for other in few where (other - one).squaredLength > (end - start).squaredLength {
                    (start, end) = (one, other)
                }
            }
            // If no line left the code at its other end, these are its middle and its end.
            let half = end - start
            switch sight(in: picture, [(start, end), (start - half, end), (start, end + half)]) {
            case .others: return nil
            case .none: missing += 1
            case .bars(let agreement): best = max(best, agreement)
            }
        }
        return missing <= 3 ? best : agreement(with: picture, besides: points)
    }

    /// Whether they are shown to one side of points that lie along one end. How wide they are is found by trial, from
    /// 1.2 to 12 pixels a module.
    private func agreement(with picture: GreyPicture, besides points: [Point]) -> Float? {
        let along = points[points.count - 1] - points[0], length = along.squaredLength.squareRoot()
        guard points.count >= 8, length > 0 else { return nil }
        let across = Point(x: -along.y, y: along.x) * (95 / length)
        let modules = Array(sequence(first: 1.2) { $0 * 1.04 }.prefix { $0 < 12 })
        var best: Float = 0
        for end in [points[points.count / 4], points[points.count * 3 / 4]] {
            let places = modules.flatMap { [(end, end + across * $0), (end - across * $0, end)] }
            guard case .bars(let agreement) = sight(in: picture, places) else { return nil }
            best = max(best, agreement)
        }
        return best
    }

    private enum Sight {
        case none
        case bars(Float)
        /// Those of another text, clearly.
        case others
    }

    /// The first of some lines that shows anything.
    private func sight(in picture: GreyPicture, _ lines: [(Point, Point)]) -> Sight {
        for (start, end) in lines {
            let seen = sight(in: picture, from: start, to: end)
            if case .none = seen { continue }
            return seen
        }
        return .none
    }

    /// What lies between the points, read this way or the other. It is the bars where it goes with them by a
    /// correlation of 0.5, and not as well with any they may be taken for.
    private func sight(in picture: GreyPicture, from start: Point, to end: Point) -> Sight {
        let sums = Self.sums(of: picture, from: start, to: end)
        var own = 0, fit = Fit(of: sums, to: [])
        for look in Self.looks {
            let another = Fit(of: sums, to: Self.shades(of: bars, own: look))
            if another.agreement > fit.agreement { (own, fit) = (look, another) }
        }
        guard fit.agreement > 0.3 else { return .none }
        fit.improve()
        guard fit.agreement > 0.5 else { return .none }
        let others = variants(own: own).map { (shades: $0, agreement: fit.correlation(with: $0)) }
            .sorted { $0.agreement > $1.agreement }
        guard let first = others.first, first.agreement < fit.agreement else { return .none }
        // The line is bent for this text. So the best of the others may bend it for themselves.
        let best = others.prefix(3).map { fit.agreement(rebentFor: $0.shades) }.max() ?? 0
        if best > 0.97, best > fit.agreement + 0.02 { return .others }
        return best < fit.agreement ? .bars(fit.agreement) : .none
    }

    /// How well a line of a picture goes with bars, bent so that it goes best.
    private struct Fit {
        private let sums: [Float]
        private var shades: [Float]
        private var bend = Bend()
        /// How dark each module is, without the mean over 21, read so that it goes best.
        private var values: [Float] = []
        private(set) var agreement: Float = 0

        private static let wide: [Float] = [-2, -1, 0, 1, 2]

        /// Only the ends are moved.
        init(of sums: [Float], to shades: [Float]) {
            self.sums = sums
            self.shades = shades
            if !shades.isEmpty { look(Self.wide, Self.wide) }
        }

        /// Moves all, in smaller and smaller steps.
        mutating func improve() {
            look([0], [0], middles: [-4, -3] + Self.wide + [3, 4])
            guard agreement > 0.5 else { return }
            refine(from: 1)
        }

        /// How well the line goes with other bars, bent a little more.
        func agreement(rebentFor shades: [Float]) -> Float {
            var other = self
            other.shades = shades
            other.agreement = 0
            other.refine(from: 0.5)
            return other.agreement
        }

        private mutating func refine(from largest: Float) {
            for step in sequence(first: largest, next: { $0 / 2 }).prefix(while: { $0 >= 0.25 }) {
                for _ in 0..<3 {
                    let before = agreement, steps = [-step, 0, step]
                    look(steps, steps, middles: steps, twists: steps)
                    if agreement == before { break }
                }
            }
        }

        /// Keeps the best of some bends near the best so far.
        private mutating func look(
            _ firsts: [Float], _ lasts: [Float], middles: [Float] = [0], twists: [Float] = [0]
        ) {
            let near = bend
            for first in firsts {
                for last in lasts {
                    for middle in middles {
                        for twist in twists {
                            offer(
                                Bend(
                                    first: near.first + first, middle: near.middle + middle, last: near.last + last,
                                    twist: near.twist + twist))
                        }
                    }
                }
            }
        }

        private mutating func offer(_ bend: Bend) {
            let values = bend.values(of: sums)
            let (onward, backward) = Self.correlations(values, shades)
            guard max(onward, backward) > agreement else { return }
            (self.bend, agreement) = (bend, max(onward, backward))
            self.values = onward >= backward ? values : values.reversed()
        }

        func correlation(with shades: [Float]) -> Float { Self.correlations(values, shades).onward }

        /// With the other as it is, and turned round.
        private static func correlations(_ one: [Float], _ other: [Float]) -> (onward: Float, backward: Float) {
            var onward: Float = 0, backward: Float = 0, first: Float = 0, second: Float = 0
            let last = other.count - 1
            for index in one.indices {
                onward += one[index] * other[index]
                backward += one[index] * other[last - index]
                first += one[index] * one[index]
                second += other[index] * other[index]
            }
            guard first > 0 && second > 0 else { return (0, 0) }
            let whole = (first * second).squareRoot()
            return (onward / whole, backward / whole)
        }

        /// Where bars lie otherwise than evenly between two points, in modules: at the ends, for libzbar is not exact,
        /// and between them, for books are bent and seen aslant.
        struct Bend {
            var first: Float = 0, middle: Float = 0, last: Float = 0, twist: Float = 0

            /// From sums of four samples a module, from eight modules before the start to eight behind the end.
            ///
            /// Most of the time of a proof goes here, so each module is looked at once: the sums before modules say
            /// what `Bars.levelled` adds up.
            func values(of sums: [Float]) -> [Float] {
                let line = sums.span
                var edges = InlineArray<96, Float>(repeating: 0)
                for module in 0...95 {
                    let share = Float(module) * (1 / 95), bow = 4 * share * (1 - share)
                    let shift = first * (1 - share) + last * share + bow * (middle + twist * (1 - 2 * share))
                    let at = (Float(module) + shift + 8) * 4
                    let whole = min(max(Int(at), 0), line.count - 2)
                    let before = line[whole]
                    edges[module] = before + (line[whole + 1] - before) * (at - Float(whole))
                }
                return (0..<95).map { index in
                    let from = max(index - 10, 0), to = min(index + 11, 95)
                    return edges[index + 1] - edges[index] - (edges[to] - edges[from]) / Float(to - from)
                }
            }
        }
    }

    /// How dark it is, four times a module from eight modules before the start to eight behind the end, summed up: the
    /// means of three lines.
    private static func sums(of picture: GreyPicture, from start: Point, to end: Point) -> [Float] {
        let module = (end - start) * (1 / 95)
        let length = max(module.squaredLength.squareRoot(), 0.01)
        let beside = Point(x: -module.y, y: module.x) * (1.5 / length)
        var sums: [Float] = [0]
        for sample in 0..<4 * 111 {
            let point = start + module * ((Double(sample) + 0.5) / 4 - 8)
            let light = picture.grey(at: point) + picture.grey(at: point + beside) + picture.grey(at: point - beside)
            sums.append((sums.last ?? 0) - Float(light) / 768)
        }
        return sums
    }
}
