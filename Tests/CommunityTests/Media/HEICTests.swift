import Foundation
import TestSupport
import Testing

@testable import Community

/// What HEIC says before libheif is asked, and what of it libheif sees.
@Suite(.enabled(if: Pictures.canBeConverted))
struct HEICTests {
    private let broken = Media.BoxReader.broken

    private func refusal(of bytes: [UInt8]) -> Media.Refusal? {
        do throws(Media.Refusal) {
            try Media.ImageHeader(bytes).checkSize()
            _ = try Media.DecoderInput(bytes)
            return nil
        } catch {
            return error
        }
    }

    /// One picture without tiles, which libheif makes of what is smaller.
    private func sample(_ width: Int = 160, _ height: Int = 96) throws -> HEICSamples.File {
        .init(items: [try HEICSamples.item(of: try Pictures.halves(width, height, as: "a.heic"))])
    }

    private static func size(_ width: Int, _ height: Int) -> [UInt8] {
        [0, 0, 0, 0] + [width, height].flatMap { size in [24, 16, 8, 0].map { UInt8(size >> $0 & 0xFF) } }
    }

    @Test func `the size is that of the primary picture, whole or in tiles`() throws {
        for (width, height) in [(64, 32), (401, 201)] {
            let header = try Media.ImageHeader(try Pictures.halves(width, height, as: "a.heic"))
            #expect(header.format == .heic && header.width == width && header.height == height)
        }
        let tiled = try Media.ImageHeader(HEICSamples.grid(300, 200, of: 128).bytes)
        #expect(tiled.width == 300 && tiled.height == 200)
        #expect(Media.ImageHeader.Format(type: "image/heif") == .heic)
        #expect(Media.ImageHeader.Format(type: "image/heic") == .heic)
    }

    /// What phones and programs make decodes to the same pixels, standing the same way up.
    @Test func `an honest picture comes out the same`() throws {
        var turned = try sample()
        turned.items[0].properties += [("irot", [1]), ("imir", [0])]
        var cut = try sample()
        // 40 × 20 of the middle.
        let numbers = [40, 1, 20, 1, 0, 1, 0, 1]
        cut.items[0].properties.append(("clap", numbers.flatMap { [0, 0, 0, UInt8($0)] }))
        let pictures = [
            try Pictures.halves(64, 32, as: "a.heic"), try Pictures.halves(401, 201, as: "a.heic"),
            try Pictures.halves(64, 32, as: "a.heic[lossless]"), try Pictures.halves(64, 32, as: "a.heic[bitdepth=10]"),
            try Pictures.halves(64, 32, as: "a.heic", steps: [["icc_transform", "p3"]]),
            try HEICSamples.grid(300, 200, of: 128).bytes, turned.bytes, cut.bytes,
        ]
        for picture in pictures {
            let input = try Media.DecoderInput(picture)
            #expect(try Pictures.pixels(of: input.bytes) == Pictures.pixels(of: picture))
            // Nothing more is to be left out of it.
            #expect(try Media.DecoderInput(input.bytes).bytes == input.bytes)
        }
        #expect(try Pictures.look(at: Media.DecoderInput(turned.bytes).bytes).height == 160)
        #expect(try Pictures.look(at: Media.DecoderInput(cut.bytes).bytes).width == 40)
        #expect(try Media.DecoderInput(pictures[4]).hasProfile && !Media.DecoderInput(pictures[0]).hasProfile)
    }

    @Test func `a camera's data, previews and whatever else it carries do not reach the decoder`() throws {
        let canary = Array("Canary-51.5007N-0.1246W".utf8)
        var file = try sample()
        let preview = file.items[0]
        file.items.append(.init(type: "Exif", data: [0, 0, 0, 6] + Array("Exif\0\0MM".utf8) + canary, properties: []))
        file.items.append(preview)
        file.items.append(.init(type: "mime", data: canary, properties: []))
        file.references = [("cdsc", 2, [1]), ("thmb", 3, [1]), ("cdsc", 4, [1])]
        file.extra = [0, 0, 0, 31] + Array("free".utf8) + canary
        // A unit of a kind that carries words, among the slices.
        let words = [0x4E, 0x01] + canary
        file.items[0].data = [0, 0, 0, UInt8(words.count)] + words + file.items[0].data
        let slim = try Media.DecoderInput(file.bytes)
        #expect(Data(file.bytes).range(of: Data(canary)) != nil && Data(slim.bytes).range(of: Data(canary)) == nil)
        #expect(try slim.bytes == Media.DecoderInput(sample().bytes).bytes)
    }

    @Test func `a size that is smaller than what is decoded is a lie`() throws {
        var file = try sample(400, 200)
        for index in file.items[0].properties.indices where file.items[0].properties[index].name == "ispe" {
            file.items[0].properties[index].content = Self.size(64, 64)
        }
        #expect(refusal(of: file.bytes) == .damaged("it holds more than its header says"))
        // A second picture behind the first, and parameters that come again.
        var twice = try sample()
        twice.items[0].data += twice.items[0].data
        #expect(refusal(of: twice.bytes) == .damaged("it holds more than its header says"))
    }

    @Test func `a grid that its tiles do not fill, or that is made of grids, is refused`() throws {
        let honest = try HEICSamples.grid(300, 200, of: 128)
        #expect(refusal(of: honest.bytes) == nil)
        func changed(_ change: (inout HEICSamples.File) -> Void) -> Media.Refusal? {
            var file = honest
            change(&file)
            return refusal(of: file.bytes)
        }
        // Too few tiles; a tile that is the grid itself; one that is not there; one of another kind.
        #expect(changed { $0.references = [("dimg", 1, [2, 3])] } == broken)
        #expect(changed { $0.references = [("dimg", 1, [2, 3, 4, 5, 6, 1])] } == broken)
        #expect(changed { $0.references = [("dimg", 1, [2, 3, 4, 5, 6, 99])] } == broken)
        #expect(changed { $0.references = [] } == broken)
        #expect(changed { $0.references += [("dimg", 1, [2, 3, 4, 5, 6, 7])] } == broken)
        #expect(changed { $0.items[6].type = "grid" } == broken)
        // Larger than its tiles; so small that a column of them is beside it.
        #expect(changed { $0.items[0].data.replaceSubrange(4..<6, with: [0x10, 0]) } == broken)
        #expect(
            changed {
                $0.items[0].data.replaceSubrange(4..<6, with: [0, 200])
                $0.items[0].properties[0].content = Self.size(200, 200)
            } == broken)
        // 256 × 256 tiles.
        #expect(changed { $0.items[0].data.replaceSubrange(2..<4, with: [255, 255]) } == .tooCostly)
        // One tile in two places.
        #expect(changed { $0.references[0].to[1] = $0.references[0].to[0] } == broken)
        // Tiles of two sizes.
        let other = try HEICSamples.item(of: try Pictures.halves(64, 64, as: "a.heic"))
        #expect(changed { $0.items[3] = other } == broken)
    }

    @Test func `boxes that lie are refused with one error`() throws {
        let honest = try sample()
        #expect(honest.items[0].type == "hvc1" && refusal(of: honest.bytes) == nil)
        func changed(_ change: (inout HEICSamples.File) -> Void) -> Media.Refusal? {
            var file = honest
            change(&file)
            return refusal(of: file.bytes)
        }
        let end = honest.bytes.count
        for extent in [(end, 1), (0, end + 1), (-1, 10), (end - 1, Int.max), (Int.max, Int.max), (0, 0)] {
            #expect(changed { $0.items[0].extents = [extent] } == broken)
        }
        #expect(changed { $0.items[0].extents = Array(repeating: (0, end), count: 100) } == broken)
        #expect(changed { $0.items[0].extents = [] } == broken)
        #expect(changed { $0.primary = 2 } == broken)
        #expect(changed { $0.items[0].properties = [] } == broken)
        #expect(changed { $0.items[0].properties.removeAll { $0.name == "hvcC" } } == broken)
        // More entries than the boxes hold, and more than boxes may.
        #expect(changed { $0.count = 1_000 } == broken)
        #expect(changed { $0.count = 65_535 } == .tooCostly)
        for type in ["iovl", "iden", "av01", "jpeg"] {
            guard case .damaged? = changed({ $0.items[0].type = type }) else {
                Issue.record("\(type) is taken")
                continue
            }
        }
        // What must be understood and is not.
        #expect(changed { $0.items[0].properties.append(("new!", [])) } != nil)
        for cut in [[0, 1, 20, 1, 0, 1, 0, 1], [199, 1, 20, 1, 0, 1, 0, 1], [40, 0, 20, 1, 0, 1, 0, 0]] {
            #expect(
                changed { $0.items[0].properties.append(("clap", cut.flatMap { [0, 0, 0, UInt8($0)] })) } == broken)
        }
        // What would be read again and again, or copied for each tile.
        #expect(changed { $0.sayings = 2 } == broken)
        let spare: (name: String, content: [UInt8]) = ("free", [])
        #expect(changed { $0.items[0].properties += Array(repeating: spare, count: 40) } == .tooCostly)
        let room = [UInt8](repeating: 0, count: 20_000)
        #expect(
            changed { file in
                for index in file.items[0].properties.indices where file.items[0].properties[index].name == "hvcC" {
                    file.items[0].properties[index].content += room
                }
            } == .tooCostly)
        let empty: [UInt8] = [0, 0, 0, 8] + Array("free".utf8)
        let many: [UInt8] = (0..<3_000).flatMap { _ in empty }
        #expect(changed { $0.extra = many } == .tooCostly)
    }

    @Test func `no prefix, and no byte changed, makes the reading fail otherwise`() throws {
        for whole in [try sample().bytes, try HEICSamples.grid(48, 32, of: 32).bytes] {
            for length in whole.indices {
                guard let refused = refusal(of: Array(whole.prefix(length))) else {
                    // Only the end of the last slice is missing, as far as the boxes can tell.
                    Issue.record("the first \(length) of \(whole.count) bytes are taken")
                    continue
                }
                #expect(refused == broken || refused == .unknownType)
            }
            let boxes = try #require(Data(whole).range(of: Data("mdat".utf8))).lowerBound
            for index in 0..<boxes {
                for byte: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
                    var changed = whole
                    changed[index] = byte
                    _ = refusal(of: changed)
                }
            }
        }
    }
}
