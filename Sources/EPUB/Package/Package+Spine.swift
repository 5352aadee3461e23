extension EPUB.Package {
    /// The documents in the order of reading, those beside the linear order last.
    struct Spine {
        private(set) var documents: [Document] = []
        private(set) var pageDirection: EPUB.Facts.Direction?
        private(set) var hasFixedLayout = false
        /// Indices in `documents` by the file's name.
        private(set) var places: [String: Int] = [:]

        private static let readable: Set<String> = [
            "application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document", "image/svg+xml",
        ]

        /// Throws `.noSpine` where no item is left.
        init(
            _ package: EPUB.XML.Element, items: [Item], in archive: EPUB.Archive, limits: EPUB.Limits,
            remarks: inout EPUB.Remarks
        ) throws(EPUB.Refusal) {
            let spine = package.child("spine")
            switch spine?["page-progression-direction"] {
            case "rtl": pageDirection = .rightToLeft
            case "ltr": pageDirection = .leftToRight
            default: pageDirection = nil
            }
            let byID = Dictionary(items.map { ($0.id, $0) }) { first, _ in first }
            var seen: Set<String> = []
            var aside: [Document] = []
            for reference in spine?.children("itemref") ?? [] {
                let id = reference["idref"] ?? ""
                guard let named = byID[id] else {
                    remarks.add(.missingItem, id)
                    continue
                }
                guard let item = Self.readable(named, byID) else {
                    remarks.add(.unreadableItem, named.name)
                    continue
                }
                guard let member = archive.member(named: item.name) else {
                    remarks.add(.missingFile, item.name)
                    continue
                }
                guard seen.insert(item.name).inserted else {
                    remarks.add(.repeatedItem, item.name)
                    continue
                }
                if reference.words("properties").contains("rendition:layout-pre-paginated") { hasFixedLayout = true }
                let isLinear = reference["linear"]?.lowercased() != "no"
                let document = Document(name: item.name, mediaType: item.mediaType, member: member, isLinear: isLinear)
                if isLinear { documents.append(document) } else { aside.append(document) }
            }
            documents += aside
            guard !documents.isEmpty else { throw .noSpine }
            for (index, document) in documents.enumerated() { places[document.name] = index }
        }

        /// The item itself or the first of its fallbacks that can be read.
        private static func readable(_ item: Item, _ byID: [String: Item]) -> Item? {
            var item = item
            for _ in 0..<10 {
                if readable.contains(item.mediaType) || EPUB.Package.isPicture(item.mediaType) { return item }
                guard let next = item.fallback.flatMap({ byID[$0] }) else { return nil }
                item = next
            }
            return nil
        }
    }

    /// Types of pictures that are given out.
    static func isPicture(_ mediaType: String) -> Bool {
        [
            "image/jpeg", "image/jpg", "image/png", "image/gif", "image/webp", "image/svg+xml", "image/avif",
            "image/bmp", "image/tiff",
        ]
        .contains(mediaType)
    }

    /// The pictures that the manifest has and the archive too.
    struct Pictures {
        private(set) var all: [EPUB.Picture] = []
        private(set) var members: [Int] = []
        /// Indices in `all` by the file's name.
        private(set) var places: [String: Int] = [:]

        init(_ items: [Item], in archive: EPUB.Archive, without obfuscated: Set<String>) {
            for item in items where EPUB.Package.isPicture(item.mediaType) && places[item.name] == nil {
                guard let member = archive.member(named: item.name), !obfuscated.contains(item.name) else { continue }
                places[item.name] = all.count
                members.append(member)
                all.append(.init(name: item.name, mediaType: item.mediaType, size: archive.members[member].size))
            }
        }

        /// The property of EPUB 3, then the `meta` of EPUB 2, then an item that is called so.
        func cover(_ items: [Item], _ package: EPUB.XML.Element) -> Int? {
            let id = package.child("metadata")?.all("meta").first { $0["name"] == "cover" }?["content"]
            let candidates =
                items.filter { $0.properties.contains("cover-image") } + items.filter { $0.id == id || $0.name == id }
                + items.filter { ["cover", "cover-image", "coverimage"].contains($0.id.lowercased()) }
            return candidates.lazy.compactMap { places[$0.name] }.first
        }
    }
}
