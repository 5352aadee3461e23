import Foundation
import TestSupport
import Testing

@testable import Community

/// What is made of tesseract's tables and of lines that are not level, where no program is needed.
struct RecognizedPageTests {
    private func page(_ rows: [String]) -> Photos.RecognizedPage {
        let head = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"
        return .init(tsv: ([head] + rows).joined(separator: "\n") + "\n")
    }

    private func word(_ text: String, paragraph: Int = 1, line: Int = 1, sure: Double = 90) -> String {
        "5\t1\t1\t\(paragraph)\t\(line)\t1\t0\t0\t9\t9\t\(sure)\t\(text)"
    }

    @Test func `words stand in their order, parted words are whole, and blanks are none`() {
        let read = page([
            "1\t1\t0\t0\t0\t0\t0\t0\t99\t99\t-1\t", word("A", sure: 80), word("re-"), word("mark", line: 2, sure: 100),
            word(" ", line: 2), word("well-", line: 2), word("Known", line: 3), word("1914-", line: 3),
            word("18", line: 4), word("Next", paragraph: 2),
        ])
        #expect(read.text == "A remark well- Known 1914- 18\n\nNext")
        #expect(read.confidence == 90)
        #expect(page([]).text == "" && page([]).confidence == nil)
    }

    @Test func `a table that is none has no words`() {
        for text in ["", "\n", "5\t5", "x\n5\t1\t1\t1\t1\t1\t0\t0\t0\t0\tmuch\tword\n5"] {
            #expect(Photos.RecognizedPage(tsv: text).confidence == nil)
        }
    }

    @Test func `no more is kept than the words of a photograph may be, in whole words`() {
        let read = page((0..<15_000).map { word("word\($0)") })
        #expect(read.text.utf8.count <= Limits.photos.words.upperBound && read.text.utf8.count > 99_900)
        #expect(read.text.split(separator: " ").last?.hasPrefix("word") == true)
    }

    @Test(arguments: [-6, -3, -0.4, 0, 0.4, 2.7, 6] as [Double])
    func `the angle of lines is found to a tenth of a degree or two`(degrees: Double) throws {
        // Lines of dashes, as a page of letters is from afar.
        let (width, height) = (600, 800)
        var pixels = [UInt8](repeating: 255, count: width * height)
        for line in stride(from: 60, to: 740, by: 20) {
            for column in 60..<540 where column % 9 < 6 {
                let row = line - Int((Double(column - 300) * tan(degrees * .pi / 180)).rounded())
                for thick in 0..<8 where (0..<height).contains(row + thick) {
                    pixels[(row + thick) * width + column] = 20
                }
            }
        }
        let image = try #require(GreyImage(pgm: Array("P5\n\(width) \(height)\n255\n".utf8) + pixels))
        #expect(abs(Photos.Skew.angle(of: image) - degrees) <= 0.25)
    }

    @Test func `what has no lines is not turned`() throws {
        let random = TestRandom()
        let noise = (0..<300 * 300).map { _ in random.number(in: UInt8.min...UInt8.max) }
        for pixels in [noise, Array(repeating: 255, count: 90_000), Array(repeating: 0, count: 90_000)] {
            let image = try #require(GreyImage(pgm: Array("P5\n300 300\n255\n".utf8) + pixels))
            #expect(Photos.Skew.angle(of: image) == 0)
        }
    }

    @Test func `languages have the names that tesseract gives them`() {
        let names = [
            "en": "eng", "de-AT": "deu", "fr": "fra", "nl": "nld", "cs": "ces", "el": "ell", "hr": "hrv", "sr": "srp",
            "sr-Latn": "srp_latn", "zh": "chi_sim", "zh-Hant": "chi_tra", "zh-TW": "chi_tra", "nb": "nor", "fa": "fas",
            "grc": "grc", "ger": "deu", "ja": "jpn", "ro": "ron", "is": "isl",
        ]
        for (tag, name) in names { #expect(Languages.tesseractName(tag) == name, "\(tag)") }
        for tag in ["", "x", "english", "../e", "e1"] { #expect(Languages.tesseractName(tag) == nil) }
        for name in ["eng", "chi_sim", "deu_frak"] { #expect(Photos.Recognizer.Tools.isName(name)) }
        for name in ["", "en", "eng+deu", "../eng", "eng_", "-l", "eng deu"] {
            #expect(!Photos.Recognizer.Tools.isName(name))
        }
    }
}
