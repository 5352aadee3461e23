extension EPUB.Sanitiser {
    /// The little of an element's look that is kept.
    struct Style {
        var language: String?
        var direction: String?
        var isCentred = false

        /// As attributes are written, with a blank before each; only what the book does not say as a whole.
        func attributes(_ surroundings: Surroundings) -> String {
            var text = ""
            if let language, !Self.says(surroundings.language, language) { text += " lang=\"\(language)\"" }
            if let direction, direction != surroundings.direction.rawValue { text += " dir=\"\(direction)\"" }
            if isCentred { text += " class=\"centred\"" }
            return text
        }

        /// Whether the book's language is the same: `en` for `en-us` too.
        private static func says(_ book: String?, _ language: String) -> Bool {
            guard let book = book?.lowercased() else { return false }
            return language.lowercased() == book || language.lowercased().hasPrefix(book + "-")
        }
    }

    /// What elements around say of the next block, as far as they are not written themselves.
    func style() -> Style { stack.isEmpty ? inherited.last ?? Style() : Style() }

    /// The same with what the element says itself.
    func style(_ attributes: EPUB.XML.Attributes, isBlock: Bool = true) -> Style {
        var style = isBlock ? self.style() : Style()
        if let language = attributes["lang"]?.unspaced, EPUB.isLanguage(language) { style.language = language }
        if let direction = attributes["dir"]?.unspaced.lowercased(), ["ltr", "rtl", "auto"].contains(direction) {
            style.direction = direction
        }
        guard isBlock else { return style }
        let alignment = attributes["align"]?.lowercased()
        if alignment == "center" || Self.centres(attributes["style"]) { style.isCentred = true }
        return style
    }

    private static func centres(_ style: String?) -> Bool {
        guard let style = style?.lowercased(), let place = style.firstRange(of: "text-align") else { return false }
        return style[place.upperBound...].drop { $0 == ":" || $0 == " " }.hasPrefix("center")
    }

    // MARK: Links

    /// The attributes of a link: a place in the book, or an address outside. `nil` for what leads nowhere.
    func target(of address: String) -> String? {
        let address = address.unspaced
        if let scheme = EPUB.Path.scheme(of: address) {
            guard let outside = Self.outside(address, scheme) else { return nil }
            return " href=\"\(outside)\" rel=\"external nofollow noopener\" class=\"external\""
        }
        guard let path = EPUB.Path.resolve(address, from: surroundings.name),
            let chapter = surroundings.chapters[path.name]
        else { return nil }
        let fragment = path.fragment.flatMap(EPUB.anchor).map { " data-fragment=\"\(EPUB.Block.escaped($0))\"" } ?? ""
        return " data-item=\"\(chapter)\"\(fragment)"
    }

    /// `http`, `https` with a host and without a user's name, or `mailto`; in ASCII, with `%XX` for all else.
    private static func outside(_ address: String, _ scheme: String) -> String? {
        guard address.utf8.count <= EPUB.Limits.address, address.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            return nil
        }
        let rest = address.utf8.dropFirst(scheme.utf8.count + 1)
        switch scheme {
        case "http", "https":
            let host = rest.dropFirst(2).prefix { !"/?#".utf8.contains($0) }
            guard rest.starts(with: "//".utf8), !host.isEmpty, !host.contains(where: { "@\\ ".utf8.contains($0) })
            else { return nil }
        case "mailto": guard rest.contains(UInt8(ascii: "@")) else { return nil }
        default: return nil
        }
        var plain = scheme + ":"
        for byte in rest {
            let isPlain = byte > 0x20 && byte < 0x7F && !"\"<>\\^`{|}'".utf8.contains(byte)
            if isPlain {
                plain.append(Character(Unicode.Scalar(byte)))
            } else {
                plain += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return EPUB.Block.escaped(plain)
    }
}
