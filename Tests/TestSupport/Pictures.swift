import Community
import Foundation

/// Pictures for tests: such as cameras make them, made with libvips, and such as nobody should make, written byte by byte.
package enum Pictures {
    /// False where `vips` is not installed: tests of the converter are then skipped, which `deploy/test` does not let happen.
    package static let canBeConverted: Bool = {
        if Media.Tools.find() != nil { return true }
        FileHandle.standardError.write(Data("notice: libvips-tools is absent; tests of pictures are skipped\n".utf8))
        return false
    }()

    package struct Colour: Hashable, Sendable {
        package let red, green, blue: UInt8

        package init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
            (self.red, self.green, self.blue) = (red, green, blue)
        }

        /// Whether no part differs by more than what encoding and colour spaces do.
        package func isNear(_ other: Colour, within distance: Int = 40) -> Bool {
            zip([red, green, blue], [other.red, other.green, other.blue]).allSatisfy {
                abs(Int($0) - Int($1)) <= distance
            }
        }
    }

    package static let red = Colour(200, 30, 30)
    package static let blue = Colour(30, 30, 200)

    /// A file whose left half is red and whose right half is blue. `name` ends as its format does, with libvips's options behind it;
    /// `steps` are commands of `vips` that run before, each from one file into the next.
    package static func halves(_ width: Int, _ height: Int, as name: String, steps: [[String]] = []) throws -> [UInt8] {
        var image = Array("P6\n\(width) \(height)\n255\n".utf8)
        for _ in 0..<height {
            for column in 0..<width {
                let colour = column < width / 2 ? red : blue
                image += [colour.red, colour.green, colour.blue]
            }
        }
        return try made(from: image, named: "0.ppm", steps: steps + [["copy"]], as: name)
    }

    /// A black file of any size, made in no time.
    package static func black(_ width: Int, _ height: Int, as name: String, bands: Int = 3, steps: [[String]] = [])
        throws -> [UInt8]
    {
        let folder = try TemporaryFile("none", []).folder
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try vips(["black", "0.v", "\(width)", "\(height)", "--bands", "\(bands)"], in: folder)
        return try run(steps + [["copy"]], from: "0.v", as: name, in: folder)
    }

    /// A file of any size in which no pixel is like the next.
    package static func noise(_ width: Int, _ height: Int, as name: String) throws -> [UInt8] {
        let folder = try TemporaryFile("none", []).folder
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let size = ["\(width)", "\(height)"]
        try vips(["gaussnoise", "grey.v"] + size + ["--sigma", "60", "--mean", "128"], in: folder)
        try vips(["bandjoin", "grey.v grey.v grey.v", "colours.v"], in: folder)
        return try run([["cast", "uchar"]], from: "colours.v", as: name, in: folder)
    }

    /// Size and colour of the middle of each quarter (top left, top right, bottom left, bottom right) of any file that libvips reads.
    package static func look(at bytes: [UInt8]) throws -> (width: Int, height: Int, quarters: [Colour]) {
        let pixels = try made(from: bytes, named: "0", steps: [["copy"]], as: "out.ppm")
        let fields = pixels.split(separator: 0x0A, maxSplits: 10, omittingEmptySubsequences: false)
            .map { String(decoding: $0.prefix(40), as: UTF8.self) }.filter { !$0.hasPrefix("#") }
        let size = fields[1].split(separator: " ").compactMap { Int($0) }
        let (width, height) = (size[0], size[1])
        let data = pixels.suffix(width * height * 3)
        func colour(_ column: Int, _ row: Int) -> Colour {
            let start = data.startIndex + (row * width + column) * 3
            return Colour(data[start], data[start + 1], data[start + 2])
        }
        let (columns, rows) = ([width / 4, width * 3 / 4], [height / 4, height * 3 / 4])
        return (width, height, rows.flatMap { row in columns.map { colour($0, row) } })
    }

    /// The pixels of any file that libvips reads, upright, as a decoder gives them.
    package static func pixels(of bytes: [UInt8]) throws -> [UInt8] {
        try made(from: bytes, named: "0", steps: [["autorot"]], as: "out.raw")
    }

    /// What the commands `steps` make of `bytes`, each from one file into the next.
    package static func made(from bytes: [UInt8], named: String, steps: [[String]], as name: String) throws -> [UInt8] {
        let file = try TemporaryFile(named, bytes)
        return try run(steps, from: named, as: name, in: file.folder)
    }

    /// A barcode as zint draws it: black on white, with digits below it, a PNG. EAN-13 where `kind` names no other of
    /// zint's symbologies.
    package static func barcode(_ data: String, kind: String = "EANX", scale: Double = 1) throws -> [UInt8] {
        let file = try TemporaryFile("none", [])
        try program(
            "zint", ["-b", kind, "-d", data, "--scale=\(scale)", "--quietzones", "-o", "code.png"], in: file.folder)
        return [UInt8](try Data(contentsOf: URL(filePath: file.folder + "/code.png")))
    }

    /// Barcodes of EAN-13, PNGs, made by one process.
    package static func barcodes(_ texts: [String]) throws -> [[UInt8]] {
        let file = try TemporaryFile("codes.txt", Array((texts.joined(separator: "\n") + "\n").utf8))
        let options = ["--batch", "-b", "EANX", "--scale=1", "--quietzones", "-i", file.path, "-o", "~~~~.png"]
        try program("zint", options, in: file.folder)
        return try texts.indices.map { index in
            let name = String(repeating: "0", count: 4 - "\(index + 1)".count) + "\(index + 1).png"
            return [UInt8](try Data(contentsOf: URL(filePath: file.folder + "/" + name)))
        }
    }

    /// In rows of `across`, each at the left of a white cell that is `width` pixels wide, a PNG.
    package static func page(of pictures: [[UInt8]], width: Int, across: Int = 1) throws -> [UInt8] {
        let file = try TemporaryFile("none", [])
        for (index, bytes) in pictures.enumerated() {
            try Data(bytes).write(to: URL(filePath: file.folder + "/\(index).png"))
        }
        let names = pictures.indices.map { "\($0).png" }.joined(separator: " ")
        try vips(
            ["arrayjoin", names, "page.png", "--across", "\(across)", "--hspacing", "\(width)", "--background", "255"],
            in: file.folder)
        return [UInt8](try Data(contentsOf: URL(filePath: file.folder + "/page.png")))
    }

    private static func run(_ steps: [[String]], from first: String, as name: String, in folder: String) throws
        -> [UInt8]
    {
        var source = first
        for (index, step) in steps.enumerated() {
            let target = index == steps.count - 1 ? name : "\(index + 1).v"
            try vips([step[0], source, target] + step.dropFirst(), in: folder)
            source = target
        }
        let output = String(name.prefix { $0 != "[" })
        return [UInt8](try Data(contentsOf: URL(filePath: folder + "/" + output)))
    }

    static func vips(_ arguments: [String], in folder: String) throws { try program("vips", arguments, in: folder) }

    private static func program(_ name: String, _ arguments: [String], in folder: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [name] + arguments
        process.currentDirectoryURL = URL(filePath: folder)
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Unmade(arguments: arguments) }
    }

    package struct Unmade: Error { let arguments: [String] }
}

// MARK: Byte by byte

extension Pictures {
    /// A PNG whose header says `width` × `height` and whose data is `rows`, each with its filter byte; chunks of `extra` stand before it.
    package static func png(
        _ width: Int, _ height: Int, depth: UInt8 = 8, colour: UInt8 = 2, rows: [UInt8],
        extra: [(name: String, content: [UInt8])] = []
    ) -> [UInt8] {
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let header = big(width, 4) + big(height, 4) + [depth, colour, 0, 0, 0]
        for (name, content) in [("IHDR", header)] + extra + [("IDAT", stored(rows)), ("IEND", [])] {
            let checked = Array(name.utf8) + content
            file += big(content.count, 4) + checked + big(Int(crc(checked)), 4)
        }
        return file
    }

    /// A JPEG's first segments, up to the frame header.
    package static func jpegHeader(_ width: Int, _ height: Int, marker: UInt8 = 0xC0) -> [UInt8] {
        [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0, 0xFF, marker, 0, 17, 8] + big(height, 2) + big(width, 2)
            + [3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]
    }

    /// A WebP's extended header.
    package static func webpHeader(_ width: Int, _ height: Int) -> [UInt8] {
        Array("RIFF".utf8) + [0xFF, 0xFF, 0, 0] + Array("WEBPVP8X".utf8) + [10, 0, 0, 0, 0, 0, 0, 0]
            + big(width - 1, 3).reversed() + big(height - 1, 3).reversed() + Array(repeating: 0, count: 16)
    }

    /// `jpeg` with a camera's data in it: lying on its side (orientation 6), taken at a place, with `canary` in EXIF, XMP and a comment.
    package static func photographed(_ jpeg: [UInt8], canary: String) -> [UInt8] {
        let text = Array(canary.utf8)
        // Offsets from the byte-order mark: the directory at 8 with three entries, then what does not fit into them.
        let (maker, gps) = (50, 50 + text.count)
        var tiff = Array("MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 3]
        tiff += [0x01, 0x0F, 0, 2] + big(text.count, 4) + big(maker, 4)
        tiff += [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0]
        tiff += [0x88, 0x25, 0, 4, 0, 0, 0, 1] + big(gps, 4)
        tiff += [0, 0, 0, 0] + text
        tiff += [0, 1, 0, 1, 0, 2, 0, 0, 0, 2] + Array("N\0\0\0".utf8) + [0, 0, 0, 0]
        let exif = Array("Exif\0\0".utf8) + tiff
        let xmp = Array("http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>".utf8) + text + Array("</x:xmpmeta>".utf8)
        let segments: [(UInt8, [UInt8])] = [(0xE1, exif), (0xE1, xmp), (0xFE, text)]
        return jpeg.prefix(2) + segments.flatMap { [0xFF, $0] + big($1.count + 2, 2) + $1 } + jpeg.dropFirst(2)
    }

    private static func big(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    /// zlib's format without compression.
    package static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        var output: [UInt8] = [0x78, 0x01]
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(65_535)
            let length = [UInt8(block.count & 0xFF), UInt8(block.count >> 8)]
            output += [rest.isEmpty ? 1 : 0] + length + length.map { ~$0 } + block
        } while !rest.isEmpty
        return output + big(Int(high << 16 | low), 4)
    }

    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
        }
    }
}
