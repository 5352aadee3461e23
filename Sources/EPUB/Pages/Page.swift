extension EPUB {
    /// One page: safe HTML, its words, and where it lies.
    package struct Page: Hashable, Sendable, Codable {
        /// An index in `Facts.chapters`.
        package let chapter: Int
        /// Unicode scalars of the chapter's text before this page, and on it. The pages of a chapter follow each other
        /// without a gap, and `length` is at least 1: every place of a chapter lies on one page. Each block counts one
        /// scalar more than its text, for the end of its line.
        package let offset: Int
        package let length: Int
        /// Balanced. Links and pictures have no address yet: `addressed` writes them.
        package let html: String
        /// Blocks divided by line ends; empty where the page has pictures alone.
        package let text: String
        /// Places that links may lead to, in order.
        package let anchors: [Anchor]
        /// Indices in `Facts.pictures`, as they follow each other.
        package let pictures: [Int]
        /// The printed page on which this page begins; before the first, the one that begins on it. `nil` without a
        /// page list.
        package internal(set) var label: String?

        /// A place that has a name.
        package struct Anchor: Hashable, Sendable, Codable {
            /// As in `Target.fragment`: `at-…`.
            package let name: String
            /// Unicode scalars of the chapter's text before it.
            package let offset: Int
        }
    }
}

extension EPUB.Page {
    /// A page's HTML with addresses. `link` gives the address of a place in the book, `picture` that of a picture by its
    /// index; where one gives `nil` the element stays without.
    ///
    /// Replaces only what the sanitiser wrote: words of the book hold no `<`.
    package static func addressed(
        _ html: String, link: (EPUB.Target) -> String?, picture: (Int) -> String?
    ) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(html.utf8.count + 256)
        let bytes = Array(html.utf8)
        let (linked, pictured, fragmented) = (
            Array("<a data-item=\"".utf8), Array("<img data-picture=\"".utf8), Array(" data-fragment=\"".utf8)
        )
        var (from, at) = (0, 0)
        /// The attribute's value that begins at `start`, and where it ends.
        func value(_ start: Int) -> (text: String, end: Int)? {
            guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\"")) else { return nil }
            return (String(decoding: bytes[start..<end], as: UTF8.self), end + 1)
        }
        func copy(to place: Int) { output += bytes[from..<place] }
        while at < bytes.count {
            guard bytes[at] == UInt8(ascii: "<") else {
                at += 1
                continue
            }
            if bytes[at...].starts(with: linked), let (number, behind) = value(at + linked.count),
                let chapter = Int(number)
            {
                var (end, fragment) = (behind, nil as String?)
                if bytes[behind...].starts(with: fragmented), let (name, last) = value(behind + fragmented.count) {
                    (fragment, end) = (name, last)
                }
                copy(to: at)
                output += "<a".utf8
                if let address = link(EPUB.Target(chapter: chapter, fragment: fragment)) {
                    output += " href=\"\(EPUB.Block.escaped(address))\"".utf8
                }
                (from, at) = (end, end)
            } else if bytes[at...].starts(with: pictured), let (number, end) = value(at + pictured.count),
                let index = Int(number)
            {
                copy(to: at)
                output += "<img".utf8
                if let address = picture(index) { output += " src=\"\(EPUB.Block.escaped(address))\"".utf8 }
                (from, at) = (end, end)
            } else {
                at += 1
            }
        }
        copy(to: bytes.count)
        return String(decoding: output, as: UTF8.self)
    }
}
