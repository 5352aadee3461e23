import Foundation
import TestSupport

@testable import Community

/// HEIC files as phones make them and as nobody should, put together of pictures that libvips encoded.
enum HEICSamples {
    /// A file, box by box.
    struct File {
        struct Item {
            var type: String
            var data: [UInt8]
            var properties: [(name: String, content: [UInt8])]
            /// In place of the place and the length that its data has.
            var extents: [(offset: Int, length: Int)]?
            /// In the box `idat`, as descriptions of grids are.
            var isInMeta = false
        }

        var items: [Item]
        var references: [(type: String, from: Int, to: [Int])] = []
        var primary = 1
        var brands = "heic\0\0\0\0mif1heic"
        /// Written into each list in place of its count.
        var count: Int?
        /// How often it says which properties an item has.
        var sayings = 1
        /// Stands between `meta` and the data.
        var extra: [UInt8] = []

        var bytes: [UInt8] {
            let head = box("ftyp", Array(brands.utf8))
            let start = head.count + meta(from: 0).count + extra.count + 8
            let data = items.filter { !$0.isInMeta }.flatMap(\.data)
            return head + meta(from: start) + extra + box("mdat", data)
        }

        private func meta(from start: Int) -> [UInt8] {
            let inMeta: [UInt8] = items.filter(\.isInMeta).flatMap(\.data)
            var content: [UInt8] = zeros(4) + box("hdlr", zeros(8) + Array("pict".utf8) + zeros(13))
            content += box("pitm", zeros(4) + big(primary, 2))
            content += places(from: start)
            var kinds: [UInt8] = zeros(4) + big(count ?? items.count, 2)
            for (index, item) in items.enumerated() {
                let number: [UInt8] = [2, 0, 0, 0] + big(index + 1, 2)
                kinds += box("infe", number + zeros(2) + Array(item.type.utf8) + [0])
            }
            content += box("iinf", kinds)
            content += properties
            var links: [UInt8] = zeros(4)
            for (type, from, to) in references {
                let parts: [UInt8] = to.flatMap { big($0, 2) }
                links += box(type, big(from, 2) + big(to.count, 2) + parts)
            }
            if !references.isEmpty { content += box("iref", links) }
            if !inMeta.isEmpty { content += box("idat", inMeta) }
            return box("meta", content)
        }

        private func places(from start: Int) -> [UInt8] {
            var (entries, outside, inside): ([UInt8], Int, Int) = ([], start, 0)
            for (index, item) in items.enumerated() {
                let place = item.isInMeta ? inside : outside
                let extents = item.extents ?? [(place, item.data.count)]
                entries += big(index + 1, 2) + [0, item.isInMeta ? 1 : 0, 0, 0]
                entries += big(extents.count, 2)
                for (offset, length) in extents { entries += big(offset, 8) + big(length, 8) }
                if item.isInMeta { inside += item.data.count } else { outside += item.data.count }
            }
            let head: [UInt8] = [1, 0, 0, 0, 0x88, 0x00] + big(count ?? items.count, 2)
            return box("iloc", head + entries)
        }

        private var properties: [UInt8] {
            var (container, entries, index): ([UInt8], [UInt8], Int) = ([], [], 0)
            for (number, item) in items.enumerated() {
                entries += big(number + 1, 2) + [UInt8(item.properties.count)]
                for property in item.properties {
                    index += 1
                    container += box(property.name, property.content)
                    entries += big(0x8000 | index, 2)
                }
            }
            let associations: [UInt8] = [0, 0, 0, 1] + big(count ?? items.count, 4) + entries
            let said: [UInt8] = (0..<sayings).flatMap { _ in box("ipma", associations) }
            return box("iprp", box("ipco", container) + said)
        }
    }

    /// One picture as an item, of what libvips made.
    static func item(of made: [UInt8]) throws -> File.Item {
        let file = try Media.HEICFile(made)
        let properties = file.primary.properties.map { (name: $0.type, content: Array(made[$0.content])) }
        return .init(type: file.primary.type, data: file.bytes(of: file.primary), properties: properties)
    }

    /// Red left, blue right, in square tiles as phones make them: the grid first, its description within `meta`.
    static func grid(_ width: Int, _ height: Int, of side: Int) throws -> File {
        let (columns, rows) = ((width + side - 1) / side, (height + side - 1) / side)
        var made: [Int: File.Item] = [:]
        // The tile in the middle is red up to the middle of the whole.
        for red in Set((0..<columns).map { min(side, max(0, width / 2 - $0 * side)) }) {
            made[red] = try item(of: tile(side, red: red))
        }
        let shape: [UInt8] = [0, 0, UInt8(rows - 1), UInt8(columns - 1)]
        let description: [UInt8] = shape + big(width, 2) + big(height, 2)
        let size: (name: String, content: [UInt8]) = ("ispe", zeros(4) + big(width, 4) + big(height, 4))
        var file = File(items: [.init(type: "grid", data: description, properties: [size], isInMeta: true)])
        for index in 0..<rows * columns {
            if let tile = made[min(side, max(0, width / 2 - index % columns * side))] { file.items.append(tile) }
        }
        file.references = [("dimg", 1, Array(2...rows * columns + 1))]
        return file
    }

    /// `made` with other slices than its own.
    static func noise(like made: [UInt8]) throws -> [UInt8] {
        var item = try item(of: made)
        for index in item.data.indices.dropFirst(8) { item.data[index] = UInt8(truncatingIfNeeded: index * 89 + 7) }
        return File(items: [item]).bytes
    }

    /// `red` columns of red, the others blue.
    private static func tile(_ side: Int, red: Int) throws -> [UInt8] {
        let wide = try Pictures.halves(2 * side, side, as: "a.png")
        return try Pictures.made(
            from: wide, named: "0.png", steps: [["crop", "\(side - red)", "0", "\(side)", "\(side)"]],
            as: "a.heic[Q=80]")
    }
}

private func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    big(content.count + 8, 4) + Array(type.utf8) + content
}

private func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }

private func big(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
}
