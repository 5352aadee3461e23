/// A region laid level: its bars stand upright, and `lineCount` lines run across them.
struct Strip {
    static let lineCount = 32
    /// White columns at either end of what libzbar sees: the edge of the strip is no bar.
    static let margin = 40

    /// How many points a line has.
    let width: Int
    /// Column after column from the left, each with a value of every line. Grey, 0...255, or 0...1 once levelled.
    private(set) var values: [Float]

    /// Takes `width` points of each line from a picture: a strip for each thickness. A line is the mean along the bars
    /// of `thickness` times the distance of two lines, which takes away noise and leaves the bars.
    static func strips(_ region: Region, of picture: GreyPicture, width: Int, thicknesses: [Int]) -> [Strip] {
        let sampleCount = 4 * lineCount
        let step = region.point(across: 0, along: region.along.length / Double(sampleCount))
        var strips = thicknesses.map { _ in Strip(width: width) }
        var sums = [Int32](repeating: 0, count: sampleCount + 1)
        for index in 0..<width {
            let u = region.across.lowerBound + region.across.length * (Double(index) + 0.5) / Double(width)
            let first = region.point(across: u, along: region.along.lowerBound) + step * 0.5
            for sample in 0..<sampleCount {
                sums[sample + 1] = sums[sample] + picture.grey(at: first + step * Double(sample))
            }
            for (strip, thickness) in thicknesses.enumerated() {
                for line in 0..<lineCount {
                    let from = max(4 * line + 2 - 2 * thickness, 0)
                    let to = min(4 * line + 2 + 2 * thickness, sampleCount)
                    strips[strip].values.append(Float(sums[to] - sums[from]) / Float(256 * (to - from)))
                }
            }
        }
        // Between pixels the values lie on straight lines. Their corners would look to libzbar like edges.
        let smoothing = max(1, Int((Double(width) / region.across.length - 1) / 2 + 0.5) * 2 + 1)
        for strip in strips.indices {
            for _ in 0..<2 { strips[strip].values = mean(strips[strip].values, of: smoothing) }
        }
        return strips
    }

    private init(width: Int) {
        self.width = width
        values = []
        values.reserveCapacity(width * Self.lineCount)
    }

    /// Where a point of what libzbar sees lies in the region's picture.
    func point(_ point: Point, in region: Region) -> Point {
        let u = (point.x - Double(Self.margin)) / Double(width), v = point.y / Double(Self.lineCount)
        return region.point(
            across: region.across.lowerBound + region.across.length * u,
            along: region.along.lowerBound + region.along.length * v)
    }

    /// What libzbar is to see, of a levelled strip.
    var picture: GreyPicture {
        let length = width + 2 * Self.margin
        var pixels = [UInt8](repeating: 255, count: length * Self.lineCount)
        for line in 0..<Self.lineCount {
            for x in 0..<width {
                pixels[line * length + Self.margin + x] = UInt8(values[x * Self.lineCount + line] * 255)
            }
        }
        return GreyPicture(width: length, height: Self.lineCount, pixels: pixels)
    }
}

extension Strip {
    /// Stretches the contrast at each place, so that the darkest within 32 columns is 0 and the lightest 1: shadows and
    /// glare go.
    func levelled() -> Strip {
        let reach = 32, column = Self.lineCount
        var low = values, high = values, step = 1
        // After each round an entry is that of its column and the next 1, 3, 7… ones.
        while step < 2 * reach {
            for index in 0..<max(values.count - step * column, 0) {
                low[index] = min(low[index], low[index + step * column])
                high[index] = max(high[index], high[index + step * column])
            }
            step *= 2
        }
        low = Self.mean(values.indices.map { low[max($0 - reach * column, $0 % column)] }, of: 2 * reach + 1)
        high = Self.mean(values.indices.map { high[max($0 - reach * column, $0 % column)] }, of: 2 * reach + 1)
        var result = self
        for index in values.indices {
            let level = (values[index] - low[index]) / max(high[index] - low[index], 10)
            result.values[index] = min(max(level, 0), 1)
        }
        return result
    }

    /// How often a line passes between dark and light, of a levelled strip, on average.
    var edgeCount: Int {
        var count = 0
        for index in values.indices.dropFirst(Self.lineCount)
        where (values[index] < 0.5) != (values[index - Self.lineCount] < 0.5) {
            count += 1
        }
        return count / Self.lineCount
    }

    /// Undoes a blur across the bars, of a levelled strip: Van Cittert's iteration (1931), each time cut to 0...1. The
    /// cut is what makes it work: bars are black and white, so what goes beyond is an error, and the next round spreads
    /// it no further.
    ///
    /// The blur is taken for three means of `breadth` columns, an odd number, which is near a Gaussian of that number's
    /// half.
    func deblurred(_ breadth: Int) -> Strip {
        var result = self
        for _ in 0..<20 {
            var blurred = result.values
            for _ in 0..<3 { blurred = Self.mean(blurred, of: breadth) }
            for index in values.indices {
                result.values[index] = min(max(result.values[index] + values[index] - blurred[index], 0), 1)
            }
        }
        return result
    }

    /// The running mean of an odd number of columns; those beyond the ends are like the last.
    ///
    /// It takes most of the time, hence the pointers, with which the processor does eight lines at once. An offset is
    /// that of one of the columns, 0...`last`, and of a group of eight of its lines.
    private static func mean(_ values: [Float], of count: Int) -> [Float] {
        typealias Lines = SIMD8<Float>
        let reach = count / 2, last = values.count / lineCount - 1, column = lineCount * MemoryLayout<Float>.stride
        guard reach > 0 else { return values }
        let factor = 1 / Float(count)
        return [Float](unsafeUninitializedCapacity: values.count) { means, filled in
            let target = UnsafeMutableRawBufferPointer(means)
            values.withUnsafeBytes { source in
                for group in stride(from: 0, to: column, by: MemoryLayout<Lines>.stride) {
                    func lines(_ index: Int) -> Lines {
                        source.loadUnaligned(fromByteOffset: min(max(index, 0), last) * column + group, as: Lines.self)
                    }
                    var sum = Lines()
                    for index in -reach...reach { sum += lines(index) }
                    for index in 0...last {
                        target.storeBytes(of: sum * factor, toByteOffset: index * column + group, as: Lines.self)
                        sum += lines(index + reach + 1) - lines(index - reach)
                    }
                }
            }
            filled = values.count
        }
    }
}

extension GreyPicture {
    /// Between the four nearest pixels, in 256ths; beyond the picture as at its edge. The picture has pixels.
    func grey(at point: Point) -> Int32 {
        let x = Int32(min(max(point.x - 0.5, 0), Double(width - 1)) * 16)
        let y = Int32(min(max(point.y - 0.5, 0), Double(height - 1)) * 16)
        let (left, top, right, down) = (Int(x / 16), Int(y / 16), x % 16, y % 16)
        let at = top * width + left
        let across = left + 1 < width ? 1 : 0, below = top + 1 < height ? width : 0
        let upper = Int32(pixels[at]) * (16 - right) + Int32(pixels[at + across]) * right
        let lower = Int32(pixels[at + below]) * (16 - right) + Int32(pixels[at + below + across]) * right
        return upper * (16 - down) + lower * down
    }
}
