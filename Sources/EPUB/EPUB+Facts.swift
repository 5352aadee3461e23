extension EPUB {
    /// What a book says about itself, and what it consists of.
    package struct Facts: Hashable, Sendable, Codable {
        package enum Format: String, Sendable, Codable {
            case epub2 = "epub_2"
            case epub3 = "epub_3"
            case text
        }

        package enum Direction: String, Sendable, Codable {
            case leftToRight = "ltr"
            case rightToLeft = "rtl"
        }

        package var format: Format
        package var title: String?
        package var subtitle: String?
        package var creators: [String] = []
        /// The first language that is well-formed: `en-GB`.
        package var language: String?
        /// As they are written.
        package var identifiers: [String] = []
        /// 13 digits each, with the right check digit.
        package var isbns: [String] = []
        package var publisher: String?
        package var date: String?
        package var description: String?
        package var rights: String?
        /// Where the next page lies.
        package var pageDirection = Direction.leftToRight
        /// Where lines begin, if a page says nothing itself.
        package var textDirection = Direction.leftToRight
        /// A style sheet of the book sets vertical writing.
        package var isVertical = false
        /// All pages or some have a fixed layout.
        package var isFixedLayout = false
        /// In the order of reading: the spine, then its items beside the linear order.
        package var chapters: [ChapterFact] = []
        package var contents: [ContentsEntry] = []
        /// Where the pages of a printed edition begin, in their order.
        package var pageList: [PrintedPage] = []
        package var pictures: [Picture] = []
        /// An index in `pictures`.
        package var cover: Int?

        package init(format: Format) { self.format = format }
    }

    /// One document of the spine.
    package struct ChapterFact: Hashable, Sendable, Codable {
        /// From the contents: the first entry that leads here.
        package var title: String?
        /// The file in the archive.
        package let name: String
        /// False: reached by links only.
        package let isLinear: Bool
    }

    /// A place in the book: a chapter, or an anchor in it.
    package struct Target: Hashable, Sendable, Codable {
        /// An index in `Facts.chapters`.
        package let chapter: Int
        /// As the page's HTML and `Page.anchors` have it, `at-` before it.
        package let fragment: String?

        package init(chapter: Int, fragment: String?) { (self.chapter, self.fragment) = (chapter, fragment) }
    }

    package struct ContentsEntry: Hashable, Sendable, Codable {
        /// At most 1,000 characters, never empty.
        package let title: String
        /// `nil` for a heading that leads nowhere.
        package let target: Target?
        package var children: [ContentsEntry]
    }

    package struct PrintedPage: Hashable, Sendable, Codable {
        /// `12`, `xiv`.
        package let label: String
        package let target: Target
    }

    package struct Picture: Hashable, Sendable, Codable {
        /// The file in the archive.
        package let name: String
        /// As the manifest says: `image/jpeg`.
        package let mediaType: String
        /// Bytes, as the directory says; `Reading.pictureBytes` never gives more.
        package let size: Int
    }

    /// One chapter with its pages.
    package struct Chapter: Hashable, Sendable, Codable {
        /// An index in `Facts.chapters`.
        package let index: Int
        /// In order; none where the document is empty.
        package let pages: [Page]
        /// Unicode scalars of the chapter's text.
        package let length: Int
    }
}
