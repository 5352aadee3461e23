import ArgumentParser
import Barcodes
import Community
import FoundationEssentials

/// `commonplace read-barcodes`: reads the barcodes in a picture that a stranger sent. The server starts it under limits, without
/// settings and without secrets; nobody calls it by hand.
struct ReadBarcodes: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read-barcodes", abstract: "Read the barcodes in a grey picture.", shouldDisplay: false)

    @Argument(help: "The picture, a PGM.")
    var file: String

    func run() throws {
        guard let image = GreyImage(pgm: [UInt8](try Data(contentsOf: URL(filePath: file)))) else {
            throw CommandError(.invalid, "this is no PGM of 255 levels with at most 4,096 pixels a side")
        }
        let picture = GreyPicture(width: image.width, height: image.height, pixels: image.pixels)
        for reading in Barcodes.Reader.readings(in: picture) {
            guard let barcode = Media.Barcode(reading) else { continue }
            print(barcode.line, terminator: "")
        }
    }
}

extension Media.Barcode {
    /// A box without width or height is one thousandth wide or high.
    fileprivate init?(_ reading: Barcodes.Reading) {
        let box = reading.place, last = Media.Edit.Crop.whole - 1
        let (left, top) = (min(box.left, last), min(box.top, last))
        guard
            let place = Media.Edit.Crop(
                left: left, top: top, width: max(box.right - left, 1), height: max(box.bottom - top, 1))
        else { return nil }
        self.init(text: reading.symbology == .upcA ? String(reading.text.dropFirst()) : reading.text, place: place)
    }
}
