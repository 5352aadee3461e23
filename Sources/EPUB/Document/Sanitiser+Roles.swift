extension EPUB.Sanitiser {
    /// What becomes of an element of XHTML. An element without a role leaves its contents.
    enum Role {
        /// Goes with all that it holds.
        case hidden
        /// Divides blocks, and goes: `div`, `section`.
        case container
        case centre
        /// Holds words and what stands among them.
        case phrase(String)
        case list(String)
        case definitions
        case item
        case definition(String)
        case quote
        case figure
        case caption(String)
        case table
        case rows(String)
        case row
        case cell(String)
        /// Stands among words.
        case inline(String)
        case span
        case link
        case lineBreak
        case rule
        case picture
        case object
        case drawing
        case formula
        case alternatives
        case alternative
        case otherwise
    }

    static let roles: [String: Role] = {
        var roles: [String: Role] = [:]
        func set(_ names: String, _ role: Role) {
            for name in names.split(separator: " ") { roles[String(name)] = role }
        }
        set("head title script style iframe frame frameset applet embed template audio video source track", .hidden)
        set("input select textarea button option optgroup datalist output progress meter keygen", .hidden)
        set("map area col colgroup base link meta param dialog portal trigger annotation annotation-xml", .hidden)
        set(
            "html body div section article main header footer aside nav hgroup address form fieldset details",
            .container)
        set(
            "center search level1 level2 level3 level4 level5 level6 level bodymatter frontmatter rearmatter",
            .container)
        roles["center"] = .centre
        for name in ["p", "h1", "h2", "h3", "h4", "h5", "h6", "pre"] { roles[name] = .phrase(name) }
        set("summary legend", .phrase("p"))
        set("listing xmp plaintext", .phrase("pre"))
        for name in ["ul", "ol"] { roles[name] = .list(name) }
        set("menu dir", .list("ul"))
        roles["dl"] = .definitions
        roles["li"] = .item
        for name in ["dt", "dd"] { roles[name] = .definition(name) }
        roles["blockquote"] = .quote
        roles["figure"] = .figure
        for name in ["figcaption", "caption"] { roles[name] = .caption(name) }
        roles["table"] = .table
        for name in ["thead", "tbody", "tfoot"] { roles[name] = .rows(name) }
        roles["tr"] = .row
        for name in ["td", "th"] { roles[name] = .cell(name) }
        for name in [
            "em", "strong", "b", "i", "u", "s", "small", "sub", "sup", "code", "kbd", "samp", "var", "cite", "q", "dfn",
            "abbr", "mark", "del", "ins", "bdi", "bdo", "ruby", "rb", "rt", "rp", "rtc",
        ] { roles[name] = .inline(name) }
        set("tt", .inline("code"))
        set("strike", .inline("s"))
        set("acronym", .inline("abbr"))
        set("span font", .span)
        roles["a"] = .link
        roles["br"] = .lineBreak
        roles["hr"] = .rule
        set("img image", .picture)
        roles["object"] = .object
        roles["svg"] = .drawing
        roles["math"] = .formula
        roles["switch"] = .alternatives
        roles["case"] = .alternative
        roles["default"] = .otherwise
        return roles
    }()

    /// What may stand directly in an element that is written.
    enum Content {
        /// Words alone.
        case words
        /// Blocks, and words in a paragraph of their own.
        case blocks
        /// Both.
        case both
        case items
        case definitions
        case rows
        case cells
    }
}
