import Foundation
import TestSupport
import Testing

@testable import Barcodes

/// Codes drawn here: what a photograph does to them, and whether they are read, where, and with nothing false beside
/// them.
///
/// On the main thread: they read for a minute in all, and Swift's own threads are for the tests that wait.
@Suite @MainActor struct DrawnCodeTests {
    private func readings(_ drawing: Drawing) -> [Reading] { Reader.readings(in: drawing.picture) }

    /// In a picture of 640 × 480 pixels, or of another size.
    private func drawing(
        _ text: String, module: Double = 3, angle: Double = 0, height: Double? = nil, width: Int = 640, tall: Int = 480,
        dark: Float = 25, light: Float = 235
    ) -> Drawing {
        var drawing = Drawing(width: width, height: tall, ground: light * 0.8)
        drawing.draw(
            DrawnCode(
                text: text, x: Double(width) / 2, y: Double(tall) / 2, module: module, height: height ?? 50 * module,
                angle: angle, dark: dark, light: light))
        return drawing
    }

    @Test(arguments: Array(stride(from: -12.0, through: 12, by: 1.5)))
    func `turned by any small angle`(_ angle: Double) {
        var random = SeededGenerator(seed: UInt64(bitPattern: Int64(angle * 2)))
        let text = EAN13.randomBook(&random)
        // Bars as low as this are crossed by no level line at more than 9 degrees.
        for height in [45.0, 150] {
            #expect(readings(drawing(text, angle: angle, height: height)).map(\.text) == [text], "height \(height)")
        }
    }

    @Test(arguments: [20.0, 30, 45, 60, 75, 90, 110, 135, 160, 180, 225, 270, 315])
    func `turned by any angle at all`(_ angle: Double) {
        var random = SeededGenerator(seed: UInt64(angle))
        let text = EAN13.randomBook(&random)
        #expect(readings(drawing(text, angle: angle, tall: 640)).map(\.text) == [text])
    }

    @Test func `upside down, and on its side`() {
        let text = "9780764544200"
        var picture = drawing(text)
        for _ in 0..<4 {
            #expect(readings(picture).map(\.text) == [text])
            picture = picture.turned
        }
    }

    @Test(arguments: [0.2, 0.3, 0.4, 0.5])
    func `blurred by up to half a module`(_ share: Double) {
        for seed in 0..<5 {
            var random = SeededGenerator(seed: UInt64(seed))
            let text = EAN13.randomBook(&random)
            var picture = drawing(text, angle: 3)
            picture.blur(share * 3)
            picture.addNoise(2, &random)
            #expect(readings(picture).map(\.text) == [text], "seed \(seed)")
        }
    }

    @Test(arguments: [1.5, 2.0, 2.5])
    func `small`(_ module: Double) {
        for seed in 0..<5 {
            var random = SeededGenerator(seed: UInt64(seed))
            let text = EAN13.randomBook(&random)
            var picture = drawing(text, module: module, angle: Double(seed) - 2.3)
            picture.addNoise(3, &random)
            #expect(readings(picture).map(\.text) == [text], "seed \(seed)")
        }
    }

    @Test(arguments: [5, 10, 20, 30] as [Float])
    func `noisy`(_ deviation: Float) {
        for seed in 0..<5 {
            var random = SeededGenerator(seed: UInt64(seed))
            let text = EAN13.randomBook(&random)
            var picture = drawing(text, angle: 2)
            picture.addNoise(deviation, &random)
            #expect(readings(picture).map(\.text) == [text], "seed \(seed)")
        }
    }

    @Test(arguments: [15, 30, 60] as [Float])
    func `of low contrast, light and dark and in shadow`(_ contrast: Float) {
        for dark in [5, 100, 235 - contrast] as [Float] {
            var random = SeededGenerator(seed: UInt64(dark))
            let text = EAN13.randomBook(&random)
            var picture = drawing(text, angle: 1, dark: dark, light: dark + contrast)
            #expect(readings(picture).map(\.text) == [text], "dark \(dark)")
            picture.shade(to: 0.5)
            #expect(readings(picture).map(\.text) == [text], "dark \(dark), shaded")
        }
    }

    @Test func `a hundred in one picture, all read and in order`() {
        var random = SeededGenerator(seed: 1)
        var picture = Drawing(width: 3200, height: 2400)
        var texts: [String] = []
        for row in 0..<10 {
            for column in 0..<10 {
                let text = EAN13.randomBook(&random)
                picture.draw(
                    DrawnCode(
                        text: text, x: 160 + 320 * Double(column), y: 120 + 240 * Double(row), module: 2.4,
                        height: 110))
                texts.append(text)
            }
        }
        let read = readings(picture).map(\.text)
        #expect(read == texts, "\(read.count), missing \(texts.filter { !read.contains($0) })")
    }

    @Test func `of more than a hundred the upper hundred`() {
        var random = SeededGenerator(seed: 2)
        var picture = Drawing(width: 3200, height: 2640)
        for index in 0..<110 {
            picture.draw(
                DrawnCode(
                    text: EAN13.randomBook(&random), x: 160 + 320 * Double(index % 10),
                    y: 120 + 240 * Double(index / 10),
                    module: 2.4, height: 110))
        }
        let readings = readings(picture)
        #expect(readings.count == 100 && readings.allSatisfy { $0.place.bottom < 920 })
    }

    @Test func `the place is that of the bars`() throws {
        for seed in 0..<20 {
            var random = SeededGenerator(seed: UInt64(seed))
            let code = DrawnCode(
                text: EAN13.randomBook(&random), x: .random(in: 300...500, using: &random),
                y: .random(in: 250...350, using: &random), module: .random(in: 2...4, using: &random), height: 100,
                angle: .random(in: -12...12, using: &random))
            var picture = Drawing(width: 800, height: 600)
            picture.draw(code)

            let place = try #require(readings(picture).first, "seed \(seed)").place

            let (sine, cosine) = (abs(sin(code.angle * .pi / 180)), cos(code.angle * .pi / 180))
            let halfWidth = (code.module * 95 * cosine + code.height * sine) / 2
            let halfHeight = (code.module * 95 * sine + code.height * cosine) / 2
            // Where lines cross all bars is less than the bars: all of the width, and most of the height.
            #expect(abs(Double(place.left) - (code.x - halfWidth) / 0.8) < 25, "seed \(seed): \(place)")
            #expect(abs(Double(place.right) - (code.x + halfWidth) / 0.8) < 25, "seed \(seed): \(place)")
            #expect(Double(place.top) > (code.y - halfHeight) / 0.6 - 10, "seed \(seed): \(place)")
            #expect(Double(place.bottom) < (code.y + halfHeight) / 0.6 + 10, "seed \(seed): \(place)")
            #expect(abs(Double(place.top + place.bottom) / 2 - code.y / 0.6) < 40, "seed \(seed): \(place)")
            #expect(Double(place.bottom - place.top) > 0.5 * code.height / 0.6, "seed \(seed): \(place)")
        }
    }

    @Test func `an ISBN stands before the second code of its book`() {
        var picture = Drawing(width: 700, height: 500)
        picture.draw(DrawnCode(text: "1920081045006", x: 350, y: 130, angle: 4))
        picture.draw(DrawnCode(text: "9784872348880", x: 340, y: 320, angle: 4))

        let readings = readings(picture)

        #expect(readings.map(\.text) == ["9784872348880", "1920081045006"])
        #expect(readings.map(\.isBook) == [true, false] && readings.map(\.kind) == [.book, .other])
    }

    @Test(
        arguments: [
            ("9791234567896", Reading.Kind.book, Symbology.ean13), ("9790260000438", .music, .ean13),
            ("9771144875007", .periodical, .ean13), ("0012345678905", .other, .upcA), ("4006381333931", .other, .ean13),
        ])
    func `what is no book is read as what it is`(_ text: String, _ kind: Reading.Kind, _ symbology: Symbology) {
        let readings = readings(drawing(text))

        #expect(
            readings.map(\.text) == [text] && readings.first?.kind == kind && readings.first?.symbology == symbology)
        #expect(readings.first?.isBook == (kind == .book))
    }

    @Test func `the same picture has the same readings, whatever came before`() {
        var random = SeededGenerator(seed: 3)
        var picture = drawing("9780345348036", angle: 5)
        picture.blur(1.6)
        picture.addNoise(2, &random)
        let first = readings(picture)
        for _ in 0..<3 {
            _ = readings(drawing(EAN13.randomBook(&random)))
            #expect(readings(picture) == first && first.count == 1)
        }
    }

    @Test func `a budget pays for the first look, for more, or for none`() {
        let clear = drawing("9780764544200").picture, look = 2 * clear.pixels.count
        let aslant = drawing("9780764544200", angle: 12, height: 40).picture
        #expect(Reader.readings(in: clear, budget: 1_000).isEmpty)
        #expect(Reader.readings(in: clear, budget: look + 200_000).map(\.text) == ["9780764544200"])
        #expect(Reader.readings(in: aslant, budget: look + 200_000).isEmpty)
        #expect(Reader.readings(in: aslant).map(\.text) == ["9780764544200"])
    }

    @Test(.enabled(if: Pictures.canBeConverted)) func `what another program drew is read`() throws {
        for text in ["9780764544200", "9784872348880", "4006381333931"] {
            let picture = try GreyPicture(file: try Pictures.barcode(text, scale: 1.5))
            #expect(Reader.readings(in: picture).map(\.text) == [text])
        }
    }
}
