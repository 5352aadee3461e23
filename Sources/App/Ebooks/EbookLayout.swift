import Community
import EPUB

/// The pages of an e-book as they follow each other: where each begins, and which page a place in the book lies on.
struct EbookLayout {
    private let book: EPUB.Facts
    /// The number of this layout, which addresses name.
    private let number: Int
    private var pages = 0
    /// Scalars of the chapters so far.
    private var length = 0
    /// By chapter: its first page, and the scalars before it.
    private var beginnings: [Int: (page: Int, offset: Int)] = [:]
    private var anchors: [Name: Int] = [:]
    private var written = 0

    /// Bytes that are stored of a title and of a printed page's label.
    private static let (titleBytes, labelBytes) = (1_000, 100)
    private static let (creatorBytes, headingBytes) = (200, 300)
    /// Bytes of the whole table of contents; what stands beyond is left out.
    private static let contentsBytes = 128 * 1024

    /// What a link may lead to, beside a chapter.
    private struct Name: Hashable {
        let chapter: Int
        let anchor: String
    }

    init(_ book: EPUB.Facts, number: Int) {
        (self.book, self.number) = (book, number)
    }

    /// The next chapter, its pages known.
    mutating func add(_ chapter: EPUB.Chapter) {
        beginnings[chapter.index] = (pages + 1, length)
        for page in chapter.pages {
            pages += 1
            for anchor in page.anchors {
                let name = Name(chapter: chapter.index, anchor: anchor.name)
                if anchors[name] == nil { anchors[name] = pages }
            }
        }
        length += chapter.length
    }

    /// What is said of the whole, once all chapters are known.
    var facts: Ebooks.Facts {
        var facts = Ebooks.Facts()
        if book.format == .text { facts.type = "text/plain" }
        facts.title = (book.title ?? "").bounded(to: Self.titleBytes)
        facts.creators = book.creators.prefix(20).map { $0.bounded(to: Self.creatorBytes) }
        facts.isbns = book.isbns
        facts.language = book.language.flatMap { $0.utf8.count <= 35 ? $0 : nil }
        facts.direction = book.pageDirection == .rightToLeft ? .rightToLeft : .leftToRight
        facts.writing = book.isVertical ? .vertical : .horizontal
        facts.pages = pages
        facts.length = length
        facts.chapters = book.chapters.indices.map { index in
            .init(
                title: book.chapters[index].title?.bounded(to: Self.titleBytes),
                page: min(beginnings[index]?.page ?? 1, pages))
        }
        var room = Self.contentsBytes
        facts.contents = headings(book.contents, depth: 0, from: 1).prefix { heading in
            room -= heading.title.utf8.count + 40
            return room >= 0
        }
        facts.pictures = book.pictures.map { .init(name: $0.name, type: $0.mediaType) }
        facts.cover = book.cover
        facts.splitter = EPUB.layoutVersion
        return facts
    }

    /// Entries with those below them. One that leads nowhere leads to the page of the one before.
    private func headings(_ entries: [EPUB.ContentsEntry], depth: Int, from page: Int) -> [Ebooks.Facts.Heading] {
        var (headings, last): ([Ebooks.Facts.Heading], Int) = ([], page)
        for entry in entries {
            last = entry.target.flatMap(self.page) ?? last
            headings.append(.init(title: entry.title.bounded(to: Self.headingBytes), depth: depth, page: last))
            headings += self.headings(entry.children, depth: depth + 1, from: last)
        }
        return headings
    }

    /// The page of a place; its chapter's first where the place is none.
    private func page(of target: EPUB.Target) -> Int? {
        target.fragment.flatMap { anchors[Name(chapter: target.chapter, anchor: $0)] }
            ?? beginnings[target.chapter].map { min($0.page, pages) }
    }

    /// The next page as it is stored. Call it for each page, in their order.
    mutating func line(for page: EPUB.Page) -> Ebooks.PageLine {
        written += 1
        let end = (beginnings[page.chapter]?.offset ?? 0) + page.offset + page.length
        let html = EPUB.Page.addressed(
            page.html.withoutMark,
            link: { target in
                self.page(of: target).map { "\u{1}/pages/\($0)?v=\(number)" + (target.fragment.map { "#" + $0 } ?? "") }
            },
            picture: { "\u{1}/pictures/\($0)?v=\(number)" })
        return Ebooks.PageLine(
            number: written, chapter: page.chapter, start: page.offset, position: Gate.end * end / max(length, 1),
            printed: page.label?.bounded(to: Self.labelBytes), html: html, text: page.text.withoutMark)
    }
}

extension String {
    /// Without U+0001, which stands for the e-book's address, and U+0000, which Postgres does not keep.
    fileprivate var withoutMark: String {
        utf8.contains { $0 < 2 } ? String(unicodeScalars.filter { $0.value > 1 }.map(Character.init)) : self
    }
}
