import TestSupport
import Testing

@testable import Barcodes

/// Pictures without a code have none, and none of any kind breaks the reader. On the main thread, as `DrawnCodeTests`.
@Suite @MainActor struct NoCodeTests {
    private func made(_ width: Int, _ height: Int, _ value: (Int, Int) -> Int) -> GreyPicture {
        var pixels: [UInt8] = []
        pixels.reserveCapacity(width * height)
        for y in 0..<height { for x in 0..<width { pixels.append(UInt8(truncatingIfNeeded: value(x, y))) } }
        return GreyPicture(width: width, height: height, pixels: pixels)
    }

    @Test(arguments: [(0, 0), (0, 7), (7, 0), (1, 1), (1, 5_000), (5_000, 1), (2, 2), (5, 4), (3, 65_535), (65_535, 3)])
    func `of odd sizes`(_ width: Int, _ height: Int) {
        #expect(Reader.readings(in: made(width, height) { _, _ in 200 }).isEmpty)
        #expect(Reader.readings(in: made(width, height) { x, y in (x * 7 + y * 13) % 256 }).isEmpty)
        #expect(Reader.readings(in: made(width, height) { x, y in (x / 2 + y / 3) % 2 * 255 }).isEmpty)
    }

    @Test func `of one grey`() {
        for grey in [0, 1, 128, 255] { #expect(Reader.readings(in: made(300, 200) { _, _ in grey }).isEmpty) }
    }

    @Test func `a thousand of noise, stripes, boards and the like`() {
        for seed in 0..<ProofCount.of(1000) {
            let picture = random(UInt64(seed))
            let readings = Reader.readings(in: picture)
            #expect(readings.isEmpty, "seed \(seed): \(readings)")
        }
    }

    /// Noise, stripes of random widths, a chessboard, a QR-like grid, or stripes of the widths of bars, upright or
    /// aslant.
    private func random(_ seed: UInt64) -> GreyPicture {
        var random = SeededGenerator(seed: seed)
        let (width, height) = (Int.random(in: 50...400, using: &random), Int.random(in: 30...300, using: &random))
        let (side, other) = (Int.random(in: 1...12, using: &random), Int.random(in: 1...12, using: &random))
        let slope = Int.random(in: -3...3, using: &random)
        let bits = (0..<4096).map { _ in Int.random(in: 0...1, using: &random) }
        let noise = (0..<8191).map { _ in Int.random(in: 0...255, using: &random) }
        switch seed % 5 {
        case 0: return made(width, height) { x, y in noise[(x &* 7919 &+ y &* 104_729) % 8191] }
        case 1: return made(width, height) { x, _ in bits[x / side] * 200 + noise[x % 8191] / 8 }
        case 2: return made(width, height) { x, y in (x / side + y / other) % 2 * 220 }
        case 3: return made(width, height) { x, y in bits[(x / side * 61 + y / side * 127) % 4096] * 255 }
        default: return made(width, height) { x, y in bits[(x * 8 + y * slope + 2_000) / (8 * side) % 4096] * 180 + 30 }
        }
    }

    @Test func `codes of other kinds are not looked for`() {
        // An EAN-8: the halves of four digits each of 96385074.
        let bars = Array(
            "1010001011010111101111010110111010101001110111001010001001011100101".utf8.map { $0 == UInt8(ascii: "1") })
        let picture = made(400, 200) { x, _ in
            bars.indices.contains((x - 60) / 4) && x >= 60 && bars[(x - 60) / 4] ? 20 : 235
        }
        #expect(Reader.readings(in: picture).isEmpty)
    }

    @Test func `a code with a wrong check digit is none`() {
        for digit in 0...9 where digit != 0 {
            var picture = Drawing(width: 500, height: 300)
            picture.draw(DrawnCode(text: "978076454420\(digit)", x: 250, y: 150))
            #expect(Reader.readings(in: picture.picture).isEmpty, "check digit \(digit)")
        }
    }

    @Test func `pixels changed at random break nothing, and no book comes of them`() {
        let text = "9780596008574"
        var drawing = Drawing(width: 360, height: 200)
        drawing.draw(DrawnCode(text: text, x: 180, y: 100, module: 2.5, height: 100, angle: 4))
        let whole = drawing.picture
        for seed in 0..<ProofCount.of(400) {
            var random = SeededGenerator(seed: UInt64(seed))
            var pixels = whole.pixels
            for _ in 0..<Int.random(in: 0...40_000, using: &random) {
                pixels[Int.random(in: pixels.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            let picture = GreyPicture(width: whole.width, height: whole.height, pixels: pixels)
            #expect(Reader.readings(in: picture).allSatisfy { $0.text == text }, "seed \(seed)")
        }
    }

    @Test func `hardly readable codes are read rightly or not at all`() {
        var right = 0
        let count = ProofCount.of(1000)
        for seed in 0..<count {
            var random = SeededGenerator(seed: UInt64(seed))
            let text = EAN13.randomBook(&random)
            let module = Double.random(in: 1.3...3, using: &random)
            let contrast = Float.random(in: 25...210, using: &random)
            var drawing = Drawing(width: Int(module * 140), height: Int(module * 90))
            drawing.draw(
                DrawnCode(
                    text: text, x: module * 70, y: module * 45, module: module,
                    height: module * .random(in: 15...60, using: &random), angle: .random(in: -12...12, using: &random),
                    dark: 20, light: 20 + contrast))
            drawing.blur(module * .random(in: 0.2...0.8, using: &random))
            drawing.addNoise(contrast * .random(in: 0...0.08, using: &random), &random)
            let readings = Reader.readings(in: drawing.picture)
            #expect(readings.allSatisfy { $0.text == text }, "seed \(seed): \(readings)")
            right += readings.count
        }
        #expect(right > count / 5, "\(right)")
    }
}

/// The check, the outline, and halves and doubles.
@Suite struct BarcodePartsTests {
    @Test func `check digits`() {
        #expect(CheckDigit.holds("9780764544200") && CheckDigit.holds("0000000000000"))
        #expect(!CheckDigit.holds("9780764544201") && !CheckDigit.holds("978076454420") && !CheckDigit.holds(""))
        #expect(
            !CheckDigit.holds("97807645442000") && !CheckDigit.holds("978076454420X")
                && !CheckDigit.holds("９780764544200"))
        for seed in 0..<100 {
            var random = SeededGenerator(seed: UInt64(seed))
            let text = EAN13.randomBook(&random)
            let wrong = (0...9).filter { CheckDigit.holds(text.dropLast() + String($0)) }
            #expect(wrong.map(String.init) == [String(text.suffix(1))])
        }
    }

    @Test func `an outline has its corners alone, and holds what is inside`() {
        let points = (0...10).flatMap { x in (0...4).map { Point(x: Double(x), y: Double($0)) } }
        let outline = Outline(points)
        #expect(Set(outline.corners) == [Point(x: 0, y: 0), Point(x: 10, y: 0), Point(x: 10, y: 4), Point(x: 0, y: 4)])
        #expect(outline.middle == Point(x: 5, y: 2))
        #expect(outline.contains(Point(x: 9, y: 3), grown: 1) && !outline.contains(Point(x: 11, y: 3), grown: 1))
        #expect(outline.contains(Point(x: 11, y: 3), grown: 1.5))
        #expect(outline.box(width: 100, height: 40) == Box(left: 0, top: 0, right: 100, bottom: 100))
        for few in [[], [Point(x: 1, y: 1)], [Point(x: 1, y: 1), Point(x: 3, y: 1), Point(x: 2, y: 1)]] {
            #expect(!Outline(few).contains(Point(x: 2, y: 1), grown: 2))
        }
        #expect(Outline([]).box(width: 5, height: 5) == Box(left: 0, top: 0, right: 0, bottom: 0))
    }

    @Test func `half and double`() {
        let picture = GreyPicture(width: 3, height: 2, pixels: [0, 100, 7, 200, 100, 9])
        #expect(picture.halved == GreyPicture(width: 1, height: 1, pixels: [100]))
        let even = GreyPicture(width: 4, height: 3, pixels: [UInt8](repeating: 77, count: 12))
        #expect(even.doubled == GreyPicture(width: 8, height: 6, pixels: [UInt8](repeating: 77, count: 48)))
        let step = GreyPicture(width: 2, height: 1, pixels: [0, 160])
        #expect(step.doubled.pixels == [0, 40, 120, 160, 0, 40, 120, 160])
    }
}
