extension Media {
    /// A HEIC file (ISO/IEC 23008-12) as far as its primary picture goes: one picture in HEVC, or a grid of them.
    ///
    /// Whatever else it holds, such as thumbnails, depth, gain maps and a camera's data, is not looked at. Pictures that
    /// are put together in other ways are refused. Nothing is followed more than one step, so that no loop is one.
    struct HEICFile {
        /// What an item needs to be decoded, in the order in which it is to be applied.
        struct Property {
            let type: String
            let content: Range<Int>
            /// A reader must know it, or leave the item alone.
            let isEssential: Bool
        }

        /// One picture of the file, or the description of a grid.
        struct Item {
            let type: String
            /// Where its bytes are, in order.
            let extents: [Range<Int>]
            let properties: [Property]

            func property(_ type: String) -> Property? { properties.first { $0.type == type } }
        }

        let whole: [UInt8]
        /// What is shown: `hvc1` or `grid`.
        let primary: Item
        /// The pictures of a grid, row by row; else empty.
        let tiles: [Item]
        /// Pixels of the primary picture, before it is turned upright.
        let width: Int
        let height: Int

        /// Those that HEIC is known by. Sequences and AV1 have others.
        private static let brands: Set<String> = ["heic", "heix"]

        /// Whether a file begins as HEIC does: it says so itself, or says that it may be read so.
        static func begins(_ bytes: [UInt8]) -> Bool {
            guard bytes.count >= 16, bytes[4..<8].elementsEqual("ftyp".utf8) else { return false }
            let length = min(ImageHeader.big(bytes, at: 0, 4), bytes.count, 256)
            let starts = [8] + Array(stride(from: 16, through: length - 4, by: 4))
            return starts.contains { brands.contains(String(decoding: bytes[$0..<$0 + 4], as: UTF8.self)) }
        }

        /// Throws `.damaged` and `.tooCostly`.
        init(_ whole: [UInt8]) throws(Refusal) {
            let index = try HEICIndex(whole)
            let primary = try index.item(index.primary)
            var tiles: [Item] = []
            switch primary.type {
            case "hvc1": (width, height) = try Self.size(of: primary, in: whole)
            case "grid":
                let grid = try Grid(primary, in: whole)
                guard grid.columns * grid.rows == index.parts.count else { throw BoxReader.broken }
                for part in index.parts { tiles.append(try index.item(part)) }
                try grid.check(tiles, in: whole)
                (width, height) = (grid.width, grid.height)
            default: throw .damaged("it is put together in a way that is not read here")
            }
            for item in [primary] + tiles where item.properties.contains(where: \.isUnknown) {
                throw .damaged("it is put together in a way that is not read here")
            }
            (self.whole, self.primary, self.tiles) = (whole, primary, tiles)
            // Parts that lie over each other would be read many times.
            let bytes = ([primary] + tiles).reduce(0) { $0 + $1.extents.reduce(0) { $0 + $1.count } }
            guard bytes <= whole.count else { throw BoxReader.broken }
        }

        func bytes(of item: Item) -> [UInt8] { item.extents.flatMap { whole[$0] } }

        /// What `ispe` says.
        static func size(of item: Item, in whole: [UInt8]) throws(Refusal) -> (width: Int, height: Int) {
            guard let property = item.property("ispe") else { throw BoxReader.broken }
            var reader = BoxReader(whole, in: property.content)
            try reader.skip(4)
            return (try reader.number(4), try reader.number(4))
        }
    }
}

extension Media.HEICFile.Property {
    /// Those that reach the decoder, and those that change nothing that we keep.
    private static let known: Set<String> = [
        "hvcC", "ispe", "pixi", "colr", "irot", "imir", "clap", "pasp", "auxC", "rloc", "clli", "mdcv", "cclv", "amve",
    ]

    fileprivate var isUnknown: Bool { isEssential && !Self.known.contains(type) }
}

extension Media.HEICFile {
    /// How tiles of one size are laid to a picture, which may end within the last of them.
    struct Grid {
        let columns: Int
        let rows: Int
        let width: Int
        let height: Int

        init(_ item: Item, in whole: [UInt8]) throws(Media.Refusal) {
            guard item.extents.count == 1 else { throw Media.BoxReader.broken }
            var reader = Media.BoxReader(whole, in: item.extents[0])
            guard try reader.number(1) == 0 else { throw Media.BoxReader.broken }
            let count = try reader.number(1) & 1 == 1 ? 4 : 2
            rows = try reader.number(1) + 1
            columns = try reader.number(1) + 1
            width = try reader.number(count)
            height = try reader.number(count)
            guard rows * columns <= Limits.media.tiles else { throw .tooCostly }
            guard try size(of: item, in: whole) == (width, height) else { throw Media.BoxReader.broken }
        }

        /// Each is a picture of the same size, and the grid's end lies in the last column and row of them: they hold
        /// hardly more than it.
        func check(_ tiles: [Item], in whole: [UInt8]) throws(Media.Refusal) {
            var first: (width: Int, height: Int)?
            for tile in tiles {
                guard tile.type == "hvc1" else { throw Media.BoxReader.broken }
                let size = try size(of: tile, in: whole)
                guard size == first ?? size else { throw Media.BoxReader.broken }
                first = size
            }
            // Of 32 bits each, so that no product is too large.
            guard let first, ((columns - 1) * first.width..<columns * first.width).contains(width - 1),
                ((rows - 1) * first.height..<rows * first.height).contains(height - 1)
            else { throw Media.BoxReader.broken }
        }
    }
}
