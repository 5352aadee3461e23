import FoundationEssentials
import Synchronization

// What the program that reads e-books writes: a line of JSON each, first what is in the file, then its pages in order.
extension Ebooks {
    /// What an `ID<Ebooks.File>` names.
    package enum File {}

    /// What is in a file, beside its pages.
    package struct Facts: Codable, Hashable, Sendable {
        package struct Chapter: Codable, Hashable, Sendable {
            package let title: String?
            /// The page that it begins on.
            package let page: Int

            package init(title: String?, page: Int) {
                (self.title, self.page) = (title, page)
            }
        }

        /// A line of the table of contents.
        package struct Heading: Codable, Hashable, Sendable {
            package let title: String
            /// 0, 1, …
            package let depth: Int
            package let page: Int

            package init(title: String, depth: Int, page: Int) {
                (self.title, self.depth, self.page) = (title, depth, page)
            }
        }

        package struct Picture: Codable, Hashable, Sendable {
            /// Its path in the file.
            package let name: String
            package let type: String

            package init(name: String, type: String) {
                (self.name, self.type) = (name, type)
            }
        }

        /// The media type of the file.
        package var type = "application/epub+zip"
        package var title = ""
        package var creators: [String] = []
        /// 13 digits each.
        package var isbns: [String] = []
        package var language: String?
        package var direction = Direction.leftToRight
        package var writing = Writing.horizontal
        package var pages = 0
        /// Scalars of its text.
        package var length = 0
        package var chapters: [Chapter] = []
        package var contents: [Heading] = []
        package var pictures: [Picture] = []
        package var cover: Int?
        /// The version of the rules by which pages are cut.
        package var splitter = 0

        package init() {}
    }

    /// A page as it is stored.
    package struct PageLine: Codable, Hashable, Sendable {
        package let number: Int
        package let chapter: Int
        package let start: Int
        /// Where it ends, in ten-thousandths of the work.
        package let position: Int
        package let printed: String?
        /// U+0001 stands for the address of the e-book.
        package let html: String
        package let text: String

        package init(
            number: Int, chapter: Int, start: Int, position: Int, printed: String?, html: String, text: String
        ) {
            (self.number, self.chapter, self.start, self.position) = (number, chapter, start, position)
            (self.printed, self.html, self.text) = (printed, html, text)
        }

        var words: String { WordVector.text(title: nil, plain: text) }
    }

    /// One line.
    package enum Line: Codable, Hashable, Sendable {
        case facts(Facts)
        case page(PageLine)
        /// The file is not taken.
        case refused(code: ProblemCode, sentence: String)

        var page: PageLine? { if case .page(let page) = self { page } else { nil } }
    }

    /// An e-book before it is changed.
    struct Held: Hashable, Sendable {
        let reader: ID<Accounts.Account>?
        var audience: Audience
        var rights: Rights
        let version: Int
    }

    /// Lines of a file, one after the other.
    package struct LineReader {
        private let file: OpenFile
        private var rest = Data()

        /// Throws where there is no such file.
        package init(_ path: String) throws { file = try .reading(path) }

        /// The bytes of the next line; `nil` at the end.
        package mutating func next() throws -> Data? {
            var searched = 0
            while true {
                if let end = rest.dropFirst(searched).firstIndex(of: UInt8(ascii: "\n")) {
                    defer { rest = rest[rest.index(after: end)...] }
                    return Data(rest[..<end])
                }
                searched = rest.count
                let more = try file.read(1 << 20)
                guard !more.isEmpty else { return nil }
                rest = Data(rest) + more
            }
        }
    }

    /// What was written, taken from its file some lines at a time.
    final class LineFile: Sendable {
        private let reader: Mutex<LineReader>

        /// Throws where there is no such file.
        init(_ path: String) throws { reader = Mutex(try LineReader(path)) }

        /// The next `count` lines; fewer at the end. Throws `DecodingError` for what is none.
        func next(_ count: Int) async throws -> [Line] {
            try await FileThreads.run { [self] in
                try reader.withLock { reader in
                    var lines: [Line] = []
                    while lines.count < count, let bytes = try reader.next() {
                        lines.append(try JSONDecoder().decode(Line.self, from: bytes))
                    }
                    return lines
                }
            }
        }
    }
}
