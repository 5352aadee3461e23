import Foundation
import TestSupport
import Testing

@testable import Community

/// What is read of pages that the tests typeset themselves.
@Suite(.serialized, .enabled(if: PrintedPages.canBeRead))
struct RecognizerTests {
    private func recognizer(
        _ folder: String, tesseract: String? = nil, change: (inout Photos.Recognizer.Bounds) -> Void = { _ in }
    ) throws -> Photos.Recognizer {
        var bounds = Photos.Recognizer.Bounds()
        change(&bounds)
        let tools = try #require(PrintedPages.tools)
        return Photos.Recognizer(
            tools: .init(
                vips: tools.vips, prlimit: tools.prlimit, tesseract: tesseract ?? tools.tesseract,
                languages: tools.languages),
            languages: ["eng"], folder: folder, random: TestRandom(), bounds: bounds)
    }

    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = NSTemporaryDirectory() + "commonplace-words-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }

    private struct Page: Sendable {
        let font: String, dpi: Int, degrees: Double, shade: Double
    }

    /// 4 fonts × 4 resolutions × 5 angles × plain and shaded, in an order of their own.
    private static func pages(_ random: TestRandom) -> [Page] {
        var all: [Page] = []
        for font in PrintedPages.fonts {
            for dpi in [150, 200, 250, 300] {
                for degrees in [0, -3, -1.3, 1.7, 3] {
                    for shade in [0, 0.5] { all.append(Page(font: font, dpi: dpi, degrees: degrees, shade: shade)) }
                }
            }
        }
        var generator = random.fork()
        return all.shuffled(using: &generator)
    }

    @Test(.long, .timeLimit(.minutes(60)))
    func `of each page of 200 dots per inch and more 95 of 100 words are read, aslant and in half shade`() async throws
    {
        let random = TestRandom()
        let pages = Self.pages(random)
        let chosen = pages.prefix(ProofCount.of(pages.count))
        var table: [String: [Double]] = [:]
        var (time, longest) = (Duration.zero, Duration.zero)
        try await withFolder { folder in
            let recognizer = try recognizer(folder)
            for page in chosen {
                let text = PrintedPages.text(230, random)
                let picture = try PrintedPages.typeset(
                    text, font: page.font, dpi: page.dpi, degrees: page.degrees, shade: page.shade)
                let start = ContinuousClock.now
                let read = try await recognizer.read(picture, in: ["eng"])
                let took = ContinuousClock.now - start
                (time, longest) = (time + took, max(longest, took))
                let rate = PrintedPages.rate(of: text, in: read.text)
                table["\(page.font) \(page.dpi) dpi \(page.degrees)°", default: []].append(rate)
                if page.dpi >= 200 { #expect(rate >= 0.95, "\(page): \(rate)") }
                #expect((read.confidence ?? 0) > 70)
            }
        }
        for (name, rates) in table.sorted(by: { $0.key < $1.key }) {
            print("words read: \(name): \(rates.map { String(format: "%.3f", $0) }.joined(separator: " "))")
        }
        print("words read: \(chosen.count) pages, \(time / chosen.count) each, \(longest) the longest")
    }

    @Test func `paragraphs stay apart, and lines run on`() async throws {
        let text =
            "It was a dark night in the castle.\n\nShe took the candle and went to the window, where the river was."
        let picture = try PrintedPages.typeset(text, font: PrintedPages.fonts[0], dpi: 200)
        try await withFolder { folder in
            let read = try await recognizer(folder).read(picture, in: ["eng"])
            #expect(read.text == text)
        }
    }

    @Test func `a picture without writing has no words`() async throws {
        let plain = try Pictures.halves(600, 400, as: "a.jpg")
        let tiny = try Pictures.halves(16, 16, as: "a.jpg")
        try await withFolder { folder in
            for picture in [plain, tiny] {
                let read = try await recognizer(folder).read(picture, in: ["eng"])
                #expect((read.confidence ?? 0) < Limits.photos.leastConfidence)
            }
        }
    }

    @Test func `what takes more time or memory than it may is not read, and leaves nothing`() async throws {
        let picture = try PrintedPages.typeset(
            PrintedPages.text(60, TestRandom()), font: PrintedPages.fonts[0], dpi: 150)
        try await withFolder { folder in
            await #expect(throws: Photos.Recognizer.Refusal.unreadable) {
                _ = try await recognizer(folder) { $0.time = .milliseconds(300) }.read(picture, in: ["eng"])
            }
            await #expect(throws: Photos.Recognizer.Refusal.unreadable) {
                _ = try await recognizer(folder) { $0.memory = 150 << 20 }.read(picture, in: ["eng"])
            }
        }
    }

    @Test func `a program that does not work is no fault of the picture`() async throws {
        let picture = try PrintedPages.typeset("One line of words.", font: PrintedPages.fonts[0], dpi: 150)
        try await withFolder { folder in
            await #expect(throws: Photos.Recognizer.Unable.self) {
                _ = try await recognizer(folder).read(picture, in: ["xxx"])
            }
            await #expect(throws: Photos.Recognizer.Unable.self) {
                _ = try await recognizer(folder, tesseract: "/usr/bin/false").read(picture, in: ["eng"])
            }
        }
    }

    @Test func `a book is read in its own language where that is installed, else in those of the settings`() throws {
        let tools = try #require(PrintedPages.tools)
        func languages(_ tag: String?, wanted: [String], installed: Set<String>) -> [String] {
            Photos.Recognizer(
                tools: .init(
                    vips: tools.vips, prlimit: tools.prlimit, tesseract: tools.tesseract, languages: installed),
                languages: wanted, folder: "/nowhere", random: TestRandom()
            ).languages(for: tag)
        }
        #expect(languages("de-AT", wanted: ["eng"], installed: ["eng", "deu"]) == ["deu"])
        #expect(languages("ru", wanted: ["eng", "fra", "deu"], installed: ["eng", "deu"]) == ["eng", "deu"])
        #expect(languages(nil, wanted: ["deu"], installed: ["eng", "deu"]) == ["deu"])
        #expect(languages("ru", wanted: ["fra"], installed: ["eng"]) == [])
        #expect(tools.languages.contains("eng") && !tools.languages.contains("osd"))
    }
}
