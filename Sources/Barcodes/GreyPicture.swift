import Glibc

/// A picture in shades of grey.
package struct GreyPicture: Equatable, Sendable {
    /// In pixels, 0...`longestSide`.
    package let width: Int, height: Int
    /// Row after row from the top, one byte a pixel, 0 black and 255 white.
    package let pixels: [UInt8]

    /// In pixels.
    package static let longestSide = 65_535

    /// Traps where the sizes are not 0...`longestSide`, or `pixels` are not `width` times `height`.
    package init(width: Int, height: Int, pixels: [UInt8]) {
        let sides = 0...Self.longestSide
        precondition(sides.contains(width) && sides.contains(height) && pixels.count == width * height)
        self.width = width
        self.height = height
        self.pixels = pixels
    }
}

extension GreyPicture {
    /// At half its size: each pixel is the mean of four. An odd last row or column is left out.
    var halved: GreyPicture {
        let (across, down) = (width / 2, height / 2)
        var half = [UInt8](repeating: 0, count: across * down)
        for y in 0..<down {
            let (upper, lower) = (2 * y * width, (2 * y + 1) * width)
            for x in 0..<across {
                let sum =
                    UInt16(pixels[upper + 2 * x]) + UInt16(pixels[upper + 2 * x + 1])
                    + UInt16(pixels[lower + 2 * x]) + UInt16(pixels[lower + 2 * x + 1])
                half[y * across + x] = UInt8(truncatingIfNeeded: (sum + 2) / 4)
            }
        }
        return GreyPicture(width: across, height: down, pixels: half)
    }

    /// At twice its size: each new pixel lies a quarter of a pixel beside an old one, and the four nearest make it.
    var doubled: GreyPicture {
        guard width > 0, height > 0 else { return self }
        var double = [UInt8](repeating: 0, count: 4 * width * height)
        for y in 0..<2 * height {
            let near = y / 2
            let far = min(max(y.isMultiple(of: 2) ? near - 1 : near + 1, 0), height - 1)
            let (nearRow, farRow) = (near * width, far * width)
            var left = 3 * Int(pixels[nearRow]) + Int(pixels[farRow])
            var middle = left
            for x in 0..<width {
                let next = min(x + 1, width - 1)
                let right = 3 * Int(pixels[nearRow + next]) + Int(pixels[farRow + next])
                let at = (y * width + x) * 2
                double[at] = UInt8(truncatingIfNeeded: (3 * middle + left + 8) / 16)
                double[at + 1] = UInt8(truncatingIfNeeded: (3 * middle + right + 8) / 16)
                (left, middle) = (middle, right)
            }
        }
        return GreyPicture(width: 2 * width, height: 2 * height, pixels: double)
    }

    /// Turned around its middle by an angle in radians, clockwise, at its size: corners are lost, and beyond the edges
    /// it is as at them.
    func turned(by angle: Double) -> GreyPicture {
        let middle = Point(x: Double(width) / 2, y: Double(height) / 2)
        var turned: [UInt8] = []
        turned.reserveCapacity(width * height)
        let (across, down) = (Point(x: cos(angle), y: -sin(angle)), Point(x: sin(angle), y: cos(angle)))
        for y in 0..<height {
            let row = middle + down * (Double(y) + 0.5 - middle.y)
            for x in 0..<width {
                turned.append(UInt8(truncatingIfNeeded: grey(at: row + across * (Double(x) + 0.5 - middle.x)) / 256))
            }
        }
        return GreyPicture(width: width, height: height, pixels: turned)
    }
}
