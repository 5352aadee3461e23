import Barcodes
import Foundation

/// A picture that is being drawn: grey values 0...255, not yet rounded.
struct Drawing {
    let width: Int, height: Int
    private(set) var values: [Float]

    init(width: Int, height: Int, ground: Float = 235) {
        self.width = width
        self.height = height
        values = [Float](repeating: ground, count: width * height)
    }

    /// As the reader takes it.
    var picture: GreyPicture {
        GreyPicture(width: width, height: height, pixels: values.map { UInt8(min(max($0 + 0.5, 0), 255)) })
    }

    /// Draws a code on white. Nine points of each pixel are looked at, so that edges are as smooth as those of a
    /// photograph.
    mutating func draw(_ code: DrawnCode) {
        let bars = EAN13.modules(code.text)
        let (cosine, sine) = (cos(code.angle * .pi / 180), sin(code.angle * .pi / 180))
        let halfWidth = code.module * (95 / 2 + 11), halfHeight = code.height / 2 + code.module * 3
        let reach = (halfWidth * halfWidth + halfHeight * halfHeight).squareRoot()
        for y in max(0, Int(code.y - reach))..<max(0, min(height, Int(code.y + reach) + 2)) {
            for x in max(0, Int(code.x - reach))..<max(0, min(width, Int(code.x + reach) + 2)) {
                var ink: Float = 0, cover: Float = 0
                for sample in 0..<9 {
                    let dx = Double(x) + (Double(sample % 3) + 0.5) / 3 - code.x
                    let dy = Double(y) + (Double(sample / 3) + 0.5) / 3 - code.y
                    let u = dx * cosine + dy * sine, v = dy * cosine - dx * sine
                    guard abs(u) < halfWidth, abs(v) < halfHeight else { continue }
                    cover += 1
                    let module = Int((u / code.module + 95 / 2).rounded(.down))
                    if abs(v) < code.height / 2, bars.indices.contains(module), bars[module] { ink += 1 }
                }
                guard cover > 0 else { continue }
                let at = y * width + x
                values[at] += ((code.light * (cover - ink) + code.dark * ink) - values[at] * cover) / 9
            }
        }
    }

    /// A blur like a Gaussian of this deviation, in pixels: three running means along both axes.
    mutating func blur(_ deviation: Double) {
        let breadth = (4 * deviation * deviation + 1).squareRoot()
        for _ in 0..<3 {
            smear(length: width, count: height, step: 1, stride: width, breadth: breadth)
            smear(length: height, count: width, step: width, stride: 1, breadth: breadth)
        }
    }

    private mutating func smear(length: Int, count: Int, step: Int, stride: Int, breadth: Double) {
        // The two outermost pixels count in part, so that any breadth can be had.
        let reach = Int((breadth - 1) / 2), part = Float((breadth - 1) / 2) - Float(reach)
        for line in 0..<count {
            let old = (0..<length).map { values[line * stride + $0 * step] }
            func at(_ index: Int) -> Float { old[min(max(index, 0), length - 1)] }
            for index in 0..<length {
                var sum = part * (at(index - reach - 1) + at(index + reach + 1))
                for offset in -reach...reach { sum += at(index + offset) }
                values[line * stride + index * step] = sum / Float(breadth)
            }
        }
    }

    /// Adds what any grey picture has: noise of this deviation.
    mutating func addNoise(_ deviation: Float, _ random: inout some RandomNumberGenerator) {
        for index in values.indices {
            let sum = (0..<4).reduce(Float(0)) { sum, _ in sum + Float.random(in: -1...1, using: &random) }
            values[index] += sum * deviation * 0.866
        }
    }

    /// Makes it darker from left to right, down to `share` of its light.
    mutating func shade(to share: Float) {
        for index in values.indices {
            values[index] *= 1 - (1 - share) * Float(index % width) / Float(width)
        }
    }

    /// As after a quarter turn, clockwise.
    var turned: Drawing {
        var result = Drawing(width: height, height: width)
        for y in 0..<height {
            for x in 0..<width { result.values[x * height + height - 1 - y] = values[y * width + x] }
        }
        return result
    }
}

/// Where and how a code is drawn. Lengths are in pixels, the angle in degrees, clockwise.
struct DrawnCode {
    var text: String
    /// The middle of its bars.
    var x: Double, y: Double
    var module = 3.0
    var height = 120.0
    var angle = 0.0
    var dark: Float = 25, light: Float = 235
}

/// EAN-13 as its standard has it (GS1 General Specifications, 5.2).
enum EAN13 {
    /// 95 modules from left to right, dark ones true. `text`: 13 digits.
    static func modules(_ text: String) -> [Bool] {
        let digits = text.utf8.map { Int($0) - 48 }
        var bits = "101"
        for index in 1...6 {
            let left = leftDigits[digits[index]]
            bits += Array(parities[digits[0]])[index - 1] == "A" ? left : String(inverted(left).reversed())
        }
        bits += "01010"
        for index in 7...12 { bits += inverted(leftDigits[digits[index]]) }
        return (bits + "101").map { $0 == "1" }
    }

    /// With the check digit behind these twelve.
    static func completed(_ twelve: String) -> String {
        let sum = twelve.utf8.enumerated().reduce(0) { $0 + (Int($1.element) - 48) * ($1.offset % 2 == 0 ? 1 : 3) }
        return twelve + String((10 - sum % 10) % 10)
    }

    /// An ISBN that comes with the generator.
    static func randomBook(_ random: inout some RandomNumberGenerator) -> String {
        let prefix = ["978", "978", "9791"].randomElement(using: &random) ?? "978"
        return completed(
            prefix + (prefix.count..<12).map { _ in String(Int.random(in: 0...9, using: &random)) }.joined())
    }

    private static func inverted(_ bits: String) -> String { String(bits.map { $0 == "0" ? "1" : "0" }) }

    private static let leftDigits = [
        "0001101", "0011001", "0010011", "0111101", "0100011", "0110001", "0101111", "0111011", "0110111", "0001011",
    ]
    private static let parities = [
        "AAAAAA", "AABABB", "AABBAB", "AABBBA", "ABAABB", "ABBAAB", "ABBBAA", "ABABAB", "ABABBA", "ABBABA",
    ]
}
