extension EPUB.Splitter {
    /// Cuts a block at some of its breaks. What is open at a cut is closed before it and opened again behind it, without
    /// its identifier; a list goes on with the right number.
    static func cut(_ block: EPUB.Block) -> [Piece] {
        let end = EPUB.Block.Break(html: block.html.count, text: block.text.count, scalars: block.scalars)
        var cuts: [EPUB.Block.Break] = []
        var (last, pictures) = (EPUB.Block.Break(html: 0, text: 0, scalars: 0), Progress(block.pictures.map(\.html)))
        var (candidate, between): (EPUB.Block.Break?, EPUB.Block.Break?) = (nil, nil)
        for place in block.breaks + [end] {
            func weight(to place: EPUB.Block.Break) -> Int {
                Self.weight(
                    scalars: place.scalars - last.scalars, html: place.html - last.html,
                    pictures: pictures.count(to: place.html))
            }
            if weight(to: place) > page, let cut = between ?? candidate {
                cuts.append(cut)
                last = cut
                pictures.begin(at: cut.html)
                (candidate, between) = (nil, nil)
            }
            // A cut that leaves nothing on one of its sides is none.
            guard place.scalars < end.scalars, place.scalars > last.scalars else { continue }
            candidate = place
            // Between items, unless the page would be less than half full.
            if place.isBetween, weight(to: place) >= page / 2 { between = place }
        }
        return pieces(of: block, at: cuts + [end])
    }

    /// Counts pictures between two places.
    private struct Progress {
        private let places: [Int]
        private var from = 0
        private var to = 0

        init(_ places: [Int]) { self.places = places }

        mutating func count(to html: Int) -> Int {
            while to < places.count, places[to] < html { to += 1 }
            return to - from
        }

        mutating func begin(at html: Int) {
            while from < places.count, places[from] < html { from += 1 }
        }
    }

    private static func pieces(of block: EPUB.Block, at cuts: [EPUB.Block.Break]) -> [Piece] {
        var pieces: [Piece] = []
        var open = OpenTags()
        var (from, anchors, pictures) = (
            EPUB.Block.Break(html: 0, text: 0, scalars: 0), block.anchors[...], block.pictures[...]
        )
        for cut in cuts {
            var html = open.opening
            html += block.html[from.html..<cut.html]
            open.read(block.html, from: from.html, to: cut.html)
            html += open.closing
            let isLast = cut.html == block.html.count
            let own = anchors.prefix { $0.html < cut.html || isLast }
            let shown = pictures.prefix { $0.html < cut.html || isLast }
            anchors = anchors.dropFirst(own.count)
            pictures = pictures.dropFirst(shown.count)
            let scalars = cut.scalars - from.scalars
            pieces.append(
                Piece(
                    html: html, text: block.text[from.text..<cut.text], length: scalars + (isLast ? 1 : 0),
                    // Within the piece, also behind blanks that a cut leaves out.
                    anchors: own.map { ($0.name, min(max(0, $0.scalars - from.scalars), scalars)) },
                    pictures: shown.map(\.index),
                    weight: weight(scalars: scalars, html: html.count, pictures: shown.count),
                    endsBlock: isLast))
            from = cut
        }
        return pieces
    }

    /// The elements that are open at a place in HTML that this target wrote.
    private struct OpenTags {
        private struct Tag {
            let name: String
            /// Between the name and `>`, without the identifier.
            let attributes: String
            /// Of a list with numbers: that of the last item.
            var number: Int
        }

        private var tags: [Tag] = []

        var opening: [UInt8] {
            var html: [UInt8] = []
            for (index, tag) in tags.enumerated() {
                html += "<\(tag.name)\(tag.attributes)".utf8
                if tag.name == "li" {
                    html += " class=\"continued\"".utf8
                    if index > 0, tags[index - 1].name == "ol" { html += " value=\"\(tags[index - 1].number)\"".utf8 }
                } else if tag.name == "ol" {
                    html += " start=\"\(tag.number + 1)\"".utf8
                }
                html.append(UInt8(ascii: ">"))
            }
            return html
        }

        var closing: [UInt8] { tags.reversed().flatMap { Array("</\($0.name)>".utf8) } }

        /// Attribute values hold no `<` and no `>`.
        mutating func read(_ html: [UInt8], from: Int, to: Int) {
            var at = from
            while let start = html[at..<to].firstIndex(of: UInt8(ascii: "<")) {
                guard let end = html[start..<to].firstIndex(of: UInt8(ascii: ">")) else { return }
                at = end + 1
                if html[start + 1] == UInt8(ascii: "/") { _ = tags.popLast() } else { open(html[(start + 1)..<end]) }
            }
        }

        private mutating func open(_ markup: ArraySlice<UInt8>) {
            let name = String(decoding: markup.prefix { $0 != 0x20 }, as: UTF8.self)
            guard !["br", "hr", "img"].contains(name) else { return }
            let kept = Self.attributes(markup.dropFirst(name.utf8.count))
            func number(_ key: String) -> Int? { kept.first { $0.name == key }?.value.flatMap { Int($0) } }
            if name == "li", let list = tags.indices.last, tags[list].name == "ol" {
                tags[list].number = number("value") ?? tags[list].number + 1
            }
            let gone: Set<String> = name == "ol" ? ["id", "start"] : name == "li" ? ["id", "value", "class"] : ["id"]
            let attributes = kept.filter { !gone.contains($0.name) }.map {
                " \($0.name)" + ($0.value.map { "=\"\($0)\"" } ?? "")
            }
            tags.append(Tag(name: name, attributes: attributes.joined(), number: (number("start") ?? 1) - 1))
        }

        /// ` name="value"` and ` name`. Bytes, not characters: a quotation mark and a mark that combines with it are one.
        private static func attributes(_ markup: ArraySlice<UInt8>) -> [(name: String, value: String?)] {
            let (equals, quote, blank) = (UInt8(ascii: "="), UInt8(ascii: "\""), UInt8(ascii: " "))
            var attributes: [(name: String, value: String?)] = []
            var rest = markup
            while rest.first == blank {
                let name = rest.dropFirst().prefix { $0 != equals && $0 != blank }
                rest = rest[name.endIndex...]
                var value: ArraySlice<UInt8>?
                if rest.starts(with: [equals, quote]) {
                    let words = rest.dropFirst(2).prefix { $0 != quote }
                    rest = rest[words.endIndex...].dropFirst()
                    value = words
                }
                attributes.append(
                    (String(decoding: name, as: UTF8.self), value.map { String(decoding: $0, as: UTF8.self) }))
            }
            return attributes
        }
    }
}
