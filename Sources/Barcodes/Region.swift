import Glibc

/// A part of a picture where all edges run one way, as those of bars do: a rectangle that may lie aslant.
struct Region {
    /// From the x axis to the direction across the bars, in radians, clockwise in the picture, -π/2...π/2.
    let angle: Double
    /// In pixels along that direction, and along the bars, from the picture's upper left corner.
    var across: ClosedRange<Double>, along: ClosedRange<Double>
    /// The sum of the edges' squares. Bars have more than print or the grain of a table.
    let strength: Double

    /// The point of the picture that lies there.
    func point(across u: Double, along v: Double) -> Point {
        Point(x: u * cos(angle) - v * sin(angle), y: u * sin(angle) + v * cos(angle))
    }
}

extension Region {
    /// The strongest first; of the same strength the upper first.
    ///
    /// The picture is cut into square blocks, 160 along its longer side. A block counts where its structure tensor, the
    /// sum over the block and its neighbours of the edges' products, says that it has edges and that most of them run
    /// one way. Neighbours that agree by 15 degrees are one region.
    static func regions(in picture: GreyPicture) -> [Region] {
        let blocks = Blocks(picture)
        var regions: [Region] = []
        var isSeen = blocks.cells.map { !$0.isStriped }
        for first in blocks.cells.indices where !isSeen[first] {
            isSeen[first] = true
            var members = [first], next = 0
            while next < members.count {
                let member = members[next]
                next += 1
                for neighbour in blocks.neighbours(of: member)
                where !isSeen[neighbour] && blocks.cells[member].agrees(with: blocks.cells[neighbour]) {
                    isSeen[neighbour] = true
                    members.append(neighbour)
                }
            }
            if let region = blocks.region(of: members) { regions.append(region) }
        }
        return regions.enumerated()
            .sorted { ($1.element.strength, $0.offset) < ($0.element.strength, $1.offset) }
            .map(\.element)
    }
}

/// The blocks of a picture, row after row.
private struct Blocks {
    /// Sums of products of the slopes across and down.
    struct Tensor {
        var xx = 0.0, xy = 0.0, yy = 0.0

        static func += (left: inout Tensor, right: Tensor) {
            left.xx += right.xx
            left.xy += right.xy
            left.yy += right.yy
        }

        /// Across the edges.
        var angle: Double { 0.5 * atan2(2 * xy, xx - yy) }
    }

    struct Cell {
        let angle: Double
        let isStriped: Bool

        /// `tensor`: of nine blocks; `pixelCount`: how many one block has.
        init(_ tensor: Tensor, pixelCount: Int) {
            let sum = tensor.xx + tensor.yy, difference = tensor.xx - tensor.yy
            let oneWay = (difference * difference + 4 * tensor.xy * tensor.xy).squareRoot()
            angle = tensor.angle
            // A slope of 1 a pixel is the least.
            isStriped = sum > 9 * Double(pixelCount) && oneWay > 0.6 * sum
        }

        func agrees(with other: Cell) -> Bool {
            let between = abs(angle - other.angle)
            return min(between, .pi - between) < .pi / 12
        }
    }

    /// In pixels.
    private let side: Int
    private let columns: Int, rows: Int
    private let tensors: [Tensor]
    let cells: [Cell]

    init(_ picture: GreyPicture) {
        let side = max(6, (max(picture.width, picture.height) + 159) / 160)
        let (columns, rows) = (picture.width / side, picture.height / side)
        var tensors = [Tensor](repeating: Tensor(), count: columns * rows)
        for y in 2..<max(2, min(rows * side, picture.height - 2)) {
            for column in 0..<columns {
                tensors[y / side * columns + column] += Self.tensor(of: picture, y, column * side..<(column + 1) * side)
            }
        }
        cells = tensors.indices.map { cell in
            var sum = Tensor()
            let (row, column) = (cell / columns, cell % columns)
            for y in max(row - 1, 0)...min(row + 1, rows - 1) {
                for x in max(column - 1, 0)...min(column + 1, columns - 1) { sum += tensors[y * columns + x] }
            }
            return Cell(sum, pixelCount: side * side)
        }
        (self.side, self.columns, self.rows, self.tensors) = (side, columns, rows, tensors)
    }

    /// Of one row of a block. Two pixels either side make a slope: of narrow bars the next alone show too little of it,
    /// and too little across makes bars look more aslant than they are.
    private static func tensor(of picture: GreyPicture, _ y: Int, _ columns: Range<Int>) -> Tensor {
        let width = picture.width
        var xx = 0, xy = 0, yy = 0
        for x in max(columns.lowerBound, 2)..<min(columns.upperBound, width - 2) {
            let at = y * width + x
            let across = picture.slope(at, 1), down = picture.slope(at, width)
            xx += across * across
            xy += across * down
            yy += down * down
        }
        let scale = 1.0 / 144
        return Tensor(xx: Double(xx) * scale, xy: Double(xy) * scale, yy: Double(yy) * scale)
    }

    func neighbours(of cell: Int) -> [Int] {
        let (row, column) = (cell / columns, cell % columns)
        var neighbours: [Int] = []
        for y in max(row - 1, 0)...min(row + 1, rows - 1) {
            for x in max(column - 1, 0)...min(column + 1, columns - 1) where (x, y) != (column, row) {
                neighbours.append(y * columns + x)
            }
        }
        return neighbours
    }

    /// `nil` where no code fits: it has 95 modules across, and is not much higher than wide even with a second one
    /// below it.
    func region(of members: [Int]) -> Region? {
        guard members.count >= 4 else { return nil }
        var sum = Tensor()
        for member in members { sum += tensors[member] }
        let angle = sum.angle
        var across = Double.infinity...Double.infinity, along = across
        for (index, member) in members.enumerated() {
            let x = (Double(member % columns) + 0.5) * Double(side), y = (Double(member / columns) + 0.5) * Double(side)
            let u = x * cos(angle) + y * sin(angle), v = y * cos(angle) - x * sin(angle)
            across = index == 0 ? u...u : min(across.lowerBound, u)...max(across.upperBound, u)
            along = index == 0 ? v...v : min(along.lowerBound, v)...max(along.upperBound, v)
        }
        let half = Double(side) / 2
        across = across.lowerBound - half...across.upperBound + half
        along = along.lowerBound - half...along.upperBound + half
        guard across.length >= 60, 1.5 * across.length >= along.length else { return nil }
        return Region(angle: angle, across: across, along: along, strength: sum.xx + sum.yy)
    }
}

extension ClosedRange<Double> {
    var length: Double { upperBound - lowerBound }
}

extension GreyPicture {
    /// Twelve times the slope at a pixel, along a step in `pixels`, by central differences of the fourth order.
    fileprivate func slope(_ at: Int, _ step: Int) -> Int {
        8 * (Int(pixels[at + step]) - Int(pixels[at - step]))
            - (Int(pixels[at + 2 * step]) - Int(pixels[at - 2 * step]))
    }
}
