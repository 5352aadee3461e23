extension EPUB.Package {
    /// Contents and page list: from the navigation document of EPUB 3, else from the NCX of EPUB 2.
    struct Navigation {
        private(set) var contents: [EPUB.ContentsEntry] = []
        private(set) var pageList: [EPUB.PrintedPage] = []
        /// Entries that lead into chapters, in order.
        private(set) var targets: [(title: String, chapter: Int)] = []

        private let chapters: [String: Int]
        private let limits: EPUB.Limits
        private var left: Int

        /// What cannot be read is as if it were not there.
        init(
            _ package: EPUB.XML.Element, items: [Item], in archive: EPUB.Archive, chapters: [String: Int],
            limits: EPUB.Limits
        ) {
            (self.chapters, self.limits, left) = (chapters, limits, limits.contents)
            func tree(_ item: Item?) -> (root: EPUB.XML.Element, name: String)? {
                guard let item, let member = archive.member(named: item.name),
                    let root = try? EPUB.XML.tree(of: archive, member, limits: limits)
                else { return nil }
                return (root, item.name)
            }
            if let (root, name) = tree(items.first { $0.properties.contains("nav") }) { readNavigation(root, in: name) }
            guard contents.isEmpty || pageList.isEmpty else { return }
            let id = package.child("spine")?["toc"]
            let ncx = items.first { $0.id == id } ?? items.first { $0.mediaType == "application/x-dtbncx+xml" }
            if let (root, name) = tree(ncx) { readNCX(root, in: name) }
        }

        // MARK: EPUB 3

        private mutating func readNavigation(_ root: EPUB.XML.Element, in name: String) {
            for nav in root.all("nav") {
                let types = nav.words("type") + nav.words("role")
                if contents.isEmpty, types.contains("toc") || types.contains("doc-toc"), let list = nav.first("ol") {
                    contents = entries(of: list, in: name, depth: 1)
                } else if pageList.isEmpty, types.contains("page-list") || types.contains("doc-pagelist") {
                    for link in nav.all("a").prefix(limits.printedPages) {
                        add(label: link.text, address: link["href"], in: name)
                    }
                }
            }
        }

        private mutating func entries(of list: EPUB.XML.Element, in name: String, depth: Int) -> [EPUB.ContentsEntry] {
            var entries: [EPUB.ContentsEntry] = []
            for item in list.children("li") {
                let label = item.children.first { $0.name != "ol" }
                let link = label.flatMap { $0.name == "a" ? $0 : $0.first("a") }
                let title = (link ?? label)?.text ?? ""
                let children = item.child("ol")
                append(title, link?["href"], in: name, depth: depth, to: &entries) { navigation, depth in
                    children.map { navigation.entries(of: $0, in: name, depth: depth) } ?? []
                }
            }
            return entries
        }

        // MARK: EPUB 2

        private mutating func readNCX(_ root: EPUB.XML.Element, in name: String) {
            if contents.isEmpty, let map = root.first("navmap") { contents = points(of: map, in: name, depth: 1) }
            guard pageList.isEmpty, let list = root.first("pagelist") else { return }
            for target in list.all("pagetarget").prefix(limits.printedPages) {
                let label = target.first("navlabel")?.text.unspaced ?? ""
                add(
                    label: label.isEmpty ? target["value"] ?? "" : label, address: target.first("content")?["src"],
                    in: name)
            }
        }

        private mutating func points(of element: EPUB.XML.Element, in name: String, depth: Int) -> [EPUB.ContentsEntry]
        {
            var entries: [EPUB.ContentsEntry] = []
            for point in element.children("navpoint") {
                let title = point.child("navlabel")?.text ?? ""
                append(title, point.child("content")?["src"], in: name, depth: depth, to: &entries) {
                    navigation, depth in
                    navigation.points(of: point, in: name, depth: depth)
                }
            }
            return entries
        }

        // MARK: Both

        /// Adds an entry and what lies below it. At the last depth, what lies below comes behind it; so does what lies
        /// below an entry without a title.
        private mutating func append(
            _ title: String, _ address: String?, in name: String, depth: Int, to entries: inout [EPUB.ContentsEntry],
            children: (inout Navigation, Int) -> [EPUB.ContentsEntry]
        ) {
            guard left > 0 else { return }
            left -= 1
            let title = title.spaced(atMost: EPUB.Limits.fact)
            let target = address.flatMap { self.target($0, in: name) }
            if let target, !title.isEmpty { targets.append((title, target.chapter)) }
            let isLast = depth >= limits.contentsDepth || title.isEmpty
            let below = children(&self, isLast ? depth : depth + 1)
            if !title.isEmpty { entries.append(.init(title: title, target: target, children: isLast ? [] : below)) }
            if isLast { entries += below }
        }

        private mutating func add(label: String, address: String?, in name: String) {
            let label = label.spaced(atMost: 40)
            guard !label.isEmpty, let target = address.flatMap({ self.target($0, in: name) }) else { return }
            pageList.append(.init(label: label, target: target))
        }

        private func target(_ address: String, in name: String) -> EPUB.Target? {
            guard let path = EPUB.Path.resolve(address, from: name), let chapter = chapters[path.name] else {
                return nil
            }
            return EPUB.Target(chapter: chapter, fragment: path.fragment.flatMap(EPUB.anchor))
        }
    }
}

extension EPUB {
    /// The identifier that a page has for `id` of the book: `at-` before it. `nil` for one that is empty, too long, or
    /// holds blanks, controls or characters of markup.
    static func anchor(_ id: String) -> String? {
        guard (1...Limits.identifier).contains(id.utf8.count),
            id.unicodeScalars.allSatisfy({ scalar in
                !scalar.properties.isWhitespace && scalar.properties.generalCategory != .control
                    && !"<>&\"'`".unicodeScalars.contains(scalar)
            })
        else { return nil }
        return "at-" + id
    }
}
