extension EPUB {
    /// A book that is being read, one chapter after another. Holds one chapter at a time.
    ///
    /// Not to be shared between threads.
    package final class Reading {
        private enum Source {
            case archive(Archive, Package)
            case text(PlainText)
        }

        package let facts: Facts
        private let source: Source
        private let limits: Limits
        private var noted: Remarks
        private var next = 0
        private var pageCount = 0
        private var labels: Labels

        /// What was odd so far; whole once `nextChapter` has given `nil`.
        package var remarks: [Remark] { noted.all }

        init(archive: Archive, limits: Limits) throws(Refusal) {
            let package = try Package(archive, limits: limits)
            (facts, noted) = (package.facts, package.remarks)
            (source, self.limits) = (.archive(archive, package), limits)
            labels = Labels(package.facts.pageList)
        }

        init(text: PlainText, limits: Limits) {
            (facts, noted) = (text.facts, Remarks(limit: limits.remarks))
            (source, self.limits) = (.text(text), limits)
            labels = Labels([])
        }

        /// The next chapter with its pages, in the order of `facts.chapters`; `nil` behind the last.
        ///
        /// Throws `.documentTooLarge`, `.documentTooComplex`, `.encoding`, `.damaged`, `.tooManyPages`; `.nothingToRead`
        /// instead of `nil` if no chapter had a page. After a refusal the book is not to be used.
        package func nextChapter() throws(Refusal) -> Chapter? {
            guard next < facts.chapters.count else {
                guard pageCount > 0 else { throw .nothingToRead }
                return nil
            }
            let index = next
            next += 1
            let blocks: [Block]
            switch source {
            case .archive(let archive, let package):
                blocks = try self.blocks(of: package.documents[index], package, archive)
            case .text(let text): blocks = text.blocks(of: index)
            }
            var (pages, length) = Splitter.pages(of: blocks, chapter: index)
            pageCount += pages.count
            guard pageCount <= limits.pages else { throw .tooManyPages }
            labels.mark(&pages, chapter: index)
            return Chapter(index: index, pages: pages, length: length)
        }

        /// Writes the bytes of a picture, as they are in the book, where `descriptor` stands. Gives their number.
        ///
        /// Throws `.noPicture` for an index that `facts.pictures` does not have, `.pictureTooLarge`, `.damaged`, and
        /// `.unreadable` if they cannot be written. What was written before a refusal is worth nothing.
        @discardableResult
        package func pictureBytes(_ index: Int, to descriptor: Int32) throws(Refusal) -> Int {
            guard case .archive(let archive, let package) = source, package.pictureMembers.indices.contains(index)
            else {
                throw .noPicture
            }
            let member = package.pictureMembers[index]
            let size = archive.members[member].size
            guard size <= limits.picture else { throw .pictureTooLarge }
            try archive.inflate(member) { piece throws(Refusal) in try EPUB.write(piece, to: descriptor) }
            return size
        }

        // MARK: A document

        private func blocks(of document: Package.Document, _ package: Package, _ archive: Archive) throws(Refusal)
            -> [Block]
        {
            let isDrawing = document.mediaType == "image/svg+xml"
            if Package.isPicture(document.mediaType), !isDrawing { return picture(of: document, package) }
            let surroundings = Sanitiser.Surroundings(
                name: document.name, chapters: package.chapters, pictures: package.pictures, language: facts.language,
                direction: facts.textDirection, limits: limits)
            let prepared = try prepared(document, archive)
            let sanitiser = Sanitiser(surroundings)
            let outcome = try XML.parse(prepared, into: sanitiser, limits: limits)
            if outcome == .wellFormed { return sanitiser.finished() }
            noted.add(.repaired, document.name)
            if isDrawing { return picture(of: document, package) }
            guard prepared.count <= limits.repairedDocument else {
                throw outcome == .tooDeep ? .documentTooComplex : .documentTooLarge
            }
            let second = Sanitiser(surroundings)
            try XML.repair(prepared, into: second, limits: limits)
            return second.finished()
        }

        private func prepared(_ document: Package.Document, _ archive: Archive) throws(Refusal) -> [UInt8] {
            let bytes = try archive.bytes(of: document.member, atMost: limits.document, else: .documentTooLarge)
            let decoded = try XML.decode(bytes)
            if decoded.hadBadBytes { noted.add(.badBytes, document.name) }
            let prepared = try XML.prepare(decoded.bytes, attributes: limits.attributes)
            // Each `&` that is no reference grew to five bytes.
            guard prepared.count <= 2 * limits.document else { throw .documentTooLarge }
            return prepared
        }

        private func picture(of document: Package.Document, _ package: Package) -> [Block] {
            guard let index = package.pictures[document.name] else { return [] }
            var block = Block()
            block.tag("<p>")
            block.pictures = [.init(index: index, html: block.html.count)]
            block.tag("<img data-picture=\"\(index)\" alt=\"\"></p>")
            return [block]
        }
    }

    /// The printed pages, given to pages as they come.
    struct Labels {
        private var byChapter: [Int: [(fragment: String?, label: String)]] = [:]
        private var current: String?

        init(_ list: [PrintedPage]) {
            for page in list { byChapter[page.target.chapter, default: []].append((page.target.fragment, page.label)) }
        }

        mutating func mark(_ pages: inout [Page], chapter: Int) {
            var places: [String: Int] = [:]
            for anchor in pages.lazy.flatMap(\.anchors) where places[anchor.name] == nil {
                places[anchor.name] = anchor.offset
            }
            let marks = (byChapter[chapter] ?? []).compactMap { fragment, label -> (offset: Int, label: String)? in
                guard let fragment else { return (0, label) }
                return places[fragment].map { ($0, label) }
            }
            var left = marks.sorted { $0.offset < $1.offset }[...]
            for index in pages.indices {
                while let first = left.first, first.offset <= pages[index].offset {
                    current = first.label
                    left.removeFirst()
                }
                let onPage = left.first { $0.offset < pages[index].offset + pages[index].length }
                pages[index].label = current ?? onPage?.label
            }
            if let last = left.last { current = last.label }
        }
    }
}
