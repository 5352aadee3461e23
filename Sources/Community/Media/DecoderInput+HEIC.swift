extension Media.DecoderInput {
    /// Properties that a decoder needs, each of which counts once: what the pixels are, how large, which way up.
    private static let single: Set<String> = ["ispe", "pixi", "irot", "imir", "clap"]

    /// A new file of the primary picture alone, or of its grid and tiles: their slices and parameters, one colour
    /// profile of bounded size, and how the picture is cut and turned. No camera's data, no preview, no other picture.
    static func heic(_ whole: [UInt8]) throws(Media.Refusal) -> Self {
        let file = try Media.HEICFile(whole)
        var output = HEICWriter()
        for item in [file.primary] + file.tiles {
            let isGrid = item.type == "grid"
            var properties: [(box: [UInt8], isEssential: Bool)] = []
            var seen: Set<String> = []
            let size = try Media.HEICFile.size(of: item, in: whole)
            var data = file.bytes(of: item)
            for property in item.properties {
                let content = whole[property.content]
                switch property.type {
                case "hvcC" where !isGrid && seen.insert("hvcC").inserted:
                    guard content.count <= Limits.media.parameters else { throw .tooCostly }
                    let picture = try Media.HEVCPicture(Array(content), width: size.width, height: size.height)
                    data = try picture.slices(of: data)
                    properties.append((HEICWriter.box("hvcC", picture.configuration), true))
                case "colr":
                    // One profile for all: that of the picture, not of its tiles.
                    guard let kind = Colours(content), kind == .numbers || output.items.isEmpty,
                        seen.insert(kind.rawValue).inserted
                    else { continue }
                    if kind == .profile { output.hasProfile = true }
                    properties.append((HEICWriter.box("colr", Array(content)), false))
                case _ where single.contains(property.type) && seen.insert(property.type).inserted:
                    guard content.count <= 64 else { throw Media.BoxReader.broken }
                    if property.type == "clap" { try checkCut(property, in: whole, size) }
                    properties.append((HEICWriter.box(property.type, Array(content)), property.type != "ispe"))
                default: break
                }
            }
            guard isGrid || seen.contains("hvcC") else { throw Media.BoxReader.broken }
            output.items.append(.init(type: item.type, data: data, properties: properties))
        }
        var input = Self(bytes: output.bytes, hasProfile: output.hasProfile)
        input.isHEIC = true
        return input
    }

    /// What tells the colours of a picture.
    private enum Colours: String {
        case profile, numbers

        /// `nil` for what is none, or larger than profiles are.
        init?(_ content: ArraySlice<UInt8>) {
            switch String(decoding: content.prefix(4), as: UTF8.self) {
            case "prof", "rICC":
                guard content.count <= Limits.media.profile else { return nil }
                self = .profile
            case "nclx":
                guard content.count <= 16 else { return nil }
                self = .numbers
            default: return nil
            }
        }
    }

    /// What is left after cutting lies within the picture. Throws `.damaged`.
    private static func checkCut(
        _ property: Media.HEICFile.Property, in whole: [UInt8], _ size: (width: Int, height: Int)
    ) throws(Media.Refusal) {
        var reader = Media.BoxReader(whole, in: property.content)
        for side in [size.width, size.height] {
            let (pixels, parts) = (try reader.number(4), try reader.number(4))
            guard (1...Int(Int32.max)).contains(parts), pixels >= parts, pixels <= side * parts else {
                throw Media.BoxReader.broken
            }
        }
        for side in [size.width, size.height] {
            let (pixels, parts) = (try reader.number(4), try reader.number(4))
            guard (1...Int(Int32.max)).contains(parts), abs(Int(Int32(truncatingIfNeeded: pixels))) <= side * parts
            else {
                throw Media.BoxReader.broken
            }
        }
    }
}

/// Writes a HEIC file of few items: the first is shown, the others are what it is put together of.
private struct HEICWriter {
    struct Item {
        let type: String
        let data: [UInt8]
        let properties: [(box: [UInt8], isEssential: Bool)]
    }

    var items: [Item] = []
    var hasProfile = false

    static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        big(content.count + 8, 4) + Array(type.utf8) + content
    }

    var bytes: [UInt8] {
        let head = Self.box("ftyp", Array("heic\0\0\0\0mif1heic".utf8))
        // Places have the same length whatever they say.
        let meta = meta(dataAt: 0)
        return head + self.meta(dataAt: head.count + meta.count + 8) + Self.box("mdat", items.flatMap(\.data))
    }

    private func meta(dataAt start: Int) -> [UInt8] {
        let handler = Self.box("hdlr", Self.zeros(8) + Array("pict".utf8) + Self.zeros(13))
        let primary = Self.box("pitm", Self.zeros(4) + Self.big(1, 2))
        var parts: [[UInt8]] = [handler, primary, locations(from: start), kinds]
        if items.count > 1 {
            let tiles: [UInt8] = (2...items.count).flatMap { Self.big($0, 2) }
            let count: [UInt8] = Self.big(items.count - 1, 2)
            let tiled = Self.box("dimg", Self.big(1, 2) + count + tiles)
            parts.append(Self.box("iref", Self.zeros(4) + tiled))
        }
        parts.append(properties)
        return Self.box("meta", Self.zeros(4) + parts.joined())
    }

    private func locations(from start: Int) -> [UInt8] {
        var (entries, offset): ([UInt8], Int) = ([], start)
        for (index, item) in items.enumerated() {
            // Its number, the file, one extent.
            entries += Self.big(index + 1, 2) + [0, 0, 0, 1]
            entries += Self.big(offset, 4) + Self.big(item.data.count, 4)
            offset += item.data.count
        }
        return Self.box("iloc", Self.zeros(4) + [0x44, 0x00] + Self.big(items.count, 2) + entries)
    }

    private var kinds: [UInt8] {
        var entries: [UInt8] = []
        for (index, item) in items.enumerated() {
            let number: [UInt8] = [2, 0, 0, 0] + Self.big(index + 1, 2)
            entries += Self.box("infe", number + [0, 0] + Array(item.type.utf8) + [0])
        }
        return Self.box("iinf", Self.zeros(4) + Self.big(items.count, 2) + entries)
    }

    /// Each property once, though many tiles have it.
    private var properties: [UInt8] {
        var (container, known, entries): ([UInt8], [[UInt8]: Int], [UInt8]) = ([], [:], [])
        for (index, item) in items.enumerated() {
            entries += Self.big(index + 1, 2) + [UInt8(item.properties.count)]
            for (box, isEssential) in item.properties {
                let place = known[box] ?? known.count + 1
                if known.updateValue(place, forKey: box) == nil { container += box }
                entries += Self.big(place | (isEssential ? 0x8000 : 0), 2)
            }
        }
        let associations: [UInt8] = [0, 0, 0, 1] + Self.big(items.count, 4) + entries
        return Self.box("iprp", Self.box("ipco", container) + Self.box("ipma", associations))
    }

    private static func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }

    private static func big(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
