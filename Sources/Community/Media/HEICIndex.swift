extension Media {
    /// What the box `meta` of a HEIC file says: which items there are, where their bytes are, and what they need.
    struct HEICIndex {
        private let whole: [UInt8]
        /// The item that is shown.
        private(set) var primary = 0
        /// The items that the primary one is put together of.
        private(set) var parts: [Int] = []

        private var types: [Int: String] = [:]
        private var places: [Int: Place] = [:]
        private var needs: [Int: [(index: Int, isEssential: Bool)]] = [:]
        private var properties: [BoxReader.Box] = []
        /// Parts of all places together: one may take no bytes at all.
        private var extentCount = 0
        /// The bytes of `idat`, which some items lie in.
        private var data: Range<Int>?

        private struct Place {
            /// Relative to the file, or to `idat`.
            let extents: [(offset: Int, length: Int)]
            let isInData: Bool
            /// In another file, or in another item.
            let isElsewhere: Bool
        }

        /// Throws `.damaged` and `.tooCostly`.
        init(_ whole: [UInt8]) throws(Refusal) {
            self.whole = whole
            var file = BoxReader(whole, in: whole.indices)
            guard let meta = try file.boxes().first(where: { $0.type == "meta" }) else { throw BoxReader.broken }
            var content = file.inside(meta)
            try content.skip(4)
            let boxes = try content.boxes()
            func one(_ type: String) throws(Refusal) -> BoxReader? {
                let found = boxes.filter { $0.type == type }
                guard found.count <= 1 else { throw BoxReader.broken }
                return found.first.map { file.inside($0) }
            }
            guard let first = try one("pitm"), let infos = try one("iinf"), let locations = try one("iloc"),
                let wanted = try one("iprp")
            else { throw BoxReader.broken }
            try readPrimary(first)
            try readTypes(infos)
            try readPlaces(locations)
            try readProperties(wanted)
            if let references = try one("iref") { try readParts(references) }
            data = boxes.first { $0.type == "idat" }?.content
        }

        /// Throws `.damaged` where there is none, or its bytes or properties are not there.
        func item(_ id: Int) throws(Refusal) -> HEICFile.Item {
            guard let type = types[id], let place = places[id], !place.isElsewhere, !place.extents.isEmpty else {
                throw BoxReader.broken
            }
            let room = place.isInData ? data : whole.indices
            guard let room else { throw BoxReader.broken }
            var extents: [Range<Int>] = []
            for (offset, length) in place.extents {
                guard length > 0, offset >= 0, offset <= room.count, length <= room.count - offset else {
                    throw BoxReader.broken
                }
                extents.append(room.lowerBound + offset..<room.lowerBound + offset + length)
            }
            var list: [HEICFile.Property] = []
            for (index, isEssential) in needs[id] ?? [] where index > 0 {
                guard index <= properties.count else { throw BoxReader.broken }
                let box = properties[index - 1]
                list.append(.init(type: box.type, content: box.content, isEssential: isEssential))
            }
            return HEICFile.Item(type: type, extents: extents, properties: list)
        }

        private mutating func readPrimary(_ reader: BoxReader) throws(Refusal) {
            var reader = reader
            let version = try reader.version()
            primary = try reader.number(version.number == 0 ? 2 : 4)
        }

        private mutating func readTypes(_ reader: BoxReader) throws(Refusal) {
            var reader = reader
            let version = try reader.version()
            _ = try reader.number(version.number == 0 ? 2 : 4)
            for box in try reader.boxes() where box.type == "infe" {
                var entry = reader.inside(box)
                let version = try entry.version().number
                // Older ones have no type, and pictures have.
                guard version == 2 || version == 3 else { continue }
                let id = try entry.number(version == 2 ? 2 : 4)
                guard try entry.number(2) == 0 else { continue }
                guard types.updateValue(try entry.letters(), forKey: id) == nil else { throw BoxReader.broken }
            }
        }

        private mutating func readPlaces(_ reader: BoxReader) throws(Refusal) {
            var reader = reader
            let version = try reader.version().number
            guard version <= 2 else { throw BoxReader.broken }
            let sizes = try reader.number(2)
            let (offset, length, base) = (sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15)
            let index = version == 0 ? 0 : sizes & 15
            guard [offset, length, base, index].allSatisfy([0, 4, 8].contains) else { throw BoxReader.broken }
            let count = try reader.number(version < 2 ? 2 : 4)
            guard count <= Limits.media.boxes else { throw .tooCostly }
            for _ in 0..<count {
                let id = try reader.number(version < 2 ? 2 : 4)
                let method = version == 0 ? 0 : try reader.number(2) & 15
                let file = try reader.number(2)
                let start = try reader.number(base)
                var extents: [(offset: Int, length: Int)] = []
                let parts = try reader.number(2)
                extentCount += parts
                guard extentCount <= Limits.media.boxes else { throw .tooCostly }
                for _ in 0..<parts {
                    try reader.skip(index)
                    let (place, hasOverflowed) = start.addingReportingOverflow(try reader.number(offset))
                    guard !hasOverflowed else { throw BoxReader.broken }
                    extents.append((place, try reader.number(length)))
                }
                let place = Place(extents: extents, isInData: method == 1, isElsewhere: file != 0 || method > 1)
                guard places.updateValue(place, forKey: id) == nil else { throw BoxReader.broken }
            }
        }

        private mutating func readProperties(_ reader: BoxReader) throws(Refusal) {
            var reader = reader
            let boxes = try reader.boxes()
            guard let container = boxes.first(where: { $0.type == "ipco" }) else { throw BoxReader.broken }
            var contained = reader.inside(container)
            properties = try contained.boxes()
            for box in boxes where box.type == "ipma" {
                var entries = reader.inside(box)
                let version = try entries.version()
                let isLong = version.flags & 1 == 1
                let count = try entries.number(4)
                guard count <= Limits.media.boxes else { throw .tooCostly }
                for _ in 0..<count {
                    let id = try entries.number(version.number == 0 ? 2 : 4)
                    let length = try entries.number(1)
                    guard needs[id] == nil else { throw BoxReader.broken }
                    guard length <= Limits.media.properties else { throw .tooCostly }
                    var list: [(index: Int, isEssential: Bool)] = []
                    for _ in 0..<length {
                        let field = try entries.number(isLong ? 2 : 1)
                        let bit = isLong ? 0x8000 : 0x80
                        list.append((field & (bit - 1), field & bit != 0))
                    }
                    needs[id] = list
                }
            }
        }

        private mutating func readParts(_ reader: BoxReader) throws(Refusal) {
            var reader = reader
            let size = try reader.version().number == 0 ? 2 : 4
            for box in try reader.boxes() where box.type == "dimg" {
                var entry = reader.inside(box)
                guard try entry.number(size) == primary else { continue }
                let count = try entry.number(2)
                guard count <= Limits.media.tiles else { throw .tooCostly }
                guard parts.isEmpty else { throw BoxReader.broken }
                for _ in 0..<count { parts.append(try entry.number(size)) }
                guard Set(parts).count == count else { throw BoxReader.broken }
            }
        }
    }
}

extension Media.BoxReader {
    /// The version and the flags that a full box begins with.
    fileprivate mutating func version() throws(Media.Refusal) -> (number: Int, flags: Int) {
        let field = try number(4)
        return (field >> 24, field & 0xFF_FFFF)
    }
}
