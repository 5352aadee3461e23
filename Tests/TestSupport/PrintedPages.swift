import Community
import Foundation

/// Pages of a book as somebody photographs them, typeset with libvips in fonts of Debian, for tests of what is read of them.
package enum PrintedPages {
    /// False where tesseract is not installed: tests of reading are then skipped, which `deploy/test` does not let happen.
    package static let tools: Photos.Recognizer.Tools? = {
        if let tools = Photos.Recognizer.Tools.find() { return tools }
        FileHandle.standardError.write(Data("notice: tesseract-ocr is absent; tests of reading are skipped\n".utf8))
        return nil
    }()
    package static let canBeRead = tools != nil && Pictures.canBeConverted

    /// One face of each kind that books are set in, at the size of a paperback's.
    package static let fonts = ["Liberation Serif 11", "Gentium Basic 11", "EB Garamond 11", "DejaVu Serif 10"]

    private static let words = """
        the of and to in a is that he was it for on with his as her she be at by had not are but from they this which or have \
        an you were all one we their there been if more when will would who so no said what up its about into than them can \
        only other time new some could these two may then do first any my now such like our over man me even most made after \
        also did many before must through back years where much your way well down should because each just those people how \
        too little state good very make world still own see men work long get here between both life being under never day \
        same another know while last might us great old year off come since against go came right used take three himself few \
        house use during without again place around however home small found thought went say part once general high upon \
        school every does got left number course until always away something fact though less put think almost hand enough \
        far took head yet better set told nothing night end why called eyes find going look asked later knew point next give \
        toward young days let room word children side early window door morning letter river garden father mother sister \
        brother evening summer winter silence mountain candle kitchen library castle horse bread island thunder stranger \
        promise journey captain whisper shadow Elizabeth Darcy Pemberley London Catherine Thomas Edward Margaret
        """.split(separator: " ").map(String.init)

    /// Sentences in paragraphs, with capitals, commas and years: `count` words and a few.
    package static func text(_ count: Int, _ random: TestRandom) -> String {
        var (paragraphs, written): ([String], Int) = ([], 0)
        while written < count {
            var sentences: [String] = []
            for _ in 0..<random.number(in: 2...5) {
                let length = random.number(in: 6...18)
                var sentence = (0..<length).map { _ in random.element(of: words) ?? "" }
                sentence[0] = sentence[0].prefix(1).uppercased() + sentence[0].dropFirst()
                if length > 9 { sentence[length / 2] += random.once(in: 3) ? ";" : "," }
                if random.once(in: 7) { sentence[2] = "\(random.number(in: 2...1_999))" }
                sentence[length - 1] += random.element(of: [".", ".", ".", "?", "!"]) ?? "."
                sentences.append(sentence.joined(separator: " "))
                written += length
            }
            paragraphs.append(sentences.joined(separator: " "))
        }
        return paragraphs.joined(separator: "\n\n")
    }

    /// A JPEG of a page that shows `text` in full lines of 4.2 inches, its paper all about, turned by `degrees`
    /// anticlockwise; `shade`: how much darker it is on its left, 0 to 1.
    package static func typeset(
        _ text: String, font: String, dpi: Int, degrees: Double = 0, shade: Double = 0
    ) throws -> [UInt8] {
        let folder = try TemporaryFile("none", []).folder
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func vips(_ arguments: String...) throws { try Pictures.vips(arguments, in: folder) }
        let (width, height) = (Int(5.4 * Double(dpi)), Int(8.6 * Double(dpi)))
        try vips(
            "text", "text.v", text, "--font", font, "--width", "\(Int(4.2 * Double(dpi)))", "--dpi", "\(dpi)",
            "--justify")
        try vips("invert", "text.v", "black.v")
        try vips("gravity", "black.v", "page.v", "centre", "\(width)", "\(height)", "--extend", "white")
        try vips("similarity", "page.v", "turned.v", "--angle", "\(degrees)", "--background", "255")
        guard shade > 0 else {
            try vips("copy", "turned.v", "out.jpg[Q=90]")
            return [UInt8](try Data(contentsOf: URL(filePath: folder + "/out.jpg")))
        }
        // As bright as it was at the right edge of the largest that it can be.
        let wide = width + height / 8
        try vips("xyz", "places.v", "\(wide)", "\(height + width / 8)")
        try vips("extract_band", "places.v", "columns.v", "0")
        try vips("linear", "columns.v", "light.v", "\(shade / Double(wide))", "\(1 - shade)")
        try vips("multiply", "turned.v", "light.v", "shaded.v")
        try vips("cast", "shaded.v", "out.jpg[Q=90]", "uchar")
        return [UInt8](try Data(contentsOf: URL(filePath: folder + "/out.jpg")))
    }

    /// The part of the words of `truth` that `read` has, in their order: with the marks that stand at them.
    package static func rate(of truth: String, in read: String) -> Double {
        let (truth, read) = (truth.split(whereSeparator: \.isWhitespace), read.split(whereSeparator: \.isWhitespace))
        // The longest common subsequence, row by row.
        var above = [Int](repeating: 0, count: read.count + 1)
        for word in truth {
            var row = above
            for (index, other) in read.enumerated() {
                row[index + 1] = word == other ? above[index] + 1 : max(row[index], above[index + 1])
            }
            above = row
        }
        return truth.isEmpty ? 1 : Double(above.last ?? 0) / Double(truth.count)
    }
}
