import Foundation
import TestSupport
import Testing

@testable import Community

/// What of a picture reaches libvips.
@Suite(.enabled(if: Pictures.canBeConverted))
struct DecoderInputTests {
    private static let rows = (0..<16).flatMap { _ -> [UInt8] in [0] + Array(repeating: 90, count: 48) }

    private func input(_ bytes: [UInt8]) throws -> Media.DecoderInput { try Media.DecoderInput(bytes) }

    private func holds(_ bytes: [UInt8], _ text: String) -> Bool { Data(bytes).range(of: Data(text.utf8)) != nil }

    @Test func `of a PNG the pixels and their colours are left`() throws {
        let text = Array("Comment\0\0canary".utf8)
        let carried = ["tEXt", "zTXt", "iTXt", "tIME", "pHYs", "vpAg"].map { (name: $0, content: text) }
        let colours: [(name: String, content: [UInt8])] = [("gAMA", [0, 0, 0xB1, 0x8F]), ("sRGB", [0])]
        let bare = Pictures.png(16, 16, rows: Self.rows, extra: colours)
        let full = Pictures.png(16, 16, rows: Self.rows, extra: carried + colours + carried) + text
        #expect(try input(full).bytes == bare)
        #expect(try input(bare).bytes == bare)
        // Once is enough, of what has a meaning once.
        let repeated = Pictures.png(16, 16, rows: Self.rows, extra: colours + colours)
        #expect(try input(repeated).bytes == bare)
    }

    @Test func `a PNG's profile stays where it has the size of one`() throws {
        func picture(_ size: Int) -> [UInt8] {
            let profile = Array("p\0\0".utf8) + Pictures.stored(Array(repeating: 7, count: size))
            return Pictures.png(16, 16, rows: Self.rows, extra: [("iCCP", profile)])
        }
        let (small, large) = (try input(picture(3_000)), try input(picture(Limits.media.profile + 1)))
        #expect(small.hasProfile && small.bytes == picture(3_000))
        #expect(!large.hasProfile && large.bytes == Pictures.png(16, 16, rows: Self.rows))
    }

    @Test func `a PNG that unpacks to more than its header says is refused`() throws {
        let room = Limits.media.inflatedRoom
        let just = Pictures.png(16, 16, rows: Self.rows + Array(repeating: 0, count: room))
        #expect(try input(just).bytes == just)
        let more = Pictures.png(16, 16, rows: Self.rows + Array(repeating: 0, count: room + 1))
        #expect(throws: Media.Refusal.damaged("it holds more than its header says")) { _ = try input(more) }
    }

    @Test func `the pixels of a PNG are counted as its header says, interlaced or not`() throws {
        func size(_ width: Int, _ height: Int, _ depth: UInt8, _ colour: UInt8, isInterlaced: Bool) -> Int {
            var file = Pictures.png(width, height, depth: depth, colour: colour, rows: [])
            file[28] = isInterlaced ? 1 : 0
            return Media.DecoderInput.pixelBytes(of: file)
        }
        #expect(size(200, 100, 8, 2, isInterlaced: false) == 100 * 601)
        #expect(size(200, 100, 16, 6, isInterlaced: false) == 100 * 1_601)
        #expect(size(17, 16, 1, 3, isInterlaced: false) == 16 * 4)
        // By the passes of the specification: 8 × 8 pixels are 1, 1, 2, 4, 8, 16 and 32 of them in 1, 1, 1, 2, 2, 4, 4 rows.
        #expect(size(8, 8, 8, 0, isInterlaced: true) == 64 + 15)
        #expect(size(1, 1, 8, 0, isInterlaced: true) == 2)
        // What the gate refuses anyway must not overflow.
        #expect(size(2_147_483_647, 2_147_483_647, 16, 6, isInterlaced: true) > 0)
    }

    @Test func `of a JPEG the scans, their tables and the way up are left`() throws {
        let plain = try Pictures.halves(64, 32, as: "a.jpg[strip]")
        let photo = Pictures.photographed(plain, canary: "canary")
        let comments = (0..<1_000).flatMap { _ -> [UInt8] in [0xFF, 0xFE, 0, 2] }
        let noisy: [UInt8] = photo.prefix(2) + comments + photo.dropFirst(2)
        let slim = try input(noisy + Array("canary".utf8))
        #expect(!holds(slim.bytes, "canary") && slim.bytes.count < plain.count + 60)
        #expect(holds(slim.bytes, "Exif"))
        #expect(try Pictures.pixels(of: slim.bytes) == Pictures.pixels(of: photo))
        #expect(try input(plain).bytes == plain)
    }

    @Test func `a JPEG that goes over its pixels again and again is too costly`() throws {
        let picture = try Pictures.halves(64, 32, as: "a.jpg[interlace]")
        let scan = try #require(Data(picture).lastRange(of: Data([0xFF, 0xDA])))
        let last = Array(picture[scan.lowerBound..<picture.count - 2])
        var many = Array(picture.dropLast(2))
        for _ in 0..<Limits.media.scans { many += last }
        many += [0xFF, 0xD9]
        #expect(throws: Media.Refusal.tooCostly) { _ = try input(many) }
        _ = try input(picture)
    }

    @Test func `of an animation the first frame is left`() throws {
        // Red above, blue below: frames that differ, which no encoder puts together.
        let animated = try Pictures.halves(64, 64, as: "a.webp[page-height=32,lossless]", steps: [["rot", "d90"]])
        let slim = try input(animated)
        #expect(animated.ranges(of: Array("ANMF".utf8)).count == 2)
        #expect(slim.bytes.ranges(of: Array("ANMF".utf8)).count == 1)
        #expect(try Media.ImageHeader(slim.bytes) == Media.ImageHeader(animated))
    }

    /// What cameras and programs make decodes to the same pixels, standing the same way up.
    @Test func `an honest picture comes out the same`() throws {
        let steps = [["icc_transform", "p3"]]
        let pictures = [
            try Pictures.halves(64, 32, as: "a.jpg"), try Pictures.halves(64, 32, as: "a.jpg[interlace]"),
            try Pictures.halves(64, 32, as: "a.png"), try Pictures.halves(64, 32, as: "a.png[interlace]"),
            try Pictures.halves(64, 32, as: "a.png[palette]"), try Pictures.halves(64, 32, as: "a.webp"),
            try Pictures.halves(64, 32, as: "a.webp[lossless]"),
            try Pictures.halves(64, 32, as: "a.png", steps: [["colourspace", "rgb16"]]),
            try Pictures.halves(64, 32, as: "a.jpg", steps: [["colourspace", "cmyk"]]),
            Pictures.photographed(try Pictures.halves(64, 32, as: "a.jpg"), canary: "x"),
        ]
        for picture in pictures {
            #expect(try Pictures.pixels(of: input(picture).bytes) == Pictures.pixels(of: picture))
        }
        for name in ["a.jpg", "a.png", "a.webp"] {
            let coloured = try Pictures.halves(64, 32, as: name, steps: steps)
            let slim = try input(coloured)
            #expect(slim.hasProfile, "\(name)")
            #expect(try Pictures.pixels(of: slim.bytes) == Pictures.pixels(of: coloured), "\(name)")
        }
    }
}
