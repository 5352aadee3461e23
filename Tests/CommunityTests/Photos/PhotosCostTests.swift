import Foundation
import TestSupport
import Testing

@testable import Community

/// What keeping and editing a photograph takes, and the files that come of it.
@Suite(.enabled(if: Pictures.canBeConverted))
struct PhotosCostTests {
    private func withConverter<Result>(
        _ change: (inout Media.Converter.Bounds) -> Void = { _ in },
        _ body: (Media.Converter) async throws -> Result
    ) async throws -> Result {
        let tools = try #require(Media.Tools.find())
        let folder = NSTemporaryDirectory() + "commonplace-photos-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var bounds = Media.Converter.Bounds()
        // The machine may be busy: of the bounds only memory is tried here.
        (bounds.time, bounds.processorSeconds) = (.seconds(300), 300)
        change(&bounds)
        return try await body(
            Media.Converter(tools: tools, folder: folder, random: TestRandom(), bounds: bounds))
    }

    @Test func `a photograph of twelve megapixels is kept, turned and cut in 400 MB of addresses`() async throws {
        let taken = Pictures.photographed(try Pictures.noise(4000, 3000, as: "a.jpg[Q=95]"), canary: "zq")
        let edit = Media.Edit(turn: .quarter, crop: Media.Edit.Crop(left: 10, top: 10, width: 980, height: 980))
        try await withConverter({ $0.memory = 400_000_000 }) { converter in
            let kept = try await converter.convert(taken, as: .photo)
            #expect(kept.map(\.width) == [320, 1280, Media.Kind.master])
            let master = try #require(kept.last?.bytes)
            let header = try Media.ImageHeader(master)
            // Upright: it lay on its side.
            #expect(header.width == 3000 && header.height == 4000)
            let edited = try await converter.edit(edit, master: master)
            #expect(edited.map(\.width) == [Media.Kind.master, 320, 1280, 4096])
            #expect(edited[0].bytes == master)
            let shown = try Media.ImageHeader(edited[3].bytes)
            #expect(shown.width == 3920 && shown.height == 2940)
        }
    }

    @Test func `the largest photograph that is taken has room in a file, and its longer side has 4,096 pixels`()
        async throws
    {
        // Nothing but noise, of which no pixel is like the next.
        let taken = try Pictures.noise(4096, 4096, as: "a.jpg[Q=85]")
        try #require(taken.count <= Limits.photos.upload)
        let wide = try Pictures.black(6000, 4000, as: "a.png")
        try await withConverter { converter in
            let kept = try await converter.convert(taken, as: .photo)
            #expect(kept.allSatisfy { $0.bytes.count <= Limits.media.file })
            let master = try #require(try await converter.convert(wide, as: .photo).last)
            let header = try Media.ImageHeader(master.bytes)
            #expect(header.width == 4096 && header.height == 2731)
        }
    }

    @Test func `a picture in the colours of print or see-through becomes one that every screen shows`() async throws {
        let print = try Pictures.halves(200, 100, as: "a.jpg", steps: [["colourspace", "cmyk"]])
        let clear = try Pictures.black(200, 100, as: "a.png", bands: 4)
        try await withConverter { converter in
            let printed = try await converter.convert(print, as: .photo)
            let look = try Pictures.look(at: try #require(printed.last?.bytes))
            #expect(
                look.quarters[0].isNear(Pictures.red, within: 80) && look.quarters[1].isNear(Pictures.blue, within: 80))
            let cleared = try await converter.convert(clear, as: .photo)
            let white = Pictures.Colour(255, 255, 255)
            #expect(try Pictures.look(at: try #require(cleared.last?.bytes)).quarters.allSatisfy { $0.isNear(white) })
        }
    }
}
