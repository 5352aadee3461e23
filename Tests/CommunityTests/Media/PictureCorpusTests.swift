import Foundation
import TestSupport
import Testing

@testable import Community

/// What strangers send.
@Suite(.database, .enabled(if: Pictures.canBeConverted))
struct PictureCorpusTests {
    @Test(.long) func `an upright, small, plain JPEG comes out whatever went in`() async throws {
        let inputs: [(name: String, bytes: [UInt8])] = [
            ("JPEG", try Pictures.halves(400, 200, as: "a.jpg")),
            ("progressive JPEG", try Pictures.halves(400, 200, as: "a.jpg[interlace]")),
            ("PNG", try Pictures.halves(400, 200, as: "a.png")),
            ("interlaced PNG", try Pictures.halves(400, 200, as: "a.png[interlace]")),
            ("PNG with a palette", try Pictures.halves(400, 200, as: "a.png[palette]")),
            ("PNG of 16 bits", try Pictures.halves(400, 200, as: "a.png", steps: [["colourspace", "rgb16"]])),
            ("WebP", try Pictures.halves(400, 200, as: "a.webp")),
            ("WebP without loss", try Pictures.halves(400, 200, as: "a.webp[lossless]")),
            ("HEIC", try Pictures.halves(400, 200, as: "a.heic[Q=80]")),
            ("HEIC of 10 bits", try Pictures.halves(400, 200, as: "a.heic[Q=80,bitdepth=10]")),
            ("HEIC of tiles", try HEICSamples.grid(400, 200, of: 128).bytes),
            ("CMYK", try Pictures.halves(400, 200, as: "a.jpg", steps: [["colourspace", "cmyk"]])),
            ("animated WebP", try Pictures.halves(400, 400, as: "a.webp[page-height=200]")),
        ]
        try await withWorld { world in
            for input in inputs {
                let prepared = try await world.community.media.prepare(input.bytes, type: "image/x", as: .cover)
                #expect(prepared.variants.map(\.width) == [80, 128, 300, 575, 800, 1280])
                for (file, width) in zip(prepared.files, [80, 128, 300, 400, 400, 400]) {
                    let seen = try Pictures.look(at: file.bytes)
                    #expect(seen.width == width && seen.height == width / 2, "\(input.name)")
                    // Inks do not reach the blue of a screen.
                    let distance = input.name == "CMYK" ? 80 : 15
                    #expect(seen.quarters[0].isNear(Pictures.red, within: distance), "\(input.name): \(seen.quarters)")
                    #expect(seen.quarters[3].isNear(Pictures.blue, within: distance), "\(input.name): \(seen.quarters)")
                    #expect(try Media.ImageHeader(file.bytes).format == .jpeg)
                    #expect(try await world.community.media.facilities.store.read(file.variant.hash) == file.bytes)
                }
                #expect(try world.scratch().isEmpty)
            }
        }
    }

    @Test func `grey pictures are taken too, with a profile that fits or does not`() async throws {
        try await withWorld { world in
            for steps in [[["colourspace", "b-w"]], [["colourspace", "grey16"]]] {
                let grey = try Pictures.halves(200, 200, as: "a.png", steps: steps)
                #expect(try await world.refusal(of: grey) == nil)
                // The name of a profile without one.
                #expect(try await world.refusal(of: grey + Array("iCCP".utf8)) == nil)
            }
        }
    }

    @Test func `where a picture was taken and with what is gone, and it stands upright`() async throws {
        let canary = "Canary-51.5007N-0.1246W"
        let photo = Pictures.photographed(try Pictures.halves(400, 200, as: "a.jpg"), canary: canary)
        #expect(Data(photo).range(of: Data(canary.utf8)) != nil)
        try await withWorld { world in
            for kind in Media.Kind.allCases {
                let prepared = try await world.community.media.prepare(photo, type: "image/jpeg", as: kind)
                for file in prepared.files {
                    let data = Data(file.bytes)
                    for part in [canary, "Exif", "ns.adobe.com", "ICC_PROFILE"] {
                        #expect(data.range(of: Data(part.utf8)) == nil, "\(part)")
                    }
                }
                let seen = try Pictures.look(at: try #require(prepared.files.last).bytes)
                #expect(kind == .profile ? seen.width == seen.height : seen.height == 2 * seen.width)
                #expect(seen.quarters[0].isNear(Pictures.red) && seen.quarters[1].isNear(Pictures.red))
                #expect(seen.quarters[2].isNear(Pictures.blue) && seen.quarters[3].isNear(Pictures.blue))
            }
        }
    }

    @Test func `a profile picture is the middle square, and what is transparent becomes white`() async throws {
        let clear = Pictures.png(100, 100, colour: 6, rows: Array(repeating: 0, count: 401 * 100))
        try await withWorld { world in
            let media = world.community.media
            let wide = try await media.prepare(
                try Pictures.halves(400, 100, as: "a.png"), type: "image/png", as: .profile)
            for (file, width) in zip(wide.files, [48, 96, 192, 384]) {
                let seen = try Pictures.look(at: file.bytes)
                #expect(seen.width == width && seen.height == width)
                #expect(seen.quarters[0].isNear(Pictures.red) && seen.quarters[1].isNear(Pictures.blue))
            }
            let flat = try await media.prepare(clear, type: "image/png", as: .profile)
            let seen = try Pictures.look(at: flat.files[0].bytes)
            #expect(seen.quarters.allSatisfy { $0.isNear(.init(255, 255, 255), within: 3) })
        }
    }

    @Test func `what hides in a picture does not come out of it`() async throws {
        let payload = "<script>alert(1)</script>PK\u{3}\u{4}payload"
        let jpeg = try Pictures.halves(400, 200, as: "a.jpg") + Array(payload.utf8)
        let rows = (0..<100).flatMap { _ -> [UInt8] in [0] + Array(repeating: 90, count: 300) }
        let png = Pictures.png(
            100, 100, rows: rows, extra: [("tEXt", Array("Comment\0\(payload)".utf8)), ("eXIf", Array(payload.utf8))])
        try await withWorld { world in
            for bytes in [jpeg, png + Array(payload.utf8)] {
                let prepared = try await world.community.media.prepare(bytes, type: "image/png2", as: .cover)
                for file in prepared.files { #expect(Data(file.bytes).range(of: Data("alert(1)".utf8)) == nil) }
            }
        }
    }

    @Test func `what cannot be decoded to its end is refused and leaves nothing`() async throws {
        let jpeg = try Pictures.halves(400, 200, as: "a.jpg")
        let png = try Pictures.halves(400, 200, as: "a.png")
        let webp = try Pictures.halves(400, 200, as: "a.webp")
        let heic = try Pictures.halves(400, 200, as: "a.heic")
        let inputs: [(name: String, bytes: [UInt8])] = [
            ("half a JPEG", Array(jpeg.prefix(jpeg.count / 2))), ("half a PNG", Array(png.prefix(png.count / 2))),
            ("half a WebP", Array(webp.prefix(webp.count / 2))), ("half a HEIC", Array(heic.prefix(heic.count / 2))),
            ("a JPEG's header", Pictures.jpegHeader(400, 200)),
            ("a PNG's header", Pictures.png(400, 200, rows: [])), ("a WebP's header", Pictures.webpHeader(400, 200)),
            ("a PNG of fewer rows than it says", Pictures.png(400, 200, rows: Array(repeating: 0, count: 1201 * 20))),
            ("a PNG of no known colours", Pictures.png(400, 200, depth: 3, colour: 5, rows: [0])),
            (
                "an SVG in a JPEG's clothes",
                [0xFF, 0xD8, 0xFF] + Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)
            ),
        ]
        try await withWorld { world in
            for input in inputs {
                guard case .damaged? = try await world.refusal(of: input.bytes) else {
                    Issue.record("\(input.name) is not refused as damaged")
                    continue
                }
                #expect(try world.leftFiles().isEmpty, "\(input.name)")
            }
        }
    }

    @Test func `bombs are refused by their header, before anything decodes them`() async throws {
        let bombs = [
            Pictures.png(65_535, 65_535, rows: [0]), Pictures.png(2_147_483_647, 2_147_483_647, rows: [0]),
            Pictures.jpegHeader(65_500, 65_500), Pictures.webpHeader(16_384, 16_384),
            Pictures.png(6000, 4001, rows: [0]), try HEICSamples.grid(6000, 4001, of: 512).bytes,
        ]
        try await withWorld { world in
            for bomb in bombs {
                guard case .tooManyPixels? = try await world.refusal(of: bomb) else {
                    Issue.record("a bomb is not refused by its size")
                    continue
                }
            }
            await #expect(throws: Media.Refusal.otherType(declared: "image/jpeg", found: "image/png")) {
                _ = try await world.community.media.prepare(bombs[0], type: "image/jpeg", as: .profile)
            }
            #expect(try world.leftFiles().isEmpty)
        }
    }

    /// 24 megapixels in a few kilobytes, in the forms that take a decoder most: they are converted or refused, in time.
    @Test func `the largest that may be is converted or refused within its limits`() async throws {
        let large = [
            try Pictures.black(6000, 4000, as: "a.png[compression=9]"),
            try Pictures.black(6000, 4000, as: "a.png[interlace]", bands: 4, steps: [["cast", "ushort"]]),
            try Pictures.black(6000, 4000, as: "a.jpg[interlace]"), try Pictures.black(6000, 4000, as: "a.webp"),
            Pictures.photographed(try Pictures.black(4898, 4898, as: "a.jpg"), canary: "x"),
            try HEICSamples.grid(6000, 4000, of: 512).bytes,
            // The decoder of HEIC makes a picture of any bytes.
            try HEICSamples.noise(like: try Pictures.halves(400, 200, as: "a.heic")),
        ]
        try await withWorld { world in
            for bytes in large {
                let (start, before) = (ContinuousClock.now, try world.files())
                do {
                    _ = try await world.community.media.prepare(bytes, type: "image/any", as: .profile)
                } catch Media.Refusal.tooCostly {
                    #expect(try world.files() == before)
                }
                do {
                    try await world.scan(bytes)
                } catch Media.Refusal.tooCostly {}
                let most: Duration = Limits.media.conversionTime * 2 + .seconds(5)
                #expect(ContinuousClock.now - start < most)
                #expect(try world.scratch().isEmpty)
            }
        }
    }

    @Test func `where libvips does not read HEIC, HEIC is refused and says so, and the others are taken`() async throws
    {
        let heic = try Pictures.halves(64, 32, as: "a.heic")
        let jpeg = try Pictures.halves(64, 32, as: "a.jpg")
        let tools = try #require(Media.Tools.find(program: try BuiltProgram.path()))
        // Each is what one of Debian's versions says: without the loader, with one that is blocked, without a decoder.
        let words = [
            "VipsForeignLoad: \"in\" is not a known file format", "magickload: operation is blocked",
            "heif: Unsupported feature: Unsupported codec (4.3000)",
        ]
        for word in words {
            let script = """
                #!/bin/sh
                if [ "$1" = thumbnail ] && [ "$(head -c 8 in | tail -c 4)" = ftyp ]; then echo '\(word)' >&2; exit 1; fi
                exec \(tools.vips) "$@"
                """
            let program = try TemporaryFile("vips", Array(script.utf8))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
            try await withWorld(tools: Media.Tools(vips: program.path, prlimit: tools.prlimit, program: tools.program))
            {
                world in
                let refusals = (try await world.refusal(of: heic), try await world.refusal(of: jpeg))
                #expect(refusals.0 == .noHEIC && refusals.1 == nil)
            }
        }
    }

    @Test func `without libvips pictures are off`() async throws {
        try await withWorld(tools: nil) { world in
            _ = await #expect(throws: Media.Refusal.off) {
                _ = try await world.community.media.prepare(
                    Pictures.png(100, 100, rows: []), type: "image/png", as: .profile)
            }
        }
    }
}

extension World {
    /// What conversions have left.
    func scratch() throws -> [String] { try names(in: "scratch") + names(in: "incoming") }

    /// Why `bytes` are no profile picture, and no picture of barcodes either; `nil` where they are one.
    func refusal(of bytes: [UInt8]) async throws -> Media.Refusal? {
        let scanned = try await refusal { _ = try await scan(bytes) }
        let shown = try await refusal {
            _ = try await community.media.prepare(bytes, type: "image/any", as: .profile)
        }
        #expect(scanned == shown)
        return shown
    }

    private func refusal(_ body: () async throws -> Void) async throws -> Media.Refusal? {
        do {
            try await body()
            return nil
        } catch let refusal as Media.Refusal {
            return refusal
        }
    }

    /// The barcodes in a picture of the corpus, which has none.
    func scan(_ bytes: [UInt8]) async throws {
        let codes = try await community.media.readied(bytes, type: "image/any").barcodes(in: bytes)
        #expect(codes.isEmpty)
    }

    /// What a conversion that failed must not leave.
    func leftFiles() throws -> [String] { try scratch() + files() }

    /// The stored files.
    func files() throws -> [String] { try names(in: "files").flatMap { try names(in: "files/" + $0) } }

    private func names(in part: String) throws -> [String] {
        let folder = mediaFolder + "/" + part
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder)
    }
}
