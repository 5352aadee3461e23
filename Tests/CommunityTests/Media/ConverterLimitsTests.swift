import Foundation
import TestSupport
import Testing

@testable import Community

/// What stops a picture that the gate of `ImageHeader` would let through.
@Suite(.enabled(if: Pictures.canBeConverted))
struct ConverterLimitsTests {
    private func refusal(
        of bytes: [UInt8], change: (inout Media.Converter.Bounds) -> Void = { _ in }
    ) async throws -> Media.Refusal? {
        let tools = try #require(Media.Tools.find())
        let folder = NSTemporaryDirectory() + "commonplace-limits-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var bounds = Media.Converter.Bounds()
        change(&bounds)
        let converter = Media.Converter(tools: tools, folder: folder, random: TestRandom(), bounds: bounds)
        do {
            _ = try await converter.convert(bytes, as: .profile)
            return nil
        } catch let refusal as Media.Refusal {
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
            return refusal
        }
    }

    /// Formats that libvips reads by loaders that it calls untrusted, and reads here too where nothing blocks them.
    @Test(arguments: [
        "<svg xmlns='http://www.w3.org/2000/svg' width='64' height='64'><rect width='64' height='64'/></svg>",
        "P2 32 32 255 " + String(repeating: "7 ", count: 32 * 32),
    ])
    func `an untrusted loader is blocked, though the bytes are a picture to it`(picture: String) async throws {
        let bytes = Array(picture.utf8)
        #expect(try Pictures.look(at: bytes).width > 0)
        guard case .damaged? = try await refusal(of: bytes) else {
            Issue.record("it was converted")
            return
        }
    }

    @Test func `a picture that takes more memory than it may is too costly`() async throws {
        let large = try Pictures.black(
            6000, 4000, as: "a.png[interlace]", bands: 4, steps: [["cast", "ushort"]])
        let refused = try await refusal(of: large) { $0.memory = 256 * 1024 * 1024 }
        #expect(refused == .tooCostly)
        // Of the bounds only memory is tried here.
        let taken = try await refusal(of: large) {
            $0.time = .seconds(300)
            $0.processorSeconds = 300
        }
        #expect(taken == nil)
    }

    @Test func `a picture that becomes a larger file than it may is too costly`() async throws {
        let picture = try Pictures.halves(400, 400, as: "a.png")
        let refused = try await refusal(of: picture) { $0.file = 200 }
        #expect(refused == .tooCostly)
        #expect(try await refusal(of: picture) == nil)
    }

    @Test func `a picture that takes longer than it may is too costly`() async throws {
        let picture = try Pictures.halves(400, 400, as: "a.png")
        let refused = try await refusal(of: picture) { $0.time = .milliseconds(1) }
        #expect(refused == .tooCostly)
    }
}
