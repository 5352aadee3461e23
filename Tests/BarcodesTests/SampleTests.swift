import Community
import Foundation
import TestSupport
import Testing

@testable import Barcodes

/// Photographs of books with their truth, which lie beside the project and are no part of it. On the main thread, as
/// `DrawnCodeTests`.
@Suite(.enabled(if: Pictures.canBeConverted)) @MainActor struct SampleTests {
    private static let folder = SharedData.path("barcodes/")
    /// Blurred so much that the narrow bars are gone.
    private static let unreadable: Set = ["9780345460950"]

    @Test(.sharedData("barcodes")) func `photographs are read, and nothing false`() throws {
        var right = 0, count = 0
        for folder in ["ean13-2", "ean13-3", "ean13-4", "ean13-5"] {
            for name in try FileManager.default.contentsOfDirectory(atPath: Self.folder + folder).sorted()
            where name.hasSuffix(".png") {
                let path = Self.folder + folder + "/" + name
                let truth = try String(contentsOfFile: String(path.dropLast(3)) + "txt", encoding: .utf8)
                // Both photographs of this book show both of its codes.
                let both: Set = ["1920081045006", "9784872348880"]
                let shown = both.contains(truth) ? both : [truth]

                let readings = Reader.readings(in: try GreyPicture(path: path))

                let read = Set(readings.map(\.text))
                #expect(read.isSubset(of: shown), "\(folder)/\(name): \(read)")
                #expect(readings.map(\.isBook) == readings.map(\.isBook).sorted { $0 && !$1 }, "books first")
                #expect(read == shown || shown.isSubset(of: Self.unreadable), "\(folder)/\(name): \(read)")
                count += 1
                if read.contains(truth) { right += 1 }
            }
        }
        #expect(count == 12 && right >= 11, "\(right) of \(count)")
    }

    @Test(.sharedData("barcodes")) func `composed pictures are read, and nothing false`() throws {
        let json = try Data(contentsOf: URL(filePath: Self.folder + "composed.json"))
        let truth = try JSONDecoder().decode(Composed.self, from: json)
        var right = 0, count = 0
        for picture in truth.pictures {
            let readings = Reader.readings(in: try GreyPicture(path: Self.folder + picture.file))

            let shown = Set(picture.barcodes.map(\.ean13)), read = Set(readings.map(\.text))
            #expect(read.isSubset(of: shown), "\(picture.file): \(read.subtracting(shown))")
            #expect(shown.subtracting(read).isSubset(of: Self.unreadable), "\(picture.file): \(read)")
            for reading in readings {
                let quad = try #require(picture.barcodes.first { $0.ean13 == reading.text }).quad
                let (xs, ys) = (quad.map { $0[0] * 1000 / 1280 }, quad.map { $0[1] * 1000 / 960 })
                // The truth is of the photograph around the code.
                #expect(
                    Double(reading.place.left) > (xs.min() ?? 0) - 5
                        && Double(reading.place.right) < (xs.max() ?? 0) + 5)
                #expect(
                    Double(reading.place.top) > (ys.min() ?? 0) - 5
                        && Double(reading.place.bottom) < (ys.max() ?? 0) + 5)
            }
            count += shown.count
            right += read.count
        }
        #expect(count == 14 && right >= 13, "\(right) of \(count)")
    }

    private struct Composed: Decodable {
        struct Picture: Decodable {
            let file: String
            let barcodes: [Code]
        }

        struct Code: Decodable {
            let ean13: String
            let photo_quad: [[Double]]

            var quad: [[Double]] { photo_quad }
        }

        let pictures: [Picture]
    }
}

extension GreyPicture {
    /// Any file that libvips reads.
    init(file bytes: [UInt8]) throws {
        let grey = try Pictures.made(from: bytes, named: "0", steps: [["colourspace", "b-w"]], as: "grey.pgm")
        let image = try #require(GreyImage(pgm: grey))
        self.init(width: image.width, height: image.height, pixels: image.pixels)
    }

    fileprivate init(path: String) throws { try self.init(file: [UInt8](try Data(contentsOf: URL(filePath: path)))) }
}
