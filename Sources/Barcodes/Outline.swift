import Glibc

/// A point of a picture, in pixels from its upper left corner.
struct Point: Hashable {
    var x: Double, y: Double

    static func + (left: Point, right: Point) -> Point { Point(x: left.x + right.x, y: left.y + right.y) }
    static func - (left: Point, right: Point) -> Point { Point(x: left.x - right.x, y: left.y - right.y) }
    static func * (left: Point, factor: Double) -> Point { Point(x: left.x * factor, y: left.y * factor) }
    /// Clockwise, in radians.
    func turned(by angle: Double) -> Point {
        Point(x: x * cos(angle) - y * sin(angle), y: x * sin(angle) + y * cos(angle))
    }

    var squaredLength: Double { x * x + y * y }
    /// Positive where `right` lies clockwise of `left`, as seen in a picture.
    static func cross(_ left: Point, _ right: Point) -> Double { left.x * right.y - left.y * right.x }
}

/// The convex hull of points: the outline of a code, from where lines left its bars.
struct Outline {
    /// Clockwise; one or two where the points are one or lie in a line.
    let corners: [Point]
    /// The middle of the corners; the picture's corner where there are none.
    let middle: Point

    /// Andrew's monotone chain (1979).
    init(_ points: [Point]) {
        let sorted = Set(points).sorted { ($0.x, $0.y) < ($1.x, $1.y) }
        corners = sorted.count < 3 ? sorted : Self.chain(sorted).dropLast() + Self.chain(sorted.reversed()).dropLast()
        let sum = corners.reduce(Point(x: 0, y: 0), +)
        middle = corners.isEmpty ? sum : sum * (1 / Double(corners.count))
    }

    private static func chain(_ points: [Point]) -> [Point] {
        var chain: [Point] = []
        for point in points {
            while let last = chain.last, let before = chain.dropLast().last,
                Point.cross(last - before, point - before) <= 0
            {
                chain.removeLast()
            }
            chain.append(point)
        }
        return chain
    }

    /// Whether the point lies in the outline, when this is drawn `factor` times as large around its middle.
    func contains(_ point: Point, grown factor: Double) -> Bool {
        guard corners.count > 2 else { return false }
        let near = middle + (point - middle) * (1 / factor)
        return zip(corners, corners.dropFirst() + corners.prefix(1)).allSatisfy { corner, next in
            Point.cross(next - corner, near - corner) >= 0
        }
    }

    /// In thousandths of a picture of this size.
    func box(width: Int, height: Int) -> Box {
        func thousandth(_ value: Double, of side: Int) -> Int {
            Int(min(max(value / Double(side) * 1000, 0), 1000).rounded())
        }
        let (xs, ys) = (corners.map(\.x), corners.map(\.y))
        return Box(
            left: thousandth(xs.min() ?? 0, of: width), top: thousandth(ys.min() ?? 0, of: height),
            right: thousandth(xs.max() ?? 0, of: width), bottom: thousandth(ys.max() ?? 0, of: height))
    }
}
