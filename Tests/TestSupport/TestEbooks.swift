import EPUB
import Foundation

/// E-books that tests make.
package enum TestEbooks {
    /// An EPUB of some chapters, each of so many paragraphs of some 470 characters that name chapter and place: `c2p5`.
    package static func numbered(
        _ title: String = "The long way", chapters: Int = 3, paragraphs: Int = 12
    ) throws -> [UInt8] {
        try epub(
            title,
            (1...chapters).map { chapter in
                (
                    "Chapter \(chapter)",
                    (1...paragraphs).map { paragraph in
                        "c\(chapter)p\(paragraph) "
                            + String(repeating: "walked on through the quiet woods and ", count: 12) + "rested."
                    }
                )
            })
    }

    /// An EPUB of these chapters, each a title and paragraphs.
    package static func epub(
        _ title: String, by creator: String = "Ada Writer", identifier: String? = nil,
        _ chapters: [(title: String, paragraphs: [String])]
    ) throws -> [UInt8] {
        let draft = EPUB.Draft(
            title: title, creator: creator, identifier: identifier ?? "urn:test:\(title)",
            chapters: chapters.map { .init($0.title, $0.paragraphs) })
        let path = NSTemporaryDirectory() + "draft-\(UUID().uuidString).epub"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try draft.write(to: path)
        return [UInt8](try Data(contentsOf: URL(filePath: path)))
    }

    /// A ZIP archive of some members.
    package static func archive(_ members: [(name: String, text: String)]) throws -> [UInt8] {
        let path = NSTemporaryDirectory() + "archive-\(UUID().uuidString).zip"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let archive = try EPUB.ArchiveWriter(path)
        for member in members { try archive.add(member.name, text: member.text) }
        try archive.finish()
        return [UInt8](try Data(contentsOf: URL(filePath: path)))
    }
}
