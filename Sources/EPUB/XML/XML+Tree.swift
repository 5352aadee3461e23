extension EPUB.XML {
    /// One element with what it holds, for the package document and other small files.
    final class Element {
        let name: String
        let attributes: [String: String]
        fileprivate(set) var children: [Element] = []
        /// Its own text and that of all it holds, in order, at most `textLimit` bytes.
        fileprivate(set) var text = ""

        fileprivate static let textLimit = 8_000

        fileprivate init(_ name: String, _ attributes: [String: String]) {
            (self.name, self.attributes) = (name, attributes)
        }

        subscript(_ attribute: String) -> String? { attributes[attribute] }

        /// The words of an attribute that lists several, or none.
        func words(_ attribute: String) -> [Substring] { attributes[attribute]?.split { $0.isWhitespace } ?? [] }

        func children(_ name: String) -> [Element] { children.filter { $0.name == name } }

        func child(_ name: String) -> Element? { children.first { $0.name == name } }

        /// All elements of this name below this one, in the order of the document.
        func all(_ name: String) -> [Element] {
            children.flatMap { ($0.name == name ? [$0] : []) + $0.all(name) }
        }

        func first(_ name: String) -> Element? {
            for child in children {
                if child.name == name { return child }
                if let found = child.first(name) { return found }
            }
            return nil
        }
    }

    /// The root of a small file of the archive; what is not well-formed is repaired. Names are in lower case, attributes
    /// as they are written. Throws `.documentTooLarge`, `.documentTooComplex`, `.encoding`, `.damaged`; `.noPackage`
    /// where there is no element.
    static func tree(
        of archive: EPUB.Archive, _ member: Int, limits: EPUB.Limits
    ) throws(EPUB.Refusal) -> Element {
        let bytes = try archive.bytes(of: member, atMost: limits.document, else: .documentTooLarge)
        return try tree(of: bytes, limits: limits)
    }

    static func tree(of bytes: [UInt8], limits: EPUB.Limits) throws(EPUB.Refusal) -> Element {
        var limits = limits
        limits.nodes = limits.packageNodes
        let document = try prepare(try decode(bytes).bytes, attributes: limits.attributes)
        var builder = TreeBuilder()
        let outcome = try parse(document, into: builder, limits: limits)
        if outcome != .wellFormed {
            guard document.count <= limits.repairedDocument else {
                throw outcome == .tooDeep ? .documentTooComplex : .documentTooLarge
            }
            builder = TreeBuilder()
            try repair(document, into: builder, limits: limits)
        }
        guard let root = builder.root else { throw .noPackage }
        return root
    }

    private final class TreeBuilder: Handler {
        private(set) var root: Element?
        let refusal: EPUB.Refusal? = nil
        private var open: [(element: Element, text: [UInt8])] = []

        func open(_ name: String, _ attributes: Attributes) {
            let element = Element(name, attributes.all)
            if let parent = open.last?.element {
                parent.children.append(element)
            } else if root == nil {
                root = element
            }
            open.append((element, []))
        }

        func close(_ name: String) {
            guard let (element, text) = open.popLast() else { return }
            element.text = String(decoding: text, as: UTF8.self)
            guard let parent = open.indices.last, open[parent].text.count < Element.textLimit else { return }
            open[parent].text += text
        }

        func text(_ bytes: UnsafeBufferPointer<UInt8>) {
            guard let last = open.indices.last, open[last].text.count < Element.textLimit else { return }
            open[last].text += bytes
        }
    }
}
