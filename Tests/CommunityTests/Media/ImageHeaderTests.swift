import TestSupport
import Testing

@testable import Community

struct ImageHeaderTests {
    @Test func `the size is read from the header of each format`() throws {
        let png = try Media.ImageHeader(Pictures.png(300, 200, rows: []))
        #expect(png.format == .png && png.width == 300 && png.height == 200)
        let jpeg = try Media.ImageHeader(Pictures.jpegHeader(300, 200))
        #expect(jpeg.format == .jpeg && jpeg.width == 300 && jpeg.height == 200)
        let progressive = try Media.ImageHeader(Pictures.jpegHeader(300, 200, marker: 0xC2))
        #expect(progressive.width == 300)
        let webp = try Media.ImageHeader(Pictures.webpHeader(300, 200))
        #expect(webp.format == .webp && webp.width == 300 && webp.height == 200)
    }

    @Test(arguments: [
        "", "GIF89a\u{1}\0\u{1}\0", "<svg xmlns='http://www.w3.org/2000/svg'/>", "<?xml version='1.0'?><svg/>",
        "%PDF-1.7", "<!doctype html>", "RIFF\0\0\0\0WAVEfmt ", "\0\0\0\u{18}ftypavif\0\0\0\0mif1avif", "BM\0\0",
        "II*\0", "{}",
    ]) func `what is neither JPEG nor PNG nor WebP nor HEIC is unknown, whatever it is called`(content: String) {
        #expect(throws: Media.Refusal.unknownType) { try Media.ImageHeader(Array(content.utf8)) }
    }

    @Test func `a header that does not tell its size is damaged`() {
        let jpeg = Pictures.jpegHeader(300, 200)
        let broken: [[UInt8]] = [
            [0xFF, 0xD8, 0xFF], Array(jpeg.prefix(14)),
            // A second start; data before the frame; a segment without its own length; a segment that never ends.
            [0xFF, 0xD8, 0xFF, 0xD8, 0xFF, 0xC0, 0, 17, 8, 0, 9, 0, 9],
            [0xFF, 0xD8, 0xFF, 0xDA, 0, 4, 0, 0], [0xFF, 0xD8, 0xFF, 0xE0, 0, 0, 0, 0, 0, 0],
            [0xFF, 0xD8, 0xFF, 0xE0, 0xFF, 0xFF, 0, 0], Pictures.jpegHeader(300, 0),
            Array(Pictures.png(300, 200, rows: []).prefix(20)), Pictures.png(0, 200, rows: []),
            Array(Pictures.webpHeader(300, 200).prefix(20)),
            Array("RIFF\0\0\0\0WEBPVP9 ".utf8) + Array(repeating: 0, count: 20),
        ]
        for bytes in broken {
            #expect(Self.refusal(of: bytes) == .damaged("its header does not tell its size"))
        }
    }

    private static func refusal(of bytes: [UInt8]) -> Media.Refusal? {
        do throws(Media.Refusal) {
            _ = try Media.ImageHeader(bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test func `no prefix of a header, and no byte changed in it, makes the reading fail otherwise`() {
        for whole in [Pictures.png(30, 20, rows: []), Pictures.jpegHeader(30, 20), Pictures.webpHeader(30, 20)] {
            for length in whole.indices { _ = try? Media.ImageHeader(Array(whole.prefix(length))) }
            for index in whole.indices {
                for byte: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
                    var changed = whole
                    changed[index] = byte
                    _ = try? Media.ImageHeader(changed)
                }
            }
        }
    }

    @Test func `24 megapixels are the most, and nothing is thin as a thread`() throws {
        try Media.ImageHeader(Pictures.png(6000, 4000, rows: [])).checkSize()
        for (width, height) in [(6000, 4001), (65_535, 65_535), (4_294_967_295, 4_294_967_295)] {
            #expect(throws: Media.Refusal.tooManyPixels(width: width, height: height)) {
                try Media.ImageHeader(Pictures.png(width, height, rows: [])).checkSize()
            }
        }
        for (width, height) in [(15, 15), (12_001, 1600), (16, 129), (1000, 8001)] {
            #expect(throws: Media.Refusal.badShape(width: width, height: height)) {
                try Media.ImageHeader(Pictures.png(width, height, rows: [])).checkSize()
            }
        }
    }

    @Test func `a hash is 64 digits in lower case and nothing else`() {
        let hash = Media.Hash(of: [1, 2, 3])
        #expect(Media.Hash(text: hash.text) == hash && hash.text.count == 64)
        for text in [
            "", String(hash.text.dropLast()), hash.text + "0", hash.text.uppercased(), "../" + hash.text.dropFirst(3),
            "g" + hash.text.dropFirst(),
        ] {
            #expect(Media.Hash(text: text) == nil)
        }
    }
}
