extension EPUB {
    /// The package document, read: what the book says of itself, its manifest and its spine.
    struct Package {
        /// One file of the book, as the manifest has it.
        struct Item: Hashable, Sendable {
            let id: String
            /// The file in the archive, whether or not it is there.
            let name: String
            /// In lower case, without parameters.
            let mediaType: String
            let properties: Set<String>
            let fallback: String?
        }

        /// One chapter: what `Reading` reads for it.
        struct Document: Hashable, Sendable {
            let name: String
            let mediaType: String
            let member: Int
            let isLinear: Bool
        }

        private(set) var facts: Facts
        private(set) var remarks: Remarks
        let documents: [Document]
        /// Members of the pictures in `facts.pictures`.
        let pictureMembers: [Int]
        let pictures: [String: Int]
        let chapters: [String: Int]

        /// Reads `META-INF`, the package document, the contents and the page list. Throws `.protected`, `.noContainer`,
        /// `.noPackage`, `.noSpine`, and what reading a file throws.
        init(_ archive: Archive, limits: Limits) throws(Refusal) {
            var remarks = Remarks(limit: limits.remarks)
            Self.checkMediaType(of: archive, &remarks)
            guard let container = archive.member(named: "META-INF/container.xml") else { throw .noContainer }
            let obfuscated = try archive.obfuscated()
            if !obfuscated.isEmpty { remarks.add(.obfuscatedFonts) }
            let name = try Self.packageName(in: XML.tree(of: archive, container, limits: limits))
            guard let member = archive.member(named: name) else { throw .noPackage }
            let root = try XML.tree(of: archive, member, limits: limits)
            guard let package = root.name == "package" ? root : root.first("package") else { throw .noPackage }

            let items = Self.manifest(of: package, in: name)
            var facts = Facts(format: Self.format(of: package))
            let metadata = Metadata(package, remarks: &remarks)
            metadata.fill(&facts)

            let pictures = Pictures(items, in: archive, without: obfuscated)
            facts.pictures = pictures.all
            facts.cover = pictures.cover(items, package)
            (pictureMembers, self.pictures) = (pictures.members, pictures.places)

            let spine = try Spine(package, items: items, in: archive, limits: limits, remarks: &remarks)
            guard spine.documents.allSatisfy({ !obfuscated.contains($0.name) }) else { throw .protected }
            documents = spine.documents
            chapters = spine.places
            facts.chapters = spine.documents.map { ChapterFact(name: $0.name, isLinear: $0.isLinear) }
            facts.isFixedLayout = metadata.isFixedLayout || spine.hasFixedLayout
            if facts.isFixedLayout { remarks.add(.fixedLayout) }

            let navigation = Navigation(package, items: items, in: archive, chapters: spine.places, limits: limits)
            facts.contents = navigation.contents
            facts.pageList = navigation.pageList
            if navigation.contents.isEmpty { remarks.add(.noContents) }
            for entry in navigation.targets.reversed() { facts.chapters[entry.chapter].title = entry.title }

            facts.isVertical = Self.hasVerticalStyle(items, in: archive)
            (facts.pageDirection, facts.textDirection) = metadata.directions(spine.pageDirection)
            (self.facts, self.remarks) = (facts, remarks)
        }

        private static func checkMediaType(of archive: Archive, _ remarks: inout Remarks) {
            guard let member = archive.member(named: "mimetype") else { return remarks.add(.noMediaType) }
            let bytes = try? archive.bytes(of: member, atMost: 1_000, else: .damaged)
            guard let bytes, String(decoding: bytes, as: UTF8.self).unspaced == "application/epub+zip" else {
                return remarks.add(.otherMediaType)
            }
        }

        private static func packageName(in container: XML.Element) throws(Refusal) -> String {
            let files = container.all("rootfile")
            let file = files.first { $0["media-type"] == "application/oebps-package+xml" } ?? files.first
            guard let address = file?["full-path"], let path = Path.resolve(address, from: "") else {
                throw .noContainer
            }
            return path.name
        }

        private static func format(of package: XML.Element) -> Facts.Format {
            package["version"]?.unspaced.hasPrefix("3") == true ? .epub3 : .epub2
        }

        private static func manifest(of package: XML.Element, in base: String) -> [Item] {
            (package.child("manifest")?.children("item") ?? []).compactMap { item in
                guard let id = item["id"], let address = item["href"], let path = Path.resolve(address, from: base)
                else { return nil }
                let type = item["media-type"]?.split(separator: ";").first?.unspaced.lowercased() ?? ""
                return Item(
                    id: id, name: path.name, mediaType: type,
                    properties: Set(item.words("properties").map(String.init)),
                    fallback: item["fallback"])
            }
        }

        /// A hint alone: where `writing-mode: vertical…` stands in a style sheet. Reads at most `Limits.style` bytes.
        private static func hasVerticalStyle(_ items: [Item], in archive: Archive) -> Bool {
            var left = Limits.style
            for item in items where item.mediaType == "text/css" {
                guard let member = archive.member(named: item.name), archive.members[member].size <= left else {
                    continue
                }
                left -= archive.members[member].size
                guard let bytes = try? archive.bytes(of: member, atMost: Limits.style, else: .damaged) else { continue }
                let text = String(decoding: bytes, as: UTF8.self).lowercased()
                for rest in text.ranges(of: "writing-mode") {
                    let value = text[rest.upperBound...].drop { $0 == " " || $0 == ":" || $0 == "\n" || $0 == "\t" }
                    if value.hasPrefix("vertical") || value.hasPrefix("tb-rl") { return true }
                }
            }
            return false
        }
    }
}
