extension EPUB {
    /// Makes pages of a chapter's blocks. The same blocks give the same pages.
    ///
    /// - A page is full at `page` characters. A block that would lead more than a quarter beyond it begins the next page,
    ///   unless the page is not half full.
    /// - A picture counts as `picture` characters, and markup as one for each `markup` bytes, where that is more than the
    ///   text.
    /// - Headings do not stand last on a page.
    /// - A block of more than three pages is cut between words into pieces of about a page.
    struct Splitter {
        static let page = 1_800
        static let picture = 600
        static let markup = 20
        static let longest = 3 * page

        /// A block, or a part of one that was too long.
        struct Piece {
            var html: [UInt8]
            var text: ArraySlice<UInt8>
            /// Scalars of `text`, and the line's end behind the block.
            var length: Int
            /// With scalars from the piece's beginning.
            var anchors: [(name: String, scalars: Int)]
            var pictures: [Int]
            var weight: Int
            var isHeading = false
            var endsBlock = true
        }

        static func weight(scalars: Int, html: Int, pictures: Int) -> Int {
            max(scalars, html / markup) + pictures * picture
        }

        private let chapter: Int
        private var offset = 0
        private var held: [Piece] = []
        private var weight = 0
        private(set) var pages: [Page] = []

        init(chapter: Int) { self.chapter = chapter }

        /// The pages, and the scalars of the chapter's text.
        static func pages(of blocks: consuming [Block], chapter: Int) -> (pages: [Page], length: Int) {
            var splitter = Splitter(chapter: chapter)
            for block in blocks {
                for piece in pieces(of: block) { splitter.add(piece) }
            }
            splitter.endPage(isLast: true)
            return (splitter.pages, splitter.offset)
        }

        private static func pieces(of block: Block) -> [Piece] {
            let weight = weight(scalars: block.scalars, html: block.html.count, pictures: block.pictures.count)
            guard weight <= longest else { return cut(block) }
            return [
                Piece(
                    html: block.html, text: block.text[...], length: block.scalars + 1,
                    anchors: block.anchors.map { ($0.name, $0.scalars) }, pictures: block.pictures.map(\.index),
                    weight: weight, isHeading: block.isHeading)
            ]
        }

        private mutating func add(_ piece: Piece) {
            let isFull = weight >= Self.page
            let wouldBurst = weight + piece.weight > Self.page + Self.page / 4 && weight >= Self.page / 2
            if !held.isEmpty, isFull || wouldBurst { endPage(isLast: false) }
            held.append(piece)
            weight += piece.weight
        }

        private mutating func endPage(isLast: Bool) {
            var next: [Piece] = []
            if !isLast, let words = held.lastIndex(where: { !$0.isHeading }) {
                next = Array(held[(words + 1)...])
                held.removeSubrange((words + 1)...)
            }
            if !held.isEmpty { pages.append(page(of: held)) }
            held = next
            weight = next.reduce(0) { $0 + $1.weight }
        }

        private mutating func page(of pieces: [Piece]) -> Page {
            var (html, text): ([UInt8], [UInt8]) = ([], [])
            var (anchors, pictures): ([Page.Anchor], [Int]) = ([], [])
            let start = offset
            for piece in pieces {
                if !html.isEmpty { html.append(0x0A) }
                html += piece.html
                text += piece.text
                if piece.endsBlock { text.append(0x0A) }
                anchors += piece.anchors.map { .init(name: $0.name, offset: offset + $0.scalars) }
                pictures += piece.pictures
                offset += piece.length
            }
            while text.last == 0x0A { text.removeLast() }
            if !text.contains(where: { $0 > 0x20 }) { text = [] }
            return Page(
                chapter: chapter, offset: start, length: offset - start, html: String(decoding: html, as: UTF8.self),
                text: String(decoding: text, as: UTF8.self), anchors: anchors, pictures: pictures, label: nil)
        }
    }
}
