import EPUB
import Foundation
import TestSupport
import Testing

/// Real books that lie beside the project.
@Suite(.sharedData("epub/minimal.epub")) struct SharedBooksTests {
    /// Chapters, pages with pictures, and what is remarked.
    static let sound: [(String, chapters: Int, remarks: [EPUB.Remark.Code])] = [
        ("childrens-literature", 3, []), ("cole-voyage-of-life", 10, [.fixedLayout]),
        ("h-g-wells_the-time-machine", 18, []),
        ("hefty-water", 1, []), ("jane-austen_pride-and-prejudice", 65, []), ("joseph-conrad_heart-of-darkness", 7, []),
        ("linear-algebra", 94, []), ("mary-shelley_frankenstein", 38, []), ("minimal", 1, []), ("ocf-zip-valid", 1, []),
        ("ocf-filepath-utf8-valid", 1, []), ("ocf-mimetype-file-missing-error", 1, [.noMediaType]),
        ("pg1342", 15, [.repaired]),
        ("regime-anticancer-arabic", 3, []), ("svg-in-spine", 6, [.fixedLayout]), ("wasteland", 1, []),
    ]

    static func path(_ name: String) -> String { SharedData.path("epub/\(name).epub") }

    @Test(arguments: sound) func `a sound book opens and every page of it is safe`(
        name: String, chapters: Int, remarks: [EPUB.Remark.Code]
    ) throws {
        let book = try WholeBook(path: Self.path(name))

        #expect(book.faults.isEmpty)
        #expect(book.facts.chapters.count == chapters)
        #expect(book.remarks.map(\.code) == remarks)
        #expect(book.facts.title != nil && book.facts.language != nil && !book.facts.contents.isEmpty)
        #expect(try WholeBook(path: Self.path(name)) == book, "read again, it is another book")
    }

    @Test(arguments: [
        ("ocf-container-not-ocf-error", EPUB.Refusal.noContainer),
        ("ocf-filename-duplicate-zip-entry-error", .nameTwice),
        ("ocf-filename-duplicate-after-common-case-folding-error", .nameTwice),
        ("ocf-zip-unreadable-no-end-header-fatal", .truncated),
    ])
    func `a broken book is refused for what is broken`(name: String, refusal: EPUB.Refusal) {
        #expect(throws: refusal) { try WholeBook(path: Self.path(name)) }
    }

    @Test func `every book that lies there is tried`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: SharedData.path("epub"))
        #expect(files.count { $0.hasSuffix(".epub") } == Self.sound.count + 4)
    }

    /// The words of the spine as Python's own libraries see them. What is not well-formed is read differently by
    /// everybody, and stays out.
    @Test(arguments: sound.map { $0.0 }) func `the pages' words joined are the spine's`(name: String) throws {
        guard let lines = try Self.spine(Self.path(name)) else {
            try Test.cancel("python3 is absent")
        }
        let book = try WholeBook(path: Self.path(name))
        let broken = Set(book.remarks.filter { $0.code == .repaired }.compactMap(\.subject))

        #expect(lines.count == book.chapters.count)
        for (chapter, line) in zip(book.chapters, lines) where !broken.contains(book.facts.chapters[chapter.index].name)
        {
            let words = chapter.pages.map(\.text).joined(separator: "\n").spacesRemoved
            #expect(words == line, "chapter \(chapter.index) differs near \(words.commonPrefix(with: line).suffix(40))")
        }
    }

    private static func spine(_ path: String) throws -> [String]? {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "python3", URL(filePath: #filePath).deletingLastPathComponent().appending(path: "spine.py").path, path,
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { return process.terminationStatus == 127 ? nil : [] }
        return String(decoding: output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .dropLast().map(String.init)
    }

    @Test func `what each book says of itself is found`() throws {
        let children = try EPUB.read(path: Self.path("childrens-literature")).facts
        #expect(children.title == "Children's Literature" && children.pageList.count == 92)
        #expect(children.creators == ["Charles Madison Curry", "Erle Elsworth Clippinger"])
        let arabic = try EPUB.read(path: Self.path("regime-anticancer-arabic")).facts
        #expect(arabic.pageDirection == .rightToLeft && arabic.textDirection == .rightToLeft && arabic.language == "ar")
        let cole = try EPUB.read(path: Self.path("cole-voyage-of-life")).facts
        #expect(cole.isFixedLayout && cole.cover.map { cole.pictures[$0].name } == "EPUB/images/portrait.jpg")
        let gutenberg = try EPUB.read(path: Self.path("pg1342")).facts
        #expect(gutenberg.format == .epub2 && gutenberg.contents.count == 63 && gutenberg.pictures.isEmpty)
        let austen = try EPUB.read(path: Self.path("jane-austen_pride-and-prejudice")).facts
        #expect(austen.format == .epub3 && austen.contents.count == 65 && austen.language == "en-GB")
    }

    @Test func `printed pages are told where the book lists them`() throws {
        let labels = try WholeBook(path: Self.path("childrens-literature")).pages.compactMap(\.label)

        #expect(labels.count > 100)
        #expect(labels.compactMap { Int($0) }.isSorted)
    }

    @Test func `a spine of pictures alone gives pages with pictures and no words`() throws {
        let book = try WholeBook(path: Self.path("svg-in-spine"))

        #expect(book.pages.count == 6 && book.pages.allSatisfy { $0.text.isEmpty && $0.pictures.count == 1 })
    }
}

extension [Int] {
    var isSorted: Bool { zip(self, dropFirst()).allSatisfy { $0 <= $1 } }
}
