import FoundationEssentials
import Glibc

extension Photos {
    /// How far the lines of a page are from level.
    ///
    /// Where one looks along the lines, the tops of letters lie on each other; from any other angle they are spread. So
    /// the angle is the one at which they gather most. tesseract reads level lines well, and loses those of 3° and more.
    enum Skew {
        /// Degrees by which to turn the picture anticlockwise to make its lines level: -6 to 6 in tenths, 0 for what has no
        /// lines.
        static func angle(of page: GreyImage) -> Double {
            let tops = tops(of: page)
            // A page that is worth turning has more than a few letters.
            guard tops.count > 200 else { return 0 }
            func best(_ angles: [Double]) -> Double {
                angles.max { score($0, tops, page) < score($1, tops, page) } ?? 0
            }
            let coarse = best((-12...12).map { Double($0) / 2 })
            let fine = best((-5...5).map { coarse + Double($0) / 10 })
            guard abs(fine) >= 0.2, abs(fine) <= 6, score(fine, tops, page) > 1.05 * score(0, tops, page) else {
                return 0
            }
            return (fine * 10).rounded() / 10
        }

        /// Dark pixels below bright ones: at most 20,000, evenly taken.
        private static func tops(of page: GreyImage) -> [(column: Int, row: Int)] {
            var tops: [(column: Int, row: Int)] = []
            page.pixels.withUnsafeBufferPointer { pixels in
                for row in 1..<max(1, page.height) {
                    let start = row * page.width
                    for column in 0..<page.width
                    where pixels[start + column] < 160 && pixels[start - page.width + column] >= 160 {
                        tops.append((column, row))
                    }
                }
            }
            let step = tops.count / 20_000 + 1
            return step == 1 ? tops : stride(from: 0, to: tops.count, by: step).map { tops[$0] }
        }

        /// How much the tops gather on the lines of this angle: the sum of the squares of their numbers.
        private static func score(_ angle: Double, _ tops: [(column: Int, row: Int)], _ page: GreyImage) -> Double {
            let slope = tan(angle * .pi / 180)
            let room = Int(abs(slope) * Double(page.width)) + 1
            var lines = [Int](repeating: 0, count: page.height + 2 * room)
            for (column, row) in tops { lines[row + room + Int((Double(column) * slope).rounded(.down))] += 1 }
            return lines.reduce(0) { $0 + Double($1 * $1) }
        }
    }
}
