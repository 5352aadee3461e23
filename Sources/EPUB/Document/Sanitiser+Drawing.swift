extension EPUB.Sanitiser {
    /// An `svg` element while it is read: of it come the pictures that it shows, or its words.
    struct Drawing {
        var depth = 1
        var pictures: [Int] = []
        var label: String?
        var title: [UInt8] = []
        var words: [UInt8] = []
        /// How deep the element lies whose text is taken, and whether it is the title.
        var capture: (depth: Int, isTitle: Bool)?
    }

    /// What comes for a document that is a drawing: the pictures in it, else the drawing itself.
    private static let mostPictures = 50
    private static let mostBytes = 8_000

    func beginDrawing(_ attributes: EPUB.XML.Attributes) {
        var drawing = Drawing()
        drawing.label = attributes["label"]
        self.drawing = drawing
    }

    func openInDrawing(_ name: String, _ attributes: EPUB.XML.Attributes) {
        drawing?.depth += 1
        guard let depth = drawing?.depth else { return }
        switch name {
        case "image":
            guard let address = attributes["href"], let path = EPUB.Path.resolve(address, from: surroundings.name),
                let index = surroundings.pictures[path.name], let count = drawing?.pictures.count,
                count < Self.mostPictures
            else { return }
            drawing?.pictures.append(index)
        case "title" where drawing?.capture == nil && drawing?.title.isEmpty == true: drawing?.capture = (depth, true)
        case "text" where drawing?.capture == nil:
            drawing?.words.append(0x20)
            drawing?.capture = (depth, false)
        default: break
        }
    }

    func textInDrawing(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let capture = drawing?.capture else { return }
        if capture.isTitle {
            if let count = drawing?.title.count, count < Self.mostBytes { drawing?.title += bytes }
        } else {
            if let count = drawing?.words.count, count < Self.mostBytes { drawing?.words += bytes }
        }
    }

    func closeInDrawing() {
        if let capture = drawing?.capture, capture.depth == drawing?.depth { drawing?.capture = nil }
        drawing?.depth -= 1
        guard let drawing, drawing.depth == 0 else { return }
        self.drawing = nil
        let title = (drawing.label ?? String(decoding: drawing.title, as: UTF8.self)).spaced(
            atMost: EPUB.Limits.description)
        let words = String(decoding: drawing.words, as: UTF8.self).spaced(atMost: EPUB.Limits.description)
        if !drawing.pictures.isEmpty {
            for index in drawing.pictures { picture(index, title.isEmpty ? words : title) }
        } else if let own = surroundings.pictures[surroundings.name] {
            picture(own, title.isEmpty ? words : title)
        } else {
            var said = words.isEmpty ? title : words
            said.withUTF8 { text($0) }
        }
    }
}
